"""A thread that belongs to links: it waits for them, and does what others ask in between.

Connections are single-threaded. A node, whose callbacks run elsewhere, gives its work to this
thread with `do`, so nothing of a connection needs a lock, and a message is handled when it comes
instead of at the next tick of a timer.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress

from mavlink_bridge.links.link import Link
from mavlink_bridge.links.waiting import wait

LONGEST_WAIT = 0.1  # seconds
# Messages that come closer together are handled together: waking up costs more than a message.
SHORTEST_ROUND = 0.002


class _Alarm:
    """What wakes the thread: looks like a link to `wait`."""

    def __init__(self) -> None:
        self._read, self._write = os.pipe()
        os.set_blocking(self._read, False)
        os.set_blocking(self._write, False)

    def ring(self) -> None:
        with suppress(OSError):  # it rings already, or the thread has ended
            os.write(self._write, b"!")

    def silence(self) -> None:
        with suppress(BlockingIOError):
            while os.read(self._read, 4096):
                pass

    def files(self) -> list[int]:
        return [self._read]

    def next_time(self) -> float | None:
        return None

    def close(self) -> None:
        os.close(self._read)
        os.close(self._write)


class LinkThread:
    """Calls `poll(now)` whenever a link has something, at `next_time()`, and ten times a second.

    `now` is the reading of `clock`. Where that is another than the monotonic one, it may run
    faster, so `longest_wait` (s) should be shorter.
    """

    def __init__(
        self,
        links: Sequence[Link],
        poll: Callable[[float], None],
        next_time: Callable[[], float | None] = lambda: None,
        clock: Callable[[], float] = time.monotonic,
        longest_wait: float = LONGEST_WAIT,
    ) -> None:
        self.error: BaseException | None = None
        """What ended the thread, if it was not `close`."""
        self._links = list(links)
        self._poll = poll
        self._next_time = next_time
        self._clock, self._longest_wait = clock, longest_wait
        self._jobs: deque[Callable[[float], None]] = deque()
        self._alarm = _Alarm()
        self._closing = False
        self._thread = threading.Thread(target=self._run, name="links", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def do(self, job: Callable[[float], None]) -> None:
        """Have `job(now)` done on the thread, soon."""
        self._jobs.append(job)
        self._alarm.ring()

    def close(self) -> None:
        """End the thread and wait for it."""
        self._closing = True
        self._alarm.ring()
        if self._thread.is_alive():
            self._thread.join(timeout=2.0)
        self._alarm.close()

    def _run(self) -> None:
        try:
            while not self._closing:
                self._round()
        except BaseException as error:  # told by the owner, on whose thread it can end the program
            self.error = error

    def _round(self) -> None:
        begin = time.monotonic()
        self._alarm.silence()
        while self._jobs:
            self._jobs.popleft()(self._clock())
        self._poll(self._clock())
        passed = time.monotonic() - begin
        if passed < SHORTEST_ROUND:
            time.sleep(SHORTEST_ROUND - passed)
        now, due = self._clock(), self._next_time()
        longest = self._longest_wait
        timeout = longest if due is None else min(longest, max(0.0, due - now))
        wait([*self._links, self._alarm], now, timeout)  # type: ignore[list-item]
