"""The ring of coloured markers: what colour the cylinder has at each surface angle.

Angles count counter-clockwise seen from above; the target's yaw is the direction of the outward
normal at angle 0 (with the default pattern, the blue marker's).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spatial_types.parameters import ParameterError, parameter

Array = NDArray[np.float64]


@dataclass(frozen=True)
class PatternParameters:
    """Markers in any order; list k of each parameter describes marker k."""

    names: tuple[str, ...] = parameter(
        ["blue", "green", "pink", "yellow", "red", "light_blue"], "names of the markers"
    )
    angles: tuple[float, ...] = parameter(
        [0.0, 60.0, 120.0, 180.0, 240.0, 300.0],
        "angle of each marker's centre, counter-clockwise seen from above",
        unit="deg",
    )
    widths: tuple[float, ...] = parameter(
        [30.0, 30.0, 30.0, 30.0, 30.0, 30.0], "arc that each marker covers", unit="deg"
    )
    colours: tuple[float, ...] = parameter(
        [0.0, 0.0, 1.0, 0.0, 0.8, 0.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0],
        "red, green, blue of each marker in turn, as fractions of the white beside it",
        minimum=0.0,
        maximum=1.5,
    )

    def check(self) -> None:
        """Refuse lists of unequal length and markers that overlap."""
        count = len(self.names)
        for name, values, length in (
            ("angles", self.angles, count),
            ("widths", self.widths, count),
            ("colours", self.colours, 3 * count),
        ):
            if len(values) != length:
                raise ParameterError(
                    f"pattern.{name} has {len(values)} values: expected {length} for the "
                    f"{count} markers of pattern.names"
                )
        if count < 2:
            raise ParameterError(f"pattern.names has {count} entries: expected at least 2")
        self._check_gaps()

    def _check_gaps(self) -> None:
        order = np.argsort(np.mod(self.angles, 360.0))
        centres = np.mod(self.angles, 360.0)[order]
        widths = np.asarray(self.widths)[order]
        if np.any(widths <= 0.0):
            raise ParameterError(f"pattern.widths = {list(self.widths)}: expected positive angles")
        gaps = np.diff([*centres, centres[0] + 360.0]) - (widths + np.roll(widths, -1)) / 2.0
        if np.any(gaps < 0.0):
            raise ParameterError(
                f"pattern.angles {list(self.angles)} with widths {list(self.widths)}: "
                "expected markers that do not overlap"
            )


class MarkerPattern:
    """Periodic albedo, relative to white, over the surface angle.

    Attributes:
        centres, halves: (K,) rad, centre and half width of each marker.
        colours: (K, 3), each marker's colour as a fraction of white.
    """

    def __init__(self, parameters: PatternParameters) -> None:
        self.names = tuple(parameters.names)
        self.centres: Array = np.radians(np.asarray(parameters.angles, dtype=float))
        self.halves: Array = np.radians(np.asarray(parameters.widths, dtype=float)) / 2.0
        self.colours: Array = np.asarray(parameters.colours, dtype=float).reshape(-1, 3)

    def albedo(self, angles: Array) -> Array:
        """Albedo (..., 3) at surface angles (...) of the target's own frame, rad."""
        away = (np.asarray(angles)[..., None] - self.centres + np.pi) % (2.0 * np.pi) - np.pi
        covered = np.abs(away) <= self.halves
        return 1.0 + covered.astype(float) @ (self.colours - 1.0)

    def smoothed(self, angles: Array, width: float) -> Array:
        """Albedo (..., 3) averaged over windows of `width` (rad) around angles (...)."""
        away = (np.asarray(angles)[..., None] - self.centres + np.pi) % (2.0 * np.pi) - np.pi
        high = np.minimum(away + width / 2.0, self.halves)
        low = np.maximum(away - width / 2.0, -self.halves)
        covered = np.clip(high - low, 0.0, width) / width
        return 1.0 + covered @ (self.colours - 1.0)
