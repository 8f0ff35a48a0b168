"""Where topics meet pages: values come in from any thread, the newest goes out to each page."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Iterable
from typing import Any

from aiohttp import WSCloseCode

from vr_view.server.device_lease import DeviceLease
from vr_view.server.outside import Outside
from vr_view.server.protocol import encode
from vr_view.server.session import CLOSING_TIMEOUT, REPLACED, Session
from vr_view.server.settings import Limits
from vr_view.server.topics import Make, TopicSpec, make_topics


class Hub:
    """All topics and all sessions. Everything but `put`, `rate` and `tell` is for the loop."""

    def __init__(
        self,
        specs: Iterable[TopicSpec],
        makers: dict[str, Make],
        outside: Outside,
        limits: Limits,
        clock: Callable[[], float],
    ) -> None:
        """`clock` gives seconds; it is the server's clock that pages compare theirs with."""
        self.topics = make_topics(specs, makers)
        self.outside, self.limits, self.clock = outside, limits, clock
        self.lease = DeviceLease()
        self.sessions: dict[str, Session] = {}
        self._incoming: dict[str, list[Any]] = {}
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._is_awake = False
        self._watching: asyncio.TimerHandle | None = None
        self._rates: dict[str, float] = {}

    def start(self) -> None:
        """Begin to take in values, on the running loop."""
        self._loop = asyncio.get_running_loop()
        self._take_in()
        self._watch()

    async def stop(self) -> None:
        """Send all pages away; they will try again."""
        if self._watching is not None:
            self._watching.cancel()
        reason = b"the server stops"
        ends = [session.end(WSCloseCode.GOING_AWAY, reason) for session in self.sessions.values()]
        if ends:
            await asyncio.wait(ends, timeout=CLOSING_TIMEOUT)

    # From any thread

    def put(self, topic: str, value: Any) -> None:
        """Give a topic a newer value. What the loop has not seen yet is replaced."""
        with self._lock:
            waiting = self._incoming.get(topic, [])
            self._incoming[topic] = self.topics[topic].merge(waiting, value)
            if self._is_awake or self._loop is None:
                return
            self._is_awake = True
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._take_in)

    def rate(self, topic: str) -> float:
        """Return the most messages per second that any page wants of a topic; 0 for none."""
        return self._rates.get(topic, 0.0)

    def tell(self, kind: str, key: str, /, **values: Any) -> None:
        """Tell all pages something that is no topic; of those with the same key, the newest."""
        loop = self._loop
        if loop is not None:
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(self._tell_all, encode(kind, **values), key)

    # On the loop

    def add(self, session: Session) -> None:
        """A page has come; one with the same name that is still there is ended: it is a ghost."""
        ghost = self.sessions.get(session.key)
        if ghost is not None:
            self.remove(ghost)
            ghost.end(REPLACED, b"connected again")
        self.sessions[session.key] = session
        self.count_rates()

    def has_room(self, key: str) -> bool:
        """Return whether a page of that key may come."""
        return key in self.sessions or len(self.sessions) < self.limits.clients

    def remove(self, session: Session) -> None:
        """A page is gone."""
        if self.sessions.get(session.key) is session:
            del self.sessions[session.key]
            self.outside.session_ended(session.key)
        if self.lease.release(session):
            self.outside.device_ended()
        self.count_rates()

    def count_rates(self) -> None:
        """Find out anew what is wanted of each topic."""
        rates: dict[str, float] = {}
        for session in self.sessions.values():
            for topic, rate in session.schedule.rates.items():
                rates[topic] = max(rate, rates.get(topic, 0.0))
        self._rates = rates

    def _watch(self) -> None:
        for session in list(self.sessions.values()):
            session.watch(self.clock())
        loop = asyncio.get_running_loop()
        self._watching = loop.call_later(self.limits.send_timeout / 4.0, self._watch)

    def _take_in(self) -> None:
        with self._lock:
            incoming, self._incoming = self._incoming, {}
            self._is_awake = False
        for name, values in incoming.items():
            for value in values:
                self.topics[name].put(value)
        if incoming:
            for session in self.sessions.values():
                session.wake()

    def _tell_all(self, frame: str, key: str) -> None:
        for session in self.sessions.values():
            session.say_newest(key, frame)
