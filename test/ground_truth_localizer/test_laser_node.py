"""The laser_localizer node through real topics, transforms and services."""

import itertools
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")

import rclpy
import tf2_ros
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import PoseArray, PoseWithCovarianceStamped
from nav_msgs.msg import Odometry
from rcl_interfaces.msg import Log
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter
from rclpy.qos import QoSProfile
from sensor_msgs.msg import LaserScan
from std_srvs.srv import SetBool, Trigger
from visualization_msgs.msg import MarkerArray

from ground_truth_localizer.laser_localizer_node import LaserLocalizerNode
from ground_truth_localizer.laser_messages import state_from_odometry
from ground_truth_localizer.scan_recording import read_recording
from ground_truth_localizer.synthetic_scans import SyntheticLaser, standing
from ground_truth_localizer.zone_files import load_zone
from ros_interface.geometry_messages import stamped_transform
from ros_interface.qos import LATCHED, SENSOR_DATA
from ros_interface.scan_messages import message_from_scan
from spatial_types.transforms import Transform

DOMAIN = 61
ROOT = Path(__file__).resolve().parents[2]


class Bench:
    """A node under test, a node that feeds it, and what came out."""

    def __init__(self, tmp_path, **overrides):
        self.context = Context()
        rclpy.init(context=self.context, domain_id=DOMAIN)
        overrides = {"zone.learn_file": str(tmp_path / "zone.yaml"), **overrides}
        overrides.setdefault("record_file", str(tmp_path / "scans.csv"))
        self.node = LaserLocalizerNode(
            context=self.context,
            parameter_overrides=[Parameter(k, value=v) for k, v in overrides.items()],
        )
        self.feeder = rclpy.create_node("feeder", context=self.context)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)
        self.executor.add_node(self.feeder)
        self.scans = self.feeder.create_publisher(LaserScan, "/lrf/scan", SENSOR_DATA)
        self.tf = tf2_ros.StaticTransformBroadcaster(self.feeder)
        self.got = {}
        self.listen("position", PoseWithCovarianceStamped, "/ground_truth/position")
        self.listen("odometry", Odometry, "/ground_truth/laser_odometry")
        self.listen("targets", PoseArray, "/ground_truth/targets")
        self.listen("status", DiagnosticStatus, "/ground_truth/status", LATCHED)
        self.listen("markers", MarkerArray, "/ground_truth/markers")
        self.listen("diagnostics", DiagnosticArray, "/diagnostics")
        self.laser = SyntheticLaser(seed=4)
        self.times = itertools.count(1)

    def listen(self, name, kind, topic, qos=10):
        self.got[name] = []
        self.feeder.create_subscription(kind, topic, self.got[name].append, qos)

    def mount(self, pose=None):
        pose = pose or self.laser.map_from_lrf
        self.tf.sendTransform(stamped_transform(pose, 0, "map", "lrf_link"))
        self.wait(lambda: self.node._tf.can_transform("map", "lrf_link", rclpy.time.Time()))

    def send(self, targets=(), change=None):
        message = message_from_scan(self.laser.scan(0.1 * next(self.times), targets))
        if change is not None:
            change(message)
        self.scans.publish(message)
        return message.header.stamp

    def wait(self, condition, seconds=10.0):
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, "waited in vain"
            self.executor.spin_once(timeout_sec=0.05)

    def scan(self, targets=(), change=None):
        """Send one scan and wait for its answer on /ground_truth/targets."""
        stamp, told = self.send(targets, change), self.got["targets"]
        self.wait(lambda: told and told[-1].header.stamp == stamp)

    def ready(self):
        self.mount()
        self.wait(lambda: self.scans.get_subscription_count() == 1)
        self.wait(lambda: self.node._targets.get_subscription_count() == 1)
        self.wait(lambda: self.node._position.get_subscription_count() == 1)

    def call(self, kind, name, request, meanwhile=lambda: None):
        client = self.feeder.create_client(kind, f"/laser_localizer/{name}")
        self.wait(client.service_is_ready)
        future = client.call_async(request)
        end = time.monotonic() + 20.0
        while not future.done():
            assert time.monotonic() < end, f"no answer from {name}"
            meanwhile()
            self.executor.spin_once(timeout_sec=0.02)
        return future.result()

    def close(self):
        self.executor.shutdown()
        self.node.destroy_node()
        self.feeder.destroy_node()
        rclpy.shutdown(context=self.context)


@pytest.fixture
def bench(tmp_path):
    made = []

    def make(**overrides):
        made.append(Bench(tmp_path, **overrides))
        return made[-1]

    yield make
    for one in made:
        one.close()


