"""What is known of a target at one instant: position, velocity, and how surely."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class TrackingState(Enum):
    """State of the tracker, as told on /ground_truth/status."""

    SEARCHING = "searching"
    TRACKING = "tracking"
    LOST = "lost"


@dataclass(frozen=True)
class TargetState:
    """A target on the plane of `map`.

    `stamp` integer ns, `position` (2,) m, `velocity` (2,) m/s, `covariance` (4, 4) of
    x, y, vx, vy; `stationary` where the filter holds that the target stands still.
    """

    stamp: int
    position: Array
    velocity: Array
    covariance: Array
    stationary: bool = False

    def at(self, stamp: int, acceleration_density: float = 0.0) -> TargetState:
        """Carry the state to another time at constant velocity.

        `acceleration_density` (m^2/s^3) is the white-acceleration spectral density that grows the
        covariance. A stationary target keeps its position and covariance.
        """
        if self.stationary:
            return replace(self, stamp=stamp)
        dt = (stamp - self.stamp) * 1e-9
        step = np.eye(4)
        step[0, 2] = step[1, 3] = dt
        span = abs(dt)
        noise = np.zeros((4, 4))
        for axis in (0, 1):
            noise[axis, axis] = span**3 / 3
            noise[axis, axis + 2] = noise[axis + 2, axis] = dt * span / 2
            noise[axis + 2, axis + 2] = span
        covariance = step @ self.covariance @ step.T + acceleration_density * noise
        return replace(
            self, stamp=stamp, position=self.position + dt * self.velocity, covariance=covariance
        )
