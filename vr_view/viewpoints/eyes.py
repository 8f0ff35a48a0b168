"""Two eyes: where they are, and what each sees (spatial_types/frustum.py).

An eye's axes are those of the head: x forward, y left, z up; its optical frame has x right, y down,
z forward (REP 103).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from spatial_types.camera import CameraModel
from spatial_types.parameters import parameter
from spatial_types.transforms import Transform

SIDES = ("left", "right")
BODY_FROM_OPTICAL = Transform(np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]]))


@dataclass(frozen=True)
class EyeOptions:
    """The eyes, where no device tells them."""

    distance: float = parameter(
        0.063, "Between the eyes' centres", unit="m", minimum=0.0, maximum=1.0
    )
    width: int = parameter(640, "Image of one eye", unit="px", minimum=1, maximum=8192)
    height: int = parameter(480, "Image of one eye", unit="px", minimum=1, maximum=8192)
    hfov: float = parameter(
        1.5708, "Horizontal field of view", unit="rad", minimum=0.01, maximum=3.1
    )

    def eyes(self) -> Eyes:
        """Return the eyes, both alike."""
        model = CameraModel.from_hfov(self.width, self.height, self.hfov)
        return Eyes(self.distance, model, model)


@dataclass(frozen=True)
class Eyes:
    """Distance between the eyes (m) and the intrinsics of each."""

    distance: float
    left: CameraModel
    right: CameraModel

    def camera(self, side: str) -> CameraModel:
        """Return the intrinsics of "left" or "right"."""
        return self.left if side == "left" else self.right

    def head_from_eye(self, side: str) -> Transform:
        """Return the pose of an eye in the head: the left one to the left, both straight ahead."""
        half = self.distance / 2.0
        return Transform(np.eye(3), np.array([0.0, half if side == "left" else -half, 0.0]))
