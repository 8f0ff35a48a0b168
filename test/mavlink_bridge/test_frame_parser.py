"""Bytes to frames: what is damaged is never accepted, what is good is always found."""

import random
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mavlink_bridge.dialect.definition import load
from mavlink_bridge.wire.crc import crc16, implied_extra
from mavlink_bridge.wire.frame_parser import FRAMES_THAT_CONVINCE, FrameParser
from mavlink_bridge.wire.frame_writer import FrameWriter

DIALECT = load()


def heartbeat(custom_mode: int = 0x1234):
    return DIALECT.MAVLink_heartbeat_message(2, 12, 81, custom_mode, 4, 3)


def slow_checksum(data: bytes) -> int:
    """CRC-16/MCRF4XX bit by bit, as a standard would print it."""
    state = 0xFFFF
    for byte in data:
        state ^= byte
        for _ in range(8):
            state = state >> 1 ^ (0x8408 if state & 1 else 0)
    return state


def framed(message_id: int, payload: bytes, crc_extra: int, sequence: int = 0) -> bytes:
    """A MAVLink 2 frame made by hand, trimmed or not as the caller likes."""
    body = struct.pack("<BBBBBB", len(payload), 0, 0, sequence, 9, 1)
    body += message_id.to_bytes(3, "little") + payload
    return b"\xfd" + body + struct.pack("<H", slow_checksum(body + bytes([crc_extra])))


def ids(frames) -> list[int]:
    return [frame.message_id for frame in frames]


@given(st.binary(max_size=300), st.integers(0, 255))
@settings(deadline=None)
def test_the_checksum_is_the_standards_and_can_be_turned_round(data, extra):
    assert crc16(data, extra) == slow_checksum(data + bytes([extra]))
    assert implied_extra(data, crc16(data, extra)) == extra


def test_the_standards_check_value():
    assert crc16(b"12345678", ord("9")) == 0x6F91


def test_one_checksum_in_256_implies_an_extra():
    implied = sum(implied_extra(b"some bytes", checksum) is not None for checksum in range(65536))
    assert implied == 256


def test_frames_carry_who_sent_them_and_in_which_order():
    writer = FrameWriter(9, 1)
    data = b"".join(writer.write(heartbeat()) for _ in range(3))
    frames = FrameParser().feed(data)
    assert [(frame.system, frame.component, frame.sequence) for frame in frames] == [
        (9, 1, 0),
        (9, 1, 1),
        (9, 1, 2),
    ]
    assert frames[0].message.custom_mode == 0x1234
    assert frames[0].message.get_srcSystem() == 9
    assert b"".join(frame.raw for frame in frames) == data


@given(st.data())
@settings(max_examples=50, deadline=None)
def test_every_message_of_the_dialect_is_read_as_pymavlink_reads_it(data):
    kind = DIALECT.mavlink_map[data.draw(st.sampled_from(sorted(DIALECT.mavlink_map)))]
    payload = data.draw(st.binary(min_size=kind.unpacker.size, max_size=kind.unpacker.size))
    frame = framed(kind.id, payload.rstrip(b"\0") or b"\0", kind.crc_extra)
    (ours,) = FrameParser().feed(frame)
    theirs = DIALECT.MAVLink(None).parse_char(frame)
    for name in kind.fieldnames:
        assert repr(getattr(ours.message, name)) == repr(getattr(theirs, name))
    # As it came, and packed again: the same bytes.
    assert ours.raw == frame
    assert ours.message.get_msgbuf() == frame


def test_version_1_is_read_too():
    state = DIALECT.MAVLink(None, 9, 1)
    frame = bytes(heartbeat().pack(state, force_mavlink1=True))
    assert frame[0] == 0xFE
    parser = FrameParser()
    assert ids(parser.feed(frame + FrameWriter(9, 1).write(heartbeat()) + frame)) == [0, 0, 0]


def test_after_a_damaged_length_the_frames_it_claims_to_cover_are_read():
    writer = FrameWriter(9, 1)
    frames = [bytearray(writer.write(heartbeat())) for _ in range(6)]
    frames[0][1] = 60
    parser = FrameParser()
    assert [frame.sequence for frame in parser.feed(b"".join(frames))] == [1, 2, 3, 4, 5]
    assert parser.statistics.bad_checksum >= 1
    assert parser.statistics.skipped_bytes == len(frames[0])


