"""What light from anywhere gives each pixel of a white cylinder, up to its brightnesses."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def basis_terms(borders: Array, states: Array, weight: Array) -> Array:
    """Each term averaged over each pixel (K, 7 or 8, W), times `weight`, for states (K, 2 or 3).

    Two backgrounds, then the shading, s = sin i: antiderivatives over s of 1, s, cos i, s^2,
    s cos i (each but for a factor), and of a second lamp if there is one.
    """
    s = np.sin(borders - states[:, :1]) / states[:, 1:2]
    inside = np.minimum(np.maximum(s, -1.0), 1.0)
    incidence = np.arcsin(inside)
    lamp = states.shape[1] == 3
    terms = np.empty((len(s), 8 if lamp else 7, s.shape[1]))
    np.minimum(s, -1.0, out=terms[:, 0])
    np.maximum(s, 1.0, out=terms[:, 1])
    terms[:, 2] = inside
    squared = np.multiply(inside, inside, out=terms[:, 3])
    rest = 1.0 - squared
    cosine = np.sqrt(rest)
    np.add(inside * cosine, incidence, out=terms[:, 4])
    np.multiply(squared, inside, out=terms[:, 5])
    np.multiply(rest, cosine, out=terms[:, 6])
    if lamp:
        terms[:, 7] = _lamp_primitive(incidence, states[:, 2:])
    share = weight / (s[:, 1:] - s[:, :-1])
    return np.asarray((terms[:, :, 1:] - terms[:, :, :-1]) * share[:, None])


def lamp_terms(borders: Array, state: Array, lamps: Array) -> Array:
    """What a lamp at each of `lamps` (L,), rad of incidence, gives each pixel (L, W)."""
    s = np.sin(borders - state[0]) / state[1]
    incidence = np.arcsin(np.clip(s, -1.0, 1.0))
    primitive = _lamp_primitive(incidence, lamps[:, None])
    return np.asarray((primitive[:, 1:] - primitive[:, :-1]) / (s[1:] - s[:-1]))


def _lamp_primitive(incidence: Array, lamp: Array) -> Array:
    """Antiderivative over s = sin i of max(0, cos(i - lamp))."""
    lit = np.minimum(np.maximum(incidence, lamp - np.pi / 2.0), lamp + np.pi / 2.0)
    sine = np.sin(lit)
    along = (lit + sine * np.cos(lit)) / 2.0
    return np.asarray(np.cos(lamp) * along + np.sin(lamp) * sine * sine / 2.0)
