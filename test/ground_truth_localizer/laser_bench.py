"""The laser_localizer node with a node that feeds it, for tests."""

import itertools
import os
import time

os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")

import rclpy
import tf2_ros
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import PoseArray, PoseWithCovarianceStamped
from nav_msgs.msg import Odometry
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter
from sensor_msgs.msg import LaserScan
from visualization_msgs.msg import MarkerArray

from ground_truth_localizer.laser_localizer_node import LaserLocalizerNode
from ground_truth_localizer.synthetic_scans import SyntheticLaser
from ros_interface.geometry_messages import stamped_transform
from ros_interface.qos import LATCHED, SENSOR_DATA
from ros_interface.scan_messages import message_from_scan

DOMAIN = 61


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

    def wait(self, condition, seconds=60.0):
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
        end = time.monotonic() + 60.0
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
