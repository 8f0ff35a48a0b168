"""Short ways to write transforms in these tests."""

import math

from builtin_interfaces.msg import Time
from geometry_msgs.msg import TransformStamped
from rclpy.duration import Duration
from rclpy.time import Time as RclpyTime
from tf2_ros import Buffer


def at(seconds: float) -> RclpyTime:
    return RclpyTime(nanoseconds=round(seconds * 1e9))


def pose(
    parent: str,
    child: str,
    seconds: float = 0.0,
    xyz: tuple[float, float, float] = (0.0, 0.0, 0.0),
    yaw: float = 0.0,
) -> TransformStamped:
    message = TransformStamped()
    message.header.frame_id = parent
    nanoseconds = round(seconds * 1e9)
    message.header.stamp = Time(sec=nanoseconds // 10**9, nanosec=nanoseconds % 10**9)
    message.child_frame_id = child
    moved, turned = message.transform.translation, message.transform.rotation
    moved.x, moved.y, moved.z = xyz
    turned.z, turned.w = math.sin(yaw / 2.0), math.cos(yaw / 2.0)
    return message


def xyz_of(message: TransformStamped) -> tuple[float, float, float]:
    moved = message.transform.translation
    return (moved.x, moved.y, moved.z)


def xyzw_of(message: TransformStamped) -> tuple[float, float, float, float]:
    turned = message.transform.rotation
    return (turned.x, turned.y, turned.z, turned.w)


def yaw_of(message: TransformStamped) -> float:
    x, y, z, w = xyzw_of(message)
    return math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))


def stamp_of(message: TransformStamped) -> float:
    return message.header.stamp.sec + message.header.stamp.nanosec * 1e-9


def filled(*transforms: TransformStamped, static: tuple[TransformStamped, ...] = ()) -> Buffer:
    buffer = Buffer(cache_time=Duration(seconds=10))
    for transform in transforms:
        buffer.set_transform(transform, "test")
    for transform in static:
        buffer.set_transform_static(transform, "test")
    return buffer
