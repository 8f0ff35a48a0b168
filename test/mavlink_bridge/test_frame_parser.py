"""Bytes to frames: what is damaged is never accepted, what is good is always found."""

from mavlink_bridge.dialect.definition import load
from mavlink_bridge.wire.frame_parser import FrameParser
from mavlink_bridge.wire.frame_writer import FrameWriter

DIALECT = load()


def heartbeat():
    return DIALECT.MAVLink_heartbeat_message(2, 12, 81, 0x1234, 4, 3)


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
    assert b"".join(frame.raw for frame in frames) == data


def test_after_a_damaged_length_the_frames_it_claims_to_cover_are_read():
    writer = FrameWriter(9, 1)
    frames = [bytearray(writer.write(heartbeat())) for _ in range(6)]
    frames[0][1] = 60
    parser = FrameParser()
    assert [frame.sequence for frame in parser.feed(b"".join(frames))] == [1, 2, 3, 4, 5]
    assert parser.statistics.bad_checksum >= 1
    assert parser.statistics.skipped_bytes == len(frames[0])
