"""Fill a buffer from the topics /tf and /tf_static."""

from __future__ import annotations

from threading import Thread

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile
from tf2_msgs.msg import TFMessage

from tf2_ros.buffer import Buffer

DEFAULT_TF_TOPIC = "/tf"
DEFAULT_STATIC_TF_TOPIC = "/tf_static"
AUTHORITY = "default_authority"


class TransformListener:
    """Subscriptions of a node that keep a buffer up to date for as long as this object lives."""

    def __init__(
        self,
        buffer: Buffer,
        node: Node,
        *,
        spin_thread: bool = False,
        qos: QoSProfile | int | None = None,
        static_qos: QoSProfile | int | None = None,
        tf_topic: str = DEFAULT_TF_TOPIC,
        tf_static_topic: str = DEFAULT_STATIC_TF_TOPIC,
    ) -> None:
        """Subscribe; with `spin_thread` a thread of its own spins the node."""
        self.buffer = buffer
        self.node = node
        # Reentrant: a callback that waits for a transform must not keep the transform from coming.
        self.group = ReentrantCallbackGroup()
        self.tf_sub = node.create_subscription(
            TFMessage,
            tf_topic,
            self.callback,
            QoSProfile(depth=100) if qos is None else qos,
            callback_group=self.group,
        )
        self.tf_static_sub = node.create_subscription(
            TFMessage,
            tf_static_topic,
            self.static_callback,
            latched(100) if static_qos is None else static_qos,
            callback_group=self.group,
        )
        if spin_thread:
            self.executor = SingleThreadedExecutor(context=node.context)
            self.dedicated_listener_thread = Thread(target=self._spin, daemon=True)
            self.dedicated_listener_thread.start()

    def _spin(self) -> None:
        self.executor.add_node(self.node)
        try:
            self.executor.spin()
        except ExternalShutdownException:
            return
        self.executor.remove_node(self.node)

    def __del__(self) -> None:
        if hasattr(self, "dedicated_listener_thread"):
            self.executor.shutdown()
            self.dedicated_listener_thread.join(timeout=5.0)
        self.unregister()

    def unregister(self) -> None:
        """End both subscriptions."""
        for name in ("tf_sub", "tf_static_sub"):
            if hasattr(self, name):
                self.node.destroy_subscription(getattr(self, name))

    def callback(self, data: TFMessage) -> None:
        """Take a message of /tf."""
        for transform in data.transforms:
            self.buffer.set_transform(transform, AUTHORITY)

    def static_callback(self, data: TFMessage) -> None:
        """Take a message of /tf_static."""
        for transform in data.transforms:
            self.buffer.set_transform_static(transform, AUTHORITY)


def latched(depth: int) -> QoSProfile:
    """Late subscribers get the last messages too."""
    return QoSProfile(
        depth=depth,
        durability=DurabilityPolicy.TRANSIENT_LOCAL,
        history=HistoryPolicy.KEEP_LAST,
    )
