"""The thin link: packets of N bytes at a rate, and what survives when pieces do not."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mavlink_bridge.dialect.definition import load
from mavlink_bridge.links.channel import Conditions
from mavlink_bridge.links.link_emulator import LinkEmulator
from mavlink_bridge.links.piece_order import PATIENCE, PieceOrder
from mavlink_bridge.links.thin import ThinLink, ThinOptions
from mavlink_bridge.wire.frame_parser import FrameParser
from mavlink_bridge.wire.frame_writer import FrameWriter

DIALECT = load()
# FILE_PART's bytes besides the file's, and the longest and the one-packet part.
OWN = 12 + 6
LONG, FITS = 249, 100 - OWN


def part(number: int, size: int):
    data = random.Random(number).randbytes(size - 1) + b"\1"
    return DIALECT.MAVLink_file_part_message(number, 1, 7, list(data.ljust(LONG, b"\0")))


def heartbeat():
    return DIALECT.MAVLink_heartbeat_message(2, 12, 81, 0x1234, 4, 3)


class Pair:
    """A thin link over an emulated one, at both ends, with what `a` sent and `b` read."""

    def __init__(self, conditions: Conditions, seed: int = 1, **options) -> None:
        emulator = LinkEmulator(conditions, Conditions(), seed)
        self.raw = emulator.b
        self.a = ThinLink(emulator.a, ThinOptions(**options))
        self.b = ThinLink(emulator.b, ThinOptions(**{**options, "down": 0.0}))
        self.writer = FrameWriter(1, 1)
        self.parser = FrameParser()
        self.read: list = []
        self.now = 0.0

    def send(self, message) -> None:
        self.a.send(self.writer.write(message), self.now)

    def run(self, seconds: float) -> None:
        end = self.now + seconds
        while self.now < end:
            self.a.receive(self.now)
            for piece in self.b.receive(self.now):
                self.read += self.parser.feed(piece)
            self.now += 0.01


def test_no_packet_is_longer_and_what_fits_is_not_split():
    link = Pair(Conditions(), up=0.0)
    for message in (part(1, LONG), heartbeat(), part(2, FITS), heartbeat(), heartbeat()):
        link.send(message)
    packets = link.raw.receive(0.0)
    # One at a time with no rate: 267 = 100 + 100 + 67, 21, 100, 21, 21.
    assert [len(packet) for packet in packets] == [100, 100, 67, 21, 100, 21, 21]
    assert b"".join(packets).startswith(b"\xfd")


def test_what_waits_shares_packets():
    link = Pair(Conditions(), up=1000.0, queue=2.0)
    for message in (heartbeat(), part(1, LONG), heartbeat(), heartbeat(), part(2, FITS)):
        link.send(message)
    for step in range(100):
        link.a.receive(0.01 * step)
    # The rest of the long one, 67, leaves room for a heartbeat of 21, not for two.
    assert [len(packet) for packet in link.raw.receive(1.0)] == [21, 100, 100, 88, 21, 100]


def test_the_rate_is_kept_however_seldom_the_link_is_called():
    for step in (0.001, 0.03, 0.09):
        link = Pair(Conditions(), up=1000.0)
        now = 0.0
        while now < 20:
            if link.a.next_time() is None:
                link.send(part(1, FITS))
            link.a.receive(now)
            now += step
        sent = link.a.statistics.bytes_sent
        assert sent <= 1000 * 20 + 200
        assert sent >= 1000 * 20 * 0.97


def test_what_comes_is_paced_too_and_too_much_is_dropped_and_counted():
    emulator = LinkEmulator()
    link = ThinLink(emulator.b, ThinOptions(down=1000.0, queue=0.5))
    for _ in range(20):
        emulator.a.send(bytes(100), 0.0)
    assert len(link.receive(0.0)) == 2
    assert link.statistics.packets_dropped == 15
    assert link.receive(0.05) == []
    assert sum(len(link.receive(k / 100)) for k in range(1, 200)) == 3


def test_more_than_the_rate_is_dropped_and_counted_not_kept():
    link = Pair(Conditions(), up=1000.0, queue=0.5)
    for _ in range(50):
        link.send(part(1, FITS))
    assert link.a.statistics.packets_dropped >= 43
    link.run(2.0)
    assert len(link.read) == 50 - link.a.statistics.packets_dropped


@pytest.mark.parametrize("numbered", [False, True])
@pytest.mark.parametrize("trouble", ["loss", "corrupt"])
def test_small_messages_only_suffer_from_their_own_packet(numbered, trouble):
    link = Pair(Conditions(**{trouble: 0.2}), up=0.0, numbered=numbered)
    for k in range(300):
        link.send(part(k, 60))
        link.run(0.02)
    link.run(1.0)
    channel = link.a._inner._out.statistics
    spoilt = channel.lost + channel.corrupted
    assert len(link.read) >= 300 - spoilt - 1
    assert len(link.read) <= 300 - spoilt + 3  # the damage may hit the packet's number alone


@pytest.mark.parametrize("trouble", ["duplicate", "reorder"])
def test_long_messages_are_whole_in_spite_of_doubled_and_overtaken_pieces_when_numbered(trouble):
    counts = {}
    for numbered in (False, True):
        conditions = Conditions(**{trouble: 0.2}, reorder_delay=0.05)
        link = Pair(conditions, up=5000.0, numbered=numbered)
        for k in range(100):
            link.send(part(k, LONG))
            link.run(0.08)
        link.run(1.0)
        counts[numbered] = len({frame.message.part for frame in link.read})
    assert counts[True] >= 99  # what overtakes the very first packet starts the count
    assert 20 < counts[False] < 95


@pytest.mark.parametrize("numbered", [False, True])
def test_everything_at_once_still_leaves_whole_messages(numbered):
    conditions = Conditions(
        loss=0.1, burst=2, duplicate=0.1, reorder=0.1, corrupt=0.1, jitter=0.02, delay=0.05
    )
    link = Pair(conditions, up=2000.0, numbered=numbered)
    fits = link.a.limits.packet_size - OWN
    for k in range(300):
        link.send(part(k, fits) if k % 3 else part(k, LONG))
        link.run(0.1)
    link.run(1.0)
    got = {frame.message.part: bytes(frame.message.data) for frame in link.read}
    assert len({part for part in got if part % 3}) > 200 * 0.7
    for number, data in got.items():
        size = fits if number % 3 else LONG
        assert data[:size] == bytes(part(number, size).data[:size])


@given(st.lists(st.integers(0, 400), min_size=1, max_size=40), st.integers(8, 120))
@settings(max_examples=60, deadline=None)
def test_joined_again_the_packets_are_what_was_sent(sizes, packet_size):
    emulator = LinkEmulator()
    link = ThinLink(emulator.a, ThinOptions(size=packet_size, up=1e6, queue=100.0))
    sent = [bytes([k % 256]) * size for k, size in enumerate(sizes)]
    for packet in sent:
        link.send(packet, 0.0)
    for step in range(1, 100):
        link.receive(step * 0.05)
    packets = emulator.b.receive(100.0)
    assert b"".join(packets) == b"".join(sent)
    assert all(len(packet) <= packet_size for packet in packets)


def numbers(order: PieceOrder, sequence: list[int], now: float = 0.0) -> list[int]:
    return [data[0] for number in sequence for data in order.put(number, bytes([number]), now)]


def test_order_over_the_round_of_numbers():
    assert numbers(PieceOrder(), [254, 0, 255, 255, 2, 1, 3]) == [254, 255, 0, 1, 2, 3]


def test_a_missing_piece_is_given_up_after_some_later_ones_or_after_a_while():
    assert numbers(PieceOrder(), [1, 3, 4, 5, 6, 7]) == [1, 3, 4, 5, 6, 7]
    order = PieceOrder()
    assert numbers(order, [1, 3]) == [1]
    assert order.next_time() == PATIENCE
    assert order.overdue(PATIENCE - 0.01) == []
    assert order.overdue(PATIENCE) == [bytes([3])]
    assert numbers(order, [2, 4]) == [4]


def test_a_sender_that_starts_again_is_followed():
    assert numbers(PieceOrder(), [10, 11, 130, 131]) == [10, 11, 130, 131]
