"""Whose head it is: of several pages one has the device at a time."""

from __future__ import annotations

SILENCE = 1.0  # s without a pose after which another page may have it


class DeviceLease:
    """Held by the first that sends poses, until it ends or falls silent. Time is passed in (s)."""

    def __init__(self) -> None:
        self._holder: object | None = None
        self._last = 0.0

    def take(self, who: object, now: float) -> bool:
        """Return whether `who` has the device now, for having sent a pose."""
        if self._holder is not who and self.is_held(now):
            return False
        self._holder, self._last = who, now
        return True

    def is_held(self, now: float) -> bool:
        """Return whether somebody has it."""
        return self._holder is not None and now - self._last <= SILENCE

    def release(self, who: object) -> bool:
        """Give it up; True where `who` had it."""
        if self._holder is not who:
            return False
        self._holder = None
        return True
