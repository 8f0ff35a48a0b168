"""The laser_localizer node through real topics and transforms."""

import itertools
import os

import numpy as np

os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")

import tf2_ros
from diagnostic_msgs.msg import DiagnosticStatus
from rcl_interfaces.msg import Log
from rclpy.qos import QoSProfile
from sensor_msgs.msg import LaserScan

from ground_truth_localizer.laser_messages import state_from_odometry
from ground_truth_localizer.synthetic_scans import SyntheticLaser, standing
from ros_interface.geometry_messages import stamped_transform
from ros_interface.qos import SENSOR_DATA
from spatial_types.transforms import Transform


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


def test_pose_of_the_sensor_is_used(bench):
    world = bench(**{"zone.kind": "open"})
    pose = Transform.from_rpy((1.0, 0.5, 0.4), (np.pi, 0.0, 0.3))
    world.laser = SyntheticLaser(map_from_lrf=pose, angle_min=-1.5, seed=2, outlines=[])
    world.ready()
    for _ in range(4):
        world.scan([(standing(2.5, 1.0), 0.1)])
    poses = world.got["targets"][-1].poses
    assert np.hypot(poses[0].position.x - 2.5, poses[0].position.y - 1.0) < 0.03
