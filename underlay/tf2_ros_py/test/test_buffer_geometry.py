"""Properties of lookups, for any transforms."""

import math

import numpy as np
import pytest
from geometry_msgs.msg import TransformStamped
from hypothesis import given, settings
from hypothesis import strategies as st
from transforms import at, filled, pose, xyz_of, xyzw_of


def matrix_of(message: TransformStamped) -> np.ndarray:
    x, y, z, w = xyzw_of(message)
    matrix = np.eye(4)
    matrix[:3, 3] = xyz_of(message)
    matrix[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return matrix


def turned(parent: str, child: str, numbers: list[float]) -> TransformStamped:
    message = pose(parent, child, 1.0, tuple(numbers[:3]))
    quaternion = np.array(numbers[3:])
    quaternion /= np.linalg.norm(quaternion)
    rotation = message.transform.rotation
    rotation.x, rotation.y, rotation.z, rotation.w = (float(part) for part in quaternion)
    return message


poses = st.lists(st.floats(-5.0, 5.0), min_size=7, max_size=7).filter(
    lambda numbers: np.linalg.norm(numbers[3:]) > 1e-2
)


@settings(deadline=None, max_examples=60)
@given(poses, poses, poses)
def test_any_way_through_the_tree_is_the_product_of_matrices(first, second, third):
    map_a, map_b, b_c = (
        turned("map", "a", first),
        turned("map", "b", second),
        turned("b", "c", third),
    )
    buffer = filled(map_a, map_b, static=(b_c,))

    expected = np.linalg.inv(matrix_of(map_a)) @ matrix_of(map_b) @ matrix_of(b_c)
    found = buffer.lookup_transform("a", "c", at(1.0))
    back = buffer.lookup_transform("c", "a", at(1.0))

    assert matrix_of(found) == pytest.approx(expected, abs=1e-9)
    assert matrix_of(back) @ matrix_of(found) == pytest.approx(np.eye(4), abs=1e-9)
    assert math.hypot(*xyzw_of(found)) == pytest.approx(1.0)


@settings(deadline=None, max_examples=60)
@given(poses, poses, st.floats(0.0, 1.0))
def test_interpolated_turn_lies_between_its_ends(first, second, ratio):
    one, two = turned("map", "a", first), turned("map", "a", second)
    two.header.stamp.sec = 2
    buffer = filled(one, two)

    def angle(a: np.ndarray, b: np.ndarray) -> float:
        difference = a[:3, :3].T @ b[:3, :3]
        return math.acos(max(-1.0, min(1.0, (np.trace(difference) - 1.0) / 2.0)))

    whole = angle(matrix_of(one), matrix_of(two))
    ratio = round(ratio * 1e9) / 1e9
    found = matrix_of(buffer.lookup_transform("map", "a", at(1.0 + ratio)))

    assert angle(matrix_of(one), found) == pytest.approx(ratio * whole, abs=1e-5)
    assert angle(found, matrix_of(two)) == pytest.approx((1.0 - ratio) * whole, abs=1e-5)
