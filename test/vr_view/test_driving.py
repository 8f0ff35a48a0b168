"""The stick drives while the dead-man button is held and readings come; never otherwise (V14)."""

import inspect

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vr_view.hands.driving import STILL, Drive, StickDriver, Velocity
from vr_view.hands.joy_mapping import HandInput

ROBOT = Drive(vehicle="robot", speed=0.5, turn=0.8, timeout=0.3, dead_zone=0.1)
LET_GO = HandInput(forward=1.0)
HELD = HandInput(forward=1.0, grip=1.0)


def driving(drive=ROBOT):
    driver = StickDriver(drive)
    assert driver.hear(LET_GO, 0.0) is None
    assert driver.hear(HELD, 0.05) == Velocity(forward=drive.speed)
    return driver


def test_nothing_without_the_button():
    driver = StickDriver(ROBOT)
    for step in range(20):
        assert driver.hear(LET_GO, 0.05 * step) is None
        assert driver.poll(0.05 * step + 0.02) is None


def test_stands_once_on_release_and_never_again():
    driver = driving()
    assert driver.hear(LET_GO, 0.1) == STILL
    for step in range(20):
        assert driver.hear(LET_GO, 0.15 + 0.05 * step) is None
        assert driver.poll(0.16 + 0.05 * step) is None


def test_stands_once_when_readings_stay_away():
    driver = driving()
    assert driver.poll(0.3) == Velocity(forward=0.5)
    assert driver.poll(0.36) == STILL
    assert driver.poll(0.4) is None
    assert driver.poll(10.0) is None


def test_a_button_held_through_a_gap_must_be_let_go():
    driver = driving()
    assert driver.hear(HELD, 1.0) == STILL  # no timer came by: the gap itself stops
    assert driver.hear(HELD, 1.05) is None
    assert driver.hear(LET_GO, 1.1) is None
    assert driver.hear(HELD, 1.15) == Velocity(forward=0.5)


def test_a_button_held_from_the_start_must_be_let_go():
    driver = StickDriver(ROBOT)
    assert driver.hear(HELD, 0.0) is None
    assert driver.poll(0.1) is None
    assert driver.hear(LET_GO, 0.2) is None
    assert driver.hear(HELD, 0.25) is not None


def test_the_end_of_the_program_stops_the_vehicle():
    driver = driving()
    assert driver.stop() == STILL
    assert driver.stop() is None


def test_drone_takes_both_sticks():
    drone = Drive(vehicle="drone", speed=2.0, climb=1.0, turn=0.5, dead_zone=0.0)
    driver = StickDriver(drone)
    driver.hear(LET_GO, 0.0)
    driver.hear_other(HandInput(forward=0.6, left=-0.8), 0.0)
    wish = driver.hear(HandInput(left=1.0, grip=1.0), 0.1)
    assert wish == Velocity(left=2.0, up=0.6, turn=-0.4)
    assert driver.hear(HandInput(left=1.0, grip=1.0), 0.35) == Velocity(left=2.0)  # other is old


def test_other_buttons_may_be_the_dead_man():
    driver = StickDriver(Drive(vehicle="robot", dead_man="lower"))
    driver.hear(HELD, 0.0)
    assert driver.hear(HandInput(forward=1.0, lower=True), 0.05) == Velocity(forward=0.5)


def test_no_head_enters():
    """V14: there is no way by which the head's motion could reach the vehicle."""
    for method in (StickDriver.hear, StickDriver.hear_other, StickDriver.poll):
        kinds = [item.annotation for item in inspect.signature(method).parameters.values()]
        assert set(kinds[1:]) <= {"HandInput", "float"}


@given(st.floats(-1.0, 1.0), st.floats(-1.0, 1.0), st.sampled_from(["robot", "drone"]))
def test_speeds_are_limited(forward, left, vehicle):
    driver = StickDriver(Drive(vehicle=vehicle, speed=0.5, turn=0.8))
    driver.hear(LET_GO, 0.0)
    wish = driver.hear(HandInput(forward=forward, left=left, grip=1.0), 0.1)
    assert wish is not None
    assert wish.forward**2 + wish.left**2 <= 0.25 + 1e-9
    assert abs(wish.turn) <= 0.8 + 1e-9


@given(
    st.lists(
        st.tuples(st.floats(0.0, 0.6), st.booleans(), st.sampled_from(["hear", "poll"])),
        max_size=60,
    )
)
def test_whatever_happens(events):
    """Commands only while held and fresh, one zero after, and no motion after the zero."""
    driver = StickDriver(ROBOT)
    now, heard, was_moving = 0.0, (-10.0, False), False
    for pause, held, kind in events:
        now += pause
        if kind == "hear":
            answer = driver.hear(HELD if held else LET_GO, now)
            heard = (now, held)
        else:
            answer = driver.poll(now)
        if answer == STILL:
            assert was_moving
        elif answer is not None:
            assert heard[1]
            assert now - heard[0] <= ROBOT.timeout
        if answer is not None:
            was_moving = answer != STILL


@pytest.mark.parametrize("length", [0.0, 0.05, 0.1])
def test_a_stick_that_does_not_centre_stands(length):
    driver = StickDriver(ROBOT)
    driver.hear(LET_GO, 0.0)
    assert driver.hear(HandInput(forward=length, grip=1.0), 0.1) == STILL
