"""localizer.launch.xml: the estimators alone, on somebody else's topics."""

import numpy as np
from geometry_msgs.msg import PoseWithCovarianceStamped
from sensor_msgs.msg import LaserScan
from tf2_ros import StaticTransformBroadcaster

from ground_truth_localizer.synthetic_scans import SyntheticLaser, standing
from ros_interface.geometry_messages import stamped_transform
from ros_interface.qos import RELIABLE, SENSOR_DATA
from ros_interface.scan_messages import message_from_scan

TARGET = (1.0, 2.0)


def test_scans_of_ones_own_sensor(launched):
    scene = launched(84, "localizer.launch.xml", "camera:=false", "scan_topic:=/mine/scan")
    positions = scene.watch(PoseWithCovarianceStamped, "/ground_truth/position", RELIABLE)
    publisher = scene.node.create_publisher(LaserScan, "/mine/scan", SENSOR_DATA)
    laser = SyntheticLaser(seed=4)
    broadcaster = StaticTransformBroadcaster(scene.node)
    broadcaster.sendTransform(stamped_transform(laser.map_from_lrf, 0, "map", "my_laser"))

    def send():
        now = scene.node.get_clock().now().nanoseconds
        message = message_from_scan(laser.scan(0.0, [(standing(*TARGET), 0.10)]))
        message.header.stamp.sec, message.header.stamp.nanosec = divmod(now, 10**9)
        message.header.frame_id = "my_laser"
        publisher.publish(message)

    scene.node.create_timer(0.1, send)

    def is_found():
        if len(positions) < 5:
            return False
        found = positions[-1].pose.pose.position
        return np.hypot(found.x - TARGET[0], found.y - TARGET[1]) < 0.03

    scene.wait_for(is_found)
    assert positions[-1].header.frame_id == "map"
    assert set(scene.pids.values()) == {"laser_localizer"}
    assert scene.stop() == 0
    assert scene.left_behind() == []


def test_a_wrong_argument_is_refused(launched):
    scene = launched(85, "localizer.launch.xml", "method:=guess")
    assert scene.process.wait(timeout=60) == 1
    assert 'Argument "method" provided value "guess" is not valid' in scene.text
