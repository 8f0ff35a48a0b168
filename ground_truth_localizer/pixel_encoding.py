"""Pixel values that encode light by the curve of sRGB (IEC 61966-2-1).

A pixel half covered by each of two surfaces shows the mean of their light, not of their encoded
values: read as they are, encoded edges stand up to 0.3 pixels beside the true ones.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def _table() -> NDArray[np.uint8]:
    value = np.arange(256) / 255.0
    light = np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)
    return np.rint(255.0 * light).astype(np.uint8)


LIGHT = _table()


def decoded(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return the light (0 to 255, linear) of sRGB values; any shape."""
    return LIGHT[pixels]
