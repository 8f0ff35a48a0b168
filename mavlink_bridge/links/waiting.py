"""Waiting for links in real time, for programs that have nothing else to do."""

from __future__ import annotations

import select
from collections.abc import Sequence

from mavlink_bridge.links.link import Link


def wait(links: Sequence[Link], now: float, timeout: float) -> None:
    """Return when something comes on a link, when one wants to be polled, or after `timeout` s.

    `now` is the reading of the monotonic clock that the links' other calls get.
    """
    times = [time for link in links if (time := link.next_time()) is not None]
    seconds = max(0.0, min([timeout, *(time - now for time in times)]))
    poll = select.poll()
    for link in links:
        for file in link.files():
            poll.register(file, select.POLLIN)
    # Rounded up: a poll that ends just too early would spin.
    poll.poll(int(seconds * 1000) + (1 if seconds > 0 else 0))
