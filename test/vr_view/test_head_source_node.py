"""The node that reads a script or SteamVR, and the viewpoint's behind it."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PoseStamped
from rclpy.time import Time
from ros_graph import RosGraph
from sensor_msgs.msg import CameraInfo, Joy
from std_msgs.msg import UInt16
from test_openvr_device import SteamVr
from tf2_ros import Buffer, TransformListener

from ros_interface.errors import ConfigurationError
from ros_interface.geometry_messages import pose_from_message, transform_from_message
from ros_interface.qos import LATCHED
from spatial_types.parameters import ParameterError
from vr_view.head_source_node import HeadSourceNode
from vr_view.viewpoint_node import ViewpointNode

DOMAIN = 65


@pytest.fixture
def graph():
    made = RosGraph(DOMAIN)
    yield made
    made.close()


@pytest.fixture
def steam(monkeypatch):
    made = SteamVr()
    monkeypatch.setitem(sys.modules, "openvr", made)
    return made


def test_a_scripted_head_moves_the_viewpoint(graph):
    graph.start(HeadSourceNode, script=["0 30 0 0 1.0 0.0 1.5"])
    graph.start(ViewpointNode, place=[0.0, 0.0, 0.0, 0.0])
    heads = graph.listen(PoseStamped, "/viewpoint/head")
    graph.until(lambda: heads and heads[-1].pose.position.x == 1.0)
    found = pose_from_message(heads[-1].pose)
    assert found.yaw == pytest.approx(np.radians(30))
    assert found.translation.tolist() == [1.0, 0.0, 1.5]


def test_steamvr_is_waited_for_and_then_tells_all(graph, steam):
    graph.start(HeadSourceNode, source="openvr", retry=0.1)
    heads = graph.listen(PoseStamped, "/viewpoint/device/head")
    hands = graph.listen(PoseStamped, "/viewpoint/device/left_hand")
    joys = graph.listen(Joy, "/viewpoint/left_hand/joy")
    infos = graph.listen(CameraInfo, "/viewpoint/device/left/camera_info", LATCHED)
    statuses = graph.listen(DiagnosticArray, "/diagnostics")

    def waits():
        texts = [status.message for array in statuses for status in array.status]
        return any("waiting for SteamVR" in text for text in texts)

    graph.until(lambda: waits() and steam.asked > 2)
    assert heads == []
    steam.running = True
    graph.until(lambda: heads and hands and joys and infos)
    assert heads[-1].header.frame_id == "viewpoint_device"
    assert list(joys[-1].axes) == [-0.25, -0.5, 0.75, 1.0]
    assert infos[-1].width == 1000


def test_the_devices_tf_tree_is_joined_to_nothing(graph, steam):
    steam.running = True
    graph.start(HeadSourceNode, source="openvr")
    graph.start(ViewpointNode)
    buffer = Buffer()
    listener = TransformListener(buffer, graph.peer)
    hand, head = "viewpoint_device/left_hand", "viewpoint_device/head"
    graph.until(lambda: buffer.can_transform(head, hand, Time()))
    graph.until(lambda: buffer.can_transform("map", "viewpoint/left_eye", Time()))
    poses = steam.system.poses
    found = transform_from_message(buffer.lookup_transform(head, hand, Time()).transform)
    wanted = poses[0].inverse() @ poses[3]
    np.testing.assert_allclose(found.translation, wanted.translation, atol=1e-9)
    assert not buffer.can_transform("map", head, Time())
    listener.unregister()


def test_a_pulse_is_felt_for_its_time_and_a_wrong_one_is_refused(graph, steam):
    steam.running = True
    graph.start(HeadSourceNode, source="openvr")
    publisher = graph.peer.create_publisher(UInt16, "/viewpoint/left_hand/haptics", 10)
    statuses = graph.listen(DiagnosticArray, "/diagnostics")
    pulses = steam.system.pulses
    graph.until(lambda: pulses, lambda: publisher.publish(UInt16(data=3999)))
    assert pulses[0] == (3, 0, 3999)

    def is_counted():
        keys = {item.key for array in statuses for s in array.status for item in s.values}
        return "bad pulses" in keys

    graph.until(is_counted, lambda: publisher.publish(UInt16(data=4000)))


def test_without_the_package_the_error_says_what_to_install(graph, monkeypatch):
    monkeypatch.setitem(sys.modules, "openvr", None)
    with pytest.raises(ConfigurationError, match="pip install openvr"):
        graph.start(HeadSourceNode, source="openvr")


def test_a_wrong_script_is_refused_by_its_line(graph):
    with pytest.raises(ParameterError, match="line 1 = 'left'"):
        graph.start(HeadSourceNode, script=["left"])