def test_scans_become_positions_stamped_as_measured(bench):
    world = bench()
    world.ready()
    target = [(standing(0.5, 2.0), 0.1)]
    for _ in range(8):
        world.scan(target)
    world.wait(lambda: len(world.got["position"]) >= 6 and len(world.got["odometry"]) >= 6)
    message = world.got["position"][-1]
    assert message.header.frame_id == "map"
    assert message.header.stamp == world.got["targets"][-1].header.stamp
    assert message.header.stamp.sec == 0
    assert message.header.stamp.nanosec == 800_000_000
    position = message.pose.pose.position
    assert np.hypot(position.x - 0.5, position.y - 2.0) < 0.03
    covariance = np.reshape(message.pose.covariance, (6, 6))
    assert 1e-7 < covariance[0, 0] < 1e-3
    assert covariance[5, 5] > 1e3
    state = state_from_odometry(world.got["odometry"][-1])
    assert state.stationary
    assert world.got["odometry"][-1].child_frame_id == "target"
    world.wait(lambda: world.got["status"] and world.got["markers"])
    assert world.got["status"][-1].message.startswith("tracking")


def test_loss_is_told_within_three_scans_and_nothing_invented(bench):
    world = bench()
    world.ready()
    for _ in range(6):
        world.scan([(standing(0.5, 2.0), 0.1)])
    world.wait(lambda: len(world.got["position"]) >= 5)
    before = len(world.got["position"])
    for _ in range(3):
        world.scan()
    world.wait(lambda: world.got["status"][-1].message.startswith("lost"))
    assert len(world.got["position"]) == before
    assert len(world.got["targets"][-1].poses) == 0


def test_bad_scans_are_counted_and_survived(bench):
    world = bench()
    world.ready()

    def cut(message):
        message.ranges = message.ranges[:100]

    world.send(change=cut)
    world.wait(lambda: world.node._diagnostics.counts["bad scans"] == 1)
    world.send(change=lambda message: setattr(message.header, "frame_id", "elsewhere"))
    world.wait(lambda: world.node._diagnostics.counts["scans without transform"] == 1)
    for _ in range(4):
        world.scan([(standing(0.5, 2.0), 0.1)])
    assert len(world.got["targets"][-1].poses) == 1


def test_a_frame_without_transform_does_not_hold_up_the_others(bench):
    world = bench(tf_wait=60.0)
    world.ready()
    for _ in range(4):
        world.send(change=lambda message: setattr(message.header, "frame_id", "elsewhere"))
        world.scan([(standing(0.5, 2.0), 0.1)])
    assert len(world.got["targets"][-1].poses) == 1
    assert world.node._diagnostics.counts["scans without transform"] == 0

    def send_until_dropped():  # best effort: some of those sent may not arrive
        world.send(change=lambda message: setattr(message.header, "frame_id", "elsewhere"))
        return world.node._diagnostics.counts["scans dropped"] > 0

    world.wait(send_until_dropped)


def test_impossible_stamps_and_sweeps_are_refused_and_survived(bench):
    world = bench()
    world.ready()
    harms = [
        lambda message: setattr(message.header.stamp, "sec", -5),
        lambda message: setattr(message.header.stamp, "sec", 2**31 - 1),
        lambda message: setattr(message, "time_increment", 1e9),
    ]
    for count, harm in enumerate(harms, start=1):
        world.send([(standing(0.5, 2.0), 0.1)], harm)
        world.wait(lambda count=count: world.node._diagnostics.counts["bad scans"] == count)
    for _ in range(3):
        world.scan([(standing(0.5, 2.0), 0.1)])
    assert len(world.got["targets"][-1].poses) == 1


def test_a_target_is_not_followed_while_no_scan_can_be_used(bench):
    world = bench()
    world.ready()
    for _ in range(4):
        world.scan([(standing(0.5, 2.0), 0.1)])
    world.wait(lambda: world.got["status"] and world.got["status"][-1].message.startswith("track"))

    def send_rubbish():
        world.send(change=lambda message: setattr(message, "ranges", message.ranges[:9]))
        return world.got["status"][-1].message.startswith("lost: no usable scan on /lrf/scan")

    world.wait(send_rubbish)
    for _ in range(3):
        world.scan([(standing(0.5, 2.0), 0.1)])
    world.wait(lambda: world.got["status"][-1].message.startswith("tracking"))


