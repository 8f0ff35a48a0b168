"""Whatever a stranger sends, the simulated drone stays where numbers are and goes on answering."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest
from flights import Flight

MESSAGES = (
    "COMMAND_LONG",
    "COMMAND_INT",
    "SET_POSITION_TARGET_LOCAL_NED",
    "SET_POSITION_TARGET_GLOBAL_INT",
    "DJI_POSE_STAMPED",
    "SET_MODE",
    "MISSION_COUNT",
    "MISSION_ITEM_INT",
    "MISSION_ITEM",
    "MISSION_REQUEST_INT",
    "MISSION_SET_CURRENT",
    "MISSION_CLEAR_ALL",
    "PARAM_SET",
    "PARAM_REQUEST_READ",
    "REQUEST_DATA_STREAM",
    "TIMESYNC",
    "PING",
)
COMMANDS = (17, 20, 21, 22, 115, 176, 178, 179, 192, 193, 224, 300, 400, 510, 511, 512, 50100)
ITEMS = (16, 17, 19, 20, 21, 22, 93, 115, 177, 178, 5001, 5002, 5003, 5004, 5100)
ODD = (math.nan, math.inf, -math.inf, 0.0, 1.0, -1.0, 1e38, -1e38, 5.0, 46.0503, 21196.0)
BITS = {"int8_t": 8, "uint8_t": 8, "int16_t": 16, "uint16_t": 16, "int32_t": 32, "uint32_t": 32}


def value(chance: random.Random, kind: str) -> Any:
    if kind in ("float", "double"):
        return chance.choice((*ODD, chance.uniform(-400, 400)))
    bits = BITS.get(kind, 63)
    number = chance.choice((0, 1, 2, 3, 4, chance.getrandbits(bits)))
    top = 1 << (bits - 1)
    return number if kind.startswith("u") else (number + top) % (2 * top) - top


def message(chance: random.Random, dialect: Any, name: str) -> Any:
    kind = getattr(dialect, f"MAVLink_{name.lower()}_message")
    fields = []
    # fieldtypes are in the order of the fieldnames; lengths in that of the wire.
    for field, type_, order in zip(kind.fieldnames, kind.fieldtypes, kind.orders, strict=True):
        length = kind.lengths[order]
        fields.append(_field(chance, name, field, type_, length))
    return kind(*fields)


def _field(chance: random.Random, name: str, field: str, kind: str, length: int) -> Any:
    if field in ("target_system", "target_component"):
        return 1
    if field == "mission_type":
        return chance.choice((0, 1, 2, 255))
    if field == "seq" or (name == "MISSION_COUNT" and field == "count"):
        return chance.choice((0, 1, 2, 3))
    if field == "command":
        return chance.choice(COMMANDS if name.startswith("COMMAND") else ITEMS)
    if field in ("frame", "coordinate_frame"):
        return chance.choice((0, 1, 3, 5, 6, 7, 8, 9, 12, 200))
    if kind == "char":
        return chance.choice((b"NAV_ACC_RAD", b"\xff\xfe", b""))
    if length > 1:
        return [value(chance, kind) for _ in range(length)]
    return value(chance, kind)


@pytest.mark.parametrize("flavour", ["px4", "ardupilot"])
@pytest.mark.parametrize("seed", range(2))
def test_no_message_breaks_it(tmp_path, flavour, seed):
    flight = Flight(tmp_path, flavour=flavour)
    flight.take_off(5.0)
    vehicle, chance = flight.vehicle, random.Random(seed)
    for _ in range(1500):
        sent = message(chance, flight.dialect, chance.choice(MESSAGES))
        flight.send(sent)
        flight.run(0.04)
        if chance.random() < 0.05:
            flight.pilot.arm(force=True)
            flight.pilot.start_mission()
        numbers = (*vehicle.body.position, *vehicle.body.velocity, vehicle.body.yaw)
        assert all(abs(number) < 1e6 for number in numbers), (numbers, sent)
    registry = vehicle.endpoint.handlers
    faults = {entry.name: entry.errors for entries in registry._by_id.values() for entry in entries}
    assert not any(faults.values()), faults
    flight.messages.clear()
    assert flight.command(512, 148).succeeded
