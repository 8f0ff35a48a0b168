"""geometry_msgs and spatial_types.Transform. Quaternions x y z w, metres, radians (REP 103)."""

from __future__ import annotations

import math

import numpy as np
from geometry_msgs.msg import Point, Pose, Quaternion, TransformStamped, Vector3
from geometry_msgs.msg import Transform as TransformMessage
from numpy.typing import ArrayLike

from ros_interface.errors import MessageError
from ros_interface.stamps import stamp_from_nanoseconds
from spatial_types.transforms import Transform

# What a 6 x 6 covariance (REP 103 order: x y z, rotation about X Y Z) holds for an unknown axis.
UNKNOWN_VARIANCE = 1e6
# m; farther than anything on Earth, also in coordinates of a national grid, and safe to square.
FARTHEST = 1e9


def transform_from_message(message: TransformMessage) -> Transform:
    """Return the transform; MessageError for places beyond FARTHEST and no direction."""
    return _transform(message.translation, message.rotation, "Transform")


def pose_from_message(message: Pose) -> Transform:
    """Return the pose as `parent_from_body`; MessageError as transform_from_message."""
    return _transform(message.position, message.orientation, "Pose")


def _transform(translation: Point | Vector3, rotation: Quaternion, kind: str) -> Transform:
    position = np.array([translation.x, translation.y, translation.z])
    quaternion = np.array([rotation.x, rotation.y, rotation.z, rotation.w])
    if not np.all(np.abs(position) <= FARTHEST):  # NaN neither
        raise MessageError(
            f"{kind} has position {position.tolist()}: expected numbers up to {FARTHEST:g} m"
        )
    try:
        return Transform.from_quaternion(position, quaternion)
    except ValueError as error:
        raise MessageError(f"{kind}: {error}") from None


def quaternion_message(quaternion: ArrayLike) -> Quaternion:
    """Return x y z w as a message."""
    x, y, z, w = (float(value) for value in np.asarray(quaternion))
    return Quaternion(x=x, y=y, z=z, w=w)


def quaternion_message_from_yaw(yaw: float) -> Quaternion:
    """Return the rotation by yaw about z as a message."""
    return Quaternion(x=0.0, y=0.0, z=math.sin(yaw / 2.0), w=math.cos(yaw / 2.0))


def message_from_pose(pose: Transform) -> Pose:
    """Return `parent_from_body` as a Pose."""
    x, y, z = (float(value) for value in pose.translation)
    return Pose(position=Point(x=x, y=y, z=z), orientation=quaternion_message(pose.quaternion))


def message_from_transform(transform: Transform) -> TransformMessage:
    """Return `parent_from_child` as a Transform message."""
    x, y, z = (float(value) for value in transform.translation)
    return TransformMessage(
        translation=Vector3(x=x, y=y, z=z), rotation=quaternion_message(transform.quaternion)
    )


def stamped_transform(
    parent_from_child: Transform, stamp: int, parent: str, child: str
) -> TransformStamped:
    """Return a TransformStamped of `parent_from_child` at `stamp` (ns)."""
    message = TransformStamped()
    message.header.stamp = stamp_from_nanoseconds(stamp)
    message.header.frame_id = parent
    message.child_frame_id = child
    message.transform = message_from_transform(parent_from_child)
    return message


def planar_covariance(covariance: ArrayLike) -> list[float]:
    """Spread a covariance of x, y (2, 2) or x, y, yaw (3, 3) over the 36 values of a message.

    What it does not tell is `UNKNOWN_VARIANCE` on the diagonal; z, roll and pitch are known to be
    zero on the plane and get no variance to speak of (1e-9).
    """
    block = np.asarray(covariance, dtype=float)
    full = np.diag([0.0, 0.0, 1e-9, 1e-9, 1e-9, UNKNOWN_VARIANCE])
    axes = [0, 1, 5][: len(block)]
    full[np.ix_(axes, axes)] = block
    return full.ravel().tolist()