def test_transforms_of_a_bag_that_starts_again_are_used(bench):
    world = bench()
    moving = tf2_ros.TransformBroadcaster(world.feeder)
    world.ready()
    world.laser = SyntheticLaser(seed=4)
    target = [(standing(0.5, 2.0), 0.1)]

    def play(first):
        world.times = itertools.count(first)
        for k in range(5):
            stamp = round((first + k) * 1e8)
            for shift in (-5 * 10**7, 5 * 10**7):
                pose = world.laser.map_from_lrf
                moving.sendTransform(stamped_transform(pose, stamp + shift, "map", "turret"))
            # Each scan is answered, the very first too, whose transform came before it.
            world.scan(target, lambda message: setattr(message.header, "frame_id", "turret"))

    play(1000)
    play(10)
    assert world.node._localizer.counts["time jumps back"] == 1
    assert world.node._diagnostics.counts["scans without transform"] == 0
    assert len(world.got["targets"][-1].poses) == 1


def test_scans_of_the_time_before_do_not_hold_up_the_new_ones(bench):
    world = bench(tf_wait=60.0)
    world.ready()
    world.times = itertools.count(1000)
    world.send(change=lambda message: setattr(message.header, "frame_id", "turret"))
    world.wait(lambda: len(world.node._waiting) == 1)
    world.times = itertools.count(10)
    moving = tf2_ros.TransformBroadcaster(world.feeder)
    for stamp in (9 * 10**8, 11 * 10**8):
        moving.sendTransform(stamped_transform(world.laser.map_from_lrf, stamp, "map", "turret"))
    world.scan(change=lambda message: setattr(message.header, "frame_id", "turret"))
    assert not world.node._waiting


def test_a_transform_of_the_time_before_that_comes_late_floods_nothing(bench, capfd):
    world = bench()
    moving = tf2_ros.TransformBroadcaster(world.feeder)
    world.ready()
    pose = world.laser.map_from_lrf

    def tell(seconds):
        moving.sendTransform(stamped_transform(pose, round(seconds * 1e9), "map", "turret"))

    def play(first, straggler=None):
        world.times = itertools.count(round(10 * first))
        for k in range(10):
            for shift in (-0.05, 0.05):
                tell(first + 0.1 * k + shift)
            if k == 3 and straggler is not None:
                tell(straggler)
            if k != 3:  # whose transforms the straggler took away
                world.scan(change=lambda message: setattr(message.header, "frame_id", "turret"))
            else:
                next(world.times)

    play(100.0)
    play(1.0, straggler=101.0)
    assert world.node._diagnostics.counts["scans without transform"] == 0
    assert capfd.readouterr().err.count("TF_OLD_DATA") <= 1


def test_ready_is_said_once_and_only_a_lasting_lack_is_warned_of(bench):
    world = bench(tf_wait=0.02)
    world.listen("log", Log, "/rosout", QoSProfile(depth=100, durability=1))
    counts = world.node._diagnostics.counts

    def told(beginning):
        return sum(entry.msg.startswith(beginning) for entry in world.got["log"])

    def lacks(number):
        world.send()
        return counts["scans without transform"] >= number

    world.wait(lambda: world.scans.get_subscription_count() == 1)
    world.wait(lambda: lacks(3))
    world.ready()
    for _ in range(3):
        world.scan()
    world.wait(lambda: told("ready: scans from /lrf/scan, method model"))
    assert told("ready: ") == 1
    assert told("scans without transform") == 0

    def send_without_transform():
        world.send(change=lambda message: setattr(message.header, "frame_id", "nowhere"))
        return told("scans without transform: ")

    world.wait(send_without_transform, seconds=30.0)
    assert told("ready: ") == 1


def test_silence_is_told_by_the_diagnostics(bench):
    world = bench()
    world.wait(
        lambda: any(
            array.status[0].message.startswith("no scan on /lrf/scan for")
            and array.status[0].level == DiagnosticStatus.WARN
            for array in world.got["diagnostics"]
        )
    )


def test_two_publishers_of_scans_are_named(bench):
    world = bench()
    world.ready()
    second = world.feeder.create_publisher(LaserScan, "/lrf/scan", SENSOR_DATA)
    world.scan([(standing(0.5, 2.0), 0.1)])
    world.wait(
        lambda: any(
            "2 publishers on /lrf/scan" in array.status[0].message
            for array in world.got["diagnostics"]
        )
    )
    assert second is not None


def test_zone_is_learnt_used_and_saved(bench, tmp_path):
    world = bench(**{"zone.kind": "open", "zone.learn_scans": 12})
    world.laser = SyntheticLaser(pillars=[(-1.0, 2.0, 0.1)], seed=9)
    world.ready()
    response = world.call(Trigger, "learn_zone", Trigger.Request(), world.send)
    assert response.success, response.message
    assert str(tmp_path / "zone.yaml") in response.message
    for _ in range(5):
        world.scan([(standing(0.5, 2.0), 0.1)])
    poses = world.got["targets"][-1].poses
    assert [round(pose.position.x, 1) for pose in poses] == [0.5]
    assert len(load_zone(tmp_path / "zone.yaml").background) == 360


