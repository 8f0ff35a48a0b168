"""A received frame, and how its bytes become a message object of the dialect."""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter
from typing import Any, NamedTuple

MAGIC_V1, MAGIC_V2 = 0xFE, 0xFD
HEADER_V1, HEADER_V2 = 6, 10
CHECKSUM_LENGTH = 2
SIGNATURE_LENGTH = 13
FLAG_SIGNED = 0x01
LARGEST_FRAME = HEADER_V2 + 255 + CHECKSUM_LENGTH + SIGNATURE_LENGTH


class Frame(NamedTuple):
    """One frame whose checksum, and signature where signing is on, were right.

    `message` is an object of the dialect's class, or a `MAVLink_unknown` where the dialect does not
    have the id. `raw` is exactly what came, to be forwarded as it is: a frame that is packed again
    may trim differently. `signed` says that the signature was checked and right.
    """

    message: Any
    system: int
    component: int
    sequence: int
    raw: bytes
    signed: bool
    message_id: int


class Header(NamedTuple):
    """What stands before the payload, of both versions."""

    start: int
    flags: int
    sequence: int
    system: int
    component: int
    message_id: int


def read_header(raw: bytes) -> Header:
    """Return the header of a whole frame; `start` is where its payload begins."""
    if raw[0] == MAGIC_V2:
        message_id = raw[7] | raw[8] << 8 | raw[9] << 16
        return Header(HEADER_V2, raw[2], raw[4], raw[5], raw[6], message_id)
    return Header(HEADER_V1, 0, raw[2], raw[3], raw[4], raw[5])


class MessageFormat:
    """What the parser needs of one message class: its CRC_EXTRA, and payload to object."""

    def __init__(self, message_class: Any) -> None:
        self.name: str = message_class.msgname
        self.crc_extra: int = message_class.crc_extra
        self._class = message_class
        self._unpacker = message_class.unpacker
        self._arrange = _arrangement(message_class)

    def message(self, payload: bytes) -> Any:
        """Return the message; zeros that were trimmed come back, bytes too many are left out.

        Those too many are fields that a newer definition added at the end.
        """
        size = self._unpacker.size
        return self._class(*self._arrange(self._unpacker.unpack(payload[:size].ljust(size, b"\0"))))


def _arrangement(message_class: Any) -> Callable[[tuple[Any, ...]], tuple[Any, ...]]:
    """Return what puts the values as they stand on the wire into the fields' order."""
    lengths, orders = message_class.lengths, message_class.orders
    starts = [sum(lengths[:place]) for place in range(len(lengths))]
    texts = {name for name, kind in _kinds(message_class) if kind == "char"}
    if all(length == 1 for length in lengths) and not texts and len(orders) > 1:
        return itemgetter(*orders)
    fields = [
        (starts[order], lengths[order], name in texts)
        for order, name in zip(orders, message_class.fieldnames, strict=True)
    ]

    def arrange(values: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(
            values[start].rstrip(b"\0")
            if text
            else values[start]
            if length == 1
            else list(values[start : start + length])
            for start, length, text in fields
        )

    return arrange


def _kinds(message_class: Any) -> zip[tuple[str, str]]:
    return zip(message_class.fieldnames, message_class.fieldtypes, strict=True)
