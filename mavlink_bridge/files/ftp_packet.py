"""The payload of FILE_TRANSFER_PROTOCOL, as https://mavlink.io/en/services/ftp.html lays it out."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

DATA_SIZE = 239
FRAME_OVERHEAD = 27
"""Bytes of a frame that are no data: 12 of MAVLink, 3 of the target, 12 of this header."""

_HEADER = struct.Struct("<HBBBBBBI")


class Opcode(IntEnum):
    """MAV_FTP_OPCODE."""

    NONE = 0
    TERMINATE_SESSION = 1
    RESET_SESSIONS = 2
    LIST_DIRECTORY = 3
    OPEN_FILE_RO = 4
    READ_FILE = 5
    CREATE_FILE = 6
    WRITE_FILE = 7
    REMOVE_FILE = 8
    CREATE_DIRECTORY = 9
    REMOVE_DIRECTORY = 10
    OPEN_FILE_WO = 11
    TRUNCATE_FILE = 12
    RENAME = 13
    CALC_FILE_CRC32 = 14
    BURST_READ_FILE = 15
    ACK = 128
    NAK = 129


class FtpError(IntEnum):
    """MAV_FTP_ERR."""

    NONE = 0
    FAIL = 1
    FAIL_ERRNO = 2
    INVALID_DATA_SIZE = 3
    INVALID_SESSION = 4
    NO_SESSIONS_AVAILABLE = 5
    EOF = 6
    UNKNOWN_COMMAND = 7
    FILE_EXISTS = 8
    FILE_PROTECTED = 9
    FILE_NOT_FOUND = 10


@dataclass(frozen=True)
class FtpPacket:
    """One request or answer. `size` is the length of `data`, but for reads the length asked for."""

    sequence: int
    session: int
    opcode: int
    data: bytes = b""
    offset: int = 0
    size: int | None = None
    request: int = 0
    burst_complete: bool = False

    def pack(self) -> bytes:
        """Return the 251 bytes of the message's payload field."""
        size = len(self.data) if self.size is None else self.size
        header = _HEADER.pack(
            *(self.sequence % 65536, self.session, self.opcode, size),
            *(self.request, int(self.burst_complete), 0, self.offset),
        )
        return header + self.data.ljust(DATA_SIZE, b"\0")

    @property
    def text(self) -> str:
        """The data as text, up to its first zero; UnicodeDecodeError if it is none."""
        return self.data.partition(b"\0")[0].decode()


def unpack(payload: Iterable[int]) -> FtpPacket:
    """Read a payload field; ValueError if its size is more than a payload holds.

    `size` is kept, and `data` cut to it.
    """
    raw = bytes(payload)
    sequence, session, opcode, size, request, complete, _, offset = _HEADER.unpack_from(raw)
    if size > DATA_SIZE:
        raise ValueError(f"size = {size}: expected at most {DATA_SIZE}")
    data = raw[_HEADER.size : _HEADER.size + size]
    return FtpPacket(sequence, session, opcode, data, offset, size, request, bool(complete))


def data_size_for(packet_size: int | None) -> int:
    """Return how much data makes a frame that fills a packet of the link, or the most there is."""
    if packet_size is None or packet_size - FRAME_OVERHEAD < 16:
        return DATA_SIZE
    return min(DATA_SIZE, packet_size - FRAME_OVERHEAD)


def crc32_of(path: Path) -> int:
    """Return the CRC-32 that MAVLink FTP means: begun with 0 and not inverted at the end."""
    value = 0xFFFFFFFF
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            value = zlib.crc32(block, value)
    return value ^ 0xFFFFFFFF
