"""Yaw over time: standing still or turning, told apart, never lagging.

While the yaw measurements agree with one value, the newest `memory` of them are averaged; the
systematic part of their error does not shrink with their number. As soon as one disagrees, only a
constant-rate Kalman filter remains, loose enough (`acceleration_density`) that a start or stop
costs less than a measurement's own error.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spatial_types.angles import wrap_scalar

Array = NDArray[np.float64]


@dataclass(frozen=True)
class YawState:
    """Yaw (rad), its rate (rad/s), covariance (2, 2) and whether the target stands."""

    stamp: int
    yaw: float
    rate: float
    covariance: Array
    standing: bool


class YawFilter:
    """Constant-rate filter with a standing-still mean beside it."""

    def __init__(
        self,
        acceleration_density: float = 30.0,
        memory: int = 5,
        gate: float = 3.5,
        largest_gap: float = 1.0,
        systematic_share: float = 0.7,
    ) -> None:
        self.acceleration_density = acceleration_density
        self.memory = memory
        self.gate = gate
        self.largest_gap = largest_gap
        self.systematic_share = systematic_share
        self._state: YawState | None = None
        self._stood: deque[tuple[int, float, float]] = deque(maxlen=max(memory, 2))

    @property
    def state(self) -> YawState | None:
        """The newest estimate."""
        return self._state

    def reset(self) -> None:
        """Forget everything: the target was lost."""
        self._state = None
        self._stood.clear()

    def predict(self, stamp: int) -> YawState | None:
        """Carry the estimate to a time; None without one or after too long a gap."""
        last = self._state
        if last is None or not 0 <= (stamp - last.stamp) * 1e-9 <= self.largest_gap:
            return None
        dt = (stamp - last.stamp) * 1e-9
        step = np.array([[1.0, dt], [0.0, 1.0]])
        noise = np.array([[dt**3 / 3, dt**2 / 2], [dt**2 / 2, dt]])
        covariance = step @ last.covariance @ step.T + self.acceleration_density * noise
        return YawState(stamp, wrap_scalar(last.yaw + dt * last.rate), last.rate, covariance, False)

    def update(self, stamp: int, yaw: float, variance: float) -> YawState:
        """Take one measurement (rad, rad^2) at `stamp` (ns) and return the estimate there."""
        moving = self._moving(stamp, yaw, variance)
        standing = self._standing(stamp, yaw, variance)
        self._state = standing if standing is not None else moving
        return self._state

    def _moving(self, stamp: int, yaw: float, variance: float) -> YawState:
        """One step of the constant-rate Kalman filter; starts anew after a jump."""
        before = self.predict(stamp)
        if before is None:
            return YawState(stamp, yaw, 0.0, np.diag([variance, 9.0]), False)
        innovation = wrap_scalar(yaw - before.yaw)
        spread = before.covariance[0, 0] + variance
        if innovation**2 > self.gate**2 * 4.0 * spread:
            return YawState(stamp, yaw, 0.0, np.diag([variance, 9.0]), False)
        gain = before.covariance[:, 0] / spread
        covariance = before.covariance - np.outer(gain, before.covariance[0])
        return YawState(
            stamp,
            wrap_scalar(before.yaw + gain[0] * innovation),
            float(before.rate + gain[1] * innovation),
            (covariance + covariance.T) / 2.0,
            False,
        )

    def _standing(self, stamp: int, yaw: float, variance: float) -> YawState | None:
        """Mean of the measurements since the target stopped, where they agree."""
        if self._stood:
            gap = (stamp - self._stood[-1][0]) * 1e-9
            mean, spread = self._mean()
            if not 0 < gap <= self.largest_gap or (
                wrap_scalar(yaw - mean) ** 2 > self.gate**2 * (spread + variance)
            ):
                self._stood.clear()
        self._stood.append((stamp, yaw, variance))
        if len(self._stood) < 3 or self._trend():
            return None
        mean, spread = self._mean()
        systematic = self.systematic_share * float(np.median([v for _, _, v in self._stood]))
        return YawState(stamp, mean, 0.0, np.diag([spread + systematic, 1e-6]), True)

    def _trend(self) -> bool:
        """True where the held measurements drift one way beyond their noise."""
        times = np.array([(s - self._stood[0][0]) * 1e-9 for s, _, _ in self._stood])
        values = np.array([wrap_scalar(y - self._stood[0][1]) for _, y, _ in self._stood])
        noise = float(np.median([v for _, _, v in self._stood]))
        centred = times - times.mean()
        slope = centred @ values / (centred @ centred)
        return bool(slope**2 * (centred @ centred) > 2.0**2 * noise)

    def _mean(self) -> tuple[float, float]:
        """Mean of the held yaws and the variance of its random part."""
        first = self._stood[0][1]
        away = [wrap_scalar(y - first) for _, y, _ in self._stood]
        random = (1.0 - self.systematic_share) * float(np.mean([v for _, _, v in self._stood]))
        return wrap_scalar(first + float(np.mean(away))), random / len(self._stood)
