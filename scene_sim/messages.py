"""ROS messages of the simulator's readings."""

from __future__ import annotations

import array

import numpy as np
from builtin_interfaces.msg import Time
from geometry_msgs.msg import PoseStamped, Vector3
from nav_msgs.msg import Odometry as OdometryMessage
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import Imu, JointState

from ros_interface.errors import MessageError
from ros_interface.geometry_messages import (
    message_from_pose,
    pose_from_message,
    quaternion_message,
)
from ros_interface.stamps import stamp_from_nanoseconds
from scene_sim.readings import ImuReading, JointStates, Odometry
from spatial_types.transforms import Transform

WORLD_FRAMES = ("", "map", "world")
FARTHEST = 1e6  # m; far beyond it MuJoCo calls a state broken and puts the whole scene back


def pose_in_world(message: PoseStamped) -> Transform:
    """Return world_from_body; MessageError where the pose is in another frame, or none."""
    frame = message.header.frame_id
    if frame not in WORLD_FRAMES:
        raise MessageError(f"PoseStamped.header.frame_id = '{frame}': expected 'map'")
    pose = pose_from_message(message.pose)
    if np.abs(pose.translation).max() > FARTHEST:
        raise MessageError(
            f"PoseStamped.pose.position = {pose.translation.tolist()}: expected at most "
            f"{FARTHEST:g} m"
        )
    return pose


def clock_message(stamp: int) -> Clock:
    """Return the simulated time as /clock has it."""
    seconds, nanoseconds = divmod(stamp, 1_000_000_000)
    return Clock(clock=Time(sec=seconds, nanosec=nanoseconds))


def joint_state_message(states: JointStates) -> JointState:
    """Return positions and velocities; no efforts."""
    message = JointState()
    message.header.stamp = stamp_from_nanoseconds(states.stamp)
    message.name = list(states.names)
    message.position = array.array("d", states.positions)
    message.velocity = array.array("d", states.velocities)
    return message


def imu_message(reading: ImuReading) -> Imu:
    """Return the reading; a missing orientation has covariance -1 (sensor_msgs/Imu)."""
    message = Imu()
    message.header.stamp = stamp_from_nanoseconds(reading.stamp)
    message.header.frame_id = reading.frame_id
    if reading.orientation is None:
        message.orientation_covariance[0] = -1.0
    else:
        message.orientation = quaternion_message(reading.orientation)
    message.angular_velocity = _vector(reading.angular_velocity)
    message.linear_acceleration = _vector(reading.linear_acceleration)
    return message


def odometry_message(odometry: Odometry) -> OdometryMessage:
    """Return pose and twist (in the child's axes); covariances zero, as Gazebo's."""
    message = OdometryMessage()
    message.header.stamp = stamp_from_nanoseconds(odometry.stamp)
    message.header.frame_id = odometry.frame_id
    message.child_frame_id = odometry.child_frame_id
    message.pose.pose = message_from_pose(odometry.pose)
    message.twist.twist.linear = _vector(odometry.linear_velocity)
    message.twist.twist.angular = _vector(odometry.angular_velocity)
    return message


def _vector(values: np.ndarray) -> Vector3:
    x, y, z = values
    return Vector3(x=float(x), y=float(y), z=float(z))
