"""Hands wished in the map, and the sense of touch."""

import math

import numpy as np
import pytest

from spatial_types.parameters import ParameterError
from spatial_types.transforms import Transform
from vr_view.hands.driving import Drive
from vr_view.hands.hand_poses import Reach
from vr_view.hands.joy_mapping import HandInput
from vr_view.hands.person import HandLostError, HandOptions, Person, TouchSense

HEAD = Transform(translation=np.array([0.0, 0.0, 1.6]))
HAND = Transform(translation=np.array([0.45, 0.18, 1.38]))  # straight ahead of the left shoulder
VIEWPOINT = Transform.planar(10.0, 20.0, math.pi / 2, 5.0)
MS = 1_000_000


def person(drive=Drive(), **options):  # noqa: B008
    made = Person(HandOptions(**options), Reach(longest=2.0), drive)
    made.hear_head(HEAD, 100 * MS)
    made.hear_viewpoint(VIEWPOINT, 1.0)
    return made


def test_hand_hangs_on_the_viewpoint():
    wish = person().place("left", HAND, 100 * MS, 1.0)
    np.testing.assert_allclose(wish.pose.translation, [10.0 - 0.18, 20.45, 4.78])
    assert wish.pose.yaw == pytest.approx(math.pi / 2)
    assert not wish.closed


def test_trigger_reaches_and_grip_closes():
    made = person()
    made.hear_input("left", HandInput(trigger=0.5, grip=0.9), 1.0)
    wish = made.place("left", HAND, 100 * MS, 1.1)
    np.testing.assert_allclose(wish.pose.translation, [10.0 - 0.18, 21.45, 4.78])
    assert wish.closed
    made.hear_input("left", HandInput(grip=0.5), 1.2)
    assert made.place("left", HAND, 100 * MS, 1.2).closed
    made.hear_input("left", HandInput(grip=0.2), 1.25)
    assert not made.place("left", HAND, 100 * MS, 1.25).closed


def test_a_silent_controller_lets_go():
    made = person()
    made.hear_input("left", HandInput(trigger=1.0, grip=1.0), 1.0)
    made.hear_viewpoint(VIEWPOINT, 2.0)
    wish = made.place("left", HAND, 100 * MS, 2.0)
    assert not wish.closed
    np.testing.assert_allclose(wish.pose.translation, [10.0 - 0.18, 20.45, 4.78])


def test_a_hand_that_drives_neither_reaches_nor_grabs():
    made = person(Drive(vehicle="robot", hand="left"))
    for side in ("left", "right"):
        made.hear_input(side, HandInput(trigger=1.0, grip=1.0), 1.0)
    assert not made.place("left", HAND, 100 * MS, 1.0).closed
    assert made.place("right", HAND, 100 * MS, 1.0).closed


def test_a_pose_that_is_no_grip_pose_is_turned():
    wish = person(grip_turn=(0.0, 0.0, math.pi / 2)).place("left", HAND, 100 * MS, 1.0)
    assert abs(wish.pose.yaw) == pytest.approx(math.pi)


def test_no_hand_without_heads():
    empty = Person(HandOptions(), Reach(), Drive())
    with pytest.raises(HandLostError, match="from the device"):
        empty.place("left", HAND, 0, 0.0)
    made = person()
    with pytest.raises(HandLostError, match="of the same time"):
        made.place("left", HAND, 200 * MS, 1.0)
    with pytest.raises(HandLostError, match="in the map"):
        made.place("left", HAND, 100 * MS, 1.5)


def test_a_viewpoint_that_jumps_is_noticed():
    made = person()
    flown = VIEWPOINT @ Transform.planar(0.2, 0.0, 0.0)
    assert not made.hear_viewpoint(flown, 1.011)
    assert made.hear_viewpoint(VIEWPOINT @ Transform.planar(3.0, 0.0, 0.0), 1.022)
    assert not made.hear_viewpoint(VIEWPOINT, 2.0)  # after so long it may have flown there


def test_options_that_contradict_themselves():
    with pytest.raises(ParameterError, match="open_at"):
        HandOptions(close_at=0.2, open_at=0.4).check()
    with pytest.raises(ParameterError, match="three angles"):
        HandOptions(grip_turn=(1.0,)).check()


def test_touch_is_told_once_and_again_after_letting_go():
    sense, wall, told = TouchSense(), 0.5, []
    for step in range(100):
        wish = 0.01 * step  # a metre a second, at 100 Hz
        sense.wish(np.array([wish, 0.0, 0.0]), 0.01 * step)
        told.append(sense.touches(np.array([min(max(wish - 0.03, 0.0), wall), 0.0, 0.0])))
    assert told.count(True) == 1
    assert 0.5 < 0.01 * told.index(True) < 0.7
    for step in range(100, 200):
        sense.wish(np.array([0.3, 0.0, 0.0]), 0.01 * step)
        assert not sense.touches(np.array([0.3, 0.0, 0.0]))
    for step in range(200, 240):
        sense.wish(np.array([0.6, 0.0, 0.0]), 0.01 * step)
        told.append(sense.touches(np.array([0.3, 0.0, 0.0])))
    assert told.count(True) == 2


@pytest.mark.parametrize("speed", [0.2, 1.0, 4.0])
def test_a_hand_that_only_lags_touches_nothing(speed):
    sense = TouchSense()
    for step in range(100):
        wish = speed * 0.011 * step
        sense.wish(np.array([wish, 0.0, 0.0]), 0.011 * step)
        assert not sense.touches(np.array([max(wish - 0.06 * speed, 0.0), 0.0, 0.0]))
