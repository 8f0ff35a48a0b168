"""The viewpoint's node on a real graph."""

from __future__ import annotations

import json
import math
import re
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import rclpy
import tf2_ros
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import PoseStamped
from rclpy.time import Time
from ros_graph import RosGraph
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import CameraInfo
from std_msgs.msg import String
from std_srvs.srv import Trigger
from view_messages import pose_stamped

from ros_interface.errors import ConfigurationError
from ros_interface.geometry_messages import pose_from_message, stamped_transform
from ros_interface.geometry_messages import transform_from_message as transform
from ros_interface.qos import LATCHED
from ros_interface.stamps import nanoseconds_from_stamp
from spatial_types.frustum import Frustum
from spatial_types.transforms import Transform
from vr_view.eye_messages import camera_info_of_eye
from vr_view.viewpoint_node import ViewpointNode
from vr_view.viewpoints.eyes import EyeOptions, Eyes

DOMAIN = 64
PAGE = Path(__file__).resolve().parents[2] / "vr_view/page"
HEAD = Transform.from_rpy((0.1, 0.2, 1.7), (0.0, 0.1, 0.5))


@pytest.fixture
def graph():
    made = RosGraph(DOMAIN)
    yield made
    made.close()


def pose_of(message):
    return pose_from_message(message.pose)


def counts_of(statuses):
    values = [s for array in statuses for s in array.status if s.name == "viewpoint"]
    return {item.key: item.value for item in values[-1].values} if values else {}


def of_one_stamp(heard, map_from_head):
    """Return the newest stamp that a message of each kind bears, and these; None without one."""
    by_stamp = {
        name: {nanoseconds_from_stamp(m.header.stamp): m for m in messages}
        for name, messages in heard.items()
    }
    there = [
        stamp
        for stamp, message in by_stamp["head"].items()
        if np.allclose(pose_of(message).translation, map_from_head.translation)
        and all(stamp in messages for messages in by_stamp.values())
    ]
    return (there[-1], {n: m[there[-1]] for n, m in by_stamp.items()}) if there else None


def test_head_and_eyes_go_out_with_one_stamp_on_topics_and_on_tf(graph):
    graph.start(ViewpointNode, place=[1.0, 2.0, 0.0, math.pi / 2], eyes__distance=0.06)
    heard = {
        name: graph.listen(PoseStamped, f"/viewpoint/{name}", 500)
        for name in ("head", "left", "right")
    }
    infos = graph.listen(CameraInfo, "/viewpoint/right/camera_info", 500)
    buffer = tf2_ros.Buffer()
    listener = tf2_ros.TransformListener(buffer, graph.peer)
    publisher = graph.peer.create_publisher(PoseStamped, "/viewpoint/device/head", 1)
    wanted = Transform.planar(1.0, 2.0, math.pi / 2) @ HEAD

    everything = {**heard, "info": infos}
    tell = partial(publisher.publish, pose_stamped(HEAD))
    graph.until(lambda: of_one_stamp(everything, wanted), tell)
    stamp, found = of_one_stamp(everything, wanted)
    assert found["head"].header.frame_id == "map"
    np.testing.assert_allclose(pose_of(found["head"]).rotation, wanted.rotation, atol=1e-9)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        in_head = wanted.inverse().apply(pose_of(found[side]).translation)
        np.testing.assert_allclose(in_head, [0.0, sign * 0.03, 0.0], atol=1e-9)
        frame = f"viewpoint/{side}_eye"
        graph.until(partial(buffer.can_transform, "map", frame, Time(nanoseconds=stamp)))
        on_tf = buffer.lookup_transform("map", frame, Time(nanoseconds=stamp))
        eye = wanted.apply([0.0, sign * 0.03, 0.0])
        np.testing.assert_allclose(transform(on_tf.transform).translation, eye, atol=1e-6)
        graph.until(partial(buffer.can_transform, frame, f"{frame}_optical", Time()))
    info = found["info"]
    assert info.header.frame_id == "viewpoint/right_eye_optical"
    assert info.p[3] == pytest.approx(-0.06 * info.p[0])
    listener.unregister()


