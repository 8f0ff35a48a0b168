"""The history of one frame's pose in its parent, bounded in time. Times are nanoseconds."""

from __future__ import annotations

from bisect import bisect_left
from typing import NamedTuple

from tf2_py.exceptions import ExtrapolationException
from tf2_py.rigid import Rigid, interpolate

LATEST = 0
"""The time that means "the newest there is"."""


class Entry(NamedTuple):
    """A frame's pose in its parent: parent_from_frame."""

    parent: str
    pose: Rigid


def seconds_text(time: int) -> str:
    """The time as tf2 prints it."""
    return f"{time * 1e-9:.6f}"


class StaticCache:
    """A pose that holds at every time."""

    latest = LATEST
    oldest = LATEST
    parent: str

    def __init__(self) -> None:
        self._entry: Entry | None = None

    def __len__(self) -> int:
        return 1

    def insert(self, time: int, entry: Entry) -> bool:
        """Take the pose in the place of the one before."""
        self._entry = entry
        self.parent = entry.parent
        return True

    def at(self, time: int) -> Entry:
        """The pose, whatever the time."""
        assert self._entry is not None
        return self._entry

    def clear(self) -> None:
        """Keep the pose: what is static does not grow old."""


class TimeCache:
    """Poses of the last `span` nanoseconds, in order of their times."""

    def __init__(self, span: int) -> None:
        self._span = span
        self._times: list[int] = []
        self._entries: list[Entry] = []

    def __len__(self) -> int:
        return len(self._times)

    @property
    def latest(self) -> int:
        """The newest time, 0 when empty."""
        return self._times[-1] if self._times else LATEST

    @property
    def oldest(self) -> int:
        """The oldest time, 0 when empty."""
        return self._times[0] if self._times else LATEST

    @property
    def parent(self) -> str | None:
        """The parent in the newest pose, None when empty."""
        return self._entries[-1].parent if self._entries else None

    def clear(self) -> None:
        """Forget everything."""
        self._times.clear()
        self._entries.clear()

    def insert(self, time: int, entry: Entry) -> bool:
        """Add a pose, or replace the one of the same time; False when it is older than the span."""
        if self._times and time < self._times[-1] - self._span:
            return False
        place = bisect_left(self._times, time)
        if place < len(self._times) and self._times[place] == time:
            self._entries[place] = entry
        else:
            self._times.insert(place, time)
            self._entries.insert(place, entry)
        self._prune()
        return True

    def _prune(self) -> None:
        expired = bisect_left(self._times, self._times[-1] - self._span)
        if expired:
            del self._times[:expired]
            del self._entries[:expired]

    def at(self, time: int) -> Entry:
        """The pose at a time, interpolated; the newest for time 0.

        Between two poses with different parents the older one holds.

        Raises:
            ExtrapolationException: the time lies outside of what is held.
        """
        self._check_span(time)
        if time == LATEST:
            return self._entries[-1]
        place = bisect_left(self._times, time)
        newer = self._entries[place]
        if self._times[place] == time:
            return newer
        older = self._entries[place - 1]
        if older.parent != newer.parent:
            return older
        begin, end = self._times[place - 1], self._times[place]
        return Entry(
            older.parent, interpolate(older.pose, newer.pose, (time - begin) / (end - begin))
        )

    def _check_span(self, time: int) -> None:
        if self._times and (time == LATEST or self.oldest <= time <= self.latest):
            return
        if len(self._times) < 2:
            raise ExtrapolationException(
                f"Lookup would require extrapolation at time {seconds_text(time)}, "
                f"but only time {seconds_text(self.latest)} is in the buffer"
            )
        if time > self.latest:
            raise ExtrapolationException(
                "Lookup would require extrapolation into the future.  Requested time "
                f"{seconds_text(time)} but the latest data is at time {seconds_text(self.latest)}"
            )
        raise ExtrapolationException(
            "Lookup would require extrapolation into the past.  Requested time "
            f"{seconds_text(time)} but the earliest data is at time {seconds_text(self.oldest)}"
        )
