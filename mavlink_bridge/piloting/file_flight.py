"""Trajectories that lie in the bridge's folder, flown by setpoints: any autopilot follows those.

Ordered by MAV_CMD_FLY_TRAJECTORY, addressed to the bridge, or by an application. A file that was
sent to the bridge lies in its folder as soon as it is whole.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from mavlink_bridge.endpoint import Endpoint
from mavlink_bridge.files.trajectory_file import Setpoint as MapSetpoint
from mavlink_bridge.files.trajectory_file import TrajectoryLimits
from mavlink_bridge.frames import Vector
from mavlink_bridge.mapping.setpoints import PositionSetpoint
from mavlink_bridge.sending.command_receiver import Execution
from mavlink_bridge.sending.command_result import CommandResult
from mavlink_bridge.trajectory_flight import FlightParameters, TrajectoryFlight
from spatial_types.transforms import Transform


class Pilot(Protocol):
    """What of the bridge is needed: where the drone is, and how to steer it."""

    def where(self) -> Vector | None:
        """Return the drone's position in the local frame; None while it is unknown."""

    def steer(self, setpoint: PositionSetpoint, now: float) -> None:
        """Let a setpoint hold."""

    def begin(self, now: float) -> None:
        """Have the drone obey setpoints, soon."""

    def end(self, now: float) -> None:
        """Stop steering: hover."""


class FileFlight:
    """Flies one file at a time. Call `poll` often; `on_text` is told what people want to know."""

    def __init__(
        self,
        endpoint: Endpoint,
        pilot: Pilot,
        folder: Path,
        map_from_local: Transform,
        on_text: Callable[[str], None],
        *,
        rate: float = 10.0,
        limits: TrajectoryLimits | None = None,
        parameters: FlightParameters | None = None,
    ) -> None:
        """`rate` setpoints a second; trajectories are in the map."""
        self._pilot = pilot
        self._tell = on_text
        self._map_from_local = map_from_local
        self._local_from_map = map_from_local.inverse()
        self._period, self._due = 1.0 / rate, 0.0
        self._flight = TrajectoryFlight(folder, self._where, on_text, limits, parameters)
        fly = endpoint.dialect.MAV_CMD_FLY_TRAJECTORY
        endpoint.receiver.register(fly, self._execute)

    @property
    def percent(self) -> int | None:
        """How far along it is; None while nothing is flown."""
        return self._flight.percent if self._flight.flying else None

    def fly(self, path: Path, now: float) -> bool:
        """Check a file and fly it; False if it is refused, and `on_text` is told why."""
        if self._flight.begin(path, now) is not None:
            return False
        self._begun(now)
        return True

    def stop(self, now: float, why: str) -> None:
        """Give up what is flown; the drone is left to whoever steers next."""
        self._flight.stop(now, why)

    def next_time(self) -> float | None:
        """Return when to poll again; None while nothing is flown."""
        return self._due if self._flight.flying else None

    def poll(self, now: float) -> None:
        """Say where to be, when it is time to."""
        if not self._flight.flying or now < self._due:
            return
        self._due = max(self._due + self._period, now + 0.5 * self._period)
        setpoint = self._flight.poll(now)
        if setpoint is not None:
            self._pilot.steer(self._in_local(setpoint), now)
        if not self._flight.flying:
            self._tell("the trajectory has ended: the drone is told to hover")
            self._pilot.end(now)

    def _execute(self, execution: Execution, now: float) -> CommandResult | None:
        result = self._flight.execute(execution, now)
        if result is None:
            stop = execution.on_cancel

            def cancelled(when: float) -> None:
                if stop is not None:
                    stop(when)
                self._pilot.end(when)

            execution.on_cancel = cancelled
            self._begun(now)
        return result

    def _begun(self, now: float) -> None:
        self._due = now
        self._tell("a trajectory's file is flown")
        self._pilot.begin(now)

    def _where(self) -> Vector | None:
        position = self._pilot.where()
        if position is None:
            return None
        x, y, z = (float(value) for value in self._map_from_local.apply(position))
        return x, y, z

    def _in_local(self, setpoint: MapSetpoint) -> PositionSetpoint:
        yaw = setpoint.yaw
        pose = self._local_from_map @ Transform.planar(
            *setpoint.position[:2], 0.0 if yaw is None else yaw, setpoint.position[2]
        )
        x, y, z = (float(value) for value in pose.translation)
        u, v, w = (float(value) for value in self._local_from_map.rotate(setpoint.velocity))
        moves = any(setpoint.velocity)
        return PositionSetpoint(
            (x, y, z), None if yaw is None else pose.yaw, (u, v, w) if moves else None
        )
