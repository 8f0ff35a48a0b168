"""Cut a scan into runs of neighbouring accepted beams, each of which may be one target."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Run(NamedTuple):
    """Beams `start` to `stop` (inclusive; beyond the count on a closed scan), `beams` accepted."""

    start: int
    stop: int
    beams: int

    @property
    def width(self) -> int:
        """Number of beams from the first to the last, gaps included."""
        return self.stop - self.start + 1

    @property
    def middle(self) -> int:
        """The beam in the middle, whose time stands for the run's."""
        return (self.start + self.stop) // 2


def find_runs(
    accepted: NDArray[np.bool_],
    distances: Array,
    max_step: float,
    closed: bool = False,
    max_gap: int = 1,
) -> list[Run]:
    """Group accepted beams (N,) whose neighbours lie within `max_step` metres of range.

    Up to `max_gap` beams may be missing inside a run (lost returns). Beams beyond a gap or a jump
    begin a new run, so two targets one before the other are two runs. On a `closed` scan a run may
    go on past the last beam; its `stop` is then the count or more.
    """
    index = accepted.nonzero()[0]
    if len(index) == 0:
        return []
    runs = _split(index.tolist(), distances[index].tolist(), max_step, max_gap)
    if len(runs) > 2:
        runs = _without_strays(runs, distances, max_step, max_gap)
    if closed and len(runs) > 1:
        first, last = runs[0], runs[-1]
        gap = first.start + len(accepted) - last.stop
        step = abs(distances[first.start] - distances[last.stop])
        if gap <= max_gap + 1 and step <= max_step:
            runs = [
                *runs[1:-1],
                Run(last.start, first.stop + len(accepted), last.beams + first.beams),
            ]
    return runs


def _split(
    numbers: Sequence[int], distances: Sequence[float], max_step: float, max_gap: int
) -> list[Run]:
    """Split beams, by their numbers, at gaps and jumps; a loop, as there are few."""
    runs = []
    start = last = numbers[0]
    before, beams = distances[0], 0
    for number, distance in zip(numbers, distances, strict=True):
        if number - last > max_gap + 1 or abs(distance - before) > max_step:
            runs.append(Run(start, last, beams))
            start, beams = number, 0
        last, before = number, distance
        beams += 1
    runs.append(Run(start, last, beams))
    return runs


def _without_strays(runs: list[Run], distances: Array, max_step: float, max_gap: int) -> list[Run]:
    """Join two runs that only a single odd beam splits; the beam stays inside as an outlier."""
    joined = [runs[0]]
    for run in runs[1:]:
        before = joined[-1]
        if len(joined) > 1 and before.width == 1:
            first = joined[-2]
            step = abs(distances[run.start] - distances[first.stop])
            if run.start - first.stop <= max_gap + 2 and step <= max_step:
                joined[-2:] = [Run(first.start, run.stop, first.beams + run.beams)]
                continue
        joined.append(run)
    return joined
