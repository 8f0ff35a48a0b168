"""The node among others: topics to the page, the page's head and hands to topics."""

from __future__ import annotations

import asyncio

import cv2
import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from geometry_msgs.msg import PoseStamped, PoseWithCovarianceStamped, Vector3Stamped
from nav_msgs.msg import Odometry
from page_node import graph
from page_servers import in_page, open_page, until
from sensor_msgs.msg import CameraInfo, Image, Joy, LaserScan
from std_msgs.msg import UInt16
from tf2_msgs.msg import TFMessage

from ros_interface.errors import ConfigurationError
from ros_interface.geometry_messages import stamped_transform
from ros_interface.image_messages import image_from_array
from ros_interface.qos import LATCHED, SENSOR_DATA
from ros_interface.stamps import stamp_from_nanoseconds
from spatial_types.transforms import Transform

SECOND = 1_000_000_000


async def shown(page, topic, publisher, message, type_of="topic"):
    """Publish until the page is told of the topic, and return what it is told."""
    stop = asyncio.Event()

    async def publish():
        while not stop.is_set():
            publisher.publish(message)
            await asyncio.sleep(0.05)

    task = asyncio.ensure_future(publish())
    try:
        return await page.next(type_of, topic=topic)
    finally:
        stop.set()
        await task


def test_topics_reach_the_page():
    async def work(http):
        friend = made.friend
        async with open_page(http, made.server) as page:
            transform = stamped_transform(Transform.planar(1, 2, 0.0), SECOND, "map", "target")
            publisher = friend.create_publisher(TFMessage, "/tf", 10)
            told = await shown(page, "/tf", publisher, TFMessage(transforms=[transform]))
            assert told["transforms"] == [["map", "target", 1.0, 1.0, 2.0, 0, 0, 0, 0, 1]]

            scan = LaserScan(angle_min=-1.0, angle_increment=0.5, range_max=4.0)
            scan.header.frame_id = "lrf_link"
            scan.ranges = [1.0, float("inf"), 2.5]
            publisher = friend.create_publisher(LaserScan, "/lrf/scan", SENSOR_DATA)
            told = await shown(page, "/lrf/scan", publisher, scan, "binary")
            assert (told["frame"], told["count"], told["angle_min"]) == ("lrf_link", 3, -1.0)
            np.testing.assert_array_equal(np.frombuffer(told["payload"], "<f4"), scan.ranges)

            status = DiagnosticStatus(name="ground_truth", level=b"\1", message="searching")
            status.values = [KeyValue(key="targets", value="0")]
            publisher = friend.create_publisher(DiagnosticStatus, "/ground_truth/status", 10)
            told = await shown(page, "/ground_truth/status", publisher, status)
            assert (told["level"], told["text"]) == (1, "searching")
            assert told["values"] == {"targets": "0"}

            status = DiagnosticStatus(name="scene_sim", message="real-time factor 0.97 (wished 1)")
            publisher = friend.create_publisher(DiagnosticArray, "/diagnostics", 10)
            told = await shown(page, "/page/simulator", publisher, DiagnosticArray(status=[status]))
            assert (told["factor"], told["wished"], told["paused"]) == (0.97, 1.0, False)

    with graph() as made:
        in_page(work)


