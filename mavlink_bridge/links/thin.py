"""A thin link: N bytes per packet and so many bytes per second, over any other link.

Packets have no header of ours. A message that fits a packet is never split, and small ones that
wait together share one, so a lost packet costs whole messages and no piece of any other. Only a
message that is longer than a packet is split; it starts a packet of its own, and the room that its
last piece leaves is filled up with small ones. The receiver joins the pieces and the parser finds
the frames: after a lost, doubled or overtaken piece the one long message is gone and the next frame
is read. So the other end may be any MAVLink program, and nothing is spent on splitting:

    100-byte packets     file bytes per packet   share of the link
    no header            82                      82 %
    numbered (1 byte)    81                      81 %
    no header, signed    69                      69 %
    a 3-byte header      79                      79 %

(A frame takes 12 bytes, or 25 signed, and FILE_PART's own fields 6.) Where nothing is lost, parts
of 249 bytes in three packets would bring 93 %; at 20 % loss 0.8^3 of them arrive, which leaves 48 %
of the link, and of those in one packet 0.8, which leaves 66 %.

`numbered` spends one byte to mend what is overtaken or doubled, for long messages over a link
that does that. Both ends must be told.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from mavlink_bridge.links.link import Link, LinkError, LinkLimits, LinkStatistics
from mavlink_bridge.links.piece import Piece, source_of
from mavlink_bridge.links.piece_order import PieceOrder
from mavlink_bridge.wire.frame import LARGEST_FRAME
from spatial_types.parameters import parameter

SMALLEST_PACKET = 8
LATENESS = 0.1


@dataclass(frozen=True)
class ThinOptions:
    """How thin."""

    size: int = parameter(100, "bytes per packet", unit="B", minimum=SMALLEST_PACKET)
    up: float = parameter(
        1000.0, "bytes per second that this end sends; 0: no limit", unit="B/s", minimum=0.0
    )
    down: float = parameter(
        8000.0, "bytes per second that this end receives; 0: no limit", unit="B/s", minimum=0.0
    )
    queue: float = parameter(
        0.5, "seconds of traffic that may wait before more is dropped", unit="s", minimum=0.0
    )
    numbered: bool = parameter(False, "one byte per packet mends what is overtaken or doubled")


class Pacer:
    """Lets bytes through at a rate, which calls that come up to 0.1 s late do not lower."""

    def __init__(self, rate: float, packet_size: int) -> None:
        self._rate = rate
        self._slack = max(LATENESS, packet_size / rate) if rate else 0.0
        self._free_at = float("-inf")

    def may_send(self, now: float) -> bool:
        """Return whether the link is free."""
        return now >= self._free_at

    def sent(self, size: int, now: float) -> None:
        """Occupy the link for `size` bytes."""
        if self._rate:
            self._free_at = max(self._free_at, now - self._slack) + size / self._rate

    @property
    def free_at(self) -> float:
        """When the link is free again."""
        return self._free_at


class ThinLink:
    """Wraps a link: splits and paces what is sent, paces and joins what is received."""

    def __init__(self, inner: Link, options: ThinOptions | None = None) -> None:
        self.options = options or ThinOptions()
        self.name = f"thin:{inner.name}"
        self.statistics = LinkStatistics()
        if self.options.numbered and not inner.limits.keeps_packets:
            raise LinkError(f"{self.name}: numbered packets need a link that keeps packets")
        self._inner = inner
        self._payload_size = self.options.size - (1 if self.options.numbered else 0)
        self._out: deque[bytes] = deque()
        self._out_bytes = 0
        self._out_pacer = Pacer(self.options.up, self.options.size)
        self._number = 0
        self._in: deque[bytes] = deque()
        self._in_bytes = 0
        self._in_pacer = Pacer(self.options.down, self.options.size)
        self._orders: dict[object, PieceOrder] = {}

    @property
    def connected(self) -> bool:
        """Whether the link inside is."""
        return self._inner.connected

    @property
    def limits(self) -> LinkLimits:
        """Bytes per packet that are free for messages, and bytes per second."""
        return LinkLimits(
            self._payload_size,
            self.options.up or None,
            self.options.down or None,
            self._inner.limits.keeps_packets,
        )

    def send(self, packet: bytes, now: float) -> None:
        """Queue one message; dropped, and counted, when more than the queue's time waits."""
        room = max(self.options.queue * self.options.up, LARGEST_FRAME)
        if self.options.up and self._out and self._out_bytes + len(packet) > room:
            self.statistics.dropped(packet, "more than the thin link carries")
        else:
            self._out.append(packet)
            self._out_bytes += len(packet)
        self._write(now)

    def receive(self, now: float) -> list[bytes]:
        """Return the pieces that the rate has let through; also sends on what waits."""
        self._write(now)
        room = max(self.options.queue * self.options.down, LARGEST_FRAME)
        for piece in self._inner.receive(now):
            if self.options.down and self._in and self._in_bytes + len(piece) > room:
                self.statistics.dropped(piece, "more came than the thin link carries")
                continue
            self._in.append(piece)
            self._in_bytes += len(piece)
        arrived: list[bytes] = []
        while self._in and self._in_pacer.may_send(now):
            piece = self._in.popleft()
            self._in_bytes -= len(piece)
            self._in_pacer.sent(len(piece), now)
            self.statistics.received(piece)
            arrived += self._in_order(piece, now)
        if self.options.numbered:
            arrived += self._overdue(now)
        return arrived

    def files(self) -> list[int]:
        """Return those of the link inside."""
        return self._inner.files()

    def next_time(self) -> float | None:
        """Return when the rate allows the next packet, or the link inside wants to be polled."""
        times = [self._inner.next_time()]
        if self._out:
            times.append(self._out_pacer.free_at)
        if self._in:
            times.append(self._in_pacer.free_at)
        times += [order.next_time() for order in self._orders.values()]
        return min((time for time in times if time is not None), default=None)

    def close(self) -> None:
        """Close the link inside."""
        self._inner.close()

    def _write(self, now: float) -> None:
        while self._out and self._out_pacer.may_send(now):
            packet = self._next_packet()
            self._out_pacer.sent(len(packet), now)
            self.statistics.sent(packet)
            self._inner.send(packet, now)

    def _next_packet(self) -> bytes:
        """Return as many whole messages as fit, or a piece of one that never would."""
        taken = [self._out.popleft()]
        size = self._payload_size
        if len(taken[0]) > size:
            self._out.appendleft(taken[0][size:])
            taken[0] = taken[0][:size]
        room = size - len(taken[0])
        while self._out and len(self._out[0]) <= room:
            room -= len(self._out[0])
            taken.append(self._out.popleft())
        self._out_bytes -= size - room
        packet = b"".join(taken)
        if not self.options.numbered:
            return packet
        self._number = (self._number + 1) % 256
        return bytes([self._number]) + packet

    def _in_order(self, piece: bytes, now: float) -> list[bytes]:
        if not self.options.numbered:
            return [piece]
        if not piece:
            return []
        source = source_of(piece)
        order = self._orders.setdefault(source, PieceOrder())
        return [_from(source, data) for data in order.put(piece[0], bytes(piece[1:]), now)]

    def _overdue(self, now: float) -> list[bytes]:
        return [
            _from(source, data)
            for source, order in self._orders.items()
            for data in order.overdue(now)
        ]


def _from(source: object, data: bytes) -> bytes:
    return data if source is None else Piece(data, source)
