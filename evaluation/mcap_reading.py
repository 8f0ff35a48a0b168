"""The messages of a whole MCAP file, a chunk at a time (https://mcap.dev/spec).

rosbags reads each record through file objects; here a chunk is taken apart in memory, which is
several times faster and leaves the order of recording times as it is there.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterator, Mapping
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
# A record's kind and size, and of a message channel, sequence, times of recording and publishing.
MESSAGE_HEAD = struct.Struct("<BQHIQQ")
CHUNK_HEAD = struct.Struct("<QQQII")
LOG_TIME = attrgetter("log_time")
LARGE = 4096  # bytes from which a message is not copied out of its chunk


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
    path: Path,
    places: Collection[ChunkPlace],
    topics: Collection[str],
    collected: Mapping[str, list[bytes]] | None = None,
) -> Iterator[RawMessage]:
    """Yield the messages of some topics in order of recording times.

    Those of the topics in `collected` are put into its lists as they lie in the file instead.
    Large messages are views into their chunk. Raises OSError where a chunk is damaged.
    """
    reader = ChunkReader(topics, collected or {})
    with path.open("rb") as file:
        for place in places:
            file.seek(place.offset)
            try:
                messages = reader.messages(file.read(place.length), place)
            except Exception as error:  # whatever damaged bytes make of a decoder
                where = f"{path.name}: the chunk at byte {place.offset}"
                raise OSError(f"{where} is damaged: {error}") from None
            yield from messages


class ChunkReader:
    """Takes chunks apart, one after the other: a chunk may use what earlier ones declare."""

    def __init__(self, topics: Collection[str], collected: Mapping[str, list[bytes]]) -> None:
        """See read_chunks."""
        self._topics = topics
        self._collected = collected
        self._schemas: dict[int, str] = {}
        self._channels: dict[int, tuple[str, str]] = {}

    def messages(self, body: bytes, place: ChunkPlace) -> list[RawMessage]:
        """Return a chunk's messages by recording time; ValueError and others for damage."""
        if len(body) < place.length:
            raise ValueError("the file ends within it")
        messages = self._walk(*_unpacked(body))
        messages.sort(key=LOG_TIME)
        if messages and not place.first <= messages[0].log_time <= messages[-1].log_time <= (
            place.last
        ):
            raise ValueError("it holds messages recorded outside of its own span of time")
        return messages

    def _walk(self, records: bytes, position: int) -> list[RawMessage]:
        found = []
        end, view = len(records), memoryview(records)
        wanted, lists = self._wanted()
        while position < end:
            is_message = records[position] == MESSAGE
            if is_message:
                kind, size, key, _, log_time, _ = MESSAGE_HEAD.unpack_from(records, position)
            else:
                kind, size = HEADER.unpack_from(records, position)
            after = position + HEADER.size + size
            if after > end:
                raise ValueError(f"a record of {size} bytes does not fit")
            if is_message:
                start = position + MESSAGE_HEAD.size
                if key in lists:
                    lists[key].append(records[start:after])
                elif key in wanted:
                    data = view[start:after] if size > LARGE else records[start:after]
                    found.append(RawMessage(*wanted[key], log_time, data))
                elif key not in self._channels:
                    raise ValueError(f"a message of channel {key}, which is not declared")
            else:
                self._declare(kind, records[position + HEADER.size : after])
                wanted, lists = self._wanted()
            position = after
        return found

    def _declare(self, kind: int, body: bytes) -> None:
        if kind == SCHEMA:
            read_schema(body, self._schemas)
        elif kind == CHANNEL:
            read_channel(body, self._schemas, self._channels)
        else:
            raise ValueError(f"a record of kind {kind}, which no chunk holds")

    def _wanted(self) -> tuple[dict[int, tuple[str, str]], dict[int, list[bytes]]]:
        """Return the wanted channels, and the lists for those that are collected."""
        wanted = {key: item for key, item in self._channels.items() if item[0] in self._topics}
        collected = self._collected
        lists = {key: collected[item[0]] for key, item in wanted.items() if item[0] in collected}
        return wanted, lists


def _unpacked(body: bytes) -> tuple[bytes, int]:
    """Decompress the records of a chunk and check their sum; return where in the bytes they begin.

    What is not compressed stays where it is: with images, copying takes its time.
    """
    _, _, size, checksum, name_length = CHUNK_HEAD.unpack_from(body)
    start = CHUNK_HEAD.size + name_length
    compression = body[CHUNK_HEAD.size : start].decode()
    if compression not in DECOMPRESSORS:
        raise ValueError(f"it is compressed by {compression!r}, which is unknown")
    start += 8
    if compression:
        body, start = DECOMPRESSORS[compression](body[start:], size), 0
    if len(body) - start != size:
        raise ValueError(f"it holds {len(body) - start} bytes instead of {size}")
    if checksum and crc32(memoryview(body)[start:]) != checksum:
        raise ValueError("its checksum does not fit")
    return body, start
