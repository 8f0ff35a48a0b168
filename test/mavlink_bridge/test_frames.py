"""Axes of MAVLink and of ROS, by fixed values: a round trip would hide any mistake made twice."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mavlink_bridge import frames
from spatial_types.transforms import matrix_from_quaternion

ROOT = math.sqrt(0.5)
ANGLES = st.floats(-math.pi, math.pi)


def test_world_axes():
    assert frames.world_vector((1.0, 0.0, 0.0)) == (0.0, 1.0, 0.0)  # north
    assert frames.world_vector((0.0, 1.0, 0.0)) == (1.0, 0.0, 0.0)  # east
    assert frames.world_vector((0.0, 0.0, 5.0)) == (0.0, 0.0, -5.0)  # down
    assert frames.world_vector((1.0, 2.0, -3.0)) == (2.0, 1.0, 3.0)


def test_body_axes():
    assert frames.body_vector((1.0, 2.0, 3.0)) == (1.0, -2.0, -3.0)


@pytest.mark.parametrize(
    ("enu", "ned"),
    [(0.0, 90.0), (90.0, 0.0), (45.0, 45.0), (-90.0, 180.0), (10.0, 80.0), (135.0, -45.0)],
)
def test_yaw_is_turned_and_mirrored(enu, ned):
    got = frames.world_yaw(math.radians(enu))
    assert math.cos(got - math.radians(ned)) == pytest.approx(1.0)
    back = frames.world_yaw(math.radians(ned))
    assert math.cos(back - math.radians(enu)) == pytest.approx(1.0)


def test_a_drone_that_faces_east():
    """Yaw 0 in ENU is heading 90 degrees in NED (D1)."""
    assert frames.wire_quaternion((0.0, 0.0, 0.0, 1.0)) == pytest.approx((ROOT, 0.0, 0.0, ROOT))
    assert frames.ros_quaternion((ROOT, 0.0, 0.0, ROOT)) == pytest.approx((0.0, 0.0, 0.0, 1.0))


def test_a_drone_that_faces_north():
    assert frames.ros_quaternion((1.0, 0.0, 0.0, 0.0)) == pytest.approx((0.0, 0.0, ROOT, ROOT))


def test_nose_up_by_ten_degrees_facing_north():
    """Pitch up is positive about FRD's y, negative about FLU's; roll right is positive in both."""
    wire = frames.quaternion_from_euler(0.0, math.radians(10.0), 0.0)
    rotation = matrix_from_quaternion(frames.ros_quaternion(wire))
    nose = rotation @ [1.0, 0.0, 0.0]
    assert nose == pytest.approx([0.0, math.cos(math.radians(10)), math.sin(math.radians(10))])
    left = rotation @ [0.0, 1.0, 0.0]
    assert left == pytest.approx([-1.0, 0.0, 0.0])


def test_rolled_to_the_right_facing_east():
    wire = frames.quaternion_from_euler(math.radians(30.0), 0.0, math.radians(90.0))
    rotation = matrix_from_quaternion(frames.ros_quaternion(wire))
    assert rotation @ [1.0, 0.0, 0.0] == pytest.approx([1.0, 0.0, 0.0], abs=1e-12)
    left = rotation @ [0.0, 1.0, 0.0]  # goes up when it rolls to the right
    assert left == pytest.approx([0.0, math.cos(math.radians(30)), math.sin(math.radians(30))])


@given(ANGLES, st.floats(-1.5, 1.5), ANGLES)
def test_world_and_body_turn_are_two_things(roll, pitch, yaw):
    """A vector turned on the wire and then to ENU is the same as to FLU and then turned (D2)."""
    wire = frames.quaternion_from_euler(roll, pitch, yaw)
    w, x, y, z = wire
    body = (0.3, -1.2, 0.7)  # FRD
    ned = matrix_from_quaternion((x, y, z, w)) @ body
    enu = matrix_from_quaternion(frames.ros_quaternion(wire)) @ frames.body_vector(body)
    assert frames.world_vector(ned) == pytest.approx(tuple(enu), abs=1e-9)


@given(ANGLES, st.floats(-1.5, 1.5), ANGLES)
def test_helpers_agree_with_matrices(roll, pitch, yaw):
    w, x, y, z = frames.quaternion_from_euler(roll, pitch, yaw)
    ros = (x, y, z, w)
    assert math.cos(frames.yaw_of(ros) - yaw) == pytest.approx(1.0)
    turned = matrix_from_quaternion(ros) @ [0.1, 0.2, 0.3]
    assert frames.rotate(ros, (0.1, 0.2, 0.3)) == pytest.approx(tuple(turned))
    back = frames.rotate(frames.conjugate(ros), frames.rotate(ros, (0.1, 0.2, 0.3)))
    assert back == pytest.approx((0.1, 0.2, 0.3))


def test_covariance_keeps_its_meaning():
    triangle = [float("nan")] * 21
    assert frames.covariance_from_triangle(triangle, linear="world", angular="body") == []
    triangle = [0.0] * 21
    triangle[0], triangle[6], triangle[1], triangle[2] = 4.0, 9.0, 0.5, 0.25  # nn, ee, ne, nd
    triangle[15], triangle[16] = 0.01, 0.002  # roll roll, roll pitch
    full = frames.covariance_from_triangle(triangle, linear="world", angular="body")
    assert (full[0], full[7]) == (9.0, 4.0)  # ee, nn
    assert full[1] == full[6] == 0.5
    assert full[6 + 2] == -0.25  # north and up
    assert (full[21], full[22]) == (0.01, -0.002)
