"""Who is due when: periodic tasks on an exact nanosecond grid.

Tick k of a task of rate f falls at round(k * 1e9 / f) ns after its start, so a 30 Hz camera never
drifts and nothing depends on the physics step. Tasks due at the same time run in the order in
which they were added.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

SECOND = 1_000_000_000


class Periodic:
    """A task: `run(stamp)` is called at every tick and returns its readings."""

    def __init__(self, rate: float, run: Callable[[int], Any], start: int = 0) -> None:
        """`rate` in Hz, more than zero; the first tick is at `start` (ns)."""
        period = Fraction(SECOND) / Fraction(rate).limit_denominator(1_000_000)
        self._period, self._divisor = period.numerator, period.denominator
        self._start = start
        self._ticks = 0
        self.due = start  # time of the next tick, ns
        self.run = run

    def advance(self) -> None:
        """Go to the next tick."""
        self._ticks += 1
        half = self._divisor // 2
        self.due = self._start + (self._period * self._ticks + half) // self._divisor


class Schedule:
    """The tasks of a run, the next one first."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, int, Periodic]] = []
        self._count = 0

    def add(self, task: Periodic) -> None:
        """Add a task; those added first run first at equal times."""
        heapq.heappush(self._heap, (task.due, self._count, task))
        self._count += 1

    @property
    def next_due(self) -> int | None:
        """Time of the earliest tick, ns; None where there is no task."""
        return self._heap[0][0] if self._heap else None

    def take(self, until: int) -> Iterator[tuple[int, Periodic]]:
        """Yield (stamp, task) in order for every tick up to and including `until`."""
        while self._heap and self._heap[0][0] <= until:
            due, order, task = self._heap[0]
            task.advance()
            heapq.heapreplace(self._heap, (task.due, order, task))
            yield due, task
