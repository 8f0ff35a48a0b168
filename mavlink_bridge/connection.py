"""A link with everything that makes MAVLink of it: parser, numbering, signing, peers, handlers.

Single-threaded and without a clock: whoever owns a connection calls `poll(now)`, often, and always
from the same thread. `now` is seconds of any clock that never goes back.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Protocol

from mavlink_bridge.dialect.definition import load
from mavlink_bridge.handlers.registry import HandlerRegistry
from mavlink_bridge.links.link import Link
from mavlink_bridge.links.piece import source_of
from mavlink_bridge.peers import PeerTable
from mavlink_bridge.wire.frame import LARGEST_FRAME, Frame
from mavlink_bridge.wire.frame_parser import FrameParser, ParserStatistics
from mavlink_bridge.wire.frame_writer import FrameWriter
from mavlink_bridge.wire.signing import NEVER_FORWARDED, Signing

# Silence after which the rest of a frame is not waited for, at least; thin links need longer.
PATIENCE = 0.3
MOST_SOURCES = 32


class Outbox(Protocol):
    """What decides which bytes may leave now: `sending.Sender`."""

    def poll(self, now: float) -> list[bytes]:
        """Return the frames to send."""


@dataclass
class Source:
    """One stream of bytes into the connection: the link's, or that of one of several callers."""

    parser: FrameParser
    heard_at: float


class Connection:
    """One end of one link. Frames that bear our own number are echoes, and are counted and dropped.

    Every frame is given to the handlers (`context` is what they get besides) and returned by
    `poll`. What the outbox allows is sent; `send` goes around it.
    """

    def __init__(
        self,
        link: Link,
        system: int,
        component: int,
        *,
        dialect: Any = None,
        signing: Signing | None = None,
        handlers: HandlerRegistry | None = None,
        peers: PeerTable | None = None,
        context: Any = None,
    ) -> None:
        self.link = link
        self.dialect = dialect or load()
        self.signing = signing
        self.writer = FrameWriter(system, component, signing)
        self.handlers = handlers or HandlerRegistry(self.dialect)
        self.peers = peers or PeerTable()
        self.context = context
        self.outbox: Outbox | None = None
        self.echoes = 0
        self._sources: dict[Hashable, Source] = {}
        self._past = ParserStatistics()
        self._patience = _patience(link)

    def poll(self, now: float) -> list[Frame]:
        """Read what has come, hand it round, send what may leave, and return what was read."""
        if self.signing is not None:
            self.signing.advance(now)
        frames = [frame for frame in self._read(now) if not self._is_echo(frame)]
        for frame in frames:
            self.peers.heard(frame, now)
            self.handlers.dispatch(frame, self.context)
        self.peers.check(now)
        if self.outbox is not None:
            for packet in self.outbox.poll(now):
                self.link.send(packet, now)
        return frames

    def send(self, message: Any, now: float) -> None:
        """Send a message at once, past the outbox."""
        if self.signing is not None:
            self.signing.advance(now)
        self.link.send(self.writer.write(message), now)

    def forward(self, frame: Frame, now: float) -> None:
        """Send a frame of somebody else's exactly as it came, unless it carries a signing key."""
        if frame.message_id not in NEVER_FORWARDED:
            self.link.send(frame.raw, now)

    @property
    def statistics(self) -> ParserStatistics:
        """Counts of all that was parsed."""
        total = ParserStatistics()
        for part in (self._past, *(source.parser.statistics for source in self._sources.values())):
            total.add(part)
        return total

    def close(self) -> None:
        """Close the link."""
        self.link.close()

    def _read(self, now: float) -> list[Frame]:
        frames: list[Frame] = []
        for piece in self.link.receive(now):
            source = self._source(source_of(piece), now)
            source.heard_at = now
            frames += source.parser.feed(piece)
        for source in self._sources.values():
            if source.parser.incomplete and now - source.heard_at > self._patience:
                frames += source.parser.give_up()
        return frames

    def _source(self, key: Hashable, now: float) -> Source:
        source = self._sources.get(key)
        if source is None:
            if len(self._sources) >= MOST_SOURCES:
                oldest = min(self._sources, key=lambda known: self._sources[known].heard_at)
                self._past.add(self._sources.pop(oldest).parser.statistics)
            source = Source(FrameParser(self.dialect, self.signing), now)
            self._sources[key] = source
        return source

    def _is_echo(self, frame: Frame) -> bool:
        echo = (frame.system, frame.component) == (self.writer.system, self.writer.component)
        self.echoes += echo
        return echo


def _patience(link: Link) -> float:
    """Return how long a frame may take to come: twice the largest one's time on a thin link."""
    down = link.limits.down
    return max(PATIENCE, 2 * LARGEST_FRAME / down) if down else PATIENCE
