"""How far the estimate is off: against the reference, interpolated to the estimate's own stamp."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import deque
from dataclasses import dataclass

from spatial_types.angles import wrap_scalar

LONGEST_GAP = 500_000_000  # ns between two poses of the reference that may be interpolated
KEPT = 1000
ANEW = 1_000_000_000  # ns back: time was set back, what was before is void


@dataclass(frozen=True)
class PlanarPose:
    """Where something was at `stamp` (ns): metres and radians in the map; `yaw` None: unknown."""

    stamp: int
    x: float
    y: float
    yaw: float | None


@dataclass(frozen=True)
class PoseError:
    """Estimate minus reference at `stamp`; `yaw` wrapped, None where it is not known."""

    stamp: int
    x: float
    y: float
    yaw: float | None

    @property
    def distance(self) -> float:
        """How far off, m."""
        return math.hypot(self.x, self.y)


class ErrorMeter:
    """Takes both streams as they come. An estimate waits until the reference has passed it."""

    def __init__(self) -> None:
        self._reference: deque[PlanarPose] = deque(maxlen=KEPT)
        self._waiting: PlanarPose | None = None

    def reference(self, pose: PlanarPose) -> PoseError | None:
        """Take a pose of the reference; return the error that it settles, if any."""
        if self._reference and pose.stamp <= self._reference[-1].stamp:
            if self._reference[-1].stamp - pose.stamp < ANEW:
                return None  # out of order
            self._reference.clear()
            self._waiting = None
        self._reference.append(pose)
        return self._settled()

    def estimate(self, pose: PlanarPose) -> PoseError | None:
        """Take an estimate; return its error where the reference is there already."""
        self._waiting = pose
        return self._settled()

    def _settled(self) -> PoseError | None:
        pose, reference = self._waiting, self._reference
        if pose is None or not reference or reference[-1].stamp < pose.stamp:
            return None
        self._waiting = None
        index = bisect_left(reference, pose.stamp, key=lambda item: item.stamp)
        after = reference[index]
        before = reference[index - 1] if index else after
        if before.stamp > pose.stamp or after.stamp - before.stamp > LONGEST_GAP:
            return None
        return _difference(pose, before, after)


def _difference(pose: PlanarPose, before: PlanarPose, after: PlanarPose) -> PoseError:
    span = after.stamp - before.stamp
    part = (pose.stamp - before.stamp) / span if span else 0.0
    x = before.x + part * (after.x - before.x)
    y = before.y + part * (after.y - before.y)
    yaws = (pose.yaw, before.yaw, after.yaw)
    known = [value for value in yaws if value is not None]
    yaw = None
    if len(known) == len(yaws):
        mine, first, second = known
        yaw = wrap_scalar(mine - first - part * wrap_scalar(second - first))
    return PoseError(pose.stamp, pose.x - x, pose.y - y, yaw)
