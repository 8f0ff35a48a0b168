"""Keeps simulated time in step with wall time, and says how well that works."""

from __future__ import annotations

from collections import deque

LARGEST_LAG = 0.25  # seconds behind which the simulator gives up catching up


class Pacer:
    """Says how long to wait after simulated time has come to `sim`; all times in seconds."""

    def __init__(self, factor: float) -> None:
        """`factor` is simulated per wall time; 0 runs as fast as possible."""
        self._factor = factor
        self._anchor: tuple[float, float] | None = None
        self._marks: deque[tuple[float, float]] = deque()
        self.slips = 0

    @property
    def factor(self) -> float:
        """The wished real-time factor; setting it starts anew from the next call."""
        return self._factor

    @factor.setter
    def factor(self, value: float) -> None:
        self._factor = value
        self.restart()

    def restart(self) -> None:
        """Forget the past: after a pause, a reset or a new factor."""
        self._anchor = None
        self._marks.clear()

    def wait(self, sim: float, wall: float) -> float:
        """Return the seconds to wait at wall time `wall`; never catches up in a burst."""
        self._marks.append((sim, wall))
        while self._marks[-1][1] - self._marks[0][1] > 2.0:
            self._marks.popleft()
        if self._factor <= 0.0:
            return 0.0
        if self._anchor is None:
            self._anchor = (sim, wall)
        ahead = self._anchor[1] + (sim - self._anchor[0]) / self._factor - wall
        if ahead < -LARGEST_LAG:
            self._anchor = (sim, wall)
            self.slips += 1
        return max(ahead, 0.0)

    @property
    def measured(self) -> float | None:
        """Real-time factor over the last two seconds of wall time; None before there is one."""
        if len(self._marks) < 2:
            return None
        (sim, wall), (last_sim, last_wall) = self._marks[0], self._marks[-1]
        return (last_sim - sim) / (last_wall - wall) if last_wall > wall else None
