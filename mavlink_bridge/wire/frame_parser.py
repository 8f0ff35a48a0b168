"""Bytes to frames, from links that lose, cut, double and damage them.

A frame that fails may be a false start, or one whose length byte is damaged: what it claims to
cover may hold good frames. So the search goes on at the byte after the false start, never after
its end.

Nothing is accepted but by its checksum, which the CRC_EXTRA of its message enters. Of messages that
the dialect lacks but pymavlink's other dialects have, that is known too; such frames are handed on
with a `MAVLink_unknown`, to be forwarded. Any other id cannot be checked, and is refused. But every
checksum implies at most one CRC_EXTRA, and frames of one id that imply the same are no accident: so
the statistics can tell that the other end uses a message that nobody here knows (`strangers`), or
defines one differently (`mismatches`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields
from typing import Any, Protocol

from mavlink_bridge.dialect.definition import load
from mavlink_bridge.wire.crc import crc16, implied_extra
from mavlink_bridge.wire.frame import (
    CHECKSUM_LENGTH,
    FLAG_SIGNED,
    HEADER_V1,
    HEADER_V2,
    MAGIC_V2,
    SIGNATURE_LENGTH,
    Frame,
    Header,
    MessageFormat,
    read_header,
)

MAGIC = re.compile(rb"[\xfd\xfe]")
FRAMES_THAT_CONVINCE = 3
MOST_IDS_REMEMBERED = 1000


class SignatureCheck(Protocol):
    """Decides on a frame with a right checksum whether it may pass: `wire.signing`."""

    def verdict(self, raw: bytes, header: Header) -> bool | None:
        """Return True: signature right. False: may pass unchecked. None: refused."""


@dataclass
class ParserStatistics:
    """Counts since the start. `skipped_bytes` belong to no frame that was accepted.

    `mismatches` has for each name of a message the CRC_EXTRA that the other end uses instead,
    `strangers` for each id that nobody knows the CRC_EXTRA that it seems to have.
    """

    frames: int = 0
    unknown_frames: int = 0
    bad_checksum: int = 0
    bad_flags: int = 0
    refused_signature: int = 0
    skipped_bytes: int = 0
    mismatches: dict[str, int] = field(default_factory=dict)
    strangers: dict[int, int] = field(default_factory=dict)

    def add(self, other: ParserStatistics) -> None:
        """Add another parser's counts to these."""
        for item in fields(self):
            mine, more = getattr(self, item.name), getattr(other, item.name)
            setattr(self, item.name, mine + more if isinstance(mine, int) else mine | more)


