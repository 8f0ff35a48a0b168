"""A ground station through the bridge: parameters, a mission, and nothing that circles."""

from __future__ import annotations

from typing import Any

import pytest

from mavlink_bridge.connection import Connection
from mavlink_bridge.dialect.definition import load
from mavlink_bridge.links.channel import Conditions
from mavlink_bridge.links.link_emulator import LinkEmulator
from mavlink_bridge.piloting.drone_bridge import BridgeParameters, DroneBridge, Outlet
from mavlink_bridge.piloting.ground_station import GroundStationForward
from mavlink_bridge.simulated_autopilot.vehicle import Vehicle
from mavlink_bridge.wire.signing import Signing

m = load()
KEY = bytes(range(32))


class Three:
    """A simulated autopilot, the bridge, and a ground station behind it."""

    def __init__(self, folder: Any, signed: bool = False) -> None:
        radio = LinkEmulator(Conditions(delay=0.02), Conditions(delay=0.02))
        wire = LinkEmulator()
        keys = [Signing(KEY, number, 1) if signed else None for number in (1, 2)]
        self.vehicle = Vehicle(radio.b, folder / "drone", signing=keys[0])
        self.bridge = DroneBridge(
            radio.a, folder / "bridge", BridgeParameters(), Outlet(), signing=keys[1]
        )
        self.forward = GroundStationForward(self.bridge.endpoint, wire.a)
        self.ground = Connection(wire.b, 255, 190)
        self.heard: list[Any] = []
        self.now = 0.0

    def run(self, seconds: float) -> None:
        end = self.now + seconds
        while self.now < end:
            self.now += 0.02
            self.vehicle.advance(self.now)
            self.forward.poll(self.bridge.poll(self.now, round(self.now * 1e9)), self.now)
            self.heard += [frame for frame in self.ground.poll(self.now) if frame.system == 1]

    def say(self, message: Any) -> None:
        self.ground.send(message, self.now)
        self.run(0.5)

    def got(self, kind: str) -> list[Any]:
        return [f.message for f in self.heard if f.message.get_type() == kind]


@pytest.mark.parametrize("signed", [False, True])
def test_heartbeat_parameters_and_commands(tmp_path, signed):
    three = Three(tmp_path, signed)
    three.run(3.0)
    assert three.got("HEARTBEAT")
    three.say(m.MAVLink_param_request_list_message(1, 1))
    three.run(5.0)
    values = three.got("PARAM_VALUE")
    assert len({value.param_index for value in values}) == values[0].param_count > 5
    three.say(m.MAVLink_command_long_message(1, 1, 400, 0, 1, 0, 0, 0, 0, 0, 0))
    acks = [ack for ack in three.got("COMMAND_ACK") if ack.command == 400]
    assert [ack.result for ack in acks] == [0]
    assert three.vehicle.pilot.armed


def test_a_mission_up_and_its_acknowledgement(tmp_path):
    three = Three(tmp_path)
    three.run(3.0)
    three.say(m.MAVLink_mission_count_message(1, 1, 2, 0))
    answered = 0
    for _ in range(20):
        for request in three.got("MISSION_REQUEST_INT")[answered:]:
            answered += 1
            three.say(
                m.MAVLink_mission_item_int_message(
                    1,
                    1,
                    request.seq,
                    6,
                    16,
                    0,
                    1,
                    0,
                    0,
                    0,
                    0,
                    460503000 + request.seq * 100,
                    144689000,
                    2.0,
                    0,
                )
            )
        three.run(0.3)
        if three.got("MISSION_ACK"):
            break
    (ack,) = three.got("MISSION_ACK")
    assert ack.type == 0


def test_frames_are_passed_unchanged_and_our_own_numbers_have_no_gaps(tmp_path):
    three = Three(tmp_path)
    three.run(3.0)
    for _ in range(5):
        three.say(m.MAVLink_param_request_read_message(1, 1, b"", 0))
    peers = three.vehicle.endpoint.connection.peers.peers
    assert peers[(255, 190)].missed == 0
    assert peers[(245, 191)].missed == 0


def test_a_router_that_sends_back_what_it_hears_starts_no_circle(tmp_path):
    three = Three(tmp_path)
    three.run(3.0)
    before = three.forward.to_drone
    for frame in list(three.heard):
        three.ground.forward(frame, three.now)
    three.run(1.0)
    assert three.forward.to_drone == before
    assert three.forward.refused >= len(three.heard) / 2


def test_keys_stay_where_they_are(tmp_path):
    three = Three(tmp_path)
    three.run(3.0)
    before = three.forward.to_drone
    three.say(m.MAVLink_setup_signing_message(1, 1, list(KEY), 1))
    assert three.forward.to_drone == before
