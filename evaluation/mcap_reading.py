"""The messages of a whole MCAP file, a chunk at a time (https://mcap.dev/spec).

rosbags reads each record through file objects; here a chunk is taken apart in memory, which is
several times faster and leaves the order of recording times as it is there.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterator
from itertools import pairwise
from operator import attrgetter
from pathlib import Path
from typing import BinaryIO, NamedTuple
from zlib import crc32

from rosbags.rosbag2.storage_mcap import DECOMPRESSORS

from evaluation.bag_salvage import (
    CHANNEL,
    CHUNK,
    HEADER,
    MAGIC,
    MESSAGE,
    SCHEMA,
    RawMessage,
    read_channel,
    read_schema,
)

DATA_END = 0x0F
MESSAGE_HEAD = struct.Struct("<HIQQ")
CHUNK_HEAD = struct.Struct("<QQQII")
LOG_TIME = attrgetter("log_time")


class ChunkPlace(NamedTuple):
    """Where the body of a chunk lies in the file, and the span of its recording times (ns)."""

    offset: int
    length: int
    first: int
    last: int


def chunks_in_order(path: Path) -> list[ChunkPlace] | None:
    """Find the chunks of a file; None unless all lies in chunks, one after the other in time."""
    with path.open("rb") as file:
        if file.read(8) != MAGIC:
            return None
        places = []
        for kind, offset, length in _records(file):
            if kind == DATA_END:
                break
            if kind in (SCHEMA, CHANNEL, MESSAGE):
                return None
            if kind == CHUNK:
                first, last = struct.unpack("<QQ", file.read(16))
                places.append(ChunkPlace(offset, length, first, last))
    if any(after.first < before.last for before, after in pairwise(places)):
        return None
    return places


def _records(file: BinaryIO) -> Iterator[tuple[int, int, int]]:
    """Yield kind, offset and length of each record; the file may be read in between."""
    offset = len(MAGIC)
    while True:
        file.seek(offset)
        head = file.read(HEADER.size)
        if len(head) < HEADER.size:
            return
        kind, length = HEADER.unpack(head)
        yield kind, offset + HEADER.size, length
        offset += HEADER.size + length


def read_chunks(
    path: Path, places: Collection[ChunkPlace], topics: Collection[str]
) -> Iterator[RawMessage]:
    """Yield the messages of some topics in order of recording times.

    Raises OSError where a chunk is damaged.
    """
    schemas: dict[int, str] = {}
    channels: dict[int, tuple[str, str]] = {}
    with path.open("rb") as file:
        for place in places:
            file.seek(place.offset)
            records = _unpacked(file.read(place.length), path)
            messages = _messages(records, schemas, channels, topics)
            messages.sort(key=LOG_TIME)
            yield from messages


def _unpacked(body: bytes, path: Path) -> bytes:
    """Decompress the records of a chunk and check their sum."""
    _, _, size, checksum, name_length = CHUNK_HEAD.unpack_from(body)
    start = CHUNK_HEAD.size + name_length
    compression = body[CHUNK_HEAD.size : start].decode()
    if compression not in DECOMPRESSORS:
        raise OSError(f"{path.name}: a chunk is compressed by {compression!r}, which is unknown")
    records = DECOMPRESSORS[compression](body[start + 8 :], size)
    if len(records) != size or (checksum and crc32(records) != checksum):
        raise OSError(f"{path.name}: a chunk is damaged")
    return records


def _messages(
    records: bytes,
    schemas: dict[int, str],
    channels: dict[int, tuple[str, str]],
    topics: Collection[str],
) -> list[RawMessage]:
    """Take a chunk's records apart; `schemas` and `channels` grow by those that it declares."""
    found = []
    position, end = 0, len(records)
    wanted = {key: channel for key, channel in channels.items() if channel[0] in topics}
    while position < end:
        kind, size = HEADER.unpack_from(records, position)
        position += HEADER.size
        if kind == MESSAGE:
            key, _, log_time, _ = MESSAGE_HEAD.unpack_from(records, position)
            if key in wanted:
                topic, name = wanted[key]
                data = records[position + MESSAGE_HEAD.size : position + size]
                found.append(RawMessage(topic, name, log_time, data))
        elif kind == SCHEMA:
            read_schema(records[position : position + size], schemas)
        elif kind == CHANNEL:
            read_channel(records[position : position + size], schemas, channels)
            wanted = {key: channel for key, channel in channels.items() if channel[0] in topics}
        position += size
    return found