class FrameParser:
    """One per link and direction: keeps what is not yet a whole frame."""

    def __init__(self, dialect: Any = None, signatures: SignatureCheck | None = None) -> None:
        self.signatures = signatures
        self.statistics = ParserStatistics()
        self._dialect = dialect or load()
        self._other_extras: dict[int, int] = getattr(self._dialect, "OTHER_CRC_EXTRAS", {})
        self._formats: dict[int, MessageFormat] = {}
        self._buffer = bytearray()
        self._implied: dict[int, tuple[int, int]] = {}

    @property
    def incomplete(self) -> bool:
        """Whether bytes are kept that await the rest of a frame."""
        return bool(self._buffer)

    def feed(self, data: bytes) -> list[Frame]:
        """Take bytes as they come and return the frames that they complete, in order."""
        self._buffer += data
        return self._search()

    def give_up(self) -> list[Frame]:
        """Return the good frames inside what still awaits its rest: that rest will not come.

        To be called when a link has been silent for longer than it takes to send one frame.
        """
        frames = []
        while self._buffer:
            del self._buffer[0]
            self.statistics.skipped_bytes += 1
            frames += self._search()
        return frames

    def _search(self) -> list[Frame]:
        frames = []
        position, end = 0, len(self._buffer)
        while position < end:
            found = MAGIC.search(self._buffer, position)
            start = found.start() if found else end
            self.statistics.skipped_bytes += start - position
            position = start
            length = self._length(start, end)
            if length is None:
                break
            taken, frame = self._take(bytes(self._buffer[start : start + length]))
            position += taken
            if frame is not None:
                frames.append(frame)
        del self._buffer[:position]
        return frames

    def _length(self, start: int, end: int) -> int | None:
        """Return the length that the frame at `start` claims (0: none); None: not yet there."""
        if end - start < 3:
            return None
        buffer = self._buffer
        if buffer[start] == MAGIC_V2:
            if buffer[start + 2] & ~FLAG_SIGNED:
                return 0
            signature = SIGNATURE_LENGTH if buffer[start + 2] else 0
            length = HEADER_V2 + buffer[start + 1] + CHECKSUM_LENGTH + signature
        else:
            length = HEADER_V1 + buffer[start + 1] + CHECKSUM_LENGTH
        return length if end - start >= length else None

    def _take(self, raw: bytes) -> tuple[int, Frame | None]:
        """Return how many bytes are done with, and the frame if there is one to hand on."""
        if not raw:
            self.statistics.bad_flags += 1
        else:
            header = read_header(raw)
            end = len(raw) - CHECKSUM_LENGTH - (SIGNATURE_LENGTH if header.flags else 0)
            layout = self._format(header.message_id)
            if self._checksum_is_right(raw, end, header.message_id, layout):
                frame = self._frame(raw, header, end, layout)
                if frame is not None:
                    return len(raw), frame
                # Refused: if its end was cut off, its signature is the next frame's beginning.
        self.statistics.skipped_bytes += 1
        return 1, None

    def _format(self, message_id: int) -> MessageFormat | None:
        layout = self._formats.get(message_id)
        if layout is None:
            message_class = self._dialect.mavlink_map.get(message_id)
            if message_class is not None:
                layout = self._formats[message_id] = MessageFormat(message_class)
        return layout

    def _checksum_is_right(
        self, raw: bytes, end: int, message_id: int, layout: MessageFormat | None
    ) -> bool:
        checksum = raw[end] | raw[end + 1] << 8
        extra = self._other_extras.get(message_id) if layout is None else layout.crc_extra
        if extra is not None and crc16(raw[1:end], extra) == checksum:
            if self._implied:
                self._implied.pop(message_id, None)
            return True
        self.statistics.bad_checksum += extra is not None
        implied = implied_extra(raw[1:end], checksum)
        if implied is not None and self._seen_before(message_id, implied):
            if layout is not None:
                self.statistics.mismatches[layout.name] = implied
            elif extra is None and len(self.statistics.strangers) < MOST_IDS_REMEMBERED:
                self.statistics.strangers[message_id] = implied
        return False

    def _seen_before(self, message_id: int, implied: int) -> bool:
        """Return whether enough frames of this id imply the same CRC_EXTRA, and none another."""
        known, count = self._implied.get(message_id, (implied, 0))
        count = count + 1 if known == implied else 1
        if len(self._implied) >= MOST_IDS_REMEMBERED:
            self._implied.clear()
        self._implied[message_id] = (implied, count)
        return count >= FRAMES_THAT_CONVINCE

    def _frame(
        self, raw: bytes, header: Header, end: int, layout: MessageFormat | None
    ) -> Frame | None:
        verdict = self.signatures.verdict(raw, header) if self.signatures is not None else False
        if verdict is None:
            self.statistics.refused_signature += 1
            return None
        self.statistics.frames += 1
        if layout is None:
            self.statistics.unknown_frames += 1
            message = self._dialect.MAVLink_unknown(header.message_id, raw)
        else:
            message = layout.message(raw[header.start : end])
        message._header = self._dialect.MAVLink_header(
            header.message_id,
            header.flags,
            0,
            end - header.start,
            header.sequence,
            header.system,
            header.component,
        )
        message._msgbuf = raw
        message._signed = verdict
        return Frame(
            message,
            header.system,
            header.component,
            header.sequence,
            raw,
            verdict,
            header.message_id,
        )
