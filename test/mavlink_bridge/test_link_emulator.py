"""The emulator does what its conditions say, on the caller's clock, the same for the same seed."""

import itertools

import pytest

from mavlink_bridge.links.channel import Channel, Conditions
from mavlink_bridge.links.link_emulator import LinkEmulator
from spatial_types.parameters import ParameterError


def through(conditions: Conditions, count: int, gap: float = 0.01, seed: int = 1) -> list[bytes]:
    channel = Channel(conditions, seed)
    for k in range(count):
        channel.put(k.to_bytes(4, "big"), k * gap)
    return channel.take(1e9)


def test_a_perfect_link_delivers_both_ways_at_once():
    link = LinkEmulator()
    link.a.send(b"there", 0.0)
    link.b.send(b"back", 0.0)
    assert link.b.receive(0.0) == [b"there"]
    assert link.a.receive(0.0) == [b"back"]


def test_delay_is_kept_on_the_passed_clock():
    link = LinkEmulator(Conditions(delay=0.25))
    link.a.send(b"x", 10.0)
    assert link.b.receive(10.24) == []
    assert link.next_time() == 10.25
    assert link.b.receive(10.25) == [b"x"]


@pytest.mark.parametrize("loss", [0.0, 0.2, 1.0])
def test_share_of_losses(loss):
    assert len(through(Conditions(loss=loss), 5000)) / 5000 == pytest.approx(1 - loss, abs=0.03)


def test_losses_in_bursts_have_the_stated_length_and_share():
    got = {
        int.from_bytes(packet, "big") for packet in through(Conditions(loss=0.2, burst=5), 50000)
    }
    lost = [k not in got for k in range(50000)]
    starts = sum(now and not before for before, now in itertools.pairwise(lost))
    assert sum(lost) / 50000 == pytest.approx(0.2, abs=0.02)
    assert sum(lost) / starts == pytest.approx(5, rel=0.1)


def test_impossible_bursts_are_refused():
    with pytest.raises(ParameterError, match=r"loss = 0.9 .* bursts of 3"):
        Channel(Conditions(loss=0.9, burst=3), 1)


def test_jitter_keeps_the_order_and_reordering_breaks_it():
    packets = through(Conditions(jitter=0.5), 300)
    assert packets == sorted(packets)
    mixed = through(Conditions(reorder=0.2, reorder_delay=0.035), 300)
    assert mixed != sorted(mixed)
    assert sorted(mixed) == packets


def test_duplicates_and_damage_are_counted_and_real():
    conditions = Conditions(duplicate=0.5, corrupt=0.5, corrupt_bits=3)
    channel = Channel(conditions, 3)
    for _ in range(200):
        channel.put(bytes(20), 0.0)
    packets = channel.take(0.0)
    assert len(packets) == 200 + channel.statistics.duplicated
    assert 60 < channel.statistics.duplicated < 140
    damaged = [packet for packet in packets if any(packet)]
    assert len(damaged) == channel.statistics.corrupted
    assert {sum(byte.bit_count() for byte in packet) for packet in damaged} == {1, 2, 3}


def test_rate_spaces_packets_and_the_queue_overflows():
    channel = Channel(Conditions(rate=1000, queue=250), 1)
    for _ in range(5):
        channel.put(bytes(100), 0.0)
    assert channel.statistics.overflowed == 3
    assert len(channel.take(0.09)) == 0
    assert len(channel.take(0.1)) == 1
    assert len(channel.take(0.2)) == 1
    channel.put(bytes(100), 5.0)
    assert channel.next_time() == pytest.approx(5.1)


def test_the_same_seed_gives_the_same_run():
    conditions = Conditions(loss=0.3, burst=3, jitter=0.1, reorder=0.1, duplicate=0.1, corrupt=0.1)
    assert through(conditions, 500, seed=7) == through(conditions, 500, seed=7)
    assert through(conditions, 500, seed=7) != through(conditions, 500, seed=8)


def test_a_cut_link_carries_nothing_and_can_be_mended():
    link = LinkEmulator()
    link.a.send(b"under way", 0.0)
    link.b.close()
    assert link.b.receive(0.0) == []
    link.b.send(b"lost", 0.0)
    assert link.b.statistics.packets_dropped == 1
    link.b.connected = True
    link.a.send(b"again", 1.0)
    assert link.b.receive(1.0) == [b"again"]
