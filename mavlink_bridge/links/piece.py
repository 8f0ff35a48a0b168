"""Bytes that came, with the one of several senders behind a link that they came from."""

from __future__ import annotations

from collections.abc import Hashable


class Piece(bytes):
    """Bytes of one source: streams of several clients must not be joined into one."""

    source: Hashable

    def __new__(cls, data: bytes, source: Hashable) -> Piece:
        """Return `data` marked with its source."""
        piece = super().__new__(cls, data)
        piece.source = source
        return piece


def source_of(data: bytes) -> Hashable:
    """Return where the bytes came from; None where a link has only one other end."""
    return data.source if isinstance(data, Piece) else None
