"""From the axes of headsets to those of ROS: the one place where y-up becomes z-up.

OpenVR, WebXR and OpenGL have x right, y up and z backward; a body in ROS has x forward, y left and
z up (REP 103). Both are right-handed, so a pose changes its axes and nothing else: a quaternion
(x, y, z, w) becomes (-z, -x, y, w).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from spatial_types.transforms import Array, Transform

# Takes coordinates of a y-up device into ROS axes. It is also the eye correction: turned by +90
# degrees about x and then by -90 about z, a camera that looks along -z with y up looks along x
# with z up. As a quaternion: (0.5, -0.5, -0.5, 0.5).
ROS_FROM_Y_UP: Array = np.array([[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])


def vector_from_y_up(vectors: ArrayLike) -> Array:
    """Return vectors or points (..., 3) of a y-up device in ROS axes."""
    return np.asarray(vectors, dtype=float) @ ROS_FROM_Y_UP.T


def quaternion_from_y_up(quaternion: ArrayLike) -> Array:
    """Return a y-up device's quaternion (x, y, z, w) in ROS axes: (-z, -x, y, w)."""
    x, y, z, w = np.asarray(quaternion, dtype=float)
    return np.array([-z, -x, y, w])


def pose_from_y_up(position: ArrayLike, quaternion: ArrayLike) -> Transform:
    """Return a pose of a y-up device in ROS axes; ValueError where the quaternion is zero."""
    return Transform.from_quaternion(vector_from_y_up(position), quaternion_from_y_up(quaternion))


def pose_from_openvr(matrix: ArrayLike) -> Transform:
    """Return the pose of OpenVR's HmdMatrix34_t (3, 4), device to absolute, in ROS axes."""
    pose = np.asarray(matrix, dtype=float).reshape(3, 4)
    rotation = ROS_FROM_Y_UP @ pose[:, :3] @ ROS_FROM_Y_UP.T
    return Transform(rotation, ROS_FROM_Y_UP @ pose[:, 3])
