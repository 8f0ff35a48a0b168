"""The thesis's facts about frames, as fixed values, and that a pose only changes its axes."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from spatial_types.transforms import Transform, matrix_from_quaternion, matrix_from_rpy
from vr_view.viewpoints.device_axes import (
    ROS_FROM_Y_UP,
    pose_from_openvr,
    pose_from_y_up,
    quaternion_from_y_up,
    vector_from_y_up,
)

NUMBER = st.floats(-10.0, 10.0)
QUATERNIONS = st.tuples(*[st.floats(-1.0, 1.0)] * 4).filter(lambda q: np.linalg.norm(q) > 0.1)


def test_an_openvr_quaternion_in_ros_is_minus_z_minus_x_y_w():
    assert quaternion_from_y_up([0.1, 0.2, 0.3, 0.9]).tolist() == [-0.3, -0.1, 0.2, 0.9]


def test_forward_and_up_of_the_eye_correction():
    # A camera of OpenVR or OpenGL looks along -z with y up; corrected, along x with z up.
    assert (ROS_FROM_Y_UP @ [0.0, 0.0, -1.0]).tolist() == [1.0, 0.0, 0.0]
    assert (ROS_FROM_Y_UP @ [0.0, 1.0, 0.0]).tolist() == [0.0, 0.0, 1.0]
    assert (ROS_FROM_Y_UP @ [1.0, 0.0, 0.0]).tolist() == [0.0, -1.0, 0.0]
    turned = matrix_from_rpy((0, 0, -math.pi / 2)) @ matrix_from_rpy((math.pi / 2, 0, 0))
    np.testing.assert_allclose(turned, ROS_FROM_Y_UP, atol=1e-15)
    as_quaternion = matrix_from_quaternion([0.5, -0.5, -0.5, 0.5])
    np.testing.assert_allclose(as_quaternion, ROS_FROM_Y_UP, atol=1e-15)


def test_the_products_that_the_thesis_prints_look_elsewhere():
    about_x, about_z = (math.pi / 2, 0, 0), (0, 0, -math.pi / 2)
    opposite = matrix_from_rpy(about_x) @ matrix_from_rpy(about_z)
    np.testing.assert_allclose(opposite @ [0, 0, -1], [0, 1, 0], atol=1e-15)
    printed = matrix_from_rpy(about_x) @ matrix_from_rpy((0, math.pi / 2, 0))
    np.testing.assert_allclose(printed @ [0, 0, -1], [-1, 0, 0], atol=1e-15)


def test_looking_left_up_and_tilting_right_stay_what_they_are():
    half = math.sin(math.pi / 8), math.cos(math.pi / 8)
    left = pose_from_y_up([0, 0, 0], [0.0, half[0], 0.0, half[1]])
    np.testing.assert_allclose(left.rotation, matrix_from_rpy((0, 0, math.pi / 4)), atol=1e-15)
    up = pose_from_y_up([0, 0, 0], [half[0], 0.0, 0.0, half[1]])
    np.testing.assert_allclose(up.rotation, matrix_from_rpy((0, -math.pi / 4, 0)), atol=1e-15)
    right = pose_from_y_up([0, 0, 0], [0.0, 0.0, -half[0], half[1]])
    np.testing.assert_allclose(right.rotation, matrix_from_rpy((math.pi / 4, 0, 0)), atol=1e-15)


def test_a_head_that_stands_is_upright_in_ros():
    # A world on its side is what one gets where an axis is forgotten.
    standing = pose_from_y_up([0.2, 1.6, -0.5], [0.0, 0.0, 0.0, 1.0])
    assert standing.translation.tolist() == [0.5, -0.2, 1.6]
    assert standing.rotation.tolist() == np.eye(3).tolist()


@given(QUATERNIONS, st.tuples(NUMBER, NUMBER, NUMBER), st.tuples(NUMBER, NUMBER, NUMBER))
def test_a_point_seen_from_the_head_is_the_same_point(quaternion, place, point):
    in_device = matrix_from_quaternion(quaternion) @ point + place
    in_ros = pose_from_y_up(place, quaternion).apply(vector_from_y_up(point))
    np.testing.assert_allclose(in_ros, vector_from_y_up(in_device), atol=1e-9)


@given(QUATERNIONS, st.tuples(NUMBER, NUMBER, NUMBER))
def test_matrix_and_quaternion_tell_the_same_pose(quaternion, place):
    matrix = np.column_stack([matrix_from_quaternion(quaternion), place])
    one, other = pose_from_openvr(matrix), pose_from_y_up(place, quaternion)
    np.testing.assert_allclose(one.rotation, other.rotation, atol=1e-9)
    np.testing.assert_allclose(one.translation, other.translation, atol=1e-12)


@given(QUATERNIONS, QUATERNIONS)
def test_the_devices_origin_does_not_enter_how_a_hand_lies_to_the_head(head, hand):
    def seen(origin):
        a = origin @ Transform(matrix_from_quaternion(head), np.array([0.1, 0.2, 0.3]))
        b = origin @ Transform(matrix_from_quaternion(hand), np.array([0.4, -0.2, 0.1]))
        return a.inverse() @ b

    here, there = seen(Transform()), seen(Transform.from_rpy((3, 4, 5), (0.1, 0.2, 2.0)))
    np.testing.assert_allclose(here.rotation, there.rotation, atol=1e-9)
    np.testing.assert_allclose(here.translation, there.translation, atol=1e-9)
