"""The autopilot's clock against ours, from bounds instead of averages.

Whatever the link does, a message arrives after it was measured, and an answer to TIMESYNC was
written after the question had left. Each message so bounds the offset between the clocks from above
or below, by an interval that only delays widen. The tightest bounds count, and grow by what the
clocks may drift. On a thin link, where a round trip takes a second and half of it is one way, an
average of round trips is off by a quarter of a second; the bounds of the quickest messages are not.
"""

from __future__ import annotations

DRIFT = 1e-4  # of two crystals, generously: widens the bounds by 0.1 ms a second
TOLERANCE = 20_000_000  # ns by which bounds may contradict each other before a clock has jumped
REMEMBERED = 8


class TimeSync:
    """`offset` is ours minus theirs. All times in integer nanoseconds."""

    def __init__(self) -> None:
        self.jumps = 0
        self.exchanges = 0
        self._lower: int | None = None
        self._upper: int | None = None
        self._touched = 0
        self._asked: dict[int, int] = {}

    @property
    def uncertainty(self) -> float | None:
        """Largest possible error of the offset in seconds; None while there is no bound below."""
        if self._lower is None or self._upper is None:
            return None
        return max(0, self._upper - self._lower) / 2e9

    def ours(self, theirs: int, received: int) -> int:
        """Return the time of our clock for one of theirs; never later than `received`."""
        if self._upper is None:
            return received
        lower = self._upper if self._lower is None else self._lower
        return min(received, theirs + (lower + self._upper) // 2)

    def heard(self, theirs: int, received: int) -> None:
        """Take in that something measured at `theirs` came at `received`."""
        self._bound(received, None, received - theirs)

    def asked(self, sent: int, left: int) -> None:
        """Take in that a question marked `sent` left at `left`."""
        self._asked[sent] = left
        while len(self._asked) > REMEMBERED:
            del self._asked[next(iter(self._asked))]

    def answered(self, theirs: int, sent: int, received: int) -> bool:
        """Take in the answer to the question marked `sent`; False if it was not asked."""
        left = self._asked.pop(sent, None)
        if left is None or received < left:
            return False
        self.exchanges += 1
        self._bound(received, left - theirs, received - theirs)
        return True

    def restart(self) -> None:
        """Forget the bounds: a clock began anew."""
        self._lower = self._upper = None
        self._asked.clear()
        self.exchanges = 0

    def _bound(self, now: int, lower: int | None, upper: int) -> None:
        self._widen(now)
        above = self._lower is not None and upper < self._lower - TOLERANCE
        below = lower is not None and self._upper is not None and lower > self._upper + TOLERANCE
        if above or below:
            self.jumps += 1
            self.restart()
        if self._upper is None or upper < self._upper:
            self._upper = upper
        if lower is not None and (self._lower is None or lower > self._lower):
            self._lower = lower

    def _widen(self, now: int) -> None:
        passed, self._touched = now - self._touched, now
        if passed < 0:
            self.restart()
            return
        grown = int(passed * DRIFT)
        if self._lower is not None:
            self._lower -= grown
        if self._upper is not None:
            self._upper += grown
