"""Modes: where the viewpoint is, and where it looks."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spatial_types.parameters import ParameterError, from_mapping
from spatial_types.transforms import Transform, matrix_from_quaternion, matrix_from_rpy
from vr_view.viewpoints.device_axes import ROS_FROM_Y_UP, quaternion_from_y_up
from vr_view.viewpoints.eyes import BODY_FROM_OPTICAL
from vr_view.viewpoints.modes import MODES, ViewOptions, Viewpoint
from vr_view.viewpoints.yaw_pitch import looking, without_roll, yaw_pitch

ANGLE = st.floats(-math.pi, math.pi)
PITCH = st.floats(-1.5, 1.5)
DRONE = Transform.planar(1.0, 2.0, 0.7, 1.5)


def viewpoint(mode, **changes):
    return Viewpoint(from_mapping(ViewOptions, {"mode": mode, **changes}))


def head(yaw=0.0, pitch=0.0, roll=0.0, place=(0.0, 0.0, 1.6)):
    return Transform.from_rpy(place, (roll, pitch, yaw))


def close(found, wanted):
    np.testing.assert_allclose(found, wanted, atol=1e-9)


def test_roll_is_removed_by_decomposition_and_yaw_and_pitch_stay():
    tilted = matrix_from_rpy((0.5, 0.3, -2.0))
    close(without_roll(tilted), matrix_from_rpy((0.0, 0.3, -2.0)))
    close(yaw_pitch(tilted), (-2.0, 0.3))


@given(ANGLE, PITCH, ANGLE)
def test_without_roll_looks_the_same_way_and_is_level(yaw, pitch, roll):
    rotation = matrix_from_rpy((roll, pitch, yaw))
    level = without_roll(rotation)
    close(level[:, 0], rotation[:, 0])
    assert abs(level[2, 1]) < 1e-9  # y axis level
    assert level[2, 2] >= -1e-9  # not upside down


@pytest.mark.parametrize("pitch", [math.pi / 2, -math.pi / 2])
def test_straight_up_and_down_keep_the_heading(pitch):
    close(yaw_pitch(matrix_from_rpy((0.0, pitch, 1.2))), (1.2, pitch))


def test_free_look_is_camera_times_eye_correction_times_head():
    # As the thesis writes it, with the head as OpenVR tells it.
    openvr = np.array([0.1, 0.5, -0.2, 0.8])
    openvr /= np.linalg.norm(openvr)
    camera = Transform.from_rpy((1.0, 2.0, 3.0), (0.1, -0.2, 0.9))
    found = viewpoint("free_look").head(
        Transform.from_quaternion((5.0, 6.0, 7.0), quaternion_from_y_up(openvr)), camera, 0.01
    )
    in_thesis = camera.rotation @ ROS_FROM_Y_UP @ matrix_from_quaternion(openvr)
    close(found.rotation @ ROS_FROM_Y_UP, in_thesis)
    close(found.translation, camera.translation)


def test_free_look_through_an_optical_frame_is_the_same_view():
    camera = Transform.from_rpy((1.0, 2.0, 3.0), (0.1, -0.2, 0.9))
    body = viewpoint("free_look").head(head(0.3), camera, 0.0)
    optical = viewpoint("free_look", camera={"optical": True})
    close(optical.head(head(0.3), camera @ BODY_FROM_OPTICAL, 0.0).rotation, body.rotation)


def test_a_drone_that_tilts_as_it_speeds_up_does_not_tilt_a_level_view():
    drone = Transform.from_rpy((0, 0, 1), (0.2, 0.3, 1.0))
    level = viewpoint("free_look", camera={"level": True}).head(head(0.4, 0.1), drone, 0.0)
    close(level.rotation, looking(1.4, 0.1))


@given(ANGLE, ANGLE, PITCH, st.floats(-1.0, 1.0))
def test_steered_takes_the_cameras_yaw_out_and_has_no_roll(camera_yaw, yaw, pitch, roll):
    camera = Transform.planar(1.0, 2.0, camera_yaw, 3.0)
    found = viewpoint("steered").head(head(yaw, pitch, roll), camera, 0.0)
    close(found.rotation, looking(yaw, pitch))
    close(found.translation, (1.0, 2.0, 3.0))


def test_steered_keeps_the_cameras_pitch():
    camera = Transform.from_rpy((0, 0, 1), (0.0, 0.4, 2.0))
    found = viewpoint("steered").head(head(2.0), camera, 0.0)
    close(found.rotation, looking(2.0, 0.4))


def test_orbit_geometry_in_fixed_values():
    orbit = viewpoint("orbit", orbit={"distance": 2.0})
    ahead = orbit.head(head(), DRONE, 0.0)
    close(ahead.translation, (-1.0, 2.0, 1.5))
    left = orbit.head(head(yaw=math.pi / 2), DRONE, 0.0)  # looking left: from its right side
    close(left.translation, (1.0, 0.0, 1.5))
    down = orbit.head(head(pitch=math.pi / 2), DRONE, 0.0)  # looking down: from above
    close(down.translation, (1.0, 2.0, 3.5))


@given(ANGLE, PITCH, ANGLE, st.floats(0.1, 20.0))
def test_orbit_keeps_its_distance_and_looks_at_the_target_without_roll(yaw, pitch, roll, distance):
    orbit = viewpoint("orbit", orbit={"distance": distance})
    found = orbit.head(head(yaw, pitch, roll), DRONE, 0.0)
    close(np.linalg.norm(found.translation - DRONE.translation), distance)
    close(found.inverse().apply(DRONE.translation), (distance, 0.0, 0.0))
    assert abs(found.rotation[2, 1]) < 1e-9


def test_orbit_turns_with_the_target_where_it_is_told_to():
    orbit = viewpoint("orbit", orbit={"distance": 1.0, "turns_with_target": True, "height": 0.5})
    found = orbit.head(head(), Transform.planar(0.0, 0.0, math.pi / 2), 0.0)
    close(found.translation, (0.0, -1.0, 0.5))


def test_fixed_moves_with_the_head_in_its_place():
    fixed = viewpoint("fixed", place=[1.0, 2.0, 0.5, math.pi / 2])
    found = fixed.head(head(0.2, 0.1, 0.3, (1.0, 0.0, 1.6)), None, 0.0)
    close(found.translation, (1.0, 3.0, 2.1))
    close(found.rotation, matrix_from_rpy((0.3, 0.1, math.pi / 2 + 0.2)))


def test_after_recentring_the_head_stands_at_the_place_and_looks_along_it():
    fixed = viewpoint("fixed", place=[1.0, 2.0, 0.0, 0.5])
    here = head(yaw=-1.0, pitch=0.3, place=(4.0, 5.0, 1.7))
    fixed.recentre(here)
    found = fixed.head(here, None, 0.0)
    close(found.translation, (1.0, 2.0, 1.7))
    close(found.rotation, looking(0.5, 0.3))


def test_follow_begins_behind_and_looks_at_the_target():
    follow = viewpoint("follow", follow={"distance": 2.0, "height": 1.0})
    found = follow.head(head(), Transform.planar(1.0, 1.0, math.pi / 2), 0.0)
    close(found.translation, (1.0, -1.0, 1.0))
    close(found.rotation[:, 0], np.array([0.0, 2.0, -1.0]) / math.sqrt(5.0))


def test_follow_makes_up_63_percent_of_a_step_in_its_time_however_it_is_cut():
    ends = []
    for steps in (1, 36):
        follow = viewpoint("follow", follow={"smoothing": 0.4})
        start = follow.head(head(), Transform(), 0.0).translation
        for _ in range(steps):
            end = follow.head(head(), Transform.planar(1.0, 0.0, 0.0), 0.4 / steps)
        ends.append(end.translation - start)
    close(ends[0], ends[1])
    close(ends[0], (1.0 - math.exp(-1.0), 0.0, 0.0))


def test_follow_turns_the_short_way():
    follow = viewpoint("follow", follow={"smoothing": 0.4, "height": 0.0})
    follow.head(head(), Transform.planar(0.0, 0.0, 3.0), 0.0)
    found = follow.head(head(), Transform.planar(0.0, 0.0, -3.0), 0.1)
    assert abs(found.yaw) > 3.0


def test_follow_does_not_fly_through_the_house_to_a_target_that_jumped():
    follow = viewpoint("follow", follow={"distance": 1.0, "height": 0.0, "jump": 3.0})
    follow.head(head(), Transform(), 0.0)
    found = follow.head(head(), Transform.planar(50.0, 0.0, 0.0), 0.01)
    close(found.translation, (49.0, 0.0, 0.0))


def test_in_follow_the_head_looks_about_without_roll():
    follow = viewpoint("follow", follow={"height": 0.0})
    found = follow.head(head(0.5, 0.2, 0.4), Transform.planar(0, 0, 1.0), 0.0)
    close(found.rotation, looking(1.5, 0.2))


@pytest.mark.parametrize("mode", MODES)
def test_a_mode_says_whose_pose_it_needs(mode):
    options = ViewOptions(mode=mode, target_frame="target")
    wanted = {"fixed": None, "free_look": "drone/base_link", "steered": "drone/base_link"}
    assert Viewpoint(options).frame == wanted.get(mode, "target")


def test_an_unknown_mode_is_refused_and_changes_nothing():
    chosen = viewpoint("orbit")
    with pytest.raises(ValueError, match="no mode 'folow'; did you mean 'follow'"):
        chosen.choose("folow")
    assert chosen.mode == "orbit"
    chosen.choose("follow")
    assert chosen.mode == "follow"


def test_a_place_needs_four_numbers():
    with pytest.raises(ParameterError, match=r"place = \[1.0\]"):
        from_mapping(ViewOptions, {"place": [1.0]})
    assert dataclasses.is_dataclass(ViewOptions)
