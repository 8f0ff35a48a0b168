"""A drone for tests: an endpoint that tells where it is and does what it is told, at once."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from mavlink_bridge.dialect.definition import load
from mavlink_bridge.endpoint import Endpoint
from mavlink_bridge.links.link import Link
from mavlink_bridge.sending.command_result import CommandResult
from mavlink_bridge.sending.traffic_class import TrafficClass

m = load()
ARMED, CUSTOM = 0x80, 1
BOOT = 1_000.0  # its clock runs ahead of the test's by so many seconds


class PlainDrone:
    """Faces north at rest at its NED `position`; a take-off lifts it by `climb` m per second."""

    def __init__(self, link: Link, folder: Path, autopilot: int = 0, rate: float = 20.0) -> None:
        self.end = Endpoint(link, 1, 1, folder)
        self.autopilot = autopilot
        self.position = [10.0, 20.0, 0.0]
        self.armed = False
        self.mode = 0
        self.climb = 1.0
        self.is_silent = False
        self.obeys = False
        """Whether it goes to where the last setpoint says, at 3 m/s."""
        self.goal: float | None = None
        self.commands: list[Any] = []
        self.setpoints: list[tuple[float, Any]] = []
        self._period, self._due, self._beat = 1.0 / rate, 0.0, 0.0
        self._last: float | None = None
        for number in (400, 22, 21, 20, 176, 193, 511):
            self.end.receiver.register(number, self._execute)
        self.end.handlers.add(self._on_setpoint, "SET_POSITION_TARGET_LOCAL_NED")
        self.end.handlers.add(self._on_time, "TIMESYNC")

    def boot(self, now: float) -> float:
        return now + BOOT

    def step(self, now: float) -> None:
        self._move(now)
        if self.is_silent:
            return
        self._tell(now)
        self.end.poll(now)

    def _move(self, now: float) -> None:
        passed = 0.0 if self._last is None else now - self._last
        self._last = now
        if self.goal is not None:
            self.position[2] = max(self.goal, self.position[2] - self.climb * passed)
        if self.obeys and self.setpoints:
            there = self.setpoints[-1][1]
            goal = (there.x, there.y, there.z)
            distance = math.dist(goal, self.position)
            part = min(1.0, 3.0 * passed / distance) if distance else 0.0
            self.position = [a + part * (b - a) for a, b in zip(self.position, goal, strict=True)]

    def _tell(self, now: float) -> None:
        if now >= self._beat:
            self._beat = now + 1.0
            base = CUSTOM * (self.autopilot != 0) | (ARMED if self.armed else 0)
            self._send(
                m.MAVLink_heartbeat_message(2, self.autopilot, base, self.mode, 4, 3), now, 0
            )
        if now < self._due:
            return
        self._due = now + self._period
        stamp = int(self.boot(now) * 1000)
        self._send(m.MAVLink_attitude_quaternion_message(stamp, 1, 0, 0, 0, 0, 0, 0.5), now, 4)
        moving = (1.0, 0.0, 0.0)
        self._send(m.MAVLink_local_position_ned_message(stamp, *self.position, *moving), now, 4)
        height = round(-self.position[2] * 1000)
        self._send(
            m.MAVLink_global_position_int_message(
                stamp, 470_000_000, 150_000_000, 400_000 + height, height, 0, 0, 0, 0
            ),
            now,
            4,
        )

    def _send(self, message: Any, now: float, traffic_class: int) -> None:
        self.end.submit(message, TrafficClass(traffic_class), now)

    def _execute(self, execution: Any, now: float) -> CommandResult:
        message = execution.message
        self.commands.append(message)
        if message.command == 400:
            self.armed = message.param1 == 1.0
        elif message.command == 22:
            above_sea = self.autopilot == 12
            self.goal = -(message.param7 - (400.0 if above_sea else 0.0))
        elif message.command == 176:
            self.mode = int(message.param2) << 16 | int(message.param3) << 24
            if self.autopilot == 3:
                self.mode = int(message.param2)
        elif message.command == 21:
            self.armed, self.position[2], self.goal = False, 0.0, None
        self._beat = now  # tell of it at once
        return CommandResult.ACCEPTED

    def _on_setpoint(self, frame: Any, _: Any) -> None:
        self.setpoints.append((self.end.now, frame.message))

    def _on_time(self, frame: Any, _: Any) -> None:
        if frame.message.tc1 == 0:
            theirs = int(self.boot(self.end.now) * 1e9)
            answer = m.MAVLink_timesync_message(theirs, frame.message.ts1)
            self._send(answer, self.end.now, 1)

    def got(self, command: int) -> list[Any]:
        return [item for item in self.commands if item.command == command]

    @property
    def heading_of_last(self) -> float:
        return math.degrees(self.setpoints[-1][1].yaw)
