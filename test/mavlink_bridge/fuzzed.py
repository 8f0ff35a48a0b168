"""Frames with a right checksum and anything inside, and damaged ones."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from mavlink_bridge.dialect.definition import load
from mavlink_bridge.wire.crc import crc16

MAVLINK = load()
HEARTBEAT = MAVLINK.MAVLink_heartbeat_message(2, 12, 81, 0, 4, 3)


def frame_of(message_class: Any, payload: bytes, sequence: int) -> bytes:
    """Pack whatever the payload is, as system 1 would."""
    number = message_class.id.to_bytes(3, "little")
    body = bytes([len(payload), 0, 0, sequence % 256, 1, 1]) + number + payload
    return b"\xfd" + body + crc16(body, message_class.crc_extra).to_bytes(2, "little")


def anything(count: int, seed: int) -> Iterator[bytes]:
    """Yield valid frames of all messages of the dialect: chance, zeros, ones, NaN."""
    generator = random.Random(seed)
    classes = list(MAVLINK.mavlink_map.values())
    for k in range(count):
        chosen = generator.choice(classes)
        size = chosen.unpacker.size
        payload = generator.choice(
            (
                generator.randbytes(size),
                bytes(size),
                b"\xff" * size,
                (b"\x00\x00\xc0\x7f" * 64)[:size],
                generator.randbytes(generator.randint(1, size)),
            )
        )
        yield frame_of(chosen, payload, k)


def damaged(count: int, seed: int) -> Iterator[bytes]:
    """Yield frames with bits turned, bytes missing, bytes too many, and noise."""
    generator = random.Random(seed)
    for frame in anything(count, seed + 1):
        spoilt = bytearray(frame)
        for _ in range(generator.randint(1, 8)):
            place = generator.randrange(len(spoilt))
            way = generator.randrange(4)
            if way == 0:
                spoilt[place] ^= 1 << generator.randrange(8)
            elif way == 1 and len(spoilt) > 2:
                del spoilt[place]
            elif way == 2:
                spoilt.insert(place, generator.randrange(256))
            else:
                spoilt[place:] = generator.randbytes(len(spoilt) - place)
        yield bytes(spoilt)
