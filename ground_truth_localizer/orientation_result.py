"""What one image says of the target's yaw and bearing."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from ground_truth_localizer.cylinder_projection import View

Array = NDArray[np.float64]


@dataclass(frozen=True)
class OrientationResult:
    """What one image says. Angles in rad, map frame, counter-clockwise.

    `good` says whether yaw may be used; where it is False, `reason` tells why, and yaw is NaN if
    there is none at all. `bearing` is the azimuth of the axis from the camera at `origin` (2,);
    `sight` (2, 2) is the covariance of (bearing, distance) from the silhouette alone, None where
    there is no silhouette. `yaw_by_bearing` is d yaw / d bearing through the shared axis.
    """

    stamp: int
    good: bool
    reason: str
    yaw: float = float("nan")
    yaw_variance: float = float("inf")
    origin: Array = field(default_factory=lambda: np.zeros(2))
    bearing: float = float("nan")
    distance: float = float("nan")
    sight: Array | None = None
    yaw_by_bearing: float = 0.0
    edge_misfit: float = float("nan")
    yaw_misfit: float = float("nan")
    margin: float = float("nan")
    view: View | None = None

    @property
    def finite(self) -> bool:
        """Whether all that a pose is made of is a number."""
        numbers = [self.yaw, self.yaw_variance, self.yaw_by_bearing, *self.origin.tolist()]
        if self.sight is not None:
            numbers += [self.bearing, self.distance, *self.sight.ravel().tolist()]
        return all(map(isfinite, numbers))

    @property
    def kind(self) -> str:
        """The reason without its figures, to be counted."""
        return self.reason.split(" (")[0]

    @property
    def bearing_variance(self) -> float:
        """Variance of the silhouette's bearing (rad^2); infinite without one."""
        return float(self.sight[0, 0]) if self.sight is not None else float("inf")
