"""What the viewpoint's node publishes."""

from __future__ import annotations

from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PoseStamped
from rclpy.node import Node
from sensor_msgs.msg import CameraInfo
from tf2_ros import StaticTransformBroadcaster, TransformBroadcaster

from ros_interface.diagnostics import OK, status_message
from ros_interface.geometry_messages import message_from_pose, stamped_transform
from ros_interface.qos import LATCHED, RELIABLE
from ros_interface.stamps import stamp_from_nanoseconds
from spatial_types.transforms import Transform
from vr_view.eye_messages import camera_info_of_eye
from vr_view.viewpoints.eyes import BODY_FROM_OPTICAL, SIDES, Eyes

HEAD_FRAME = "viewpoint"
EYE_FRAMES = {side: f"viewpoint/{side}_eye" for side in SIDES}
OPTICAL_FRAMES = {side: f"{frame}_optical" for side, frame in EYE_FRAMES.items()}


class ViewpointTopics:
    """/viewpoint/head, left, right, both camera_info, tf, and the latency."""

    def __init__(self, node: Node, map_frame: str) -> None:
        self._node, self._map_frame = node, map_frame
        self._tf, self._static_tf = TransformBroadcaster(node), StaticTransformBroadcaster(node)
        self._latency = node.create_publisher(DiagnosticArray, "/viewpoint/latency", RELIABLE)
        self._poses: dict[str, Any] = {
            name: node.create_publisher(PoseStamped, f"/viewpoint/{name}", RELIABLE)
            for name in ("head", *SIDES)
        }
        self._infos: dict[str, Any] = {
            side: node.create_publisher(CameraInfo, f"/viewpoint/{side}/camera_info", LATCHED)
            for side in SIDES
        }
        self._messages: dict[str, CameraInfo] = {}
        self._head_from_eye: dict[str, Transform] = {}

    def set_eyes(self, eyes: Eyes) -> None:
        """Take other eyes: where they are, and what they see."""
        now = self._node.get_clock().now().nanoseconds
        transforms = []
        for side in SIDES:
            eye, optical = EYE_FRAMES[side], OPTICAL_FRAMES[side]
            self._head_from_eye[side] = eyes.head_from_eye(side)
            self._messages[side] = camera_info_of_eye(eyes, side, optical)
            transforms += [
                stamped_transform(self._head_from_eye[side], now, HEAD_FRAME, eye),
                stamped_transform(BODY_FROM_OPTICAL, now, eye, optical),
            ]
        self._static_tf.sendTransform(transforms)

    def publish(self, map_from_head: Transform, stamp: int) -> None:
        """Send one viewpoint of `stamp` (ns): all its messages bear that stamp."""
        self._tf.sendTransform(stamped_transform(map_from_head, stamp, self._map_frame, HEAD_FRAME))
        self._send_pose("head", map_from_head, stamp)
        for side in SIDES:
            self._send_pose(side, map_from_head @ self._head_from_eye[side], stamp)
            info = self._messages[side]
            info.header.stamp = stamp_from_nanoseconds(stamp)
            self._infos[side].publish(info)

    def _send_pose(self, name: str, map_from_body: Transform, stamp: int) -> None:
        message = PoseStamped(pose=message_from_pose(map_from_body))
        message.header.stamp = stamp_from_nanoseconds(stamp)
        message.header.frame_id = self._map_frame
        self._poses[name].publish(message)

    def tell_latency(self, head_age: float | None, skipped: int, missed: int) -> None:
        """Tell how old the head is (s; None: never heard), and how many viewpoints never came."""
        values = {
            "head_age_ms": "never" if head_age is None else f"{1000.0 * head_age:.1f}",
            "skipped": skipped,
            "missed": missed,
        }
        message = DiagnosticArray()
        message.header.stamp = self._node.get_clock().now().to_msg()
        message.status = [status_message("viewpoint", OK, "viewpoint", values)]
        self._latency.publish(message)
