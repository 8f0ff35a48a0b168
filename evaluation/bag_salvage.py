"""Read what is left of a bag that its recorder did not close, or that was cut off.

rosbags needs a bag's index and metadata, which are written last. Here an MCAP file is read record
by record (https://mcap.dev/spec) and an sqlite3 file row by row, up to where it ends.
"""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple
from zlib import crc32

from rosbags.rosbag2.storage_mcap import DECOMPRESSORS

MAGIC = b"\x89MCAP0\r\n"
SCHEMA, CHANNEL, MESSAGE, CHUNK = 0x03, 0x04, 0x05, 0x06
HEADER = struct.Struct("<BQ")


class RawMessage(NamedTuple):
    """One message as it lies in the bag: topic, type, time of recording (ns), CDR bytes."""

    topic: str
    type: str
    log_time: int
    data: bytes | memoryview


class Cut(Exception):  # noqa: N818 - the end of a file is no error here
    """The file ends in the middle of something; the text says of what."""


def storage_files(path: Path) -> list[Path]:
    """Return the storage files of a bag (folder or file), in the order of their names."""
    if path.is_file():
        return [path]
    found = [item for item in path.iterdir() if item.suffix in (".mcap", ".db3")]
    return sorted(found, key=lambda item: (len(item.name), item.name))


def salvage(path: Path) -> Iterator[RawMessage]:
    """Yield the messages of one storage file in the order written; raise Cut at a broken end."""
    try:
        if path.suffix == ".db3":
            yield from _salvage_sqlite(path)
        else:
            with path.open("rb") as file:
                yield from _salvage_mcap(file)
    except Cut:
        raise
    except Exception as error:  # whatever the readers of a format say to damaged bytes
        raise Cut(f"damaged: {type(error).__name__}: {error}") from None


def _salvage_mcap(file: BinaryIO) -> Iterator[RawMessage]:
    if file.read(8) != MAGIC:
        raise Cut("it does not begin as an MCAP file")
    schemas: dict[int, str] = {}
    channels: dict[int, tuple[str, str]] = {}
    while True:
        head = file.read(HEADER.size)
        if len(head) == 8 and head == MAGIC:
            return
        if len(head) < HEADER.size:
            raise Cut("the closing index is missing")
        kind, length = HEADER.unpack(head)
        body = file.read(length)
        if kind == CHUNK:
            yield from _chunk(body, length, schemas, channels)
        elif len(body) == length:
            yield from _record(kind, body, schemas, channels)
        if len(body) < length:
            raise Cut("a record is cut off")


def _chunk(
    body: bytes, length: int, schemas: dict[int, str], channels: dict[int, tuple[str, str]]
) -> Iterator[RawMessage]:
    """Messages of a chunk; of one that is cut off, only where it is not compressed."""
    if len(body) < 40:
        return
    size, checksum, name_length = struct.unpack_from("<QII", body, 16)
    compression = body[32 : 32 + name_length].decode()
    start = 32 + name_length + 8
    records = body[start:]
    if compression:
        if len(body) < length:
            return
        records = DECOMPRESSORS[compression](records, size)
    if checksum and len(body) == length and crc32(records) != checksum:
        raise Cut("a chunk's checksum does not fit")
    position = 0
    while position + HEADER.size <= len(records):
        kind, size = HEADER.unpack_from(records, position)
        position += HEADER.size
        if position + size > len(records):
            return
        yield from _record(kind, records[position : position + size], schemas, channels)
        position += size


def _record(
    kind: int, body: bytes, schemas: dict[int, str], channels: dict[int, tuple[str, str]]
) -> Iterator[RawMessage]:
    if kind == SCHEMA:
        read_schema(body, schemas)
    elif kind == CHANNEL:
        read_channel(body, schemas, channels)
    elif kind == MESSAGE:
        key, _, log_time, _ = struct.unpack_from("<HIQQ", body)
        if key in channels:
            yield RawMessage(*channels[key], log_time, body[22:])


def read_schema(body: bytes, schemas: dict[int, str]) -> None:
    """Note the name of the message type that a schema record declares."""
    (key,) = struct.unpack_from("<H", body)
    schemas[key] = _text(body, 2)[0]


def read_channel(
    body: bytes, schemas: dict[int, str], channels: dict[int, tuple[str, str]]
) -> None:
    """Note topic and type of the channel that a record declares."""
    key, schema = struct.unpack_from("<HH", body)
    channels[key] = (_text(body, 4)[0], schemas.get(schema, ""))


def _text(body: bytes, position: int) -> tuple[str, int]:
    (length,) = struct.unpack_from("<I", body, position)
    end = position + 4 + length
    return body[position + 4 : end].decode(), end


def _salvage_sqlite(path: Path) -> Iterator[RawMessage]:
    connection = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
    try:
        # Else SQLite refuses a file that is shorter than its first page says.
        connection.execute("PRAGMA writable_schema = ON")
        topics = {
            key: (name, kind)
            for key, name, kind in connection.execute("SELECT id, name, type FROM topics")
        }
        rows = connection.execute("SELECT topic_id, timestamp, data FROM messages ORDER BY id")
        for key, log_time, data in rows:
            if key not in topics or not isinstance(data, bytes):
                raise Cut("a row is damaged")
            yield RawMessage(*topics[key], log_time, data)
    except sqlite3.DatabaseError as error:
        raise Cut(f"the database is broken off ({error})") from None
    finally:
        connection.close()
