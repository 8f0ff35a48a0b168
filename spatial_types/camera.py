"""Camera images and the pinhole model of sensor_msgs/CameraInfo (REP 104).

Optical frames have x right, y down, z forward (REP 103). Pixel centres lie at integer
coordinates.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class CameraFrame:
    """One colour image: `pixels` (H, W, 3) uint8 RGB, taken at `stamp` (integer ns)."""

    stamp: int
    frame_id: str
    pixels: NDArray[np.uint8]


@dataclass(frozen=True)
class CameraModel:
    """Intrinsics: `matrix` K (3, 3) in pixels, `distortion` D, model name of CameraInfo."""

    width: int
    height: int
    matrix: Array
    distortion: Array = field(default_factory=lambda: np.zeros(5))
    distortion_model: str = "plumb_bob"

    @staticmethod
    def from_hfov(width: int, height: int, hfov: float) -> CameraModel:
        """Build an ideal pinhole camera of horizontal field of view `hfov` (rad), square pixels.

        The image spans pixel coordinates -0.5 to width - 0.5, so the centre is (width - 1) / 2.
        """
        focal = width / (2.0 * np.tan(hfov / 2.0))
        matrix = np.array(
            [[focal, 0.0, (width - 1) / 2.0], [0.0, focal, (height - 1) / 2.0], [0.0, 0.0, 1.0]]
        )
        return CameraModel(width, height, matrix)

    @property
    def has_distortion(self) -> bool:
        """True where any distortion coefficient differs from zero."""
        return bool(np.count_nonzero(self.distortion))
