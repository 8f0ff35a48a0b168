"""One image that holds both eyes' pictures, taken apart.

Each eye gets its half and never the whole. `full` halves are pictures of their own shape; `half`
ones were squeezed to half their width (or height) to fit, and their pixels are stretched back by
the shape that goes with them, not by copying.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

ARRANGEMENTS = ("left_right", "right_left", "top_bottom", "bottom_top")

Image = NDArray[np.uint8]


@dataclass(frozen=True)
class EyePictures:
    """Views of one image: `left` and `right` (H, W, C).

    `aspect` is width over height at which each is to be shown.
    """

    left: Image
    right: Image
    aspect: float


def split(image: Image, arrangement: str = "left_right", squeezed: bool = False) -> EyePictures:
    """Take an image (H, W, C) apart.

    Raises ValueError for an arrangement that is not known and for a side that has no middle.
    """
    if arrangement not in ARRANGEMENTS:
        raise ValueError(f"arrangement '{arrangement}': expected one of {', '.join(ARRANGEMENTS)}")
    beside = arrangement in ("left_right", "right_left")
    height, width = image.shape[:2]
    side, size = ("width", width) if beside else ("height", height)
    if size < 2 or size % 2:
        raise ValueError(f"image of {width} x {height}: expected an even {side} for two eyes")
    half = size // 2
    first, second = (image[:, :half], image[:, half:]) if beside else (image[:half], image[half:])
    if arrangement in ("right_left", "bottom_top"):
        first, second = second, first
    aspect = first.shape[1] / first.shape[0]
    if squeezed:
        aspect *= 2.0 if beside else 0.5
    return EyePictures(first, second, aspect)
