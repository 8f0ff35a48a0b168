"""A set of whole numbers kept as intervals: which parts of a file are missing."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator

Span = tuple[int, int]


class Intervals:
    """Disjoint, sorted, half-open intervals [start, stop); neighbours that touch are joined."""

    def __init__(self, spans: Iterable[Span] = ()) -> None:
        self._starts: list[int] = []
        self._stops: list[int] = []
        self._count = 0
        for start, stop in spans:
            self.add(start, stop)

    def __len__(self) -> int:
        """Return how many numbers the set has, not how many intervals."""
        return self._count

    def __contains__(self, number: int) -> bool:
        at = bisect_right(self._starts, number) - 1
        return at >= 0 and number < self._stops[at]

    def __iter__(self) -> Iterator[Span]:
        return zip(self._starts, self._stops, strict=True)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Intervals) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def add(self, start: int, stop: int) -> None:
        """Add the numbers from `start` to before `stop`."""
        if stop <= start:
            return
        first = bisect_left(self._stops, start)
        last = bisect_right(self._starts, stop)
        if first < last:
            start = min(start, self._starts[first])
            stop = max(stop, self._stops[last - 1])
        self._replace(first, last, [(start, stop)])

    def discard(self, start: int, stop: int) -> None:
        """Take away the numbers from `start` to before `stop`, as far as they are there."""
        if stop <= start:
            return
        first = bisect_right(self._stops, start)
        last = bisect_left(self._starts, stop)
        if first >= last:
            return
        rest = [(self._starts[first], start), (stop, self._stops[last - 1])]
        self._replace(first, last, [span for span in rest if span[0] < span[1]])

    def pop(self) -> int:
        """Take the smallest number out and return it; IndexError if there is none."""
        number = self._starts[0]
        self.discard(number, number + 1)
        return number

    def from_number(self, number: int) -> Iterator[Span]:
        """Yield the intervals from `number` on; one that holds it is cut to begin there."""
        for at in range(bisect_right(self._stops, number), len(self._starts)):
            yield max(number, self._starts[at]), self._stops[at]

    def _replace(self, first: int, last: int, spans: list[Span]) -> None:
        removed = sum(self._stops[first:last]) - sum(self._starts[first:last])
        self._starts[first:last] = [span[0] for span in spans]
        self._stops[first:last] = [span[1] for span in spans]
        self._count += sum(stop - start for start, stop in spans) - removed
