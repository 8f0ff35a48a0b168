"""The node, with a drone on UDP and a ROS node that listens and speaks."""

from __future__ import annotations

import functools
import math
import time
from typing import Any

import pytest
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import PoseStamped, TwistStamped
from nav_msgs.msg import Odometry, Path
from plain_drone import PlainDrone
from rclpy.parameter import Parameter
from rosgraph_msgs.msg import Clock
from running_bridge import RunningBridge
from sensor_msgs.msg import BatteryState, NavSatFix
from std_msgs.msg import String
from std_srvs.srv import SetBool, Trigger
from tf2_msgs.msg import TFMessage

from mavlink_bridge.connection import Connection
from mavlink_bridge.dialect.definition import load
from mavlink_bridge.links.link_thread import LinkThread
from mavlink_bridge.links.tcp import tcp_client
from mavlink_bridge.links.udp import UdpSender
from ros_interface.errors import ConfigurationError
from ros_interface.qos import LATCHED, RELIABLE, SENSOR_DATA


class Flight(RunningBridge):
    """A bridge's node with a drone on UDP."""

    def __init__(self, folder: Any, autopilot: int = 0, **overrides: Any) -> None:
        super().__init__(folder, **overrides)
        link: Any = self.node.bridge.endpoint.connection.link
        self.drone = PlainDrone(UdpSender(*link.address), folder / "drone", autopilot)
        self.drone_thread = LinkThread(
            [self.drone.end.connection.link], self.drone.step, lambda: time.monotonic() + 0.02
        )
        self.drone_thread.start()

    def close(self) -> None:
        self.drone_thread.close()
        self.drone.end.close()
        super().close()


@pytest.fixture
def fly(tmp_path):
    made = []

    def make(**options):
        made.append(Flight(tmp_path, **options))
        return made[-1]

    yield make
    for one in made:
        one.close()


def pose(frame: str, x: float, y: float, z: float) -> PoseStamped:
    message = PoseStamped()
    message.header.frame_id = frame
    message.pose.position.x, message.pose.position.y, message.pose.position.z = x, y, z
    message.pose.orientation.w = 1.0
    return message


def test_telemetry_reaches_topics_and_tf(fly):
    flight = fly()
    poses = flight.listen(PoseStamped, "/drone/pose")
    odometry = flight.listen(Odometry, "/drone/odometry")
    fixes = flight.listen(NavSatFix, "/drone/global_position", SENSOR_DATA)
    state = flight.listen(DiagnosticStatus, "/drone/state", LATCHED)
    tf = flight.listen(TFMessage, "/tf")
    flight.listen(BatteryState, "/drone/battery")
    flight.wait(lambda: poses and odometry and fixes and tf and state)
    assert (poses[-1].pose.position.x, poses[-1].pose.position.y) == (20.0, 10.0)
    assert poses[-1].pose.orientation.z == pytest.approx(math.sqrt(0.5))
    assert odometry[-1].child_frame_id == "drone/base_link"
    assert odometry[-1].twist.twist.linear.x == pytest.approx(1.0)
    age = flight.node.get_clock().now().nanoseconds * 1e-9 - (
        poses[-1].header.stamp.sec + poses[-1].header.stamp.nanosec * 1e-9
    )
    assert 0.0 <= age < 5.0
    assert fixes[-1].latitude == pytest.approx(47.0)
    transform = tf[-1].transforms[0]
    assert (transform.header.frame_id, transform.child_frame_id) == ("map", "drone/base_link")
    flight.wait(lambda: {v.key: v.value for v in state[-1].values}["connected"] == "True")
    assert flight.got["/drone/battery"] == []  # nothing tells of one, so nothing is said


def test_where_the_local_frame_lies(fly):
    flight = fly(local_position=[1.0, 2.0, 0.5], local_yaw=math.pi / 2, namespace="/drone_2")
    poses = flight.listen(PoseStamped, "/drone_2/pose")
    tf = flight.listen(TFMessage, "/tf")
    flight.wait(lambda: poses and tf)
    position = poses[-1].pose.position  # 20 m east, 10 m north; east is the map's y
    assert (position.x, position.y, position.z) == pytest.approx((1.0 - 10.0, 2.0 + 20.0, 0.5))
    assert tf[-1].transforms[0].child_frame_id == "drone_2/base_link"
    publisher = flight.friend.create_publisher(PoseStamped, "/drone_2/setpoint_pose", RELIABLE)
    flight.say(publisher, pose("map", 1.0, 5.0, 1.5), lambda: flight.drone.setpoints)
    setpoint = flight.drone.setpoints[-1][1]
    assert (setpoint.x, setpoint.y, setpoint.z) == pytest.approx((0.0, 3.0, -1.0), abs=1e-6)
    assert abs(flight.drone.heading_of_last) == pytest.approx(180.0)  # along map x is local south


