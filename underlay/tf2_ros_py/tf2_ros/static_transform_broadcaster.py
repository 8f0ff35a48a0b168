"""Publish transforms on /tf_static, latched."""

from __future__ import annotations

from collections.abc import Iterable

from geometry_msgs.msg import TransformStamped
from rclpy.node import Node
from rclpy.qos import QoSProfile
from tf2_msgs.msg import TFMessage

from tf2_ros.transform_broadcaster import as_list
from tf2_ros.transform_listener import latched


class StaticTransformBroadcaster:
    """A publisher of poses that stay. Each message repeats all, for those who come late."""

    def __init__(self, node: Node, qos: QoSProfile | int | None = None) -> None:
        """Publish by this node."""
        self.pub_tf = node.create_publisher(
            TFMessage, "/tf_static", latched(1) if qos is None else qos
        )
        self.net_message = TFMessage()
        self._by_child: dict[str, TransformStamped] = {}

    def sendTransform(self, transform: TransformStamped | Iterable[TransformStamped]) -> None:  # noqa: N802
        """Add one or several; the pose of a child that was sent before is replaced."""
        for one in as_list(transform):
            self._by_child[one.child_frame_id] = one
        self.net_message.transforms = list(self._by_child.values())
        self.pub_tf.publish(self.net_message)
