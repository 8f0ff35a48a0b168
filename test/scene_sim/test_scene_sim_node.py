"""The node as a process of its own: topics, commands, services, refusals."""

import signal

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PoseStamped, Twist
from nav_msgs.msg import Odometry
from node_graph import PATIENCE, start
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import CameraInfo, Image, JointState, LaserScan
from std_msgs.msg import Float64
from std_srvs.srv import SetBool, Trigger

from ros_interface.qos import SENSOR_DATA
from ros_interface.stamps import nanoseconds_from_stamp

DOMAIN = "88"
OPTIONS = ("scan_mode:=swept", "shadows:=false", "seed:=4", "real_time_factor:=2.0")


def test_topics_commands_services_and_the_end(listener, simulator):
    sensors = (
        (LaserScan, "/lrf/scan"),
        (Image, "/station/camera/image_raw"),
        (CameraInfo, "/station/camera/camera_info"),
    )
    for kind, topic in sensors:
        listener.listen(kind, topic, SENSOR_DATA)
    for kind, topic in (
        (Clock, "/clock"),
        (JointState, "/joint_states"),
        (Odometry, "/reference/target"),
        (Odometry, "/phone_robot/odom"),
        (DiagnosticArray, "/diagnostics"),
    ):
        listener.listen(kind, topic)
    heard = listener.heard
    listener.wait(lambda: all(len(items) >= 3 for items in heard.values()))

    check_sensors(heard)
    check_commands(listener)
    check_set_pose(listener)
    check_services(listener)
    simulator.send_signal(signal.SIGINT)
    assert simulator.wait(PATIENCE) == 0


def check_sensors(heard):
    scan = heard["/lrf/scan"][-1]
    assert len(scan.ranges) == 360
    assert scan.header.frame_id == "lrf_link"
    assert scan.scan_time == pytest.approx(0.1)
    assert scan.time_increment == pytest.approx(0.1 / 720)
    assert nanoseconds_from_stamp(scan.header.stamp) % 100_000_000 == 0
    image, info = heard["/station/camera/image_raw"][-1], heard["/station/camera/camera_info"][-1]
    assert (image.width, image.height, image.encoding) == (320, 240, "rgb8")
    assert image.header.frame_id == info.header.frame_id == "camera_optical_frame"
    assert info.k[2] == 159.5
    period = round(nanoseconds_from_stamp(image.header.stamp) * 30 / 1e9)
    assert nanoseconds_from_stamp(image.header.stamp) == round(period * 1e9 / 30)


def check_commands(listener):
    heard = listener.heard
    commands = listener.node.create_publisher(Twist, "/phone_robot/cmd_vel", 10)
    pan = listener.node.create_publisher(Float64, "/station/pan/command", 10)
    listener.wait(lambda: commands.get_subscription_count() and pan.get_subscription_count())
    twist = Twist()
    twist.linear.x = 0.5
    commands.publish(twist)
    pan.publish(Float64(data=0.4))
    odometry, joints = heard["/phone_robot/odom"], heard["/joint_states"]
    listener.wait(lambda: odometry[-1].twist.twist.linear.x > 0.45)
    listener.wait(
        lambda: any(
            abs(item.position[list(item.name).index("camera_pan_joint")] - 0.4) < 1e-3
            for item in joints[-2:]
        )
    )
    # The station's and the robot's are told together: one message for all of a moment.
    assert all(len(item.name) == 3 for item in joints)


def check_set_pose(listener):
    heard = listener.heard
    mover = listener.node.create_publisher(PoseStamped, "/scene_sim/phone_robot/set_pose", 10)
    listener.wait(mover.get_subscription_count)
    pose = PoseStamped()
    pose.pose.position.x, pose.pose.position.y = -2.0, 1.0
    mover.publish(pose)
    target = heard["/reference/target"]
    listener.wait(lambda: abs(target[-1].pose.pose.position.x + 2.0) < 0.01)
    pose.header.frame_id = "lrf_link"
    pose.pose.position.x = 2.0
    mover.publish(pose)
    listener.wait(
        lambda: any(
            pair.key.startswith("set_pose of phone_robot refused")
            for item in heard["/diagnostics"]
            for status in item.status
            for pair in status.values
        )
    )
    assert target[-1].pose.pose.position.x < 0.0


def check_services(listener):
    heard, target = listener.heard, listener.heard["/reference/target"]
    assert listener.call(SetBool, "/scene_sim/pause", SetBool.Request(data=True)).success
    before = listener.call(Trigger, "/scene_sim/step", Trigger.Request())
    after = listener.call(Trigger, "/scene_sim/step", Trigger.Request())
    times = [float(item.message.split()[2]) for item in (before, after)]
    assert times[1] - times[0] == pytest.approx(0.01)
    assert listener.call(Trigger, "/scene_sim/reset", Trigger.Request()).success
    clock = heard["/clock"]
    listener.wait(lambda: clock[-1].clock.sec == 0 and clock[-1].clock.nanosec == 0)
    assert listener.call(SetBool, "/scene_sim/pause", SetBool.Request(data=False)).success
    listener.wait(lambda: clock[-1].clock.sec >= 1)
    assert abs(target[-1].pose.pose.position.x) < 0.01
    times = np.array([nanoseconds_from_stamp(item.header.stamp) for item in target[-50:]])
    assert (np.diff(times) == 10_000_000).all()


@pytest.mark.parametrize(
    ("parameter", "complaint"),
    [
        ("real_time_factor:=-1.0", "real_time_factor = -1.0: expected 0 or more"),
        ("scan_mode:=slow", "scan_mode"),
        ("wrold:=a.sdf", "unknown parameter 'wrold'"),
        ("world:=no/such.sdf", "'no/such.sdf': no such file"),
        ("models:=[urdf/station.urdf.xacro 1]", "expected FILE"),
    ],
)
def test_bad_configuration_is_refused_with_code_2(parameter, complaint):
    process = start(DOMAIN, parameter)
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 2
    assert complaint in errors