def test_the_estimates_error_against_the_reference_at_its_own_stamp():
    async def work(http):
        friend = made.friend
        reference = friend.create_publisher(Odometry, "/reference/target", 10)
        estimate = friend.create_publisher(PoseWithCovarianceStamped, "/ground_truth/pose", 10)

        def at(message, stamp, x):
            message.header.stamp = stamp_from_nanoseconds(stamp)
            message.header.frame_id = "map"
            message.pose.pose.position.x = x
            message.pose.pose.orientation.w = 1.0
            return message

        async with open_page(http, made.server) as page:
            before = at(Odometry(), SECOND, 1.0)
            await shown(page, "/reference/target", reference, before)
            told = at(PoseWithCovarianceStamped(), SECOND + SECOND // 20, 1.5)
            await shown(page, "/ground_truth/pose", estimate, told)
            reference.publish(at(Odometry(), SECOND + SECOND // 10, 2.0))
            error = await page.next("topic", topic="/page/error")
            assert error["x"] == pytest.approx(0.0, abs=1e-9)  # half way between 1 and 2
            assert error["yaw"] == pytest.approx(0.0, abs=1e-9)
        async with open_page(http, made.server) as late:
            trail = await late.next("topic", topic="/page/trail/estimate")
            assert trail["points"] == [1.5, 0.0, 0.0]

    with graph() as made:
        in_page(work)


def test_an_image_is_taken_and_compressed_only_while_a_panel_is_open():
    pixels = np.zeros((48, 64, 3), np.uint8)
    pixels[:, :, 0] = 250
    topic = "/station/camera/image_raw"

    async def work(http):
        publisher = made.friend.create_publisher(Image, topic, SENSOR_DATA)
        async with open_page(http, made.server) as page:
            await until(lambda: "/tf" in made.node.topics.subscribed)
            assert topic not in made.node.topics.subscribed
            await page.send("subscribe", topics={topic: 10})
            message = image_from_array(pixels, "rgb8", SECOND, "camera")
            told = await shown(page, topic, publisher, message, "binary")
            assert (told["width"], told["height"], told["format"]) == (64, 48, "jpeg")
            image = cv2.imdecode(np.frombuffer(told["payload"], np.uint8), cv2.IMREAD_COLOR)
            assert image.shape == (48, 64, 3)
            assert image[:, :, 2].mean() > 240  # red, in OpenCV's order
            await page.send("subscribe", topics={topic: 0})
            await until(lambda: topic not in made.node.topics.subscribed)
        await until(lambda: not made.node.topics.subscribed)

    with graph() as made:
        in_page(work)


TURNED_LEFT = [0.0, 0.5**0.5, 0.0, 0.5**0.5]  # about WebXR's y
LEFT_HAND = {"stick": [0.25, -1.0], "trigger": 0.5, "grip": 1.0, "buttons": [True, False, False]}
EYE = {"tangents": [1.0, 0.5, 1.0, 1.0], "size": [300, 400]}


async def stream_device(page, heard):
    """Tell eyes, then head and left hand over and over, until something is in every list."""
    await page.send("eyes", left=EYE, right=EYE, distance=0.064)

    async def stream():
        while not all(heard):
            head = [1.0, 1.6, -2.0, *TURNED_LEFT]
            await page.send("device", t=page.hello["time"], head=head, left=LEFT_HAND)
            await asyncio.sleep(0.02)

    await asyncio.wait_for(stream(), 60.0)


def test_the_headset_reaches_ros_in_its_axes():
    async def work(http):
        heads = made.listen(PoseStamped, "/viewpoint/device/head")
        joys = made.listen(Joy, "/viewpoint/left_hand/joy")
        infos = made.listen(CameraInfo, "/viewpoint/device/right/camera_info", LATCHED)
        latencies = made.listen(DiagnosticArray, "/viewpoint/latency")
        async with open_page(http, made.server) as page:
            await stream_device(page, (heads, joys, infos, latencies))
            pose = heads[0].pose
            # x right 1, y up 1.6, z back -2: 2 forward, 1 to the right, 1.6 up.
            position = (pose.position.x, pose.position.y, pose.position.z)
            assert position == pytest.approx((2.0, -1.0, 1.6))
            assert (pose.orientation.z, pose.orientation.w) == pytest.approx((0.5**0.5, 0.5**0.5))
            assert heads[0].header.frame_id == "viewpoint_device"
            assert list(joys[0].axes) == pytest.approx([-0.25, 1.0, 0.5, 1.0])
            assert list(joys[0].buttons) == [1, 0, 0, 0, 0]
            info = infos[0]
            assert info.k[0] == pytest.approx(200.0)  # 300 px over tangents 1 + 0.5
            assert info.p[3] == pytest.approx(-200.0 * 0.064)
            assert any("network" in pair.key for pair in latencies[0].status[0].values)
        await until(lambda: list(joys[-1].axes) == [0.0, 0.0, 0.0, 0.0])

    with graph() as made:
        in_page(work)


def test_haptics_come_back_to_the_headset():
    async def told(page, kind, topic, message, hand):
        publisher = made.friend.create_publisher(kind, topic, 10)
        await until(lambda: publisher.get_subscription_count())
        publisher.publish(message)
        return await page.next("haptics", hand=hand)

    async def work(http):
        async with open_page(http, made.server) as page:
            topic = "/viewpoint/left_hand/haptics"
            pulse = await told(page, UInt16, topic, UInt16(data=3999), "left")
            assert pulse["amplitude"] == 1.0
            message = Vector3Stamped()
            message.vector.x, message.vector.y = 0.25, 0.2
            topic = "/viewpoint/right_hand/haptic_pulse"
            pulse = await told(page, Vector3Stamped, topic, message, "right")
            assert (pulse["amplitude"], pulse["seconds"]) == (0.25, 0.2)

    with graph() as made:
        in_page(work)


@pytest.mark.parametrize(
    ("overrides", "named"),
    [
        ({"world": "no_such.sdf"}, "no_such.sdf"),
        ({"models": ["urdf/station.urdf.xacro 1"]}, "models"),
        ({"host": "192.0.2.1"}, "192.0.2.1"),
        ({"access.key": "key.pem"}, "access.certificate"),
    ],
)
def test_a_bad_configuration_is_told_by_name(tmp_path, overrides, named):
    with (
        pytest.raises(ConfigurationError, match=named),
        graph(**{"access.folder": str(tmp_path / "private"), **overrides}),
    ):
        pass


def test_a_port_that_is_taken_is_told():
    with (
        graph() as made,
        pytest.raises(ConfigurationError, match=str(made.server.port)),
        graph(port=made.server.port),
    ):
        pass
