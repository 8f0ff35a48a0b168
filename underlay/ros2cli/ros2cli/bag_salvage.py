"""Read what is left of a bag whose writer was cut off: no index, no footer, no metadata.

MCAP is a sequence of records, so everything before the cut can be read in order; of an unfinished
chunk the complete messages count too. An sqlite3 file is read row by row until a page is missing.
"""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Iterator
from contextlib import closing
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, NamedTuple

from rosbags.interfaces import Qos
from rosbags.rosbag2.metadata import parse_qos

_MAGIC = b"\x89MCAP0\r\n"
_CHANNEL, _SCHEMA, _MESSAGE, _CHUNK, _DATA_END = 0x04, 0x03, 0x05, 0x06, 0x0F


class Topic(NamedTuple):
    """A recorded topic."""

    name: str
    type: str
    qos: tuple[Qos, ...]


class Message(NamedTuple):
    """A recorded message; `stamp` is the time of recording in nanoseconds."""

    topic: Topic
    stamp: int
    data: bytes


class DamageError(Exception):
    """A storage file's bytes make no sense from some place on."""


def salvage(path: Path) -> Iterator[Message]:
    """Yield the messages of one storage file, in its order, up to where it is cut.

    Raises:
        DamageError: it is not cut but damaged there; the text names file and place.
    """
    count, last = 0, 0
    try:
        for message in (_read_sqlite if path.suffix == ".db3" else _read_mcap)(path):
            count, last = count + 1, message.stamp
            yield message
    except Exception as error:  # whatever damaged bytes make of a decoder
        where = f"{path.name} is damaged after {count} messages, the last at {last} ns"
        raise DamageError(f"{where}: {type(error).__name__}: {error}") from None


def _read_mcap(path: Path) -> Iterator[Message]:
    schemas: dict[int, str] = {}
    topics: dict[int, Topic] = {}
    with path.open("rb") as stream:
        if stream.read(len(_MAGIC)) != _MAGIC:
            return
        for code, body in _records(stream):
            if code == _SCHEMA:
                number = struct.unpack_from("<H", body)[0]
                schemas[number] = _text(body, 2)[0]
            elif code == _CHANNEL:
                number, schema = struct.unpack_from("<HH", body)
                topics[number] = _channel(body, schemas.get(schema, ""))
            elif code == _MESSAGE:
                number, _, stamp = struct.unpack_from("<HIQ", body)
                yield Message(topics[number], stamp, body[22:])


def _records(stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Complete records, those inside chunks included, until the data section or the file ends."""
    while len(head := stream.read(9)) == 9:
        code, size = struct.unpack("<BQ", head)
        if code == _DATA_END:
            return
        body = stream.read(size)
        if code == _CHUNK:
            yield from _records(BytesIO(_chunk_content(body, complete=len(body) == size)))
        elif len(body) == size:
            yield code, body
        if len(body) < size:
            return


def _chunk_content(body: bytes, complete: bool) -> bytes:
    if len(body) < 40:
        return b""
    compression, at = _text(body, 28)
    content = body[at + 8 :]
    if not compression:
        return content
    if not complete:
        return b""
    if compression == "lz4":
        from lz4.frame import decompress

        return bytes(decompress(content))
    from rosbags.rosbag2.writer import zstd

    return bytes(zstd.decompress(content))


def _text(body: bytes, at: int) -> tuple[str, int]:
    """Text at an offset, and the offset behind it."""
    size = struct.unpack_from("<I", body, at)[0]
    end = at + 4 + size
    return body[at + 4 : end].decode(errors="replace"), end


def _channel(body: bytes, schema: str) -> Topic:
    name, at = _text(body, 4)
    _, at = _text(body, at)  # encoding of the messages
    (end,) = struct.unpack_from("<I", body, at)
    at += 4
    end += at
    qos = ""
    while at < end:
        key, at = _text(body, at)
        value, at = _text(body, at)
        qos = value if key == "offered_qos_profiles" else qos
    return Topic(name, schema, tuple(parse_qos(qos)))


def _read_sqlite(path: Path) -> Iterator[Message]:
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)) as connection:
            # Otherwise sqlite refuses a file that is shorter than its header says.
            connection.execute("PRAGMA writable_schema=ON")
            rows = connection.execute("SELECT id, name, type, offered_qos_profiles FROM topics")
            topics = {row[0]: Topic(row[1], row[2], tuple(parse_qos(row[3]))) for row in rows}
            query = "SELECT topic_id, timestamp, data FROM messages ORDER BY id"
            for topic, stamp, data in connection.execute(query):
                if topic not in topics or not isinstance(data, bytes):
                    return  # a page that begins before the cut and ends behind it
                yield Message(topics[topic], stamp, bytes(data))
    except sqlite3.DatabaseError:
        return