def test_services(fly):
    flight = fly()
    flight.ready()
    answer = flight.call(SetBool, "/drone/arm", SetBool.Request(data=True))
    assert (answer.success, answer.message) == (True, "accepted")
    flight.drone.climb = 5.0
    assert flight.call(Trigger, "/drone/take_off").success
    assert flight.drone.position[2] <= -1.4
    assert flight.call(Trigger, "/drone/hover").success
    assert flight.call(Trigger, "/drone/land").success
    assert not flight.drone.armed


def test_a_service_that_waits_does_not_stop_the_others(fly):
    """Take-off waits for its height; cancel and setpoints go on meanwhile (D24)."""
    flight = fly()
    flight.ready()
    flight.drone.climb = 0.0
    client = flight.friend.create_client(Trigger, "/drone/take_off")
    flight.wait(client.service_is_ready)
    waiting = client.call_async(Trigger.Request())
    flight.wait(lambda: flight.drone.got(22))
    publisher = flight.friend.create_publisher(TwistStamped, "/drone/setpoint_velocity", RELIABLE)
    twist = TwistStamped()
    twist.header.frame_id = "drone/base_link"
    twist.twist.linear.x = 1.0
    flight.say(publisher, twist, lambda: flight.drone.setpoints)
    message = flight.drone.setpoints[-1][1]
    assert (message.vx, message.vy) == pytest.approx((1.0, 0.0), abs=1e-6)  # it faces north
    assert not waiting.done()
    assert flight.call(Trigger, "/drone/cancel").success
    flight.wait(waiting.done)
    assert (waiting.result().success, waiting.result().message) == (False, "cancelled")


def test_what_is_refused(fly):
    flight = fly()
    flight.ready()
    counts = flight.node.diagnostics.counts
    positions = flight.friend.create_publisher(PoseStamped, "/drone/setpoint_pose", RELIABLE)
    refused = "setpoint_pose refused"
    flight.say(positions, pose("odom", 0.0, 0.0, 1.0), lambda: counts[refused] >= 1)
    before = counts[refused]
    old = pose("map", 0.0, 0.0, 1.0)
    old.header.stamp.sec = 1000
    flight.say(positions, old, lambda: counts[refused] > before)
    before = counts[refused]
    flight.say(positions, pose("map", math.nan, 0.0, 1.0), lambda: counts[refused] > before)
    paths = flight.friend.create_publisher(Path, "/drone/trajectory", RELIABLE)
    flight.say(paths, Path(), lambda: counts["trajectory refused"] >= 1)
    assert flight.drone.setpoints == []


def test_a_path_is_flown(fly):
    flight = fly(trajectory_speed=20.0)
    flight.ready()
    path = Path()
    path.header.frame_id = "map"
    path.poses = [pose("map", 20.0, 10.0, 2.0), pose("map", 22.0, 10.0, 2.0)]
    publisher = flight.friend.create_publisher(Path, "/drone/trajectory", RELIABLE)
    flight.wait(lambda: publisher.get_subscription_count() > 0)
    publisher.publish(path)
    flight.wait(lambda: flight.drone.setpoints and flight.drone.setpoints[-1][1].y == 22.0)
    flight.wait(lambda: flight.drone.got(193))


def test_a_scene_flies_by_its_clock(fly):
    """A setpoint outlives our time while the scene stands still, but not the scene's."""
    flight = fly(use_sim_time=True)
    clock = flight.friend.create_publisher(Clock, "/clock", 10)
    poses = flight.listen(PoseStamped, "/drone/pose")
    positions = flight.friend.create_publisher(PoseStamped, "/drone/setpoint_pose", RELIABLE)
    flight.say(clock, Clock(clock=Time(sec=100)), lambda: poses)
    flight.say(positions, pose("map", 1.0, 0.0, 1.0), lambda: flight.drone.setpoints)
    flight.wait(lambda: positions.get_subscription_count() == 1)
    told = flight.node.bridge.telemetry
    flight.wait(lambda: flight.node.bridge.telemetry > told + 100)
    assert flight.node.bridge.setpoints.is_live
    assert not flight.drone.got(193)
    flight.say(clock, Clock(clock=Time(sec=102)), lambda: flight.drone.got(193))
    poses.clear()
    flight.say(clock, Clock(clock=Time(sec=7)), lambda: poses and poses[-1].header.stamp.sec <= 7)
    assert flight.node.bridge.endpoint.now >= 102.0
    assert flight.node.bridge.peer.present


