"""The seconds by which a bridge flies, repeats and waits.

With a real drone they are those of a monotonic clock. A drone in a scene flies by the scene's
clock, which may be slow, fast or stand still, so there everything goes by that one: trajectories,
lifetimes of setpoints, repeats of commands, silence of the peer, the budget of the link. The other
end does the same, so a slow scene makes a slow link, and none that seems dead.
"""

from __future__ import annotations

NANOSECOND = 1e-9


class SceneTime:
    """A clock that may be set back (ns), as seconds that never go back."""

    def __init__(self) -> None:
        self.resets = 0
        """How often it was set back."""
        self._clock = 0
        self._skipped = 0

    def advance(self, clock: int) -> float:
        """Return the seconds for a reading of the clock."""
        if clock < self._clock:
            self._skipped += self._clock - clock
            self.resets += 1
        self._clock = clock
        return (clock + self._skipped) * NANOSECOND