def test_a_target_in_sight_is_learnt_only_when_asked_twice(bench):
    world = bench(**{"zone.learn_scans": 5})
    world.ready()
    target = [(standing(0.5, 2.0), 0.1)]
    for _ in range(3):
        world.scan(target)
    first = world.call(Trigger, "learn_zone", Trigger.Request())
    assert not first.success
    assert "target at (0.5" in first.message
    assert "call again within 60 s" in first.message
    world.scan(target)
    assert len(world.got["targets"][-1].poses) == 1  # nothing was learnt
    second = world.call(Trigger, "learn_zone", Trigger.Request(), lambda: world.send(target))
    assert second.success, second.message
    for _ in range(4):
        world.scan(target)
    assert len(world.got["targets"][-1].poses) == 0
    for _ in range(3):
        world.scan([(standing(-1.0, 2.0), 0.1)])
    assert not world.call(Trigger, "learn_zone", Trigger.Request()).success  # asked anew


@pytest.mark.parametrize("busy", [False, True])
def test_an_emptied_room_and_a_busy_one_are_learnt_at_once(bench, busy):
    world = bench(**{"zone.learn_scans": 5, "zone.learn_busy": busy})
    world.ready()
    target = [(standing(0.5, 2.0), 0.1)]
    for _ in range(3):
        world.scan(target)
    scene = target if busy else []
    world.scan(scene)
    answer = world.call(Trigger, "learn_zone", Trigger.Request(), lambda: world.send(scene))
    assert answer.success, answer.message


def test_recording_holds_every_scan(bench, tmp_path):
    world = bench()
    world.ready()
    assert world.call(SetBool, "record", SetBool.Request(data=True)).success
    assert not world.call(SetBool, "record", SetBool.Request(data=True)).success
    for _ in range(4):
        world.scan()
    answer = world.call(SetBool, "record", SetBool.Request(data=False))
    assert answer.success
    assert "4 scans" in answer.message
    scans = list(read_recording(tmp_path / "scans.csv"))
    assert [scan.stamp for scan in scans] == [100_000_000 * i for i in range(1, 5)]
    assert not world.call(SetBool, "record", SetBool.Request(data=False)).success


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("method:=magic", "method"),
        ("sensor.sigma:=-1.0", "sensor.sigma"),
        ("zone.rectangle:=[1.0, 2.0]", "zone.rectangle"),
        ("speed:=3.0", "speed"),
    ],
)
def test_wrong_parameters_end_the_process_with_a_message(override, words):
    command = [sys.executable, "-m", "ground_truth_localizer.laser_localizer_node"]
    done = subprocess.run(
        [*command, "--ros-args", "-p", override],
        cwd=ROOT,
        env={**os.environ, "ROS_DOMAIN_ID": str(DOMAIN)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_missing_zone_file_is_named():
    done = subprocess.run(
        [
            *(sys.executable, "-m", "ground_truth_localizer.laser_localizer_node", "--ros-args"),
            *("-p", "zone.kind:=file", "-p", "zone.file:=/nowhere/zone.yaml"),
        ],
        cwd=ROOT,
        env={**os.environ, "ROS_DOMAIN_ID": str(DOMAIN)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert "/nowhere/zone.yaml" in done.stderr


def test_shipped_parameter_file_is_the_defaults():
    import dataclasses

    import yaml

    from ground_truth_localizer.laser_localizer_node import LaserNodeParameters
    from spatial_types.parameters import from_mapping

    path = ROOT / "config" / "laser_localizer.yaml"
    values = yaml.safe_load(path.read_text())["laser_localizer"]["ros__parameters"]
    shipped = from_mapping(LaserNodeParameters, values, f"{path}: ")
    assert dataclasses.asdict(shipped) == dataclasses.asdict(LaserNodeParameters())


def test_pose_of_the_sensor_is_used(bench):
    world = bench(**{"zone.kind": "open"})
    pose = Transform.from_rpy((1.0, 0.5, 0.4), (np.pi, 0.0, 0.3))
    world.laser = SyntheticLaser(map_from_lrf=pose, angle_min=-1.5, seed=2, outlines=[])
    world.ready()
    for _ in range(4):
        world.scan([(standing(2.5, 1.0), 0.1)])
    poses = world.got["targets"][-1].poses
    assert np.hypot(poses[0].position.x - 2.5, poses[0].position.y - 1.0) < 0.03
