"""A link over one byte stream that opens itself, and opens itself again whenever it breaks."""

from __future__ import annotations

from typing import Protocol

from mavlink_bridge.links.buffered_stream import BufferedStream, ByteStream, StreamClosedError
from mavlink_bridge.links.link import LinkLimits, LinkStatistics

RETRY = 1.0
LOOK_AGAIN = 0.02


class Opener(Protocol):
    """Opens a stream, over several calls where that takes time."""

    def open(self) -> ByteStream | None:
        """Return the stream; None: not yet, ask again. Raises OSError when this try has failed."""

    def close(self) -> None:
        """Give up what is half open."""


class ReconnectingLink:
    """Tries every `RETRY` seconds; while there is no stream, packets are dropped and counted."""

    def __init__(self, name: str, opener: Opener, buffer: int, limits: LinkLimits) -> None:
        self.name = name
        self.limits = limits
        self.statistics = LinkStatistics()
        self._opener = opener
        self._buffer = buffer
        self._stream: BufferedStream | None = None
        self._closed = False
        self._next = float("-inf")

    @property
    def connected(self) -> bool:
        """Whether the stream is open."""
        return self._stream is not None

    def send(self, packet: bytes, now: float) -> None:
        """Send a packet, or keep it until the stream takes it."""
        stream = self._open(now)
        if stream is None:
            self.statistics.dropped(packet, self.statistics.last_error or "not connected yet")
            return
        try:
            stream.send(packet)
        except StreamClosedError as error:
            self._lost(str(error), now)
        self._look_again(now)

    def receive(self, now: float) -> list[bytes]:
        """Return what has come; also writes on, and opens the stream when it is time to."""
        stream = self._open(now)
        if stream is None:
            return []
        try:
            stream.flush()
            pieces = stream.receive()
        except StreamClosedError as error:
            self._lost(str(error), now)
            return []
        self._look_again(now)
        return pieces

    def files(self) -> list[int]:
        """Return the stream's descriptor while there is one."""
        return [self._stream.fileno()] if self._stream is not None else []

    def next_time(self) -> float | None:
        """Return when to try again to open, or to write what waits."""
        if self._closed or (self._stream is not None and not self._stream.waiting):
            return None
        return self._next

    def close(self) -> None:
        """Close for good."""
        self._closed = True
        self._opener.close()
        if self._stream is not None:
            self._stream.close()
            self._stream = None

    def _open(self, now: float) -> BufferedStream | None:
        if self._stream is not None or self._closed or now < self._next:
            return self._stream
        try:
            opened = self._opener.open()
        except OSError as error:
            self.statistics.last_error = str(error)
            self._next = now + RETRY
            return None
        if opened is None:
            self._next = now + LOOK_AGAIN
            return None
        self.statistics.connections += 1
        self._stream = BufferedStream(opened, self.statistics, self._buffer)
        return self._stream

    def _lost(self, reason: str, now: float) -> None:
        assert self._stream is not None
        self._stream.close()
        self._stream = None
        self.statistics.last_error = reason
        self._next = now + RETRY

    def _look_again(self, now: float) -> None:
        if self._stream is not None and self._stream.waiting:
            self._next = now + LOOK_AGAIN
