"""A connection over an emulated link: who is there, what is handed round, what is refused."""

import pytest

from mavlink_bridge.connection import Connection
from mavlink_bridge.dialect.definition import load
from mavlink_bridge.handlers.registry import handles
from mavlink_bridge.links.channel import Conditions
from mavlink_bridge.links.link_emulator import LinkEmulator
from mavlink_bridge.links.piece import Piece
from mavlink_bridge.links.thin import ThinLink, ThinOptions
from mavlink_bridge.peers import LOST_AFTER, Peer, PeerTable
from mavlink_bridge.wire.crc import crc16
from mavlink_bridge.wire.frame_writer import FrameWriter
from mavlink_bridge.wire.signing import Signing, stamp_from_unix

DIALECT = load()
NOW = stamp_from_unix(1_800_000_000)


def heartbeat(autopilot: int = 12, custom_mode: int = 0):
    return DIALECT.MAVLink_heartbeat_message(2, autopilot, 81, custom_mode, 4, 3)


def attitude():
    return DIALECT.MAVLink_attitude_message(1, 0.1, 0.2, 0.3, 0, 0, 0)


class Recorded:
    """A link that gives what the test puts into it."""

    def __init__(self) -> None:
        emulator = LinkEmulator()
        self.link, self.other = emulator.a, emulator.b
        self.pieces: list[bytes] = []
        self.link.receive = lambda now: [self.pieces.pop(0) for _ in list(self.pieces)]  # type: ignore[method-assign]


def pair(**options) -> tuple[Connection, Connection]:
    emulator = LinkEmulator()
    return Connection(emulator.a, 1, 1, **options), Connection(emulator.b, 2, 1, **options)


def test_messages_go_both_ways_to_the_handlers():
    ground, drone = pair()
    seen = []

    @handles("ATTITUDE", system=1)
    def roll(frame, context):
        seen.append((round(frame.message.roll, 3), context))

    drone.handlers.add_marked(roll)
    drone.context = "the drone"
    ground.send(attitude(), 0.0)
    assert [frame.message_id for frame in drone.poll(0.1)] == [30]
    assert seen == [(0.1, "the drone")]
    drone.send(heartbeat(), 0.2)
    assert [frame.message_id for frame in ground.poll(0.3)] == [0]


def test_what_the_outbox_allows_is_sent():
    ground, drone = pair()

    class Two:
        def poll(self, now: float) -> list[bytes]:
            return [ground.writer.write(heartbeat()), ground.writer.write(attitude())]

    ground.outbox = Two()
    ground.poll(0.0)
    assert [frame.message_id for frame in drone.poll(0.0)] == [0, 30]


def test_any_message_keeps_a_peer_present_and_any_brings_it_back():
    told: list[tuple[int, bool]] = []

    def change(peer: Peer) -> None:
        told.append((peer.system, peer.present))

    ground, drone = pair()
    drone.peers = PeerTable(on_change=change)
    ground.send(heartbeat(), 0.0)
    drone.poll(0.0)
    for second in range(1, 30):
        ground.send(attitude(), float(second))
        drone.poll(float(second))
    assert told == [(1, True)]
    drone.poll(29.0 + LOST_AFTER + 0.1)
    assert told == [(1, True), (1, False)]
    assert drone.peers.autopilot() is None
    for _ in range(2):  # and once more, so that one time-out does not end it for ever
        ground.send(attitude(), 100.0)
        drone.poll(100.0)
        drone.poll(200.0)
    assert told[2:] == [(1, True), (1, False)] * 2


def test_echoes_of_ones_own_frames_are_dropped_and_counted():
    emulator = LinkEmulator()
    ground = Connection(emulator.a, 1, 1)
    emulator.b.send(FrameWriter(1, 1).write(heartbeat()), 0.0)
    emulator.b.send(FrameWriter(1, 2).write(heartbeat()), 0.0)
    assert [frame.component for frame in ground.poll(0.0)] == [2]
    assert ground.echoes == 1
    assert (1, 1) not in ground.peers.peers


def test_gaps_in_the_numbers_are_counted_and_overtaken_ones_taken_off():
    writer, recorded = FrameWriter(9, 1), Recorded()
    frames = [writer.write(heartbeat()) for _ in range(10)]
    ground = Connection(recorded.link, 1, 1)
    recorded.pieces = [frames[k] for k in (0, 1, 4, 3, 5, 9)]
    ground.poll(0.0)
    assert ground.peers.peers[9, 1].missed == 4
    assert ground.peers.peers[9, 1].frames == 6