def test_what_still_awaits_its_rest_can_be_given_up():
    writer = FrameWriter(9, 1)
    cut, whole = writer.write(heartbeat())[:12], writer.write(heartbeat())
    parser = FrameParser()
    assert parser.feed(cut[:1] + b"\xf0" + cut[2:] + whole) == []
    assert parser.incomplete
    assert [frame.sequence for frame in parser.give_up()] == [1]
    assert not parser.incomplete


def test_untrimmed_and_trimmed_payloads_and_ones_of_a_newer_definition_are_the_same_message():
    kind = DIALECT.MAVLink_dji_pose_stamped_message
    payload = struct.pack(kind.unpacker.format, *[0.0] * 7, 5, 0, 0, 0)
    for sent in (payload, payload.rstrip(b"\0"), payload + b"\1\2\3"):
        (frame,) = FrameParser().feed(framed(50004, sent, 70))
        assert (frame.message.sec, frame.message.position) == (5, [0.0] * 3)
        assert frame.raw == framed(50004, sent, 70)


def test_the_first_byte_is_never_trimmed():
    frame = FrameWriter(9, 1).write(
        DIALECT.MAVLink_dji_pose_stamped_message(*[0] * 4, [0] * 3, [0] * 4)
    )
    assert frame[1] == 1
    assert FrameParser().feed(frame)[0].message.sec == 0


@pytest.mark.parametrize("flags", [0x02, 0x80, 0xFF])
def test_flags_that_nobody_knows_are_refused_and_what_follows_is_read(flags):
    writer = FrameWriter(9, 1)
    strange, good = bytearray(writer.write(heartbeat())), writer.write(heartbeat())
    strange[2] = flags
    strange[-2:] = crc16(strange[1:-2], 50).to_bytes(2, "little")
    parser = FrameParser()
    assert [frame.raw for frame in parser.feed(bytes(strange) + good)] == [good]
    assert parser.statistics.bad_flags >= 1


def test_messages_of_other_dialects_are_checked_and_handed_on():
    """ArduPilot's MEMINFO (152, CRC_EXTRA 208), which the common messages do not have."""
    parser = FrameParser()
    frame = framed(152, bytes([1, 2, 3]), 208)
    (got,) = parser.feed(frame)
    assert got.raw == frame
    assert got.message_id == 152
    assert got.message.get_type() == "UNKNOWN_152"
    assert parser.statistics.unknown_frames == 1
    assert parser.feed(framed(152, bytes([1, 2, 3]), 209)) == []


def test_what_nobody_knows_is_refused_and_told():
    parser = FrameParser()
    for k in range(FRAMES_THAT_CONVINCE):
        assert parser.statistics.strangers == {}
        assert parser.feed(framed(9999, bytes([k, 7]), 123, k)) == []
    assert parser.statistics.strangers == {9999: 123}


def test_garbage_is_not_told_of():
    generator = random.Random(4)
    parser = FrameParser()
    for _ in range(3000):
        # Whole frames of 30 ids that nobody knows, with checksums of chance.
        message_id, payload = 20000 + generator.randrange(30), generator.randbytes(5)
        frame = framed(message_id, payload, 0)[:-2] + generator.randbytes(2)
        assert parser.feed(frame) == []
    assert parser.statistics.strangers == {}


def test_another_definition_at_the_other_end_is_told_and_chance_is_not():
    parser = FrameParser()
    frames = [framed(50004, bytes([k, 1]), 99, k) for k in range(4)]
    assert parser.feed(b"".join(frames)) == []
    assert parser.statistics.mismatches == {"DJI_POSE_STAMPED": 99}
    damaged = FrameParser()
    generator = random.Random(5)
    for _ in range(3000):
        frame = bytearray(framed(50004, generator.randbytes(40), 70))
        frame[generator.randrange(1, len(frame))] ^= 1 << generator.randrange(8)
        damaged.feed(bytes(frame))
    assert damaged.statistics.mismatches == {}


@given(st.lists(st.binary(max_size=60), max_size=20), st.randoms(use_true_random=False))
@settings(max_examples=100, deadline=None)
def test_cuts_do_not_matter(pieces, generator):
    writer = FrameWriter(9, 1)
    stream = b"".join(
        piece + writer.write(heartbeat()) if generator.random() < 0.5 else b"\xfd" + piece
        for piece in pieces
    )
    whole, cut = FrameParser(), FrameParser()
    expected = [frame.raw for frame in whole.feed(stream)]
    got = []
    while stream:
        size = generator.randint(1, 30)
        got += [frame.raw for frame in cut.feed(stream[:size])]
        stream = stream[size:]
    assert got == expected
    assert cut.statistics == whole.statistics
