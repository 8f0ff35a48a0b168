"""The node among others: topics to the page, the page's head and hands to topics, actions."""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from functools import partial

os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")

import cv2
import numpy as np
import pytest
import rclpy
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from geometry_msgs.msg import PoseStamped, PoseWithCovarianceStamped, Vector3Stamped
from nav_msgs.msg import Odometry
from page_servers import base, in_page, open_page, until
from rcl_interfaces.msg import SetParametersResult
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter
from sensor_msgs.msg import CameraInfo, Image, Joy, LaserScan
from std_msgs.msg import String, UInt16
from std_srvs.srv import SetBool, Trigger
from tf2_msgs.msg import TFMessage

from ros_interface.errors import ConfigurationError
from ros_interface.geometry_messages import stamped_transform
from ros_interface.image_messages import image_from_array
from ros_interface.qos import LATCHED, RELIABLE, SENSOR_DATA
from ros_interface.stamps import stamp_from_nanoseconds
from spatial_types.transforms import Transform
from vr_view.page_server_node import PageServerNode

DOMAIN = 96
SECOND = 1_000_000_000


class Graph:
    """The node and a friend, each on a thread of its own."""

    def __init__(self, **overrides):
        self.context = Context()
        rclpy.init(context=self.context, domain_id=DOMAIN)
        self._threads = []
        try:
            values = {"port": 0, **overrides}
            self.node = PageServerNode(
                context=self.context,
                parameter_overrides=[Parameter(key, value=item) for key, item in values.items()],
            )
        except BaseException:
            rclpy.shutdown(context=self.context)
            raise
        self.friend = rclpy.create_node("friend", context=self.context)
        self.others = []
        self.executors = [self._spin(self.node), self._spin(self.friend)]
        self.server = self.node.server

    def _spin(self, node):
        executor = SingleThreadedExecutor(context=self.context)
        executor.add_node(node)
        thread = threading.Thread(target=executor.spin, daemon=True)
        thread.start()
        self._threads.append(thread)
        return executor

    def add(self, name, namespace="/"):
        """Return a further node, which is spun."""
        made = rclpy.create_node(name, namespace=namespace, context=self.context)
        self.others.append(made)
        self.executors.append(self._spin(made))
        return made

    def listen(self, kind, topic, qos=RELIABLE):
        heard = []
        self.friend.create_subscription(kind, topic, heard.append, qos)
        return heard

    async def publish_until(self, publisher, message, condition):
        """Publish again and again until `condition` holds: discovery takes its time."""

        async def work():
            while not condition():
                publisher.publish(message)
                await asyncio.sleep(0.05)

        await asyncio.wait_for(work(), 60.0)

    def close(self):
        for executor in self.executors:
            executor.shutdown()
        for thread in self._threads:
            thread.join(10.0)
        self.node.destroy_node()
        for node in (self.friend, *self.others):
            node.destroy_node()
        rclpy.shutdown(context=self.context)


@contextlib.contextmanager
def graph(**overrides):
    made = Graph(**overrides)
    try:
        yield made
    finally:
        made.close()


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


async def ask(page, name, /, **arguments):
    await page.send("action", id=1, name=name, arguments=arguments)
    return await page.next("result")


def test_pilots_act_by_services():
    calls = []

    def pause(request, response):
        calls.append(request.data)
        response.success, response.message = True, "paused"
        return response

    def take_off(_, response):
        response.success, response.message = False, "not armed"
        return response

    async def work(http):
        made.friend.create_service(SetBool, "/scene_sim/pause", pause)
        made.friend.create_service(Trigger, "/drone/take_off", take_off)
        async with open_page(http, made.server) as page:
            assert (await ask(page, "simulator.pause", on=True))["text"] == "paused"
            assert calls == [True]
            result = await ask(page, "drone.take_off")
            assert (result["ok"], result["text"]) == (False, "not armed")
            result = await ask(page, "drone.land")
            assert "nobody offers /drone/land" in result["text"]

    with graph() as made:
        in_page(work)