def test_options_of_the_modes_are_told(graph):
    graph.start(ViewpointNode, orbit__distance=3.5, camera__level=True, target_frame="drone")
    told = graph.listen(DiagnosticStatus, "/viewpoint/options", LATCHED)
    graph.until(lambda: told)
    values = {pair.key: json.loads(pair.value) for pair in told[0].values}
    assert values["orbit.distance"] == 3.5
    assert values["camera.level"] is True
    assert values["target_frame"] == "drone"
    assert values["place"] == pytest.approx([0.0, 0.5, 0.0, math.pi / 2], abs=1e-5)
    page = (PAGE / "src/view/viewpoint.ts").read_text()
    wanted = re.search(r"interface ViewOptions \{(.*?)\}", page, re.DOTALL)[1]
    assert set(re.findall(r'^\s*"?([\w.]+)"?:', wanted, re.MULTILINE)) == set(values) - {"mode"}


def test_eyes_come_from_the_device_where_it_tells_them(graph):
    graph.start(ViewpointNode, place=[0.0, 0.0, 0.0, 0.0])
    lefts = graph.listen(CameraInfo, "/viewpoint/left/camera_info", LATCHED)
    rights = graph.listen(PoseStamped, "/viewpoint/right", 500)
    eyes = Eyes(
        0.07, Frustum(1.4, 1.2, 1.5, 1.4).camera(900, 800), Frustum(1, 1, 1, 1).camera(900, 800)
    )
    for side in ("left", "right"):
        topic = f"/viewpoint/device/{side}/camera_info"
        publisher = graph.peer.create_publisher(CameraInfo, topic, LATCHED)
        publisher.publish(camera_info_of_eye(eyes, side, "anything"))
    graph.until(lambda: lefts and lefts[-1].width == 900)
    np.testing.assert_allclose(lefts[-1].k, eyes.left.matrix.ravel())

    def is_apart():
        # The head at rest looks along x, so that its right eye is 35 mm below y = 0.
        return rights and pose_of(rights[-1]).translation[1] == pytest.approx(-0.035)

    graph.until(is_apart)


def test_without_transform_viewpoints_are_skipped_and_counted_until_it_comes(graph):
    graph.start(ViewpointNode, mode="orbit", target_frame="drone/base_link", orbit__distance=3.0)
    heads = graph.listen(PoseStamped, "/viewpoint/head")
    statuses = graph.listen(DiagnosticArray, "/diagnostics")
    skipped = "viewpoints without transform"
    graph.until(lambda: int(counts_of(statuses).get(skipped, 0)) > 20)
    assert heads == []
    drone = Transform.planar(1.0, 1.0, 0.4, 2.0)

    def fly():
        graph.broadcaster.sendTransform(
            stamped_transform(drone, graph.now(), "map", "drone/base_link")
        )

    graph.until(lambda: heads, fly)
    np.testing.assert_allclose(pose_of(heads[-1]).translation, [-2.0, 1.0, 2.0], atol=1e-6)


def test_an_old_transform_is_none(graph):
    graph.start(ViewpointNode, mode="follow", tf_timeout=0.5)
    heads = graph.listen(PoseStamped, "/viewpoint/head")
    latencies = graph.listen(DiagnosticArray, "/viewpoint/latency")

    def long_gone():
        then = graph.now() - 2_000_000_000
        graph.broadcaster.sendTransform(stamped_transform(Transform(), then, "map", "target"))

    graph.until(lambda: int(counts_of(latencies).get("skipped", 0)) > 20, long_gone)
    assert heads == []


def test_the_mode_is_changed_by_a_topic_and_told_to_who_comes_late(graph):
    graph.start(ViewpointNode)
    publisher = graph.peer.create_publisher(String, "/viewpoint/mode", 10)
    heads = graph.listen(PoseStamped, "/viewpoint/head")
    graph.until(lambda: heads)
    states = graph.listen(String, "/viewpoint/mode_state", LATCHED)  # after it was told
    graph.until(lambda: states)
    assert states[-1].data == "fixed"
    statuses = graph.listen(DiagnosticArray, "/diagnostics")
    graph.until(
        lambda: "unknown modes" in counts_of(statuses),
        lambda: publisher.publish(String(data="fly")),
    )
    assert {state.data for state in states} == {"fixed"}
    graph.until(
        lambda: states[-1].data == "steered", lambda: publisher.publish(String(data="steered"))
    )


def test_bad_heads_are_refused_and_counted_and_the_view_stays(graph):
    graph.start(ViewpointNode, place=[0.0, 0.0, 0.0, 0.0])
    publisher = graph.peer.create_publisher(PoseStamped, "/viewpoint/device/head", 1)
    statuses = graph.listen(DiagnosticArray, "/diagnostics")
    heads = graph.listen(PoseStamped, "/viewpoint/head")
    broken = pose_stamped(HEAD)
    broken.pose.orientation.w = math.nan

    def send():
        publisher.publish(broken)
        publisher.publish(pose_stamped(HEAD, frame_id="map"))

    graph.until(lambda: int(counts_of(statuses).get("bad head poses", 0)) >= 2, send)
    assert {tuple(pose_of(head).translation) for head in heads} == {(0.0, 0.0, 1.6)}


