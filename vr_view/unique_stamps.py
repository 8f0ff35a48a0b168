"""Stamps that no two frames share, though ROS time stands still or moves in steps."""

from __future__ import annotations

ANEW = 1_000_000_000  # ns by which ROS time goes back when it begins anew


class UniqueStamps:
    """Stamps of ROS time (ns), each later than the one before.

    Simulated time moves with /clock, fewer times a second than a viewpoint, and not at all during a
    pause; then a stamp is one nanosecond after the last, so that tf takes it as new.
    """

    def __init__(self) -> None:
        self._last: int | None = None

    def next(self, now: int) -> int:
        """Return the stamp for ROS time `now`; time that begins anew is followed."""
        last = self._last
        self._last = now if last is None or now > last or now < last - ANEW else last + 1
        return self._last
