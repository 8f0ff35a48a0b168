"""An emulated headset's page, the node that serves it and the viewpoint's node, over topics."""

import os
import threading

os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")

import numpy as np
import pytest
import rclpy
from browsers import PAGE, Tab, running_browser
from geometry_msgs.msg import PoseStamped
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter
from sensor_msgs.msg import CameraInfo, Joy
from std_msgs.msg import UInt16
from tf2_msgs.msg import TFMessage

from ros_interface.qos import LATCHED, RELIABLE
from vr_view.page_server_node import PageServerNode
from vr_view.viewpoint_node import ViewpointNode

DOMAIN = 94
# In WebXR's axes: 0.1 m to the right, 1.5 m up, 0.2 m ahead, looking 90 degrees to the left.
PLACE, TURN = [0.1, 1.5, -0.2], [0.0, np.sqrt(0.5), 0.0, np.sqrt(0.5)]
IN_DEVICE = ([0.2, -0.1, 1.5], [0.0, 0.0, np.sqrt(0.5), np.sqrt(0.5)])
# The device's floor stands at (0, 0.5, 0) of the map and looks along y: the head looks along -x.
IN_MAP = ([0.1, 0.7, 1.5], [0.0, 0.0, 1.0, 0.0])


class Graph:
    """Both nodes and a listener, each on a thread of its own."""

    def __init__(self):
        self.context = Context()
        rclpy.init(context=self.context, domain_id=DOMAIN)
        settings = {"port": 0, "page": str(PAGE / "dist")}
        overrides = [Parameter(key, value=value) for key, value in settings.items()]
        self.page = PageServerNode(context=self.context, parameter_overrides=overrides)
        self.viewpoint = ViewpointNode(context=self.context)
        self.friend = rclpy.create_node("friend", context=self.context)
        self.nodes = [self.page, self.viewpoint, self.friend]
        self.executors = [SingleThreadedExecutor(context=self.context) for _ in self.nodes]
        self.threads = []
        for executor, node in zip(self.executors, self.nodes, strict=True):
            executor.add_node(node)
            self.threads.append(threading.Thread(target=executor.spin, daemon=True))
            self.threads[-1].start()

    def listen(self, kind, topic, qos=RELIABLE):
        heard = []
        self.friend.create_subscription(kind, topic, heard.append, qos)
        return heard

    def close(self):
        for executor in self.executors:
            executor.shutdown()
        for thread in self.threads:
            thread.join(10.0)
        for node in self.nodes:
            node.destroy_node()
        rclpy.shutdown(context=self.context)


@pytest.fixture
def graph():
    made = Graph()
    yield made
    made.close()


@pytest.fixture
def tab(graph):
    with running_browser() as browser:
        opened = Tab(browser, headset=True).open(f"http://localhost:{graph.page.server.port}/")
        opened.page.evaluate(
            "([place, turn]) => { headset.position.set(...place);"
            " headset.quaternion.set(...turn); }",
            [PLACE, [float(value) for value in TURN]],
        )
        opened.enter_vr()
        yield opened
        opened.close()


def is_at(pose, wanted):
    """Whether a pose or a transform is at (position, quaternion); a quaternion's sign is free."""
    place = getattr(pose, "position", None) or pose.translation
    turn = getattr(pose, "orientation", None) or pose.rotation
    got = np.array([turn.x, turn.y, turn.z, turn.w])
    is_there = np.abs(np.subtract([place.x, place.y, place.z], wanted[0])).max() < 1e-4
    return is_there and abs(got @ np.array(wanted[1])) > 1 - 1e-6


def test_head_arrives_on_topics_and_tf(graph, tab):
    device = graph.listen(PoseStamped, "/viewpoint/device/head")
    head = graph.listen(PoseStamped, "/viewpoint/head")
    tf = graph.listen(TFMessage, "/tf")
    infos = graph.listen(CameraInfo, "/viewpoint/device/right/camera_info", LATCHED)
    tab.until(lambda: device and is_at(device[-1].pose, IN_DEVICE))
    assert device[-1].header.frame_id == "viewpoint_device"
    tab.until(lambda: head and is_at(head[-1].pose, IN_MAP))
    assert head[-1].header.frame_id == "map"

    def is_on_tf():
        rows = [row for message in list(tf) for row in message.transforms]
        return any(
            (row.header.frame_id, row.child_frame_id) == ("map", "viewpoint")
            and is_at(row.transform, IN_MAP)
            for row in rows
        )

    tab.until(is_on_tf)
    tab.until(lambda: infos)
    info = infos[-1]
    assert -info.p[3] / info.p[0] == pytest.approx(tab.page.evaluate("headset.ipd"), abs=1e-4)


def test_controllers_arrive_in_joy_and_haptics_come_back(graph, tab):
    joys = graph.listen(Joy, "/viewpoint/right_hand/joy")
    tab.page.evaluate(
        """() => { const right = headset.controllers.right;
          right.updateAxes("thumbstick", 0.5, -1); right.updateButtonValue("trigger", 0.75);
          right.updateButtonValue("b-button", 1); }"""
    )
    tab.until(lambda: joys and joys[-1].axes[2] > 0.5)
    tab.record_pulses()
    assert list(joys[-1].axes) == pytest.approx([-0.5, 1.0, 0.75, 0.0], abs=1e-6)
    assert list(joys[-1].buttons) == [1, 0, 0, 0, 1]
    shake = graph.friend.create_publisher(UInt16, "/viewpoint/right_hand/haptics", RELIABLE)

    def felt():
        shake.publish(UInt16(data=3999))
        return tab.page.evaluate("window.pulses.length > 0")

    tab.until(felt)
    assert tab.page.evaluate("window.pulses[0]") == ["right", 1, 100]
