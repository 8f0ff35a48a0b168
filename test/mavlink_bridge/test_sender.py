"""The queue: order, budget, shares, what is dropped and that it is told."""

from __future__ import annotations

import pytest

from mavlink_bridge.dialect.definition import load
from mavlink_bridge.sending.budget import Budget, BudgetParameters
from mavlink_bridge.sending.sender import FULL, STALE, SUPERSEDED, Sender, SenderParameters
from mavlink_bridge.sending.traffic_class import TrafficClass
from mavlink_bridge.wire.frame_writer import FrameWriter
from spatial_types.parameters import ParameterError

mavlink = load()
HEARTBEAT, COMMAND, SETPOINT, FILE, TELEMETRY = TrafficClass


def make_sender(rate: float = 0.0, **options: int) -> Sender:
    budget = Budget(BudgetParameters(rate=rate))
    return Sender(FrameWriter(1, 1).write, budget, SenderParameters(**options))


def command(number: int = 400):
    return mavlink.MAVLink_command_long_message(1, 1, number, 0, 0, 0, 0, 0, 0, 0, 1.0)


def setpoint(x: float = 1.0):
    return mavlink.MAVLink_set_position_target_local_ned_message(
        0, 1, 1, 1, 0xFF8, x, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
    )


def text(words: str):
    return mavlink.MAVLink_statustext_message(6, words.encode())


def position(x: float = 1.0):
    return mavlink.MAVLink_local_position_ned_message(1, x, 0, 0, 0, 0, 1.0)


def run(sender: Sender, seconds: float, feed=lambda now: None, step: float = 0.01) -> list[bytes]:
    frames, ticks = [], round(seconds / step)
    for tick in range(ticks):
        feed(tick * step)
        frames += sender.poll(tick * step)
    return frames


def keep_full(sender: Sender, *classes: TrafficClass):
    """A feed that always has messages of these classes waiting."""
    makers = {COMMAND: command, SETPOINT: setpoint, FILE: lambda: text("p" * 50)}
    makers[TELEMETRY] = position

    def feed(now: float) -> None:
        for item in classes:
            while sender.waiting(item) < (1 if item in (SETPOINT, TELEMETRY) else 3):
                sender.submit(makers[item](), item, now)

    return feed


def test_urgent_classes_leave_first_and_each_in_order():
    sender = make_sender()
    order = []
    for item, make in [(TELEMETRY, position), (FILE, lambda: text("a")), (FILE, lambda: text("b"))]:
        sender.submit(make(), item, 0.0, on_sent=lambda _, item=item: order.append(item))
    for item, make in [(SETPOINT, setpoint), (COMMAND, command)]:
        sender.submit(make(), item, 0.0, on_sent=lambda _, item=item: order.append(item))
    assert len(sender.poll(0.0)) == 5
    assert order == [COMMAND, SETPOINT, FILE, FILE, TELEMETRY]


def test_sequence_numbers_are_given_when_messages_leave():
    sender = make_sender()
    sender.submit(position(), TELEMETRY, 0.0)
    sender.submit(command(), COMMAND, 0.0)
    assert [frame[4] for frame in sender.poll(0.0)] == [0, 1]


@pytest.mark.parametrize("step", [0.001, 0.01, 0.04])
def test_the_budget_is_used_whole_and_not_exceeded(step):
    sender = make_sender(rate=1000.0)
    frames = run(sender, 60.0, keep_full(sender, FILE), step)
    assert sum(map(len, frames)) == pytest.approx(60_000, rel=0.01)


def test_no_second_is_over_budget_by_more_than_a_frame():
    sender = make_sender(rate=1000.0)
    feed, sizes = keep_full(sender, FILE, SETPOINT, TELEMETRY), []
    for tick in range(2000):
        feed(tick * 0.01)
        sizes.append(sum(map(len, sender.poll(tick * 0.01))))
    assert max(sum(sizes[at : at + 100]) for at in range(1900)) <= 1000 + 50 + 100


def test_every_class_keeps_its_share_when_all_want_more():
    sender = make_sender(rate=1000.0)
    run(sender, 100.0, keep_full(sender, COMMAND, SETPOINT, FILE, TELEMETRY))
    parts = {item: sender.sent_bytes[item] / 100_000 for item in TrafficClass}
    assert parts[FILE] == pytest.approx(0.1, abs=0.01)
    assert parts[TELEMETRY] == pytest.approx(0.1, abs=0.01)
    assert parts[SETPOINT] == pytest.approx(0.2, abs=0.01)
    assert parts[COMMAND] == pytest.approx(0.6, abs=0.02)


