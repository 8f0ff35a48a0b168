"""What the viewpoint's node publishes."""

from __future__ import annotations

from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PoseStamped
from sensor_msgs.msg import CameraInfo
from tf2_msgs.msg import TFMessage
from tf2_ros import StaticTransformBroadcaster

from ros_interface.diagnostics import OK, status_message
from ros_interface.geometry_messages import stamped_transform
from ros_interface.qos import LATCHED, RELIABLE, TF
from ros_interface.quick_messages import QuickMessage
from spatial_types.transforms import Array, Transform
from vr_view.eye_messages import camera_info_of_eye
from vr_view.viewpoints.eyes import BODY_FROM_OPTICAL, SIDES, Eyes

HEAD_FRAME = "viewpoint"
EYE_FRAMES = {side: f"viewpoint/{side}_eye" for side in SIDES}
OPTICAL_FRAMES = {side: f"{frame}_optical" for side, frame in EYE_FRAMES.items()}


class ViewpointTopics:
    """/viewpoint/head, left, right, both camera_info, tf, and the latency."""

    def __init__(self, node: Any, map_frame: str) -> None:
        self._node = node
        self._static_tf = StaticTransformBroadcaster(node)
        self._latency = node.create_publisher(DiagnosticArray, "/viewpoint/latency", RELIABLE)
        self._tf = node.create_publisher(TFMessage, "/tf", TF)
        self._poses: dict[str, Any] = {
            name: node.create_publisher(PoseStamped, f"/viewpoint/{name}", RELIABLE)
            for name in ("head", *SIDES)
        }
        self._infos: dict[str, Any] = {
            side: node.create_publisher(CameraInfo, f"/viewpoint/{side}/camera_info", LATCHED)
            for side in SIDES
        }
        pose = PoseStamped()
        pose.header.frame_id = map_frame
        self._pose = QuickMessage(pose)
        transform = stamped_transform(Transform(), 0, map_frame, HEAD_FRAME)
        # The stamp comes behind the number of transforms.
        self._transform = QuickMessage(TFMessage(transforms=[transform]), stamp_at=4)
        self._info: dict[str, QuickMessage] = {}
        self._offsets: dict[str, Array] = {}

    def set_eyes(self, eyes: Eyes) -> None:
        """Take other eyes: where they are, and what they see."""
        now = self._node.get_clock().now().nanoseconds
        transforms = []
        for side in SIDES:
            eye, optical = EYE_FRAMES[side], OPTICAL_FRAMES[side]
            head_from_eye = eyes.head_from_eye(side)
            self._offsets[side] = head_from_eye.translation
            self._info[side] = QuickMessage(camera_info_of_eye(eyes, side, optical))
            transforms += [
                stamped_transform(head_from_eye, now, HEAD_FRAME, eye),
                stamped_transform(BODY_FROM_OPTICAL, now, eye, optical),
            ]
        self._static_tf.sendTransform(transforms)

    def publish(self, map_from_head: Transform, stamp: int) -> None:
        """Send one viewpoint of `stamp` (ns): all its messages bear that stamp."""
        turn = map_from_head.quaternion.tolist()
        place = map_from_head.translation.tolist()
        self._poses["head"].publish(self._pose.placed(stamp, place, turn))
        for side in SIDES:
            eye = map_from_head.apply(self._offsets[side]).tolist()
            self._poses[side].publish(self._pose.placed(stamp, eye, turn))
        self._tf.publish(self._transform.placed(stamp, place, turn))
        for side in SIDES:
            self._infos[side].publish(self._info[side].stamped(stamp))

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
