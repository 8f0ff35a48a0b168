"""The reference as it comes in, from the simulator or from a topic."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from evaluation.series import PoseSeries, Reference
from spatial_types.transforms import Transform


class OdometryLike(Protocol):
    """What a reading or a converted message of odometry offers."""

    @property
    def stamp(self) -> int:
        """Time, ns."""

    @property
    def pose(self) -> Transform:
        """map_from_target."""

    @property
    def linear_velocity(self) -> NDArray[np.float64]:
        """m/s (3,)."""

    @property
    def angular_velocity(self) -> NDArray[np.float64]:
        """rad/s (3,)."""


@dataclass
class ReferenceLog:
    """True poses as they come; a stamp that does not advance is left out."""

    frame: str = "map"
    stamps: list[int] = field(default_factory=list)
    rows: list[tuple[float, float, float, float, float]] = field(default_factory=list)

    def add_odometry(self, odometry: OdometryLike) -> None:
        """Note a pose with its speed (m/s) and yaw rate (rad/s)."""
        speed = float(np.hypot(*odometry.linear_velocity[:2]))
        rate = float(odometry.angular_velocity[2])
        self.add(odometry.stamp, odometry.pose, speed, rate)

    def add(self, stamp: int, pose: Transform, speed: float, yaw_rate: float) -> None:
        """Note a pose (map_from_target)."""
        if self.stamps and stamp <= self.stamps[-1]:
            return
        x, y = (float(value) for value in pose.translation[:2])
        self.stamps.append(stamp)
        self.rows.append((x, y, pose.yaw, speed, yaw_rate))

    def reference(self) -> Reference | None:
        """Return the reference, None where fewer than two poses came."""
        if len(self.stamps) < 2:
            return None
        x, y, yaw, speed, rate = np.array(self.rows).T
        poses = PoseSeries.build(self.stamps, x, y, yaw, frame=self.frame)
        return Reference.build(poses, speed, rate)
