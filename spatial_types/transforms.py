"""Rigid transforms in three dimensions.

`a_from_b` names a transform that takes coordinates of frame b into frame a; it is also the
pose of b in a. Quaternions are x y z w as in ROS messages (REP 103).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Transform:
    """A rigid transform: `rotation` (3, 3) orthonormal, `translation` (3,) in metres."""

    rotation: Array = field(default_factory=lambda: np.eye(3))
    translation: Array = field(default_factory=lambda: np.zeros(3))

    def __matmul__(self, other: Transform) -> Transform:
        """Compose: `a_from_c = a_from_b @ b_from_c`."""
        return Transform(
            self.rotation @ other.rotation,
            self.rotation @ other.translation + self.translation,
        )

    def inverse(self) -> Transform:
        """Return `b_from_a` of an `a_from_b`."""
        back = self.rotation.T
        return Transform(back, -back @ self.translation)

    def apply(self, points: ArrayLike) -> Array:
        """Take points (..., 3) of frame b into frame a."""
        return np.asarray(points, dtype=float) @ self.rotation.T + self.translation

    def rotate(self, vectors: ArrayLike) -> Array:
        """Turn free vectors (..., 3) of frame b into frame a."""
        return np.asarray(vectors, dtype=float) @ self.rotation.T

    @property
    def quaternion(self) -> Array:
        """The rotation as a unit quaternion x y z w, with w >= 0."""
        return quaternion_from_matrix(self.rotation)

    @property
    def yaw(self) -> float:
        """Rotation about z of the fixed-axis roll, pitch, yaw decomposition (REP 103)."""
        return float(np.arctan2(self.rotation[1, 0], self.rotation[0, 0]))

    @staticmethod
    def from_quaternion(translation: ArrayLike, quaternion: ArrayLike) -> Transform:
        """Build from a translation (3,) and a quaternion x y z w of any non-zero length.

        Raises ValueError where the quaternion is zero or not finite.
        """
        return Transform(matrix_from_quaternion(quaternion), np.asarray(translation, dtype=float))

    @staticmethod
    def from_rpy(
        translation: ArrayLike = (0.0, 0.0, 0.0), rpy: ArrayLike = (0.0, 0.0, 0.0)
    ) -> Transform:
        """Build from a translation (3,) and roll, pitch, yaw about fixed axes (URDF, SDF)."""
        return Transform(matrix_from_rpy(rpy), np.asarray(translation, dtype=float))

    @staticmethod
    def planar(x: float, y: float, yaw: float, z: float = 0.0) -> Transform:
        """Build a pose on the floor plane (or at height z)."""
        cosine, sine = math.cos(yaw), math.sin(yaw)
        rotation = np.array([[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]])
        return Transform(rotation, np.array([x, y, z], dtype=float))


def matrix_from_rpy(rpy: ArrayLike) -> Array:
    """Return Rz(yaw) Ry(pitch) Rx(roll), (3, 3)."""
    roll, pitch, yaw = np.asarray(rpy, dtype=float)
    cr, sr, cp, sp = np.cos(roll), np.sin(roll), np.cos(pitch), np.sin(pitch)
    cy, sy = np.cos(yaw), np.sin(yaw)
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def matrix_from_quaternion(quaternion: ArrayLike) -> Array:
    """Return the rotation matrix (3, 3) of a quaternion x y z w; ValueError if it is zero."""
    q = np.asarray(quaternion, dtype=float)
    norm = float(np.linalg.norm(q))
    if not np.isfinite(norm) or norm < 1e-12:
        raise ValueError(f"quaternion {q.tolist()} has no direction; expected unit length")
    x, y, z, w = q / norm
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def quaternion_from_matrix(rotation: ArrayLike) -> Array:
    """Return the unit quaternion x y z w, w >= 0, of a rotation matrix (3, 3).

    Largest-component form (Shepperd 1978), stable for every rotation.
    """
    # Plain numbers: NumPy costs ten times as much for so few.
    (xx, m01, m02), (m10, yy, m12), (m20, m21, zz) = np.asarray(rotation, dtype=float).tolist()
    squares = (1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz, 1 + xx + yy + zz)
    largest = max(squares)
    ax, ay, az = m21 - m12, m02 - m20, m10 - m01
    xy, xz, yz = m10 + m01, m20 + m02, m21 + m12
    rows = (
        (largest, xy, xz, ax),
        (xy, largest, yz, ay),
        (xz, yz, largest, az),
        (ax, ay, az, largest),
    )
    x, y, z, w = rows[squares.index(largest)]
    length = math.copysign(math.sqrt(x * x + y * y + z * z + w * w), w)
    return np.array([x / length, y / length, z / length, w / length])


def rotation_vector(rotation: ArrayLike) -> Array:
    """Return the axis (3,) times the angle, 0 to pi, of a rotation (3, 3)."""
    x, y, z, w = quaternion_from_matrix(rotation).tolist()
    sine = math.sqrt(x * x + y * y + z * z)
    scale = 2.0 * math.atan2(sine, w) / sine if sine > 1e-9 else 2.0
    return np.array([scale * x, scale * y, scale * z])


def shortened(vector: Array, longest: float) -> Array:
    """Return a vector (3,), no longer than `longest`."""
    length = float(np.linalg.norm(vector))
    return vector if length <= longest else vector * (longest / length)
