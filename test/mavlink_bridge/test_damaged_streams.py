"""A hundred thousand frames through bad links: no crash, nothing wrong accepted, nothing good lost.

The seeds are fixed, so each of these either always holds or never.
"""

import random
from collections import Counter

import pytest

from mavlink_bridge.dialect.definition import load
from mavlink_bridge.wire.frame_parser import FrameParser
from mavlink_bridge.wire.frame_writer import FrameWriter
from mavlink_bridge.wire.signing import Signing, stamp_from_unix

DIALECT = load()
KEY = bytes(range(32))
NOW = stamp_from_unix(1_800_000_000)
# The bytes of a MAVLink 2 header that say where the checksum is and how it is counted: length,
# flags and message id. A burst there is no burst to the checksum.
SHAPING = {1, 2, 7, 8, 9}


def signing() -> Signing:
    return Signing(KEY, 1, NOW)


def frames(count: int, seed: int, signer: Signing | None = None) -> list[bytes]:
    """Frames of the usual messages, each with other contents."""
    generator = random.Random(seed)
    writer = FrameWriter(9, 1, signer)
    uniform, word = generator.uniform, generator.getrandbits
    made = []
    for k in range(count):
        values = [uniform(-3, 3) for _ in range(6)]
        message = (
            DIALECT.MAVLink_heartbeat_message(2, 12, 81, word(32), 4, 3),
            DIALECT.MAVLink_attitude_message(word(32), *values),
            DIALECT.MAVLink_local_position_ned_message(word(32), *values),
            DIALECT.MAVLink_command_long_message(1, 1, 400, 0, *values, k),
        )[k % 4]
        made.append(writer.write(message))
    return made


def flipped(frame: bytes, bits) -> bytes:
    damaged = bytearray(frame)
    for bit in bits:
        damaged[bit // 8] ^= 1 << bit % 8
    return bytes(damaged)


def spoilt(frame: bytes, generator: random.Random) -> bytes:
    """One of the ways in which a link hurts a frame."""
    place = generator.randrange(len(frame))
    way = generator.randrange(5)
    if way == 0:
        return flipped(frame, generator.sample(range(8 * len(frame)), generator.randint(1, 12)))
    if way == 1:
        return frame[:place]
    if way == 2:
        place = max(place, 1)
        return frame[:place] + generator.randbytes(generator.randint(1, 40)) + frame[place:]
    if way == 3:
        return frame[:place] + frame[place + generator.randint(1, 20) :]
    return generator.randbytes(len(frame))


def read(parser: FrameParser, stream: bytes, generator: random.Random) -> list[bytes]:
    got, place = [], 0
    while place < len(stream):
        size = generator.randint(1, 400)
        got += [frame.raw for frame in parser.feed(stream[place : place + size])]
        place += size
    return got + [frame.raw for frame in parser.give_up()]


@pytest.mark.parametrize("signed", [False, True])
def test_of_a_hundred_thousand_spoilt_and_whole_frames_exactly_the_whole_ones_are_read(signed):
    generator = random.Random(11)
    whole, stream = [], []
    sent = frames(20_000 if signed else 100_000, 12, signing() if signed else None)
    for frame in sent:
        if generator.random() < 0.3:
            stream.append(spoilt(frame, generator))
        else:
            stream.append(frame)
            whole.append(frame)
    parser = FrameParser(signatures=signing() if signed else None)
    got = read(parser, b"".join(stream), generator)
    assert Counter(whole) - Counter(got) == Counter()
    # A frame that lost its last byte, 0xFD, is whole again when the next one begins.
    assert Counter(got) - Counter(sent) == Counter()
    assert len(got) <= len(whole) + 2


def test_bursts_of_up_to_16_bits_are_never_accepted():
    generator = random.Random(21)
    accepted = Counter()
    parser = FrameParser()
    for frame in frames(40_000, 22):
        first = generator.randrange(8, 8 * len(frame))
        last = min(first + generator.randrange(16), 8 * len(frame) - 1)
        inner = [bit for bit in range(first + 1, last) if generator.random() < 0.5]
        damaged = flipped(frame, {first, *inner, last})
        hit = {bit // 8 for bit in (first, *inner, last)}
        got = parser.feed(damaged) + parser.give_up()
        accepted[bool(hit & SHAPING)] += len(got)
    assert accepted == {False: 0, True: 0}


@pytest.mark.parametrize("signed", [False, True])
def test_random_corruption_passes_no_more_often_than_the_checksum_lets_it(signed):
    """Contents and checksum of chance behind a good header: 1 in 65 536, none when signed."""
    generator = random.Random(31)
    (template,) = frames(1, 32, signing() if signed else None)
    parser = FrameParser(signatures=signing() if signed else None)
    accepted = 0
    for _ in range(60_000):
        accepted += len(parser.feed(template[:10] + generator.randbytes(len(template) - 10)))
        accepted += len(parser.give_up()) if parser.incomplete else 0
    assert accepted <= (0 if signed else 5)
