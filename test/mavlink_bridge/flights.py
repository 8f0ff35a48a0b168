"""A simulated autopilot and a ground station, over an emulated link on a simulated clock."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mavlink_bridge.endpoint import Endpoint
from mavlink_bridge.links.channel import Conditions
from mavlink_bridge.links.link_emulator import LinkEmulator
from mavlink_bridge.links.thin import ThinLink
from mavlink_bridge.sending.command_result import CommandOutcome
from mavlink_bridge.sending.traffic_class import TrafficClass
from mavlink_bridge.simulated_autopilot.vehicle import Vehicle, VehicleParameters

STEP = 0.02
NAN = math.nan
GROUND, DRONE = 255, 1


class Flight:
    """`run` lets time pass; everything that came to the ground is in `messages`."""

    def __init__(self, folder: Path, seed: int = 0, signing: Any = (None, None), **options: Any):
        conditions = {
            name: options.pop(name) for name in ("loss", "delay", "duplicate") if name in options
        }
        self.emulator = LinkEmulator(Conditions(**conditions), Conditions(**conditions), seed)
        thin = options.pop("thin", None)
        ends: list[Any] = [self.emulator.a, self.emulator.b]
        if thin is not None:
            ends = [ThinLink(end, thin) for end in ends]
        drone_files, ground_files = folder / "drone", folder / "ground"
        drone_files.mkdir()
        ground_files.mkdir()
        self.vehicle = Vehicle(
            ends[1], drone_files, VehicleParameters(**options), signing=signing[1]
        )
        self.ground = Endpoint(ends[0], GROUND, 190, ground_files, signing=signing[0])
        self.dialect = self.ground.dialect
        self.now = 0.0
        self.beats = True
        self.setpoint: Any = None
        self.messages: list[Any] = []
        self._beat_at = 0.0
        self._setpoint_at = 0.0

    @property
    def pilot(self) -> Any:
        return self.vehicle.pilot

    @property
    def position(self) -> tuple[float, float, float]:
        return self.vehicle.body.position

    def run(self, seconds: float, until: Callable[[], Any] | None = None) -> None:
        """Let time pass, until a condition holds; failing when it does not in time."""
        end = self.now + seconds
        while self.now < end:
            self.now += STEP
            if self.beats and self.now >= self._beat_at:
                self._beat_at = self.now + 1.0
                beat = self.dialect.MAVLink_heartbeat_message(6, 8, 0, 0, 4, 3)
                self.ground.submit(beat, TrafficClass.HEARTBEAT, self.now)
            if self.setpoint is not None and self.now >= self._setpoint_at:
                self._setpoint_at = self.now + 0.1
                self.ground.submit(self.setpoint, TrafficClass.SETPOINT, self.now)
            self.messages += [frame.message for frame in self.ground.poll(self.now)]
            self.vehicle.advance(self.now)
            if until is not None and until():
                return
        if until is not None:
            pytest.fail(f"it did not happen; {self.position}, {self.pilot.mode}, {self.texts()}")

    def send(self, message: Any) -> None:
        self.ground.submit(message, TrafficClass.COMMAND, self.now)

    def got(self, kind: str) -> list[Any]:
        return [message for message in self.messages if message.get_type() == kind]

    def texts(self) -> list[str]:
        return [str(message.text) for message in self.got("STATUSTEXT")]

    def command(self, number: int, *numbers: float) -> CommandOutcome:
        """Send a COMMAND_LONG and return how it ended."""
        values = [*numbers, *([0.0] * (7 - len(numbers)))]
        return self._outcome(
            self.dialect.MAVLink_command_long_message(DRONE, 1, number, 0, *values)
        )

    def command_int(self, number: int, frame: int, *numbers: float) -> CommandOutcome:
        """Send a COMMAND_INT of four params, latitude, longitude (degrees) and altitude."""
        *values, latitude, longitude, altitude = numbers
        places = (round(latitude * 1e7), round(longitude * 1e7), altitude)
        return self._outcome(
            self.dialect.MAVLink_command_int_message(
                DRONE, 1, frame, number, 0, 0, *values, *places
            )
        )

    def _outcome(self, message: Any) -> CommandOutcome:
        outcomes: list[CommandOutcome] = []
        self.ground.command(
            message, self.now, on_success=outcomes.append, on_failure=outcomes.append
        )
        self.run(20.0, lambda: outcomes)
        return outcomes[0]

    def take_off(self, height: float = 5.0) -> None:
        """Arm and climb to a height."""
        self.vehicle.table.set("MIS_TAKEOFF_ALT", height)
        if self.vehicle.flavour.name == "ardupilot":
            assert self.mode("GUIDED").succeeded
        assert self.command(400, 1).succeeded
        assert self.command(22, 0, 0, 0, NAN, NAN, NAN, self._takeoff_altitude(height)).succeeded
        self.run(20.0, lambda: self.pilot.landed == 2)

    def mode(self, name: str) -> CommandOutcome:
        """Ask for a mode by name."""
        numbers = self.vehicle.flavour.known.mode_numbers(name)
        return self.command(176, numbers.base_mode, numbers.custom_mode, numbers.custom_submode)

    def place(self, east: float, north: float, up: float) -> tuple[float, float, float]:
        """Return latitude, longitude and altitude of a place."""
        point = self.vehicle.origin.globe((east, north, up))
        return point.latitude, point.longitude, point.altitude

    def near(self, *place: float, within: float = 0.3) -> bool:
        return math.dist(self.position, place) < within

    def _takeoff_altitude(self, height: float) -> float:
        above_sea = self.vehicle.flavour.known.takeoff_above_sea
        return height + (self.vehicle.home_altitude if above_sea else 0.0)
