"""What is known of a target at one instant: position, velocity, and how surely."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache

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
        if stamp == self.stamp:
            return self
        if self.stationary:
            return replace(self, stamp=stamp)
        step, noise = constant_velocity(stamp - self.stamp, acceleration_density)
        return replace(
            self,
            stamp=stamp,
            position=self.position + step[0, 2] * self.velocity,
            covariance=step @ self.covariance @ step.T + noise,
        )


@lru_cache(maxsize=64)
def constant_velocity(nanoseconds: int, density: float) -> tuple[Array, Array]:
    """Transition (4, 4) and noise (4, 4) of x, y, vx, vy under white acceleration.

    `density` is its spectral density, m^2/s^3. Both are remembered, and so not to be written to.
    """
    dt = nanoseconds * 1e-9
    step = np.array([[1.0, 0, dt, 0], [0, 1.0, 0, dt], [0, 0, 1.0, 0], [0, 0, 0, 1.0]])
    span = abs(dt)
    a, b, c = density * span**3 / 3.0, density * dt * span / 2.0, density * span
    noise = np.array([[a, 0, b, 0], [0, a, 0, b], [b, 0, c, 0], [0, b, 0, c]])
    for array in (step, noise):
        array.setflags(write=False)
    return step, noise
