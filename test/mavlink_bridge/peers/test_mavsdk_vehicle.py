"""MAVSDK as the vehicle, by its server plugins, and our end as the ground station."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from mavsdk_drone import Drone
from real_time import PATIENCE, free_port

from mavlink_bridge.endpoint import Endpoint
from mavlink_bridge.links.link_url import open_link
from mavlink_bridge.links.waiting import wait
from mavlink_bridge.sending.command_result import CommandOutcome, CommandResult
from mavlink_bridge.sending.traffic_class import TrafficClass

VEHICLE = (1, 1)
DATA = random.Random(5).randbytes(5000)


class Station:
    """Our side, in real time."""

    def __init__(self, folder: Path) -> None:
        port = free_port()
        for name in ("drone", "ground"):
            (folder / name).mkdir()
        self.link = open_link(f"udpin:127.0.0.1:{port}")
        self.end = Endpoint(self.link, 255, 190, folder / "ground")
        self.dialect = self.end.dialect
        self.drone = Drone(port, folder / "drone")
        self.messages: list[Any] = []
        self._beat_at = 0.0

    def until(self, condition: Callable[[], Any]) -> Any:
        end = time.monotonic() + PATIENCE
        while (now := time.monotonic()) < end:
            if now >= self._beat_at:
                self._beat_at = now + 0.5
                beat = self.dialect.MAVLink_heartbeat_message(6, 8, 0, 0, 4, 3)
                self.end.submit(beat, TrafficClass.HEARTBEAT, now)
                self.drone.publish()
            self.messages += [frame.message for frame in self.end.poll(now)]
            value = condition()
            if value:
                return value
            wait([self.link], now, 0.01)
        return pytest.fail("it did not happen")

    def command(self, number: int, *numbers: float) -> CommandOutcome:
        values = [*numbers, *[0.0] * (7 - len(numbers))]
        message = self.dialect.MAVLink_command_long_message(*VEHICLE, number, 0, *values)
        ended: list[CommandOutcome] = []
        self.end.command(
            message, time.monotonic(), on_success=ended.append, on_failure=ended.append
        )
        self.until(lambda: ended)
        return ended[0]

    def got(self, kind: str) -> list[Any]:
        return [message for message in self.messages if message.get_type() == kind]


@pytest.fixture
def station(tmp_path: Path) -> Iterator[Station]:
    made = Station(tmp_path)
    yield made
    made.drone.mavsdk.destroy()
    made.end.close()


def test_mavsdk_is_our_vehicle(station: Station, tmp_path: Path) -> None:
    peer = station.until(lambda: station.end.connection.peers.autopilot())
    assert (peer.system, peer.component) == VEHICLE
    _obeys(station)
    _tells(station)
    _keeps_files(station, tmp_path)
    assert not station.end.connection.statistics.bad_checksum
    assert not station.end.connection.statistics.mismatches


def _obeys(station: Station) -> None:
    assert station.command(400, 1).succeeded
    assert station.command(22).succeeded
    station.until(lambda: len(station.drone.done) == 2)
    assert station.drone.done == [("arm", True), ("takeoff", True)]
    refused = station.command(176, 1, 4, 3)
    assert refused.result == CommandResult.TEMPORARILY_REJECTED


def _tells(station: Station) -> None:
    place = station.until(lambda: station.got("GLOBAL_POSITION_INT"))[-1]
    assert (place.lat, place.lon, place.alt) == (470_000_000, 80_000_000, 500_000)
    assert (place.vx, place.vy, place.vz, place.hdg) == (100, 200, 300, 9000)
    asked = station.dialect.MAVLink_param_request_list_message(*VEHICLE)
    station.end.submit(asked, TrafficClass.COMMAND, time.monotonic())
    value = station.until(lambda: station.got("PARAM_VALUE"))[-1]
    assert (value.param_id, value.param_value) == ("MY_SPEED", 2.5)


def _keeps_files(station: Station, folder: Path) -> None:
    (folder / "ground" / "up.bin").write_bytes(DATA)
    ended: list[Any] = []
    client = station.end.ftp_client
    client.upload(folder / "ground" / "up.bin", "/there.bin", VEHICLE, ended.append)
    client.list_directory("/", VEHICLE, ended.append)
    client.download("/there.bin", folder / "ground" / "back.bin", VEHICLE, ended.append)
    station.until(lambda: len(ended) == 3)
    assert [outcome.error for outcome in ended] == ["", "", ""]
    assert [(entry.name, entry.size) for entry in ended[1].value] == [("there.bin", len(DATA))]
    assert (folder / "drone" / "there.bin").read_bytes() == DATA
    assert (folder / "ground" / "back.bin").read_bytes() == DATA
