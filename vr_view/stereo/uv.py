"""The part of an image that an eye sees, as a range of texture coordinates.

0 to 1 is the whole image. The thesis showed camera images over -0.2 to 1.2, with an empty edge,
as they looked too near otherwise; less than 0 to 1 crops.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spatial_types.camera import CameraModel

THESIS_RANGE = (-0.2, 1.2)
WIDEST = 10.0  # an image is not shown smaller than a tenth


@dataclass(frozen=True)
class UvRange:
    """From `u0` to `u1` across (left to right) and from `v0` to `v1` down."""

    u0: float = 0.0
    u1: float = 1.0
    v0: float = 0.0
    v1: float = 1.0

    def __post_init__(self) -> None:
        """Raise ValueError for what is no range."""
        for low, high in ((self.u0, self.u1), (self.v0, self.v1)):
            if not (math.isfinite(low + high) and 0.0 < high - low <= WIDEST):
                raise ValueError(f"texture range {low} to {high}: expected the lower number first")

    @staticmethod
    def square(low: float, high: float) -> UvRange:
        """Return the same range both ways."""
        return UvRange(low, high, low, high)


def cropped(image: NDArray[np.uint8], uv: UvRange) -> NDArray[np.uint8]:
    """Return what the range shows of an image (H, W, C), at the image's scale; outside is black."""
    height, width = image.shape[:2]
    left, right = round(uv.u0 * width), round(uv.u1 * width)
    top, bottom = round(uv.v0 * height), round(uv.v1 * height)
    if right <= left or bottom <= top:
        raise ValueError(f"{uv} of an image of {width} x {height} is less than a pixel")
    shown = np.zeros((bottom - top, right - left, *image.shape[2:]), dtype=image.dtype)
    x0, x1 = max(left, 0), min(right, width)
    y0, y1 = max(top, 0), min(bottom, height)
    if x0 < x1 and y0 < y1:
        shown[y0 - top : y1 - top, x0 - left : x1 - left] = image[y0:y1, x0:x1]
    return shown


def cropped_model(model: CameraModel, uv: UvRange) -> CameraModel:
    """Return the intrinsics of the image that `cropped` makes: the same rays, moved pixels."""
    left, top = round(uv.u0 * model.width), round(uv.v0 * model.height)
    matrix = model.matrix.copy()
    matrix[:2, 2] -= (left, top)
    width = round(uv.u1 * model.width) - left
    height = round(uv.v1 * model.height) - top
    return CameraModel(width, height, matrix, model.distortion, model.distortion_model)
