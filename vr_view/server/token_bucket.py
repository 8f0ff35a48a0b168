"""A limit on how often something may happen."""

from __future__ import annotations


class TokenBucket:
    """Lets `rate` per second through, and `burst` at once; time is passed in (s)."""

    def __init__(self, rate: float, burst: float, now: float) -> None:
        self._rate, self._burst = rate, burst
        self._level, self._last = burst, now

    def take(self, now: float) -> bool:
        """Return whether one more may pass now."""
        self._level = min(self._burst, self._level + max(0.0, now - self._last) * self._rate)
        self._last = now
        if self._level < 1.0:
            return False
        self._level -= 1.0
        return True
