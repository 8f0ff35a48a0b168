"""Where a body looks, told by yaw and pitch: what is left of a rotation without its roll.

Setting one component of a quaternion to zero removes no roll; the decomposition does. Radians;
yaw counter-clockwise about z, pitch positive downward (REP 103).
"""

from __future__ import annotations

import math

from spatial_types.transforms import Array, matrix_from_rpy

# Looking so nearly straight up or down (sine of the rest), the up axis tells the yaw instead.
UPRIGHT = 1e-3


def yaw_pitch(rotation: Array) -> tuple[float, float]:
    """Return the yaw and the pitch of a rotation (3, 3) whose x axis looks forward."""
    forward, up = rotation[:, 0], rotation[:, 2]
    pitch = math.atan2(-forward[2], math.hypot(forward[0], forward[1]))
    if math.hypot(forward[0], forward[1]) < UPRIGHT:
        sign = -math.copysign(1.0, forward[2])
        return math.atan2(sign * up[1], sign * up[0]), pitch
    return math.atan2(forward[1], forward[0]), pitch


def looking(yaw: float, pitch: float) -> Array:
    """Return the rotation (3, 3) that looks so, without roll."""
    return matrix_from_rpy((0.0, pitch, yaw))


def without_roll(rotation: Array) -> Array:
    """Return the rotation (3, 3) that looks the same way, its y axis level."""
    return looking(*yaw_pitch(rotation))


def looking_along(direction: Array) -> tuple[float, float] | None:
    """Return yaw and pitch of looking along a vector (3,); None where it has no length."""
    x, y, z = (float(value) for value in direction)
    across = math.hypot(x, y)
    if math.hypot(across, z) < 1e-9:
        return None
    return math.atan2(y, x), math.atan2(-z, across)
