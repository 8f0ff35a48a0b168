"""The MAVLink parser and writer beside pymavlink's own, on whole and on damaged streams."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable
from typing import Any

from mavlink_bridge.dialect.definition import load
from mavlink_bridge.wire.frame_parser import FrameParser
from mavlink_bridge.wire.frame_writer import FrameWriter

DIALECT = load()


def messages(count: int) -> list[Any]:
    """What a drone sends most: attitude, position, rates, a heartbeat now and then."""
    generator = random.Random(1)
    made = []
    for k in range(count):
        values = [generator.uniform(-3, 3) for _ in range(6)]
        made.append(
            (
                DIALECT.MAVLink_attitude_message(k, *values),
                DIALECT.MAVLink_local_position_ned_message(k, *values),
                DIALECT.MAVLink_attitude_quaternion_message(k, 1, *values),
                DIALECT.MAVLink_heartbeat_message(2, 12, 81, k, 4, 3),
            )[k % 4]
        )
    return made


def ours(pieces: list[bytes]) -> list[bytes]:
    parser = FrameParser(DIALECT)
    found = [frame.raw for piece in pieces for frame in parser.feed(piece)]
    return found + [frame.raw for frame in parser.give_up()]


def pymavlinks(pieces: list[bytes]) -> list[bytes]:
    parser = DIALECT.MAVLink(None)
    parser.robust_parsing = True
    found = [message for piece in pieces for message in parser.parse_buffer(piece) or ()]
    return [bytes(message.get_msgbuf()) for message in found if message.get_msgId() >= 0]


def rate(parse: Callable[[list[bytes]], list[bytes]], frames: list[bytes], repeats: int) -> float:
    """Messages per second of processor time, one frame at a time as datagrams bring them."""
    found = []
    for _ in range(repeats):
        begin = time.process_time()
        assert len(parse(frames)) == len(frames)
        found.append(len(frames) / (time.process_time() - begin))
    return statistics.median(found)


def damaged(frames: list[bytes]) -> tuple[list[bytes], set[bytes]]:
    """Turn 1 to 8 bits of every tenth frame; return the stream in pieces and the whole frames."""
    generator = random.Random(2)
    stream, whole = [], set()
    for k, frame in enumerate(frames):
        if k % 10 == 5:
            spoilt = bytearray(frame)
            for bit in generator.sample(range(8 * len(frame)), generator.randint(1, 8)):
                spoilt[bit // 8] ^= 1 << bit % 8
            stream.append(bytes(spoilt))
        else:
            stream.append(frame)
            whole.add(frame)
    joined = b"".join(stream)
    return [joined[k : k + 97] for k in range(0, len(joined), 97)], whole


def run(quick: bool) -> list[dict[str, Any]]:
    count, repeats = (4000, 3) if quick else (20000, 7)
    sent = messages(count)
    writer = FrameWriter(1, 1)
    begin = time.process_time()
    frames = [writer.write(message) for message in sent]
    written = count / (time.process_time() - begin)
    pieces, whole = damaged(frames)
    rows = [{"name": "messages written", "value": written, "unit": "1/s"}]
    for name, parse in (("", ours), (" by pymavlink alone", pymavlinks)):
        lost = len(whole - set(parse(pieces))) / (count // 10)
        rows += [
            {
                "name": f"messages parsed{name}",
                "value": rate(parse, frames, repeats),
                "unit": "1/s",
            },
            {"name": f"good ones lost per damaged one{name}", "value": lost, "unit": "messages"},
        ]
    rows[2] |= {"required": 0.0, "at_least": False}
    return rows
