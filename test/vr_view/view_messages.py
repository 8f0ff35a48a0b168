"""Messages of the viewpoint's tests."""

from __future__ import annotations

from typing import Any

from geometry_msgs.msg import PoseStamped

from ros_interface.geometry_messages import message_from_pose
from ros_interface.stamps import stamp_from_nanoseconds


def stamped(message: Any, stamp: int, frame_id: str) -> Any:
    """The message with its header filled."""
    message.header.stamp = stamp_from_nanoseconds(stamp)
    message.header.frame_id = frame_id
    return message


def pose_stamped(pose: Any, frame_id: str = "viewpoint_device", stamp: int = 1) -> Any:
    return stamped(PoseStamped(pose=message_from_pose(pose)), stamp, frame_id)
