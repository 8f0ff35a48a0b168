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

PATIENCE = 150.0


class RosGraph:
    """What was heard lies in lists, one for each call of `listen`."""

    def __init__(self, domain: int) -> None:
        self.context = rclpy.Context()
        rclpy.init(context=self.context, domain_id=domain)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.peer = rclpy.create_node("peer", context=self.context)
        self.executor.add_node(self.peer)
        self.nodes = [self.peer]
        self.broadcaster = tf2_ros.TransformBroadcaster(self.peer)

    def start(self, factory: Any, **parameters: Any) -> Any:
        """Make a node and spin it; two underscores in a parameter's name stand for its dot."""
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

    def until(self, condition: Any, act: Any = lambda: None) -> bool:
        """Act and spin, over and over, until the condition holds; it must in the end."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            act()
            for _ in range(10):  # no faster than what is given can be taken in
                self.executor.spin_once(timeout_sec=0.01)
                if condition():
                    return True
        raise AssertionError("waited in vain")

    def now(self) -> int:
        return self.peer.get_clock().now().nanoseconds

    def close(self) -> None:
        self.executor.shutdown()
        for node in self.nodes:
            node.destroy_node()
        rclpy.shutdown(context=self.context)
