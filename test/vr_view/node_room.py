"""A node under test and one beside it, in a graph of their own."""

from __future__ import annotations

import os
import time

import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter

PATIENCE = 60.0  # s; a loaded machine is slow, and nothing here asserts how fast it is


class NodeRoom:
    """`make(context=..., parameter_overrides=...)` is the node; `__` in a name is a dot."""

    def __init__(self, domain, make, **parameters):
        self.context = Context()
        os.environ.update(ROS_AUTOMATIC_DISCOVERY_RANGE="LOCALHOST")
        rclpy.init(context=self.context, domain_id=domain)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.nodes = []
        self.heard = {}
        self.publishers = {}
        self.other = self.add(rclpy.create_node("other", context=self.context))
        overrides = [
            Parameter(name.replace("__", "."), value=value) for name, value in parameters.items()
        ]
        try:
            self.node = self.add(make(context=self.context, parameter_overrides=overrides))
        except Exception:
            self.close()
            raise

    def add(self, node):
        self.nodes.append(node)
        self.executor.add_node(node)
        return node

    def end_node(self):
        """Take the node under test away, as the end of its program does."""
        self.nodes.remove(self.node)
        self.executor.remove_node(self.node)
        self.node.destroy_node()

    def close(self):
        self.executor.shutdown()
        for node in reversed(self.nodes):
            node.destroy_node()
        rclpy.shutdown(context=self.context)

    def listen(self, kind, topic, qos=50):
        self.heard[topic] = []
        self.other.create_subscription(kind, topic, self.heard[topic].append, qos)
        return self.heard[topic]

    def send(self, topic, message):
        if topic not in self.publishers:
            made = self.other.create_publisher(type(message), topic, 10)
            self.publishers[topic] = made
            self.wait(made.get_subscription_count)
        self.publishers[topic].publish(message)

    def spin(self):
        self.executor.spin_once(timeout_sec=0.02)

    def wait(self, condition, meanwhile=lambda: None):
        end = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < end, {name: len(all) for name, all in self.heard.items()}
            meanwhile()
            self.spin()
