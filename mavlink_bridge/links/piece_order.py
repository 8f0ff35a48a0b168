"""Puts numbered pieces into the order in which they were sent, and drops those that come twice."""

from __future__ import annotations

NUMBERS = 256
# A piece is waited for until this many later ones are there, or this long.
MOST_HELD = 4
PATIENCE = 0.3
# How far behind the expected number still means "late or doubled" and not "a new start".
MOST_LATE = 64


class PieceOrder:
    """Numbers run from 0 to 255 and round; one of these per sender."""

    def __init__(self) -> None:
        self._expected: int | None = None
        self._held: dict[int, bytes] = {}
        self._give_up_at: float | None = None

    def put(self, number: int, data: bytes, now: float) -> list[bytes]:
        """Take a piece and return those whose turn has come."""
        if self._expected is None:
            self._expected = number
        ahead = (number - self._expected) % NUMBERS
        if ahead >= NUMBERS - MOST_LATE:
            return []
        if ahead > MOST_LATE:  # the sender has started again, or the link was gone for long
            self._held.clear()
            self._expected = number
        self._held[number] = data
        ready = self._ready()
        while len(self._held) >= MOST_HELD:
            ready += self._skip()
        self._patience(now)
        return ready

    def overdue(self, now: float) -> list[bytes]:
        """Return the pieces that have waited long enough for an earlier one."""
        ready: list[bytes] = []
        if self._give_up_at is not None and now >= self._give_up_at:
            ready = self._skip()
            self._give_up_at = None
            self._patience(now)
        return ready

    def next_time(self) -> float | None:
        """Return when a missing piece is given up; None: none is missing."""
        return self._give_up_at

    def _ready(self) -> list[bytes]:
        ready = []
        while self._expected in self._held:
            ready.append(self._held.pop(self._expected))
            self._expected = (self._expected + 1) % NUMBERS
        return ready

    def _skip(self) -> list[bytes]:
        """Go on with the first piece that is there."""
        assert self._expected is not None
        expected = self._expected
        self._expected = min(self._held, key=lambda number: (number - expected) % NUMBERS)
        return self._ready()

    def _patience(self, now: float) -> None:
        if not self._held:
            self._give_up_at = None
        elif self._give_up_at is None:
            self._give_up_at = now + PATIENCE
