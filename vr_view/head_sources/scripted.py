"""A head that moves by a script: for demonstrations, tests and cameras that pan by themselves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from spatial_types.parameters import ParameterError
from spatial_types.transforms import Array, Transform

COLUMNS = "seconds, yaw, pitch, roll (deg), and optionally x, y, z (m)"
STANDING = (0.0, 0.0, 1.6)


class ScriptedHead:
    """Goes from line to line and begins again after the last."""

    def __init__(self, lines: Sequence[str]) -> None:
        """Each line is numbers: COLUMNS. ParameterError names the line that is none."""
        rows = [_row(number, line) for number, line in enumerate(lines, start=1)]
        if not rows:
            raise ParameterError(f"script = []: expected lines of {COLUMNS}")
        self._rows: Array = np.array(rows)
        if np.any(np.diff(self._rows[:, 0]) <= 0.0):
            raise ParameterError("script: expected seconds that grow from line to line")

    def pose(self, seconds: float) -> Transform:
        """Return `device_from_head` at a time since the start; lines are joined linearly."""
        times = self._rows[:, 0]
        first, length = times[0], times[-1] - times[0]
        if length > 0.0:
            seconds = first + (seconds - first) % length
        _, yaw, pitch, roll, *place = (
            float(np.interp(seconds, times, column)) for column in self._rows.T
        )
        return Transform.from_rpy(place, np.radians([roll, pitch, yaw]))


def _row(number: int, line: str) -> tuple[float, ...]:
    try:
        numbers = tuple(float(word) for word in line.replace(",", " ").split())
    except ValueError:
        numbers = ()
    if len(numbers) == 4:
        numbers = (*numbers, *STANDING)
    if len(numbers) != 7 or not np.all(np.isfinite(numbers)):
        raise ParameterError(f"script, line {number} = '{line}': expected {COLUMNS}")
    return numbers
