"""Behind a target and above it, smoothed: the target's jerks do not reach the eye."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from spatial_types.angles import wrap_scalar
from spatial_types.parameters import parameter
from spatial_types.transforms import Array, Transform
from vr_view.viewpoints.yaw_pitch import looking, looking_along, yaw_pitch


@dataclass(frozen=True)
class FollowOptions:
    """Where behind the target, and how smoothly."""

    distance: float = parameter(1.5, "Behind the target", unit="m", minimum=0.01)
    height: float = parameter(0.7, "Above the target", unit="m", minimum=0.0)
    smoothing: float = parameter(
        0.4, "Time in which 63 % of a step is made up for; 0: at once", unit="s", minimum=0.0
    )
    jump: float = parameter(
        3.0, "A target that is suddenly so far away is a new one", unit="m", minimum=0.1
    )


class Follower:
    """Follows position and yaw, each as a low pass of first order."""

    def __init__(self, options: FollowOptions) -> None:
        self._options = options
        self._place: tuple[Array, float] | None = None

    def forget(self) -> None:
        """Begin anew at the target's next pose."""
        self._place = None

    def update(self, map_from_target: Transform, elapsed: float) -> Transform:
        """Return the pose behind the target, looking at where it is smoothed to be.

        `elapsed` is in seconds; the result does not depend on how they are cut into calls.
        """
        options = self._options
        position, (yaw, _) = map_from_target.translation, yaw_pitch(map_from_target.rotation)
        if self._place is None or np.linalg.norm(position - self._place[0]) > options.jump:
            self._place = position, yaw
        smooth, smooth_yaw = self._place
        share = 1.0
        if options.smoothing > 0.0:
            share = -math.expm1(-max(elapsed, 0.0) / options.smoothing)
        smooth = smooth + share * (position - smooth)
        smooth_yaw = wrap_scalar(smooth_yaw + share * wrap_scalar(yaw - smooth_yaw))
        self._place = smooth, smooth_yaw
        offset = looking(smooth_yaw, 0.0) @ np.array([-options.distance, 0.0, options.height])
        direction = looking_along(-offset)
        assert direction is not None  # the distance is positive
        return Transform(looking(*direction), smooth + offset)
