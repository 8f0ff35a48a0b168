"""Joy mapping, poses of hands, reach and haptics."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spatial_types.parameters import ParameterError, from_mapping
from spatial_types.transforms import Transform
from vr_view.hands.hand_poses import (
    HeadHistory,
    Reach,
    extended,
    head_from_hand,
    shoulder_of,
)
from vr_view.hands.haptics import (
    HapticsError,
    Pulse,
    pulse_from_strength,
    pulse_of,
    strength_of,
)
from vr_view.hands.joy_mapping import HandInput, InputError, JoyLayout, Switch, read_joy
from vr_view.viewpoints.yaw_pitch import yaw_pitch

numbers = st.floats(-3.0, 3.0)
poses = st.builds(
    lambda place, turn: Transform.from_rpy(place, turn),
    st.tuples(numbers, numbers, numbers),
    st.tuples(numbers, numbers, numbers),
)


def test_joy_in_its_own_order():
    reading = read_joy([0.5, -0.25, 0.75, 1.0], [1, 1, 0, 0, 1], JoyLayout())
    assert reading == HandInput(0.5, -0.25, 0.75, 1.0, lower=False, upper=True)


def test_joy_of_another_driver():
    layout = JoyLayout(stick_left=2, stick_forward=3, trigger=1, grip=0, lower_button=0)
    reading = read_joy([0.1, 0.2, 0.3, 0.4], [1], layout)
    assert reading == HandInput(0.3, 0.4, 0.2, 0.1, lower=True)


@given(st.lists(st.floats(-1e6, 1e6), min_size=4, max_size=8))
def test_joy_is_held_within_its_ranges(axes):
    reading = read_joy(axes, [], JoyLayout())
    assert -1.0 <= reading.left <= 1.0
    assert -1.0 <= reading.forward <= 1.0
    assert 0.0 <= reading.trigger <= 1.0
    assert 0.0 <= reading.grip <= 1.0


@pytest.mark.parametrize("axes", [[], [0.0, 0.0, 0.0], [0.0, math.nan, 0.0, 0.0]])
def test_joy_that_cannot_be_read_names_the_axis(axes):
    with pytest.raises(InputError, match=r"Joy\.axes"):
        read_joy(axes, [], JoyLayout())


def test_switch_does_not_flutter():
    switch = Switch(0.7, 0.3)
    closed = [switch.update(value) for value in (0.0, 0.6, 0.8, 0.5, 0.31, 0.29, 0.6)]
    assert closed == [False, False, True, True, True, False, False]


@given(poses, poses, poses)
def test_the_device_s_origin_does_not_matter(head, hand, moved):
    here = head_from_hand(head, hand)
    there = head_from_hand(moved @ head, moved @ hand)
    np.testing.assert_allclose(here.translation, there.translation, atol=1e-9)
    np.testing.assert_allclose(here.rotation, there.rotation, atol=1e-9)


def test_left_shoulder_is_left_and_stays_level():
    head = Transform.from_rpy((1.0, 2.0, 1.6), (0.4, -0.7, math.pi / 2))  # tilted, facing +y
    left = shoulder_of("left", head, Reach())
    right = shoulder_of("right", head, Reach())
    np.testing.assert_allclose(left, [1.0 - 0.18, 2.0 - 0.05, 1.38], atol=1e-12)
    np.testing.assert_allclose(right, [1.0 + 0.18, 2.0 - 0.05, 1.38], atol=1e-12)


@given(st.floats(-3.1, 3.1), st.floats(-1.5, 1.5), st.floats(-1.5, 1.5))
def test_heading_ignores_pitch_and_roll(yaw, pitch, roll):
    found = yaw_pitch(Transform.from_rpy(rpy=(roll, pitch, yaw)).rotation)[0]
    assert math.cos(found - yaw) == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("pitch", [math.pi / 2, -math.pi / 2])
def test_heading_straight_down_and_up(pitch):
    found, _ = yaw_pitch(Transform.from_rpy(rpy=(0.0, pitch, 0.6)).rotation)
    assert found == pytest.approx(0.6)


@given(poses, st.tuples(numbers, numbers, numbers), st.floats(0.0, 1.0), st.floats(0.0, 5.0))
def test_reach_is_linear_in_the_trigger(hand, shoulder, trigger, longest):
    shoulder = np.array(shoulder)
    arm = hand.translation - shoulder
    moved = extended(hand, shoulder, trigger, longest)
    np.testing.assert_array_equal(moved.rotation, hand.rotation)
    further = moved.translation - hand.translation
    if np.linalg.norm(arm) >= 0.02:
        assert np.linalg.norm(further) == pytest.approx(trigger * longest, abs=1e-9)
        np.testing.assert_allclose(np.cross(further, arm), 0.0, atol=1e-6)
        assert further @ arm >= -1e-9
    else:
        np.testing.assert_array_equal(further, 0.0)


def test_grip_pose_is_not_tilted_by_the_way():
    """V12: what the fist holds points where the fist does, whatever the pointing ray would be."""
    head = Transform.from_rpy((0.0, 0.0, 1.6), (0.0, 0.3, 0.0))
    fist = Transform.from_rpy((0.4, -0.2, 1.3), (0.0, 0.0, 0.0))
    map_from_head = Transform.planar(5.0, 5.0, math.pi / 2, 2.0) @ Transform.from_rpy(
        rpy=(0.0, 0.3, 0.0)
    )
    in_map = map_from_head @ head_from_hand(head, fist)
    np.testing.assert_allclose(in_map.rotation[:, 0], [0.0, 1.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(in_map.rotation[:, 2], [0.0, 0.0, 1.0], atol=1e-12)
    np.testing.assert_allclose(in_map.translation, [5.2, 5.4, 1.7], atol=1e-12)


def test_shoulder_must_be_a_point():
    with pytest.raises(ParameterError, match=r"reach\.shoulder"):
        from_mapping(Reach, {"shoulder": [0.0, 0.1]})


def test_history_finds_the_head_of_the_same_moment():
    history = HeadHistory(length=3)
    assert history.at(0, 10) is None
    heads = {stamp: Transform.planar(stamp, 0.0, 0.0) for stamp in (10, 20, 30, 40)}
    for stamp, head in heads.items():
        history.add(stamp, head)
    assert history.at(30, 0) is heads[30]
    assert history.at(32, 5) is heads[30]
    assert history.at(10, 5) is None  # three are kept
    history.add(5, heads[10])  # time began anew
    assert history.at(40, 5) is None


def test_thesis_strengths():
    assert pulse_from_strength(0).amplitude == 0.0
    assert pulse_from_strength(3999) == Pulse(1.0, 0.1)
    with pytest.raises(HapticsError, match="3999"):
        pulse_from_strength(4000)


@given(st.integers(0, 3999))
def test_strength_there_and_back(strength):
    assert strength_of(pulse_from_strength(strength)) == strength


@pytest.mark.parametrize(
    ("amplitude", "seconds"),
    [(1.1, 0.1), (-0.1, 0.1), (math.nan, 0.1), (0.5, -1.0), (0.5, math.inf)],
)
def test_pulses_that_mean_nothing(amplitude, seconds):
    with pytest.raises(HapticsError):
        pulse_of(amplitude, seconds)


def test_a_pulse_ends():
    assert pulse_of(0.5, 3600.0).seconds == 5.0
