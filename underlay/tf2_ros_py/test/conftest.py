"""These tests hold for the real tf2_ros as well: they use only what it offers too."""

import os
import time
from collections.abc import Callable, Iterator

import pytest
import rclpy
from hypothesis import settings
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node

settings.register_profile("repeatable", derandomize=True)
settings.load_profile("repeatable")

# Before the first node: other tests on this machine must not be heard.
os.environ["ROS_DOMAIN_ID"] = str(1 + os.getpid() % 100)
os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"


class Graph:
    """Nodes of one test, spun until something holds."""

    def __init__(self) -> None:
        rclpy.init()
        self.executor = SingleThreadedExecutor()
        self.nodes: list[Node] = []

    def node(self, name: str, **arguments: object) -> Node:
        node = Node(name, **arguments)
        self.nodes.append(node)
        self.executor.add_node(node)
        return node

    def spin_until(self, condition: Callable[[], bool], seconds: float = 60.0) -> bool:
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                return False
            self.executor.spin_once(timeout_sec=0.05)
        return True

    def close(self) -> None:
        for node in self.nodes:
            self.executor.remove_node(node)
            node.destroy_node()
        self.executor.shutdown()
        rclpy.shutdown()


@pytest.fixture
def graph() -> Iterator[Graph]:
    graph = Graph()
    yield graph
    graph.close()
