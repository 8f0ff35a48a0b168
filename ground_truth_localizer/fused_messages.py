"""Messages of the fused pose."""

from __future__ import annotations

import numpy as np
from geometry_msgs.msg import PoseWithCovarianceStamped, TransformStamped
from nav_msgs.msg import Odometry

from ground_truth_localizer.pose_fusion import FusedState
from ros_interface.geometry_messages import (
    message_from_pose,
    planar_covariance,
    stamped_transform,
)
from ros_interface.stamps import stamp_from_nanoseconds
from spatial_types.transforms import Transform


def pose_of(state: FusedState) -> Transform:
    """Return map_from_target, on the floor plane."""
    return Transform.planar(float(state.position[0]), float(state.position[1]), state.yaw)


def pose_message(state: FusedState, frame_id: str) -> PoseWithCovarianceStamped:
    """Return the pose at the image's stamp."""
    message = PoseWithCovarianceStamped()
    message.header.stamp = stamp_from_nanoseconds(state.stamp)
    message.header.frame_id = frame_id
    message.pose.pose = message_from_pose(pose_of(state))
    message.pose.covariance = planar_covariance(state.pose_covariance)
    return message


def odometry_message(state: FusedState, frame_id: str, child_frame_id: str) -> Odometry:
    """Return pose and velocity; the twist is in the child's axes, as nav_msgs/Odometry says."""
    turn = np.eye(3)
    turn[:2, :2] = Transform.planar(0.0, 0.0, -state.yaw).rotation[:2, :2]
    velocity = turn[:2, :2] @ state.velocity
    message = Odometry(child_frame_id=child_frame_id)
    message.header.stamp = stamp_from_nanoseconds(state.stamp)
    message.header.frame_id = frame_id
    message.pose.pose = message_from_pose(pose_of(state))
    message.pose.covariance = planar_covariance(state.pose_covariance)
    message.twist.twist.linear.x = float(velocity[0])
    message.twist.twist.linear.y = float(velocity[1])
    message.twist.twist.angular.z = float(state.yaw_rate)
    message.twist.covariance = planar_covariance(turn @ state.twist_covariance @ turn.T)
    return message


def target_transform(state: FusedState, frame_id: str, child_frame_id: str) -> TransformStamped:
    """Return tf map -> target."""
    return stamped_transform(pose_of(state), state.stamp, frame_id, child_frame_id)


def odom_transform(
    state: FusedState, odom_from_target: Transform, frame_id: str, odom_frame: str
) -> TransformStamped:
    """Return tf map -> odom that puts the robot's own odometry where the target was seen.

    `odom_from_target` is the mounted target in the odometry's frame at the same stamp; only its
    place on the plane and its yaw are used.
    """
    x, y, _ = odom_from_target.translation
    planar = Transform.planar(float(x), float(y), odom_from_target.yaw)
    return stamped_transform(pose_of(state) @ planar.inverse(), state.stamp, frame_id, odom_frame)
