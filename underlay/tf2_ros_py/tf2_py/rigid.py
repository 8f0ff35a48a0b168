"""Rigid transforms of plain tuples: for single transforms far faster than arrays.

A rotation is a unit quaternion (x, y, z, w), a translation (x, y, z). A `Rigid` b_from_a takes
coordinates in a to coordinates in b.
"""

from __future__ import annotations

import math
from typing import NamedTuple

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]


class Rigid(NamedTuple):
    """A rotation, then a translation."""

    translation: Vector
    rotation: Quaternion


IDENTITY = Rigid((0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0))


def multiply(a: Quaternion, b: Quaternion) -> Quaternion:
    """The rotation `b`, then `a`."""
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return (
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    )


def rotate(q: Quaternion, v: Vector) -> Vector:
    """The vector turned by the unit quaternion: v + 2 q x (q x v + w v)."""
    x, y, z, w = q
    cx = y * v[2] - z * v[1] + w * v[0]
    cy = z * v[0] - x * v[2] + w * v[1]
    cz = x * v[1] - y * v[0] + w * v[2]
    return (
        v[0] + 2.0 * (y * cz - z * cy),
        v[1] + 2.0 * (z * cx - x * cz),
        v[2] + 2.0 * (x * cy - y * cx),
    )


def length_of(q: Quaternion) -> float:
    """The length; zero or infinite where a square of a part is beyond what a float can hold."""
    return math.sqrt(sum(part * part for part in q))


def normalized(q: Quaternion) -> Quaternion:
    """The unit quaternion of the same rotation, with the sign that tf2 gives it.

    tf2 passes rotations through matrices: of q and -q it returns the one with positive w, or, from
    rotations of more than 120 degrees on, the one whose largest of x, y, z is positive.
    """
    length = length_of(q)
    x, y, z, w = (part / length for part in q)
    leading = w if abs(w) > 0.5 else max((x, y, z), key=abs)
    return (x, y, z, w) if leading > 0.0 else (-x, -y, -z, -w)


def compose(c_from_b: Rigid, b_from_a: Rigid) -> Rigid:
    """c_from_a."""
    turned = rotate(c_from_b.rotation, b_from_a.translation)
    moved = c_from_b.translation
    return Rigid(
        (turned[0] + moved[0], turned[1] + moved[1], turned[2] + moved[2]),
        multiply(c_from_b.rotation, b_from_a.rotation),
    )


def inverse(b_from_a: Rigid) -> Rigid:
    """a_from_b."""
    x, y, z, w = b_from_a.rotation
    back = (-x, -y, -z, w)
    tx, ty, tz = rotate(back, b_from_a.translation)
    return Rigid((-tx, -ty, -tz), back)


def slerp(a: Quaternion, b: Quaternion, ratio: float) -> Quaternion:
    """The rotation `ratio` of the way from a to b, the shorter way round at constant speed."""
    cosine = sum(p * q for p, q in zip(a, b, strict=True))
    sign = 1.0 if cosine >= 0.0 else -1.0
    angle = math.acos(min(1.0, abs(cosine)))
    if angle < 1e-9:
        return a
    scale = 1.0 / math.sin(angle)
    from_a = math.sin((1.0 - ratio) * angle) * scale
    from_b = math.sin(ratio * angle) * scale * sign
    x, y, z, w = (from_a * p + from_b * q for p, q in zip(a, b, strict=True))
    return (x, y, z, w)


def interpolate(a: Rigid, b: Rigid, ratio: float) -> Rigid:
    """The pose `ratio` of the way from a to b: straight line and slerp, as tf2 does."""
    x, y, z = (p + ratio * (q - p) for p, q in zip(a.translation, b.translation, strict=True))
    return Rigid((x, y, z), slerp(a.rotation, b.rotation, ratio))
