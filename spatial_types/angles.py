"""Angles in radians, counter-clockwise positive (REP 103)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def wrap_angle(angle: ArrayLike) -> NDArray[np.float64]:
    """Return the angle wrapped to [-pi, pi), elementwise; a 0-d array for a scalar."""
    return (np.asarray(angle, dtype=float) + np.pi) % (2.0 * np.pi) - np.pi


def wrap_scalar(angle: float) -> float:
    """Return one angle wrapped to [-pi, pi) as a float."""
    return float((angle + np.pi) % (2.0 * np.pi) - np.pi)
