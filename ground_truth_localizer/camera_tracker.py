"""Pan angle that keeps the camera on the target, or sweeps for it.

The thesis turns to beta = arctan((dy - d) / dx) and leaves the motor alone while it is within a
dead zone of one degree. Here the quadrant is kept (atan2), the joint's limits are respected, the
target is aimed at where it will be when the motor has turned, and a lost target is searched for
from the place where it was last seen.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from ground_truth_localizer.target_state import TargetState
from spatial_types.angles import wrap_scalar
from spatial_types.parameters import ParameterError, parameter
from spatial_types.transforms import Transform

Array = NDArray[np.float64]


@dataclass(frozen=True)
class TrackerParameters:
    """How the camera is panned."""

    dead_zone: float = parameter(
        1.0,
        "no motion while the pan is this close to the target",
        unit="deg",
        minimum=0.0,
        maximum=45.0,
    )
    lower_limit: float = parameter(-95.0, "smallest pan angle of the joint", unit="deg")
    upper_limit: float = parameter(95.0, "largest pan angle of the joint", unit="deg")
    lead: float = parameter(
        0.1, "aim where the target will be this much later", unit="s", minimum=0.0, maximum=2.0
    )
    lost_after: float = parameter(
        0.5, "search when the last position is older", unit="s", minimum=0.05
    )
    search_speed: float = parameter(
        30.0, "speed of the search sweep", unit="deg/s", minimum=0.1, maximum=720.0
    )

    def check(self) -> None:
        """Refuse limits in the wrong order."""
        if not self.lower_limit < self.upper_limit:
            raise ParameterError(
                f"lower_limit = {self.lower_limit} deg: expected below upper_limit = "
                f"{self.upper_limit} deg"
            )


class PanMode(Enum):
    """What the tracker is doing."""

    FOLLOWING = "following"
    HOLDING = "holding"
    BLOCKED = "target beyond the joint's limits"
    SEARCHING = "searching"


@dataclass(frozen=True)
class PanCommand:
    """Wanted joint angle (rad) and why."""

    angle: float
    mode: PanMode


class CameraTracker:
    """Computes the pan command; keeps only the last command and the direction of search."""

    def __init__(self, parameters: TrackerParameters | None = None) -> None:
        self.parameters = parameters or TrackerParameters()
        self._lower = np.radians(self.parameters.lower_limit)
        self._upper = np.radians(self.parameters.upper_limit)
        self._command: float | None = None
        self._sweep = 1.0
        self._last_time: int | None = None

    def update(
        self,
        now: int,
        pan: float,
        map_from_base: Transform,
        target: TargetState | None,
    ) -> PanCommand:
        """Return the command at time `now` (ns) for the joint at angle `pan` (rad).

        `map_from_base` is the pose of the pan joint at angle zero: x along the view, z the axis.
        `target` is the newest laser state, None when lost.
        """
        elapsed = 0.0 if self._last_time is None else max(now - self._last_time, 0) * 1e-9
        self._last_time = now
        # A stamp from the future is as useless as an old one: the clock was set back.
        if target is None or abs(now - target.stamp) * 1e-9 > self.parameters.lost_after:
            return self._search(pan, elapsed)
        return self._follow(now, pan, map_from_base, target)

    def _follow(
        self, now: int, pan: float, map_from_base: Transform, target: TargetState
    ) -> PanCommand:
        wanted = pan_angle(map_from_base, target.at(now + int(self.parameters.lead * 1e9)).position)
        current = pan if self._command is None else self._command
        reachable = self._nearest(wanted, current)
        self._sweep = 1.0 if reachable > current else -1.0
        held = self._command is not None
        if held and abs(wrap_scalar(reachable - current)) <= np.radians(self.parameters.dead_zone):
            return PanCommand(current, PanMode.HOLDING)
        self._command = reachable
        beyond = abs(wrap_scalar(reachable - wanted)) > 1e-9
        return PanCommand(reachable, PanMode.BLOCKED if beyond else PanMode.FOLLOWING)

    def _nearest(self, wanted: float, current: float) -> float:
        """The turn-equivalent of `wanted` inside the limits nearest to `current`, else a limit."""
        turns = wanted + 2.0 * np.pi * np.arange(-2, 3)
        inside = turns[(turns >= self._lower) & (turns <= self._upper)]
        if len(inside):
            return float(inside[np.argmin(np.abs(inside - current))])
        to_lower = abs(wrap_scalar(wanted - self._lower))
        to_upper = abs(wrap_scalar(wanted - self._upper))
        return float(self._lower if to_lower < to_upper else self._upper)

    def _search(self, pan: float, elapsed: float) -> PanCommand:
        """Sweep on in the direction of the last motion; turn round at the limits."""
        current = pan if self._command is None else self._command
        angle = current + self._sweep * np.radians(self.parameters.search_speed) * elapsed
        if angle > self._upper or angle < self._lower:
            self._sweep = -1.0 if angle > self._upper else 1.0
            angle = float(np.clip(angle, self._lower, self._upper))
        self._command = float(angle)
        return PanCommand(self._command, PanMode.SEARCHING)


def pan_angle(map_from_base: Transform, point: Array) -> float:
    """Angle (rad) about the pan axis from its zero to a point (2,) of the floor plane.

    The pan axis may be tilted: the point is taken at the axis's own height (thesis, equation 4.4,
    with atan2 so that targets to the side and behind keep their quadrant).
    """
    here = np.array([point[0], point[1], map_from_base.translation[2]])
    x, y, _ = map_from_base.inverse().apply(here)
    return float(np.arctan2(y, x))
