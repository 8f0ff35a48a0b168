import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spatial_types.angles import wrap_angle, wrap_scalar
from spatial_types.transforms import (
    Transform,
    matrix_from_quaternion,
    quaternion_from_matrix,
    rotation_vector,
    shortened,
)

angle = st.floats(-7.0, 7.0)
metre = st.floats(-50.0, 50.0)
transforms = st.builds(
    Transform.from_rpy, st.tuples(metre, metre, metre), st.tuples(angle, angle, angle)
)


def same(a: Transform, b: Transform) -> bool:
    return np.allclose(a.rotation, b.rotation, atol=1e-9) and np.allclose(
        a.translation, b.translation, atol=1e-7
    )


@given(transforms)
def test_inverse_composes_to_identity(pose):
    assert same(pose @ pose.inverse(), Transform())


@given(transforms, transforms, st.tuples(metre, metre, metre))
def test_composition_applies_right_to_left(a, b, point):
    assert np.allclose((a @ b).apply(point), a.apply(b.apply(point)), atol=1e-7)


@given(transforms)
def test_quaternion_round_trip(pose):
    assert np.allclose(matrix_from_quaternion(pose.quaternion), pose.rotation, atol=1e-9)
    assert pose.quaternion[3] >= 0.0


def test_quaternion_is_x_y_z_w():
    quarter_turn = Transform.planar(0.0, 0.0, np.pi / 2)
    assert np.allclose(quarter_turn.quaternion, [0, 0, np.sqrt(0.5), np.sqrt(0.5)])
    assert np.allclose(quarter_turn.apply([1.0, 0.0, 0.0]), [0.0, 1.0, 0.0])


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_half_turns_have_a_quaternion(axis):
    rpy = np.zeros(3)
    rpy[axis] = np.pi
    rotation = Transform.from_rpy(rpy=rpy).rotation
    assert np.allclose(matrix_from_quaternion(quaternion_from_matrix(rotation)), rotation)


def test_fixed_axes_turn_roll_first():
    pose = Transform.from_rpy(rpy=(np.pi / 2, 0.0, np.pi / 2))
    assert np.allclose(pose.apply([0.0, 1.0, 0.0]), [0.0, 0.0, 1.0])


@pytest.mark.parametrize("bad", [(0, 0, 0, 0), (np.nan, 0, 0, 1), (np.inf, 0, 0, 1)])
def test_quaternion_without_direction_is_refused(bad):
    with pytest.raises(ValueError, match="no direction"):
        Transform.from_quaternion((0, 0, 0), bad)


@given(angle)
def test_yaw_of_a_planar_pose(yaw):
    assert np.isclose(wrap_scalar(Transform.planar(1, 2, yaw).yaw - yaw), 0.0, atol=1e-9)


@given(st.floats(-1e3, 1e3))
def test_wrapping_keeps_the_direction(value):
    wrapped = float(wrap_angle(value))
    assert -np.pi <= wrapped < np.pi + 1e-12
    assert np.isclose(np.cos(wrapped), np.cos(value), atol=1e-9)
    assert np.isclose(np.sin(wrapped), np.sin(value), atol=1e-9)


@given(
    st.tuples(*[st.floats(-1.0, 1.0)] * 3).filter(lambda axis: np.linalg.norm(axis) > 1e-3),
    st.one_of(st.floats(0.0, 3.14159), st.sampled_from([0.0, 1e-12, 1e-7, np.pi])),
)
def test_rotation_vector_is_axis_times_angle(axis, turn):
    unit = np.array(axis) / np.linalg.norm(axis)
    rotation = matrix_from_quaternion([*(np.sin(turn / 2.0) * unit), np.cos(turn / 2.0)])
    found = rotation_vector(rotation)
    if turn > 3.14:  # half a turn is the same about both ends of its axis
        found = np.copysign(1.0, found @ unit) * found
    np.testing.assert_allclose(found, turn * unit, atol=1e-7)


@given(st.tuples(metre, metre, metre), st.floats(0.0, 20.0))
def test_shortened_keeps_the_direction(vector, longest):
    given_length = np.linalg.norm(vector)
    found = shortened(np.array(vector), longest)
    assert np.linalg.norm(found) == pytest.approx(min(given_length, longest), abs=1e-9)
    assert found @ vector == pytest.approx(np.linalg.norm(found) * given_length, abs=1e-6)
