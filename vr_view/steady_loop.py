"""A thread that calls a function at a steady rate: deadlines on a grid, none caught up.

A timer of rclpy waits its turn among messages; this does not. Late by more than a period, the
missed deadlines are left out and counted, so that lateness never turns into a burst.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable

from ros_interface.process_memory import spare_what_stays

SECOND = 1_000_000_000


class Grid:
    """Deadlines at `rate` (Hz) from `start` on, integer nanoseconds of one clock."""

    def __init__(self, rate: float, start: int) -> None:
        self._rate, self._start = rate, start
        self._index = 0
        self.missed = 0

    @property
    def deadline(self) -> int:
        """The next one."""
        return self._start + round(self._index * SECOND / self._rate)

    def advance(self, now: int) -> None:
        """Go on to the next deadline; those that are past by a whole period count as missed."""
        self._index += 1
        overdue = int((now - self.deadline) * self._rate / SECOND)
        if overdue > 0:
            self.missed += overdue
            self._index += overdue


class SteadyLoop:
    """Calls `tick()` at `rate` (Hz) on a thread of its own until closed; an error ends it."""

    def __init__(
        self,
        rate: float,
        tick: Callable[[], None],
        name: str = "steady",
        started: Callable[[], object] = lambda: None,
    ) -> None:
        """`started()` is called on the thread before its first tick."""
        self._rate, self._tick, self._started = rate, tick, started
        self._stop = threading.Event()
        self.missed = 0
        self.error: Exception | None = None
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def close(self) -> None:
        """End, and wait for the tick that may be under way."""
        self._stop.set()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join()

    def _work(self) -> None:
        try:
            self._started()
            grid = Grid(self._rate, time.monotonic_ns())
            while not self._stop.is_set():
                self._tick()
                grid.advance(time.monotonic_ns())
                self.missed = grid.missed
                # Not Event.wait: it rounds up and takes a lock; a period is short enough.
                time.sleep(max(grid.deadline - time.monotonic_ns(), 0) / SECOND)
        except Exception as error:  # told by whoever owns the loop
            self.error = error


def be_punctual() -> None:
    """Make this process's threads wait less for one another; call it when all is imported.

    Python hands its lock on every 5 ms, which is half a period.
    """
    sys.setswitchinterval(0.0005)
    spare_what_stays()
