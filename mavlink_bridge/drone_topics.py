"""A drone's telemetry as ROS messages: the border to ROS, and nothing but conversion."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from geometry_msgs.msg import PoseStamped, Vector3
from nav_msgs.msg import Odometry as OdometryMessage
from sensor_msgs.msg import BatteryState, Imu, NavSatFix, NavSatStatus
from tf2_ros import TransformBroadcaster

from mavlink_bridge.mapping.telemetry import Battery
from mavlink_bridge.piloting.drone_state import Fix, InertialReading, Odometry, Pose
from ros_interface.geometry_messages import (
    UNKNOWN_VARIANCE,
    message_from_pose,
    quaternion_message,
    stamped_transform,
)
from ros_interface.qos import RELIABLE, SENSOR_DATA
from ros_interface.stamps import stamp_from_nanoseconds
from spatial_types.transforms import Transform

UNKNOWN_COVARIANCE = np.diag([UNKNOWN_VARIANCE] * 6).ravel()
NOT_GIVEN = [-1.0, *[0.0] * 8]  # what sensor_msgs/Imu has for "no such reading"


class DroneTopics:
    """Publishes what is told, where somebody listens. Frames: `map` and NAME/base_link."""

    def __init__(
        self, node: Any, name: str, map_frame: str, map_from_local: Transform, publish_tf: bool
    ) -> None:
        self._map_frame, self._base_frame = map_frame, f"{name}/base_link"
        self._map_from_local = map_from_local
        self._broadcaster = TransformBroadcaster(node) if publish_tf else None
        self._last_tf = 0

        def publisher(kind: type, topic: str, qos: Any) -> Any:
            return node.create_publisher(kind, f"/{name}/{topic}", qos)

        self._pose = publisher(PoseStamped, "pose", RELIABLE)
        self._odometry = publisher(OdometryMessage, "odometry", RELIABLE)
        self._imu = publisher(Imu, "imu", SENSOR_DATA)
        self._fix = publisher(NavSatFix, "global_position", SENSOR_DATA)
        self._battery = publisher(BatteryState, "battery", RELIABLE)
        self._senders: dict[type, Any] = {
            Pose: self._send_pose,
            Odometry: self._send_odometry,
            InertialReading: self._send_imu,
            Fix: self._send_fix,
            Battery: self._send_battery,
        }

    def restart(self) -> None:
        """The clock was set back: older stamps are new ones again."""
        self._last_tf = 0

    def send(self, product: Any, stamp: int) -> None:
        """Publish a product measured at `stamp` (ns)."""
        self._senders[type(product)](product, stamp)

    def map_from_base(self, pose: Pose) -> Transform:
        """Return the pose in the map."""
        return self._map_from_local @ Transform.from_quaternion(pose.position, pose.orientation)

    def _send_pose(self, pose: Pose, stamp: int) -> None:
        map_from_base = self.map_from_base(pose)
        if self._pose.get_subscription_count():
            message = PoseStamped(pose=message_from_pose(map_from_base))
            self._head(message, stamp, self._map_frame)
            self._pose.publish(message)
        if self._broadcaster is not None and stamp > self._last_tf:
            self._last_tf = stamp
            self._broadcaster.sendTransform(
                stamped_transform(map_from_base, stamp, self._map_frame, self._base_frame)
            )

    def _send_odometry(self, odometry: Odometry, stamp: int) -> None:
        if not self._odometry.get_subscription_count():
            return
        message = OdometryMessage(child_frame_id=self._base_frame)
        self._head(message, stamp, self._map_frame)
        message.pose.pose = message_from_pose(self.map_from_base(odometry.pose))
        message.pose.covariance = self._in_map(odometry.pose.covariance)
        message.twist.twist.linear = _vector(odometry.linear_velocity)
        twist = _covariance(odometry.twist_covariance)
        if odometry.angular_velocity is not None:
            message.twist.twist.angular = _vector(odometry.angular_velocity)
        message.twist.covariance = twist
        self._odometry.publish(message)

    def _in_map(self, covariance: Sequence[float]) -> Any:
        """Turn the world rows of a pose's covariance into map axes."""
        if not covariance:
            return _covariance(covariance)
        turn = np.eye(6)
        turn[:3, :3] = self._map_from_local.rotation
        return (turn @ np.reshape(covariance, (6, 6)) @ turn.T).ravel()

    def _send_imu(self, inertial: InertialReading, stamp: int) -> None:
        if not self._imu.get_subscription_count():
            return
        message = Imu()
        self._head(message, stamp, self._base_frame)
        if inertial.orientation is None:
            message.orientation_covariance = NOT_GIVEN
        else:
            message.orientation = quaternion_message(inertial.orientation)
        message.angular_velocity = _vector(inertial.reading.angular_velocity)
        message.linear_acceleration = _vector(inertial.reading.linear_acceleration)
        self._imu.publish(message)

    def _send_fix(self, fix: Fix, stamp: int) -> None:
        if not self._fix.get_subscription_count():
            return
        message = NavSatFix(latitude=fix.latitude, longitude=fix.longitude, altitude=fix.altitude)
        self._head(message, stamp, self._base_frame)
        message.status.service = NavSatStatus.SERVICE_GPS
        message.status.status = NavSatStatus.STATUS_NO_FIX
        if fix.is_valid:
            differential = fix.is_differential
            message.status.status = (
                NavSatStatus.STATUS_GBAS_FIX if differential else NavSatStatus.STATUS_FIX
            )
        flat, up = fix.horizontal_deviation**2, fix.vertical_deviation**2
        if math.isfinite(flat) and math.isfinite(up):
            message.position_covariance = [flat, 0.0, 0.0, 0.0, flat, 0.0, 0.0, 0.0, up]
            message.position_covariance_type = NavSatFix.COVARIANCE_TYPE_DIAGONAL_KNOWN
        self._fix.publish(message)

    def _send_battery(self, battery: Battery, stamp: int) -> None:
        message = BatteryState(
            voltage=battery.voltage,
            current=-battery.current,  # ROS counts what is drawn as negative
            percentage=battery.remaining,
            charge=math.nan,
            capacity=math.nan,
            design_capacity=math.nan,
            temperature=math.nan,
            present=True,
            location=str(battery.number),
        )
        self._head(message, stamp, "")
        self._battery.publish(message)

    @staticmethod
    def _head(message: Any, stamp: int, frame: str) -> None:
        message.header.stamp = stamp_from_nanoseconds(stamp)
        message.header.frame_id = frame


def _vector(values: Sequence[float]) -> Vector3:
    x, y, z = values
    return Vector3(x=float(x), y=float(y), z=float(z))


def _covariance(values: Sequence[float]) -> Any:
    return np.asarray(values) if len(values) else UNKNOWN_COVARIANCE
