"""Deadlines, stamps and the figures of a stream's periods: all on virtual clocks."""

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vr_view.periods import period_figures
from vr_view.steady_loop import Grid, SteadyLoop
from vr_view.unique_stamps import UniqueStamps

MS = 1_000_000
SECOND = 1_000_000_000


def test_deadlines_lie_on_a_grid_that_does_not_drift():
    grid = Grid(90.0, 5)
    for _ in range(90 * 60):
        grid.advance(grid.deadline + 3 * MS)
    assert grid.deadline == 5 + 60 * SECOND
    assert grid.missed == 0


def test_what_was_missed_is_left_out_and_counted_never_caught_up():
    # A queue that grows while the drawing is slower than the device shows ever older poses.
    grid = Grid(100.0, 0)
    grid.advance(57 * MS)  # due at 10, 20, 30, 40: past by a period or more
    assert grid.missed == 4
    assert grid.deadline == 50 * MS  # late by 7 ms, at once
    grid.advance(57 * MS)
    assert grid.deadline == 60 * MS
    assert grid.missed == 4


@given(st.lists(st.integers(0, 100 * MS), max_size=50))
def test_no_deadline_is_overdue_by_a_period(delays):
    grid, now = Grid(90.0, 0), 0
    for number, delay in enumerate(delays, start=1):
        now += delay
        grid.advance(now)
        assert now - grid.deadline < SECOND / 90.0 + 1
        assert grid.deadline == round((number + grid.missed) * SECOND / 90.0)


def test_a_loop_ticks_until_it_is_closed():
    enough, count = threading.Event(), []

    def tick():
        count.append(threading.current_thread().name)
        if len(count) >= 5:
            enough.set()

    loop = SteadyLoop(500.0, tick, "steady")
    loop.start()
    assert enough.wait(60.0)
    loop.close()
    assert set(count) == {"steady"}
    assert not [thread for thread in threading.enumerate() if thread.name == "steady"]


def test_an_error_ends_the_loop_and_is_kept():
    loop = SteadyLoop(500.0, lambda: 1 // 0)
    loop.start()
    loop._thread.join(60.0)
    assert isinstance(loop.error, ZeroDivisionError)
    loop.close()


def test_stamps_are_ros_time_where_that_moves():
    stamps = UniqueStamps()
    assert [stamps.next(now) for now in (10, 30, 50)] == [10, 30, 50]


def test_while_ros_time_stands_still_each_stamp_is_the_next_nanosecond():
    stamps = UniqueStamps()
    assert [stamps.next(now) for now in (20, 20, 20, 40)] == [20, 21, 22, 40]


def test_a_reset_of_the_simulator_is_followed_and_a_hiccup_is_not():
    stamps = UniqueStamps()
    assert stamps.next(5 * SECOND) == 5 * SECOND
    assert stamps.next(5 * SECOND - 20 * MS) == 5 * SECOND + 1
    assert stamps.next(0) == 0


def test_figures_of_steady_periods():
    times = [round(index * SECOND / 90) for index in range(91)]
    figures = period_figures(times, 90.0)
    assert figures["rate_hz"] == pytest.approx(90.0)
    assert figures["within_2ms"] == 1.0
    assert figures["skipped"] == 0


def test_figures_count_late_ones_and_those_that_never_came():
    due = [index * 10 * MS for index in range(101)]
    late = [time + 3 * MS if index == 50 else time for index, time in enumerate(due)]
    figures = period_figures(late, 100.0)
    assert figures["within_2ms"] == pytest.approx(0.98)  # one period too long, one too short
    assert figures["skipped"] == 0
    figures = period_figures([*due[:30], *due[33:]], 100.0)
    assert figures["skipped"] == 3
    assert figures["within_2ms"] == pytest.approx(96 / 97)
    assert figures["longest_ms"] == pytest.approx(40.0)


def test_one_message_tells_no_period():
    with pytest.raises(ValueError, match="1 messages"):
        period_figures([5], 90.0)