def test_pilots_set_parameters():
    """The flight mode is a parameter of the bridge, the speed one of the simulator."""
    asked = []

    def take(parameters):
        asked.extend((item.name, item.value) for item in parameters)
        is_known = all(item.value != "NONE" for item in parameters)
        return SetParametersResult(successful=is_known, reason="" if is_known else "no such mode")

    async def work(http):
        async with open_page(http, made.server) as page:
            result = await ask(page, "drone.mode", name="AUTO.LOITER")
            assert (result["ok"], result["text"]) == (True, "mode = AUTO.LOITER")
            result = await ask(page, "drone.mode", name="NONE")
            assert (result["ok"], result["text"]) == (False, "no such mode")
            result = await ask(page, "simulator.speed", factor=2.5)
            assert (result["ok"], result["text"]) == (True, "real_time_factor = 2.5")

    with graph() as made:
        bridge = made.add("mavlink_bridge", "/drone")
        bridge.declare_parameter("mode", "HOLD")
        simulator = made.add("scene_sim")
        simulator.declare_parameter("real_time_factor", 1.0)
        bridge.add_on_set_parameters_callback(take)
        in_page(work)
        assert asked == [("mode", "AUTO.LOITER"), ("mode", "NONE")]
        assert bridge.get_parameter("mode").value == "AUTO.LOITER"
        assert simulator.get_parameter("real_time_factor").value == 2.5


def test_pilots_act_by_topics():
    async def work(http):
        modes = made.listen(String, "/viewpoint/mode")
        setpoints = made.listen(PoseStamped, "/drone/setpoint_pose")
        async with open_page(http, made.server) as page:
            await until(lambda: made.node.count_subscribers("/viewpoint/mode"))
            assert (await ask(page, "viewpoint.mode", name="orbit"))["ok"]
            await until(lambda: [mode.data for mode in modes] == ["orbit"])
            result = await ask(page, "drone.setpoint", position=[1, 2, 3])
            assert "yaw" in result["text"]
            assert (await ask(page, "drone.setpoint", position=[1, 2, 3], yaw=0.5))["ok"]
            await until(lambda: len(setpoints) > 2)  # it is repeated
            assert setpoints[-1].pose.position.z == 3.0
            assert setpoints[-1].header.frame_id == "map"
        await until(lambda: made.node.actions.held_setpoint is None)

    with graph() as made:
        in_page(work)


def test_files_are_flown_and_fetched_by_name():
    async def work(http):
        flown = made.listen(String, "/drone/files/fly")
        fetched = made.listen(String, "/drone/files/fetch")
        async with open_page(http, made.server) as page:
            for topic in ("/drone/files/fly", "/drone/files/fetch"):
                await until(partial(made.node.count_subscribers, topic))
            assert (await ask(page, "drone.setpoint", position=[1, 2, 3], yaw=0.5))["ok"]
            assert (await ask(page, "drone.fly_stored_file", name="square.yaml"))["ok"]
            assert made.node.actions.held_setpoint is None  # it would end the flight
            assert (await ask(page, "drone.fetch_file", name="flight.log"))["ok"]
            await until(lambda: flown and fetched)
        assert [name.data for name in (*flown, *fetched)] == ["square.yaml", "flight.log"]

    with graph() as made:
        in_page(work)


def test_a_file_goes_to_the_bridges_folder_and_its_name_to_the_bridge(tmp_path):
    async def work(http):
        names = made.listen(String, "/drone/files/send")
        url = f"{base(made.server)}/upload"
        async with http.post(url, params={"name": "a.traj"}, data=b"points") as answer:
            upload = (await answer.json())["upload"]
        async with open_page(http, made.server) as page:
            await until(lambda: made.node.count_subscribers("/drone/files/send"))
            arguments = {"upload": upload}
            await page.send("action", id=1, name="drone.send_file", arguments=arguments)
            assert (await page.next("result"))["ok"]
            await until(lambda: [name.data for name in names] == ["a.traj"])
        assert (tmp_path / "files/a.traj").read_bytes() == b"points"

    with graph(drone_files=str(tmp_path / "files")) as made:
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