def test_recentring_puts_the_head_over_the_place(graph):
    graph.start(ViewpointNode, place=[1.0, 2.0, 0.0, 0.0])
    publisher = graph.peer.create_publisher(PoseStamped, "/viewpoint/device/head", 1)
    heads = graph.listen(PoseStamped, "/viewpoint/head")
    graph.until(
        lambda: heads and heads[-1].pose.position.z == pytest.approx(1.7),
        lambda: publisher.publish(pose_stamped(HEAD)),
    )
    client = graph.peer.create_client(Trigger, "/viewpoint/recentre")
    graph.until(client.service_is_ready)
    answer = client.call_async(Trigger.Request())
    graph.until(answer.done)
    assert answer.result().success
    graph.until(lambda: np.allclose(pose_of(heads[-1]).translation, [1.0, 2.0, 1.7]))


def test_while_simulated_time_stands_still_the_view_goes_on_with_stamps_of_its_own(graph):
    graph.start(ViewpointNode, use_sim_time=True)
    clock = graph.peer.create_publisher(Clock, "/clock", 10)
    heads = graph.listen(PoseStamped, "/viewpoint/head")
    moment = Clock()
    moment.clock.sec = 7

    def stamps():
        found = [nanoseconds_from_stamp(head.header.stamp) for head in heads]
        return [stamp for stamp in found if stamp >= 7_000_000_000]

    graph.until(lambda: len(stamps()) > 20, lambda: clock.publish(moment))
    found = stamps()
    assert found == sorted(set(found))
    assert found[-1] < 7_001_000_000  # some nanoseconds each, not wall time


def test_a_silent_head_is_told_and_the_view_stays_where_it_was(graph):
    graph.start(ViewpointNode, head_timeout=0.3, place=[0.0, 0.0, 0.0, 0.0])
    publisher = graph.peer.create_publisher(PoseStamped, "/viewpoint/device/head", 1)
    statuses = graph.listen(DiagnosticArray, "/diagnostics")
    heads = graph.listen(PoseStamped, "/viewpoint/head")
    graph.until(
        lambda: heads and heads[-1].pose.position.z == pytest.approx(1.7),
        lambda: publisher.publish(pose_stamped(HEAD)),
    )

    def is_told():
        texts = [s.message for a in statuses for s in a.status if s.name == "viewpoint"]
        return any("head silent for" in text for text in texts)

    graph.until(is_told)
    heads.clear()
    graph.until(lambda: heads)
    np.testing.assert_allclose(pose_of(heads[-1]).translation, HEAD.translation)


@pytest.mark.parametrize(
    ("parameters", "text"),
    [
        ({"mode": "chase"}, "mode = 'chase': expected one of fixed, free_look"),
        ({"place": [1.0, 2.0]}, r"place = \[1.0, 2.0\]: expected x, y, z and yaw"),
        ({"head_at_rest": [1.0]}, r"head_at_rest = \[1.0\]: expected x, y, z"),
        ({"orbit__distance": 0.0}, "orbit.distance = 0.0"),
    ],
)
def test_wrong_parameters_are_refused_by_name(graph, parameters, text):
    with pytest.raises(ConfigurationError, match=text):
        graph.start(ViewpointNode, **parameters)


def test_a_node_that_ends_leaves_no_thread_behind(graph):
    node = graph.start(ViewpointNode)
    heads = graph.listen(PoseStamped, "/viewpoint/head")
    graph.until(lambda: heads)
    graph.executor.remove_node(node)
    graph.nodes.remove(node)
    node.destroy_node()
    assert not node._loop._thread.is_alive()
    assert node._loop.error is None
    assert rclpy.ok(context=graph.context)


def test_default_eyes_are_the_parameters():
    eyes = EyeOptions(distance=0.05, width=100, height=50, hfov=math.pi / 2).eyes()
    info = camera_info_of_eye(eyes, "right", "frame")
    assert (info.width, info.height) == (100, 50)
    assert info.p[3] == pytest.approx(-50.0 * 0.05)
    assert camera_info_of_eye(eyes, "left", "frame").p[3] == 0.0
