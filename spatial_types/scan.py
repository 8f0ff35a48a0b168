"""One sweep of a 2D laser range finder, as sensor_msgs/LaserScan holds it."""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Scan:
    """A laser scan in the sensor's own frame (x forward, z the axis of rotation).

    `stamp` is the time of the first beam in integer nanoseconds; beam k was measured
    `k * time_increment` seconds later and points to `angle_min + k * angle_increment` (radians,
    counter-clockwise; a negative increment is a clockwise sensor). `ranges` (N,) in metres:
    NaN, inf, zero and values outside [range_min, range_max] are no returns.
    """

    stamp: int
    frame_id: str
    angle_min: float
    angle_increment: float
    time_increment: float
    scan_time: float
    range_min: float
    range_max: float
    ranges: NDArray[np.float64]

    @property
    def angles(self) -> NDArray[np.float64]:
        """Direction of each beam (N,), radians."""
        return self.angle_min + self.angle_increment * np.arange(len(self.ranges), dtype=float)

    @property
    def hits(self) -> NDArray[np.bool_]:
        """Which beams returned a range that the sensor vouches for (N,)."""
        least = max(self.range_min, sys.float_info.min)
        most = min(self.range_max, sys.float_info.max)
        with np.errstate(invalid="ignore"):
            return np.asarray((self.ranges >= least) & (self.ranges <= most))
