"""A node without event handlers still says whose messages cannot come."""

import time

import pytest
import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from std_msgs.msg import Float64

from ros_interface.qos import LATCHED, RELIABLE
from ros_interface.quiet_node import QuietNode


@pytest.fixture
def context(monkeypatch):
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    made = Context()
    rclpy.init(context=made, domain_id=63)
    yield made
    rclpy.shutdown(context=made)


def wait(node, condition, patience=20.0):
    executor = SingleThreadedExecutor(context=node.context)
    executor.add_node(node)
    end = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        executor.spin_once(timeout_sec=0.05)


def test_a_publisher_that_does_not_fit_is_named(context):
    node, talker = QuietNode("listens", context=context), Node("talks", context=context)
    node.create_subscription(Float64, "/level", print, LATCHED)
    node.create_subscription(Float64, "/speed", print, RELIABLE)
    talker.create_publisher(Float64, "/level", RELIABLE)
    talker.create_publisher(Float64, "/speed", RELIABLE)
    wait(node, lambda: node.count_publishers("/speed") and node.mismatches())
    (text,) = node.mismatches()
    assert "/level" in text
    assert "talks" in text
    assert "ransient local" in text


def test_no_handler_of_events_waits(context):
    node = QuietNode("plain", context=context)
    subscription = node.create_subscription(Float64, "/level", print, RELIABLE)
    publisher = node.create_publisher(Float64, "/speed", RELIABLE)
    assert not subscription.event_handlers
    assert not publisher.event_handlers
