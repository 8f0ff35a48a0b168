"""Packets over a byte stream that takes only part of them at a time."""

from __future__ import annotations

from collections import deque
from typing import Protocol

from mavlink_bridge.links.link import LinkStatistics

READ_SIZE = 65536
MOST_READS_AT_ONCE = 64


class StreamClosedError(Exception):
    """The other end, or the device, has gone; the text says how it was noticed."""


class ByteStream(Protocol):
    """An open stream that never waits. `OSError` from any of it means that it is broken."""

    def fileno(self) -> int:
        """Return its descriptor."""

    def read(self, size: int) -> bytes:
        """Return what is there; b"" at the stream's end; BlockingIOError when nothing is."""

    def write(self, data: bytes) -> int:
        """Write what fits and return how much; BlockingIOError when nothing does."""

    def close(self) -> None:
        """Close it."""


class BufferedStream:
    """Keeps what the stream does not take yet, up to `limit` bytes, and drops whole packets.

    A packet is never cut: half a frame would damage the next one. A port that is slower than the
    traffic shows as drops in the statistics.
    """

    def __init__(self, stream: ByteStream, statistics: LinkStatistics, limit: int) -> None:
        self._stream = stream
        self._statistics = statistics
        self._limit = limit
        self._waiting: deque[bytes] = deque()
        self._waiting_bytes = 0

    @property
    def waiting(self) -> int:
        """Bytes that the stream has not taken yet."""
        return self._waiting_bytes

    def fileno(self) -> int:
        """Return the stream's descriptor."""
        return self._stream.fileno()

    def send(self, packet: bytes) -> None:
        """Send or keep a packet; drop it when too much waits. Raises StreamClosedError."""
        if self._waiting_bytes and self._waiting_bytes + len(packet) > self._limit:
            self._statistics.dropped(packet, "the link is slower than the traffic")
        else:
            self._statistics.sent(packet)
            self._waiting.append(packet)
            self._waiting_bytes += len(packet)
        self.flush()

    def flush(self) -> None:
        """Write what the stream takes now. Raises StreamClosedError."""
        try:
            while self._waiting:
                written = self._stream.write(self._waiting[0])
                self._waiting_bytes -= written
                rest = self._waiting.popleft()[written:]
                if rest:
                    self._waiting.appendleft(rest)
                    return
        except BlockingIOError:
            pass
        except OSError as error:
            raise StreamClosedError(str(error)) from error

    def receive(self) -> list[bytes]:
        """Return what has come. Raises StreamClosedError, once what came before is returned."""
        pieces: list[bytes] = []
        try:
            while len(pieces) < MOST_READS_AT_ONCE:
                piece = self._stream.read(READ_SIZE)
                if not piece:
                    raise StreamClosedError("closed by the other end")
                self._statistics.received(piece)
                pieces.append(piece)
        except BlockingIOError:
            pass
        except (OSError, StreamClosedError) as error:
            if not pieces:
                raise StreamClosedError(str(error)) from error
        return pieces

    def close(self) -> None:
        """Close the stream; what waits is lost and counted."""
        for packet in self._waiting:
            self._statistics.dropped(packet, "the link closed")
        self._waiting.clear()
        self._waiting_bytes = 0
        self._stream.close()
