"""A drone's telemetry as ROS messages: the border to ROS, and nothing but conversion."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from geometry_msgs.msg import PoseStamped, TransformStamped
from nav_msgs.msg import Odometry as OdometryMessage
from sensor_msgs.msg import BatteryState, Imu, NavSatFix, NavSatStatus
from tf2_ros import TransformBroadcaster

from mavlink_bridge.frames import Quaternion, Vector
from mavlink_bridge.mapping.telemetry import Battery
from mavlink_bridge.piloting.drone_state import Fix, InertialReading, Odometry, Pose
from ros_interface.geometry_messages import UNKNOWN_VARIANCE
from ros_interface.qos import RELIABLE, SENSOR_DATA
from ros_interface.stamps import NANOSECONDS_PER_SECOND
from spatial_types.transforms import Transform

NO_TURN = (0.0, 0.0, 0.0)  # where nothing is told of one
UNKNOWN_COVARIANCE = np.diag([UNKNOWN_VARIANCE] * 6).ravel()
NOT_GIVEN = [-1.0, *[0.0] * 8]  # what sensor_msgs/Imu has for "no such reading"


class DroneTopics:
    """Publishes what is told, where somebody listens. Frames: `map` and NAME/base_link."""

    def __init__(
        self, node: Any, name: str, map_frame: str, map_from_local: Transform, publish_tf: bool
    ) -> None:
        self._map_frame, self._base_frame = map_frame, f"{name}/base_link"
        self._lie(map_from_local)
        self._broadcaster = TransformBroadcaster(node) if publish_tf else None
        self._last_tf = 0

        self._make_messages()

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

    def _lie(self, map_from_local: Transform) -> None:
        yaw = map_from_local.yaw
        self._rotation = map_from_local.rotation
        self._origin = tuple(map(float, map_from_local.translation))
        self._cosine, self._sine = math.cos(yaw), math.sin(yaw)
        self._half = math.cos(yaw / 2.0), math.sin(yaw / 2.0)

    def _make_messages(self) -> None:
        """Make the messages that go out often, once: filling one takes a third of making one."""
        map_frame, base_frame = self._map_frame, self._base_frame
        self._pose_message, self._tf_message = PoseStamped(), TransformStamped()
        self._odometry_message = OdometryMessage(child_frame_id=base_frame)
        for message in (self._pose_message, self._tf_message, self._odometry_message):
            message.header.frame_id = map_frame
        self._tf_message.child_frame_id = base_frame
        self._imu_messages = {known: Imu() for known in (False, True)}
        for imu in self._imu_messages.values():
            imu.header.frame_id = base_frame
        self._imu_messages[False].orientation_covariance = NOT_GIVEN

    def restart(self) -> None:
        """The clock was set back: older stamps are new ones again."""
        self._last_tf = 0

    def send(self, product: Any, stamp: int) -> None:
        """Publish a product measured at `stamp` (ns)."""
        self._senders[type(product)](product, stamp)

    def _send_pose(self, pose: Pose, stamp: int) -> None:
        wanted = self._pose.get_subscription_count()
        sends_tf = self._broadcaster is not None and stamp > self._last_tf
        if not wanted and not sends_tf:
            return
        position, orientation = self._place(pose)
        if wanted:
            message = self._pose_message
            _stamp(message, stamp)
            _fill_vector(message.pose.position, position)
            _fill_quaternion(message.pose.orientation, orientation)
            self._pose.publish(message)
        if sends_tf:
            self._last_tf = stamp
            transform = self._tf_message
            _stamp(transform, stamp)
            _fill_vector(transform.transform.translation, position)
            _fill_quaternion(transform.transform.rotation, orientation)
            self._broadcaster.sendTransform(transform)  # type: ignore[union-attr]

    def _send_odometry(self, odometry: Odometry, stamp: int) -> None:
        if not self._odometry.get_subscription_count():
            return
        message = self._odometry_message
        _stamp(message, stamp)
        position, orientation = self._place(odometry.pose)
        _fill_vector(message.pose.pose.position, position)
        _fill_quaternion(message.pose.pose.orientation, orientation)
        message.pose.covariance = self._in_map(odometry.pose.covariance)
        _fill_vector(message.twist.twist.linear, odometry.linear_velocity)
        _fill_vector(message.twist.twist.angular, odometry.angular_velocity or NO_TURN)
        message.twist.covariance = _covariance(odometry.twist_covariance)
        self._odometry.publish(message)

    def _place(self, pose: Pose) -> tuple[Vector, Quaternion]:
        """Return position and orientation in the map: `map_from_local` turns about z alone."""
        x, y, z = pose.position
        u, v, w = self._origin
        c, s = self._cosine, self._sine
        i, j, k, r = pose.orientation
        a, b = self._half  # cosine and sine of half the turn
        turned = (a * i - b * j, a * j + b * i, a * k + b * r, a * r - b * k)
        return (u + c * x - s * y, v + s * x + c * y, w + z), turned

    def _in_map(self, covariance: Sequence[float]) -> Any:
        """Turn the world rows of a pose's covariance into map axes."""
        if not covariance:
            return _covariance(covariance)
        turn = np.eye(6)
        turn[:3, :3] = self._rotation
        return (turn @ np.reshape(covariance, (6, 6)) @ turn.T).ravel()

    def _send_imu(self, inertial: InertialReading, stamp: int) -> None:
        if not self._imu.get_subscription_count():
            return
        known = inertial.orientation is not None
        message = self._imu_messages[known]
        _stamp(message, stamp)
        if inertial.orientation is not None:
            _fill_quaternion(message.orientation, inertial.orientation)
        _fill_vector(message.angular_velocity, inertial.reading.angular_velocity)
        _fill_vector(message.linear_acceleration, inertial.reading.linear_acceleration)
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
        _stamp(message, stamp)
        message.header.frame_id = frame


def _stamp(message: Any, stamp: int) -> None:
    time = message.header.stamp
    time.sec, time.nanosec = divmod(stamp, NANOSECONDS_PER_SECOND)


def _fill_vector(message: Any, values: Vector) -> None:
    x, y, z = values
    message.x, message.y, message.z = float(x), float(y), float(z)


def _fill_quaternion(message: Any, values: Quaternion) -> None:
    x, y, z, w = values
    message.x, message.y, message.z, message.w = float(x), float(y), float(z), float(w)


def _covariance(values: Sequence[float]) -> Any:
    return np.asarray(values) if len(values) else UNKNOWN_COVARIANCE
