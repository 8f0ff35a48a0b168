"""Stamps that go back: a bag that starts again, a simulator that was reset."""

from __future__ import annotations

import tf2_ros

# Messages come out of order by less than this (ns).
OUT_OF_ORDER = 1_000_000_000


class HistoryKeeper:
    """Forgets the transforms of the time before, once data begin anew.

    tf2 drops transforms that are older than its history, so that without this a looped bag would
    find none until it is as far as it once was. A clock that jumps clears the buffer by itself;
    a bag that is played without its clock moves none.
    """

    def __init__(self, buffer: tf2_ros.Buffer) -> None:
        self._buffer = buffer
        self._newest: int | None = None

    def see(self, stamp: int) -> bool:
        """Take in the stamp (ns) of the next data; True where time began anew."""
        anew = self._newest is not None and stamp < self._newest - OUT_OF_ORDER
        if anew:
            self._buffer.clear()
        self._newest = stamp if anew or self._newest is None else max(stamp, self._newest)
        return anew