def test_a_command_passes_all_that_waits():
    sender = make_sender(rate=1000.0)
    feed, left = keep_full(sender, SETPOINT, FILE, TELEMETRY), []
    run(sender, 5.0, feed)
    sender.submit(command(), COMMAND, 5.0, on_sent=left.append)
    for tick in range(100):
        feed(5.0 + tick * 0.01)
        sender.poll(5.0 + tick * 0.01)
    assert left[0] - 5.0 < 0.4  # the frame on its way, and what two others are owed


def test_setpoints_are_dropped_when_newer_ones_come_and_never_queued():
    sender, dropped, sent = make_sender(rate=500.0), [], []
    for tick in range(1000):  # 100 Hz, of which the link can carry seven
        now = tick * 0.01
        sender.submit(
            setpoint(tick),
            SETPOINT,
            now,
            on_dropped=dropped.append,
            on_sent=lambda when, now=now: sent.append(when - now),
        )
        sender.poll(now)
        assert sender.waiting(SETPOINT) <= 1
    assert set(dropped) == {SUPERSEDED}
    assert max(sent) <= 0.01
    assert len(sent) + len(dropped) + sender.waiting(SETPOINT) == 1000


def test_a_setpoint_that_outlived_its_time_is_not_sent():
    sender, dropped = make_sender(), []
    sender.submit(setpoint(), SETPOINT, 0.0, lifetime=0.2, on_dropped=dropped.append)
    assert sender.poll(0.21) == []
    assert dropped == [STALE]
    assert sender.dropped[SETPOINT, STALE] == 1


def test_keys_give_each_stream_its_own_place():
    sender = make_sender()
    for key in ("a", "b", "a"):
        sender.submit(position(), TELEMETRY, 0.0, key=key)
    assert len(sender.poll(0.0)) == 2


def test_a_stream_that_is_always_renewed_does_not_starve_another_of_its_class():
    sender = make_sender(rate=500.0)
    sent = {"a": 0, "b": 0}

    def feed(now: float) -> None:
        for key in sent:
            sender.submit(
                position(),
                TELEMETRY,
                now,
                key=key,
                on_sent=lambda _, key=key: sent.update({key: sent[key] + 1}),
            )

    run(sender, 30.0, feed)
    assert abs(sent["a"] - sent["b"]) <= 1


def test_a_full_queue_tells_what_it_does_not_take():
    sender, dropped = make_sender(most_waiting=3), []
    for _ in range(5):
        sender.submit(command(), COMMAND, 0.0, on_dropped=dropped.append)
    assert dropped == [FULL, FULL]
    assert sender.dropped[COMMAND, FULL] == 2
    assert len(sender.poll(0.0)) == 3


def test_a_message_that_cannot_be_packed_is_told_and_the_rest_leaves():
    sender, dropped = make_sender(), []
    sender.submit(command(number=70_000), COMMAND, 0.0, on_dropped=dropped.append)
    sender.submit(position(), TELEMETRY, 0.0)
    assert len(sender.poll(0.0)) == 1
    assert dropped[0].startswith("unpackable")


def test_a_withdrawn_message_does_not_leave():
    sender = make_sender()
    entry = sender.submit(command(), COMMAND, 0.0)
    assert sender.withdraw(entry)
    assert sender.poll(0.0) == []
    assert not sender.withdraw(entry)


def test_a_link_without_a_rate_is_not_fed_endlessly():
    sender = make_sender(most_per_poll=300)

    def again(now: float) -> None:
        sender.submit(text("x" * 50), FILE, now, on_sent=again)

    again(0.0)
    assert 300 <= sum(map(len, sender.poll(0.0))) < 400


def test_next_opening_tells_when_to_poll_again():
    sender = make_sender(rate=1000.0)
    assert sender.next_opening(0.0) is None
    sender.submit(text("x" * 50), FILE, 0.0)
    assert sender.next_opening(0.0) == 0.0
    size = len(sender.poll(0.0)[0])
    sender.submit(text("x" * 50), FILE, 0.0)
    assert sender.next_opening(0.0) == pytest.approx(size / 1000)
    assert sender.poll(size / 1000 - 1e-6) == []
    assert len(sender.poll(size / 1000 + 1e-6)) == 1


def test_shares_above_the_whole_are_refused():
    with pytest.raises(ParameterError, match=r"shares add up to 1\.4"):
        Budget(BudgetParameters(rate=1.0, command_share=0.95))


def test_when_the_application_dies_no_setpoint_is_sent_again():
    sender = make_sender(rate=1000.0)
    run(sender, 1.0, keep_full(sender, SETPOINT))
    sent = sender.sent[SETPOINT]
    frames = [frame for tick in range(500) for frame in sender.poll(1.0 + 0.01 * tick)]
    assert len(frames) <= 1
    assert sender.sent[SETPOINT] == sent + len(frames)