def test_streams_of_several_callers_are_not_mixed():
    writer, recorded = FrameWriter(9, 1), Recorded()
    first, second = writer.write(attitude()), writer.write(heartbeat())
    recorded.pieces = [
        Piece(first[:15], "a"),
        Piece(second[:7], "b"),
        Piece(first[15:], "a"),
        Piece(second[7:], "b"),
    ]
    ground = Connection(recorded.link, 1, 1)
    assert [frame.message_id for frame in ground.poll(0.0)] == [30, 0]
    assert ground.statistics.frames == 2


def test_a_good_frame_is_not_held_back_by_one_whose_rest_never_comes():
    writer, recorded = FrameWriter(9, 1), Recorded()
    ground = Connection(recorded.link, 1, 1)
    recorded.pieces = [writer.write(attitude())[:20] + writer.write(heartbeat())]
    recorded.pieces[0] = recorded.pieces[0][:1] + b"\xff" + recorded.pieces[0][2:]
    assert ground.poll(0.0) == []
    assert ground.poll(0.2) == []
    assert [frame.message_id for frame in ground.poll(0.4)] == [0]


def test_a_thin_link_is_waited_for_longer():
    emulator = LinkEmulator()
    thin = Connection(ThinLink(emulator.a, ThinOptions(down=1000.0)), 1, 1)
    assert thin._patience == pytest.approx(0.56)


def test_a_forwarded_frame_is_the_same_bytes():
    """Also one that its sender did not trim, which packing again would change."""
    ground, drone = pair()
    body = bytes.fromhex("1c 00 00 00 09 01 1e 00 00") + bytes(28)
    untrimmed = b"\xfd" + body + crc16(body, 39).to_bytes(2, "little")
    ground.link.send(untrimmed, 0.0)
    (received,) = drone.poll(0.0)
    assert received.message.get_type() == "ATTITUDE"
    drone.forward(received, 0.0)
    assert ground.link.receive(0.0) == [untrimmed]


def test_a_signing_key_is_not_forwarded():
    ground, drone = pair()
    ground.send(DIALECT.MAVLink_setup_signing_message(2, 1, [7] * 32, 0), 0.0)
    (received,) = drone.poll(0.0)
    drone.forward(received, 0.0)
    assert ground.link.receive(0.0) == []


def test_signed_ends_hear_each_other_and_nobody_else():
    key = bytes(range(32))
    emulator = LinkEmulator()
    ground = Connection(emulator.a, 1, 1, signing=Signing(key, 1, NOW))
    drone = Connection(emulator.b, 2, 1, signing=Signing(key, 2, NOW))
    ground.send(attitude(), 0.0)
    emulator.a.send(FrameWriter(1, 1).write(heartbeat()), 0.0)
    frames = drone.poll(0.0)
    assert [(frame.message_id, frame.signed) for frame in frames] == [(30, True)]
    assert drone.statistics.refused_signature == 1
    drone.send(heartbeat(), 1.0)
    assert [frame.signed for frame in ground.poll(1.0)] == [True]


def test_over_a_bad_thin_link_all_that_is_read_was_sent_and_most_is_read():
    conditions = Conditions(loss=0.1, corrupt=0.1, duplicate=0.1, jitter=0.05)
    emulator = LinkEmulator(conditions, Conditions(), seed=5)
    key = bytes(range(32))
    thin = ThinLink(emulator.a, ThinOptions(up=2000.0))
    drone = Connection(thin, 1, 1, signing=Signing(key, 1, NOW))
    ground = Connection(emulator.b, 2, 1, signing=Signing(key, 2, NOW))
    read = []
    for k in range(500):
        now = k * 0.05
        drone.send(DIALECT.MAVLink_attitude_message(k, 0.1, 0.2, 0.3, 0, 0, 0), now)
        drone.poll(now)
        read += [frame.message.time_boot_ms for frame in ground.poll(now)]
    assert read == sorted(set(read))  # in order, and none twice
    assert 0.7 * 500 < len(read) < 0.95 * 500
    assert ground.signing is not None
    assert ground.signing.statistics.replayed > 20
    assert ground.peers.peers[1, 1].missed == pytest.approx(500 - len(read), abs=3)


def test_another_definition_at_the_other_end_is_told_by_name(tmp_path):
    xml = tmp_path / "other.xml"
    xml.write_text(
        '<mavlink><include>common.xml</include><messages><message id="50004" name="OTHER">'
        '<description>-</description><field type="uint32_t" name="version">-</field></message>'
        "</messages></mavlink>"
    )
    other = load(xml)
    ground, drone = pair()
    writer = FrameWriter(1, 1)
    for number in range(5):
        ground.link.send(writer.write(other.MAVLink_other_message(number + 1)), 0.0)
    assert drone.poll(0.0) == []
    expected = other.MAVLink_other_message.crc_extra
    assert drone.statistics.mismatches == {"DJI_POSE_STAMPED": expected}