def test_files_on_topics(fly, tmp_path):
    flight = fly(autopilot=12)
    flight.drone.obeys = True
    flight.ready()
    progress = flight.listen(DiagnosticArray, "/drone/files/progress", LATCHED)
    received = flight.listen(String, "/drone/files/received")
    flight.wait(lambda: flight.friend.count_publishers("/drone/files/received"))
    flight.wait(lambda: flight.node.count_subscribers("/drone/files/received"))
    (tmp_path / "bridge" / "up.yaml").write_text("points: [{position: [22, 10, 1.0]}]")
    (tmp_path / "drone").mkdir(exist_ok=True)
    (tmp_path / "drone" / "down.bin").write_bytes(bytes(5000))
    for topic, name in (("send", "up.yaml"), ("fetch", "down.bin"), ("fly", "up.yaml")):
        publisher = flight.friend.create_publisher(String, f"/drone/files/{topic}", RELIABLE)
        flight.wait(lambda publisher=publisher: publisher.get_subscription_count())
        publisher.publish(String(data=name))

    def states() -> dict[str, str]:
        return {item.name: item.message for item in progress[-1].status} if progress else {}

    flight.wait(lambda: states() == {"up.yaml": "done", "down.bin": "done"})
    assert (tmp_path / "drone" / "up.yaml").is_file()
    assert (tmp_path / "bridge" / "down.bin").read_bytes() == bytes(5000)
    flight.wait(lambda: received)
    assert [item.data for item in received] == ["down.bin"]
    values = {item.key: item.value for item in progress[-1].status[0].values}
    assert values["size"] == values["done"] != "0"
    flight.wait(lambda: math.dist(flight.drone.position, (10.0, 22.0, -1.0)) < 0.3)
    send = flight.friend.create_publisher(String, "/drone/files/send", RELIABLE)
    refused = "files/send refused"
    wrong = String(data="../up.yaml")
    flight.say(send, wrong, lambda: flight.node.diagnostics.counts[refused])


@pytest.mark.parametrize("topic", ["files/send", "files/fly", "mission/upload"])
def test_what_the_disk_refuses_is_told_and_the_link_lives(fly, tmp_path, topic):
    flight = fly(autopilot=12)
    flight.ready()
    (tmp_path / "bridge").mkdir(exist_ok=True)
    (tmp_path / "bridge" / "binary").write_bytes(bytes(range(256)))
    say = flight.friend.create_publisher(String, f"/drone/{topic}", RELIABLE)
    counts = flight.node.diagnostics.counts
    names = ["a/" * 10_000, "n" * 300, "", "binary/below", "."]
    if topic != "files/send":  # which sends whatever there is
        names.append("binary")
    for name in names:
        before = counts[f"{topic} refused"]
        told = functools.partial(lambda last: counts[f"{topic} refused"] > last, before)
        flight.say(say, String(data=name), told)
    heard = flight.node.bridge.endpoint.now
    flight.wait(lambda: flight.node.bridge.endpoint.now > heard)


@pytest.mark.parametrize("autopilot", [12])
def test_the_mode_is_a_parameter(fly, autopilot):
    flight = fly(autopilot=autopilot)
    flight.ready()
    flight.wait(lambda: flight.node.bridge.commander.flavour is not None)
    (result,) = flight.node.set_parameters([Parameter("mode", value="OFFBORD")])
    assert not result.successful
    assert "OFFBOARD" in result.reason
    (result,) = flight.node.set_parameters([Parameter("mode", value="OFFBOARD")])
    assert result.successful
    flight.wait(lambda: flight.node.bridge.peer.mode == "OFFBOARD")


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("link", "upd:1.2.3.4:5", "udpin"),
        ("key_file", "/nowhere/key", "/nowhere/key"),
        ("local_position", [1.0], "expected x, y, z"),
        ("role", "pilot", "ground_station"),
        ("setpoint.lifetme", 1.0, "setpoint.lifetime"),
    ],
)
def test_bad_configuration_ends_it(fly, tmp_path, name, value, text):
    with pytest.raises(ConfigurationError, match=text):
        fly(**{name: value})


def test_a_ground_station_is_let_at_the_drone(fly):
    flight = fly(ground_station="tcpin:127.0.0.1:0")
    flight.ready()
    link: Any = flight.node.ground.connection.link
    caller = Connection(tcp_client(*link.address), 255, 190)
    heard: list[Any] = []
    flight.wait(lambda: heard.extend(caller.poll(time.monotonic())) or heard)
    assert {frame.system for frame in heard} == {1}
    arm = load().MAVLink_command_long_message(1, 1, 400, 0, 1, 0, 0, 0, 0, 0, 0)
    caller.send(arm, time.monotonic())
    flight.wait(lambda: flight.drone.armed)
    caller.close()
