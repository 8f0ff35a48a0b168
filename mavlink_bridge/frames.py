"""MAVLink's axes and ROS's: NED and FRD on the wire, ENU and FLU (REP 103) at the ROS border.

World axes: north-east-down against east-north-up. Body axes: forward-right-down against
forward-left-up. Every function here is its own inverse: it takes either into the other, so the
names say only what is turned. The one exception are quaternions, whose order differs as well:
MAVLink has w x y z, ROS x y z w.

Yaw: 0 is east in ROS and counter-clockwise, 0 is north in MAVLink and clockwise.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from spatial_types.angles import wrap_scalar

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]

_HALF_ROOT = math.sqrt(0.5)
# Where element (i, j) of a covariance in one set of axes stands in the other, and its sign.
_WORLD_ORDER, _WORLD_SIGN = (1, 0, 2), (1.0, 1.0, -1.0)
_BODY_ORDER, _BODY_SIGN = (0, 1, 2), (1.0, -1.0, -1.0)


def world_vector(vector: Sequence[float]) -> Vector:
    """Turn a vector of NED axes to ENU, or back."""
    x, y, z = vector
    return y, x, -z


def body_vector(vector: Sequence[float]) -> Vector:
    """Turn a vector of FRD axes to FLU, or back."""
    x, y, z = vector
    return x, -y, -z


def world_yaw(yaw: float) -> float:
    """Turn a heading in NED to yaw in ENU, or back; the result is in -pi to pi."""
    return wrap_scalar(math.pi / 2.0 - yaw)


def yaw_rate(rate: float) -> float:
    """Turn a rate about the axis down to one about the axis up, or back."""
    return -rate


def ros_quaternion(wire: Sequence[float]) -> Quaternion:
    """Return x y z w of ENU from FLU; `wire` is w x y z of NED from FRD."""
    w, x, y, z = _turned(*wire)
    return x, y, z, w


def wire_quaternion(ros: Sequence[float]) -> Quaternion:
    """Return w x y z of NED from FRD; `ros` is x y z w of ENU from FLU."""
    x, y, z, w = ros
    return _turned(w, x, y, z)


def _turned(w: float, x: float, y: float, z: float) -> Quaternion:
    """Return (ENU from NED) q (FRD from FLU), w x y z.

    The outer factors are half turns: about the bisector of x and y, and about x.
    """
    half = _HALF_ROOT
    return half * (w + z), half * (x + y), half * (x - y), half * (w - z)


def quaternion_from_euler(roll: float, pitch: float, yaw: float) -> Quaternion:
    """Return w x y z of the turns about z, the new y and the new x: ATTITUDE's angles."""
    cr, sr = math.cos(roll / 2.0), math.sin(roll / 2.0)
    cp, sp = math.cos(pitch / 2.0), math.sin(pitch / 2.0)
    cy, sy = math.cos(yaw / 2.0), math.sin(yaw / 2.0)
    return (
        cr * cp * cy + sr * sp * sy,
        sr * cp * cy - cr * sp * sy,
        cr * sp * cy + sr * cp * sy,
        cr * cp * sy - sr * sp * cy,
    )


def yaw_of(quaternion: Sequence[float]) -> float:
    """Return the yaw of an x y z w quaternion."""
    x, y, z, w = quaternion
    return math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))


def rotate(quaternion: Sequence[float], vector: Sequence[float]) -> Vector:
    """Turn a vector by an x y z w quaternion of unit length."""
    x, y, z, w = quaternion
    a, b, c = vector
    # v + 2 w (q x v) + 2 q x (q x v)
    i, j, k = 2.0 * (y * c - z * b), 2.0 * (z * a - x * c), 2.0 * (x * b - y * a)
    return (
        a + w * i + y * k - z * j,
        b + w * j + z * i - x * k,
        c + w * k + x * j - y * i,
    )


def conjugate(quaternion: Sequence[float]) -> Quaternion:
    """Return the x y z w quaternion of the opposite turn."""
    x, y, z, w = quaternion
    return -x, -y, -z, w


def covariance_from_triangle(
    triangle: Sequence[float], *, linear: str, angular: str
) -> list[float]:
    """Return the 36 values of a ROS covariance from the 21 of a MAVLink one.

    `linear` and `angular` say in which axes the first and the last three rows are: "world" or
    "body". An empty list when MAVLink's first value is NaN, its sign for unknown.
    """
    if len(triangle) != 21 or math.isnan(triangle[0]):
        return []
    full = [[0.0] * 6 for _ in range(6)]
    values = iter(triangle)
    for row in range(6):
        for column in range(row, 6):
            full[row][column] = full[column][row] = next(values)
    order, sign = _six_axes(linear, angular)
    return [
        sign[row] * sign[column] * full[order[row]][order[column]]
        for row in range(6)
        for column in range(6)
    ]


def _six_axes(linear: str, angular: str) -> tuple[list[int], list[float]]:
    axes = {"world": (_WORLD_ORDER, _WORLD_SIGN), "body": (_BODY_ORDER, _BODY_SIGN)}
    (first, first_sign), (last, last_sign) = axes[linear], axes[angular]
    return [*first, *(3 + index for index in last)], [*first_sign, *last_sign]
