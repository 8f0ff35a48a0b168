"""A node that hears the running graph out, with as little work as possible."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PoseWithCovarianceStamped
from nav_msgs.msg import Odometry
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.serialization import deserialize_message
from rclpy.subscription import Subscription
from sensor_msgs.msg import Image, LaserScan

from evaluation.bag_reading import header_stamp
from evaluation.bag_salvage import RawMessage
from evaluation.estimator_chain import PoseLog
from evaluation.graph_log import Arrivals, GraphLog
from evaluation.reference_log import ReferenceLog
from evaluation.replay import pose_and_covariance
from evaluation.series import PoseSeries, Reference
from ros_interface.errors import MessageError
from ros_interface.geometry_messages import pose_from_message
from ros_interface.qos import LATCHED
from ros_interface.quiet_node import QuietNode
from ros_interface.stamps import nanoseconds_from_stamp

# It lets all others go first, so what comes meanwhile must wait and not be overwritten: a second of
# the reference, three of images.
WAITING = 100
DATA = QoSProfile(depth=WAITING, reliability=ReliabilityPolicy.BEST_EFFORT)
ESTIMATES = QoSProfile(depth=WAITING)


class GraphListenerNode(QuietNode):
    """Subscribes to data, estimates and reference, and fills a GraphLog.

    Messages stay serialized until they are asked for: decoding would take time from the nodes that
    are measured.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.log = GraphLog()
        self.progress = time.monotonic()
        for kind, topic, arrivals, qos in (
            (LaserScan, "/lrf/scan", self.log.scans, DATA),
            (Image, "/station/camera/image_raw", self.log.images, DATA),
            (PoseWithCovarianceStamped, "/ground_truth/pose", self.log.poses, ESTIMATES),
            (PoseWithCovarianceStamped, "/ground_truth/position", self.log.positions, ESTIMATES),
            (Odometry, "/reference/target", self.log.reference, DATA),
        ):
            noter = _with_arrival(self._noter(topic, arrivals))
            self.create_subscription(kind, topic, noter, qos, raw=True)
        self.create_subscription(DiagnosticStatus, "/ground_truth/status", self._on_status, LATCHED)

    def _on_scan(self, stamp: int) -> None:
        """Called for every scan with its stamp (ns)."""

    def _noter(self, topic: str, arrivals: Arrivals) -> Callable[[bytes, int], None]:
        def note(data: bytes, arrival: int) -> None:
            stamp = header_stamp(RawMessage(topic, "", 0, data))
            if stamp is None:
                return
            arrivals.add(stamp, arrival, data)
            if arrivals is self.log.scans:
                self._on_scan(stamp)
            if arrivals is self.log.scans or arrivals is self.log.images:
                self.progress = time.monotonic()

        return note

    def _on_status(self, message: DiagnosticStatus) -> None:
        values = {pair.key: pair.value for pair in message.values}
        now = int(self.get_clock().now().nanoseconds)
        self.log.add_state(now, values.get("state", message.message), message.message)

    def true_position(self) -> tuple[float, float]:
        """Return the newest reference x, y (m); what it is is only for placing and scoring."""
        message = deserialize_message(self.log.reference.messages[-1], Odometry)
        position = message.pose.pose.position
        return position.x, position.y

    def reference(self) -> Reference | None:
        """Return the reference as far as it was heard."""
        log = ReferenceLog()
        for message in self._decoded(self.log.reference, Odometry, "/reference/target"):
            log.frame = message.header.frame_id
            linear, rate = message.twist.twist.linear, message.twist.twist.angular.z
            stamp = nanoseconds_from_stamp(message.header.stamp)
            speed = float(np.hypot(linear.x, linear.y))
            log.add(stamp, pose_from_message(message.pose.pose), speed, float(rate))
        return log.reference()

    def fused(self) -> PoseSeries:
        """Return the fused poses."""
        return self._poses(self.log.poses, "/ground_truth/pose")

    def laser(self) -> PoseSeries:
        """Return the laser's positions; their yaw is unknown."""
        return self._poses(self.log.positions, "/ground_truth/position", with_yaw=False)

    def _poses(self, arrivals: Arrivals, topic: str, with_yaw: bool = True) -> PoseSeries:
        poses = PoseLog()
        for message in self._decoded(arrivals, PoseWithCovarianceStamped, topic):
            pose, yaw, covariance = pose_and_covariance(message.pose)
            stamp = nanoseconds_from_stamp(message.header.stamp)
            x, y = (float(value) for value in pose.translation[:2])
            if with_yaw:
                poses.add(stamp, x, y, yaw, covariance, bool(np.isfinite(yaw)))
            else:
                poses.add(stamp, x, y, np.nan, covariance[:2, :2])
        return poses.series("map")

    def _decoded(self, arrivals: Arrivals, kind: type, topic: str) -> Iterator[Any]:
        """Yield the messages that can be used; name the topic of those that cannot."""
        for data in arrivals.messages:
            message: Any = deserialize_message(data, kind)
            try:
                pose_from_message(message.pose.pose)
            except MessageError as error:
                self.get_logger().warning(f"{topic} refused: {error}")
                continue
            yield message


def _with_arrival(note: Callable[[bytes, int], None]) -> Callable[..., None]:
    """Give `note` the time (ns, system clock) at which the middleware received a message.

    Humble's rclpy does not tell it: there it is the time of the callback, which comes later.
    """
    if not hasattr(Subscription, "CallbackType"):
        return lambda data: note(data, time.time_ns())
    return lambda data, info: note(data, info["received_timestamp"] or time.time_ns())
