"""Nodes under test in a ROS domain of their own, and one node that plays everything else."""

from __future__ import annotations

import os
import time
from typing import Any

os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"

import rclpy
import tf2_ros
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter

from ros_interface.geometry_messages import message_from_pose
from ros_interface.stamps import stamp_from_nanoseconds

PATIENCE = 60.0


class ViewGraph:
    """What was heard lies in lists by topic."""

    def __init__(self, domain: int) -> None:
        self.context = rclpy.Context()
        rclpy.init(context=self.context, domain_id=domain)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.peer = rclpy.create_node("peer", context=self.context)
        self.executor.add_node(self.peer)
        self.nodes = [self.peer]
        self.broadcaster = tf2_ros.TransformBroadcaster(self.peer)

    def start(self, factory: Any, **parameters: Any) -> Any:
        overrides = [
            Parameter(name.replace("__", "."), value=value) for name, value in parameters.items()
        ]
        node = factory(context=self.context, parameter_overrides=overrides)
        self.nodes.append(node)
        self.executor.add_node(node)
        return node

    def listen(self, kind: type, topic: str, qos: Any = 10) -> list[Any]:
        heard: list[Any] = []
        self.peer.create_subscription(kind, topic, heard.append, qos)
        return heard

    def until(self, condition: Any, act: Any = lambda: None) -> None:
        """Spin, repeating `act`, until the condition holds."""
        end = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < end, "waited in vain"
            act()
            self.executor.spin_once(timeout_sec=0.05)

    def now(self) -> int:
        return self.peer.get_clock().now().nanoseconds

    def close(self) -> None:
        self.executor.shutdown()
        for node in self.nodes:
            node.destroy_node()
        rclpy.shutdown(context=self.context)


def stamped(message: Any, stamp: int, frame_id: str) -> Any:
    """The message with its header filled."""
    message.header.stamp = stamp_from_nanoseconds(stamp)
    message.header.frame_id = frame_id
    return message


def pose_stamped(pose: Any, frame_id: str = "viewpoint_device", stamp: int = 1) -> Any:
    from geometry_msgs.msg import PoseStamped

    return stamped(PoseStamped(pose=message_from_pose(pose)), stamp, frame_id)
