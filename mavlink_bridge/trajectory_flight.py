"""MAV_CMD_FLY_TRAJECTORY: flies a trajectory that was sent as a file.

First to its first point, then along it by the clock. The command is in progress, with per cents,
until the last point has been reached; a drone that stays away from where it should be fails it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mavlink_bridge.files.trajectory_file import (
    Setpoint,
    Trajectory,
    TrajectoryError,
    TrajectoryLimits,
    find_trajectory,
    read_trajectory,
)
from mavlink_bridge.sending.command_receiver import Execution
from mavlink_bridge.sending.command_result import CommandResult
from spatial_types.parameters import parameter

Position = tuple[float, float, float]


@dataclass(frozen=True)
class FlightParameters:
    """When a point counts as reached, and how long that may take."""

    tolerance: float = parameter(
        0.3, "a point is reached within this distance", unit="m", minimum=0.01
    )
    patience: float = parameter(
        60.0, "how long the way to the first and to the last point may take", unit="s", minimum=1.0
    )
    report_period: float = parameter(1.0, "how often progress is told", unit="s", minimum=0.1)


class TrajectoryFlight:
    """Register `execute` for MAV_CMD_FLY_TRAJECTORY, and call `poll` at the rate of setpoints."""

    def __init__(
        self,
        folder: Path,
        where: Callable[[], Position | None],
        on_text: Callable[[str], Any],
        limits: TrajectoryLimits | None = None,
        parameters: FlightParameters | None = None,
    ) -> None:
        """`where` gives the drone's position in `map`, None if unknown.

        `on_text` is told why a trajectory is refused or given up.
        """
        self._folder = folder
        self._where = where
        self._tell = on_text
        self._limits = limits
        self._parameters = parameters or FlightParameters()
        self.percent = 0
        """How far along it is."""
        self._trajectory: Trajectory | None = None
        self._execution: Execution | None = None
        self._ordered = 0.0
        self._started: float | None = None
        self._reported = 0.0

    @property
    def flying(self) -> bool:
        """True while a trajectory is flown."""
        return self._trajectory is not None

    def execute(self, execution: Execution, now: float) -> CommandResult | None:
        """Check the file that the command names and begin; an executor of `CommandReceiver`."""
        message = execution.message
        path = find_trajectory(self._folder, (message.param1, message.param2, message.param3))
        if path is None:
            self._tell("trajectory refused: no such file")
            return CommandResult.DENIED
        refused = self.begin(path, now, message.param4)
        if refused is not None:
            return refused
        self._execution = execution
        execution.on_cancel = self._cancelled
        return None

    def begin(self, path: Path, now: float, delay: float = 0.0) -> CommandResult | None:
        """Check a file and begin to fly it after `delay` seconds; the result if it is refused."""
        if self._where() is None:
            self._tell("trajectory refused: the drone's position is unknown")
            return CommandResult.TEMPORARILY_REJECTED
        try:
            trajectory = read_trajectory(path, self._limits)
        except TrajectoryError as error:
            self._tell(f"trajectory refused: {str(error).removeprefix(f'{self._folder}/')}")
            return CommandResult.DENIED
        self.stop(now)
        self._trajectory, self._execution = trajectory, None
        self._ordered = self._reported = now + (delay if delay > 0.0 else 0.0)
        self._started = None
        self.percent = 0
        return None

    def poll(self, now: float) -> Setpoint | None:
        """Return where to be now; None when nothing is flown."""
        trajectory, position = self._trajectory, self._where()
        if trajectory is None:
            return None
        if position is None:
            self._end(CommandResult.FAILED, "the drone's position is lost", now)
            return None
        first = trajectory.points[0]
        if self._started is None:
            if now >= self._ordered and self._is_at(position, first.position):
                self._started = now - first.time
            elif now - self._ordered > self._parameters.patience:
                self._end(CommandResult.FAILED, "the first point was not reached", now)
                return None
        elapsed = first.time if self._started is None else now - self._started
        late = elapsed - trajectory.duration
        if late >= 0 and self._is_at(position, trajectory.points[-1].position):
            self._end(CommandResult.ACCEPTED, "", now)
        elif late > self._parameters.patience:
            self._end(CommandResult.FAILED, "the last point was not reached", now)
        elif now - self._reported >= self._parameters.report_period:
            self._report(elapsed, now)
        return trajectory.at(elapsed)

    def stop(self, now: float, why: str = "another command came") -> None:
        """Give up what is flown, because something else is to be done."""
        if self._trajectory is not None:
            self._end(CommandResult.CANCELLED, why, now)

    def _is_at(self, position: Position, point: Position) -> bool:
        return math.dist(position, point) <= self._parameters.tolerance

    def _report(self, elapsed: float, now: float) -> None:
        assert self._trajectory is not None
        part = elapsed / self._trajectory.duration if self._trajectory.duration else 1.0
        self.percent = min(99, int(100 * part))
        if self._execution is not None:
            self._execution.progress(self.percent, now)
        self._reported = now

    def _cancelled(self, _now: float) -> None:
        self._trajectory = self._execution = None  # whoever cancelled has the answer already

    def _end(self, result: CommandResult, reason: str, now: float) -> None:
        execution, self._trajectory, self._execution = self._execution, None, None
        if reason:
            self._tell(f"trajectory ended: {reason}")
        if execution:
            execution.finish(result, now)
