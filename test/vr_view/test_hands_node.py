"""The node: hands in the map, with and without physics, pulses, and driving (V14)."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import rclpy
from geometry_msgs.msg import PoseStamped, Twist, TwistStamped, Vector3Stamped
from node_room import PATIENCE, NodeRoom
from sensor_msgs.msg import Joy
from std_msgs.msg import Bool, Empty

from ros_interface.errors import ConfigurationError
from vr_view.hands_node import HandsNode

DOMAIN = 91
ROOT = Path(__file__).resolve().parents[2]


class Room(NodeRoom):
    """The node, and one beside it that plays headset, viewpoint, simulator and vehicle."""

    def __init__(self, make=HandsNode, **parameters):
        super().__init__(DOMAIN, make, **parameters)
        self.stamp = 0

    def pose(self, frame, x, y, z):
        message = PoseStamped()
        message.header.frame_id = frame
        message.header.stamp.sec, message.header.stamp.nanosec = 5, self.stamp
        position = message.pose.position
        position.x, position.y, position.z = float(x), float(y), float(z)
        return message

    def look(self, head_x=0.0):
        """One frame of the device: head and left hand, the viewpoint 10 m away."""
        self.stamp += 1
        self.send("/viewpoint/head", self.pose("map", 10.0, 0.0, 2.0))
        self.send("/viewpoint/device/head", self.pose("viewpoint_device", head_x, 0.0, 1.6))
        hand = self.pose("viewpoint_device", head_x + 0.45, 0.18, 1.38)
        self.send("/viewpoint/device/left_hand", hand)

    def press(self, side="left", left=0.0, forward=0.0, trigger=0.0, grip=0.0):
        self.stamp += 1
        message = Joy(axes=[left, forward, trigger, grip], buttons=[0] * 5)
        message.header.stamp.sec, message.header.stamp.nanosec = 5, self.stamp
        self.send(f"/viewpoint/{side}_hand/joy", message)


@pytest.fixture
def rooms():
    made = []

    def make(**parameters):
        made.append(Room(**parameters))
        return made[-1]

    yield make
    for room in made:
        room.close()


def place(message):
    position = message.pose.position
    return np.array([position.x, position.y, position.z])


def test_without_physics_the_wish_is_shown(rooms):
    room = rooms(reach__longest=2.0)
    hands = room.listen(PoseStamped, "/viewpoint/left_hand")
    room.wait(lambda: hands, room.look)
    assert hands[-1].header.frame_id == "map"
    np.testing.assert_allclose(place(hands[-1]), [10.45, 0.18, 1.78])

    def reach():
        room.press(trigger=1.0)
        room.look(head_x=3.0)  # where the device's space lies does not matter

    room.wait(lambda: place(hands[-1])[0] > 11.0, reach)
    np.testing.assert_allclose(place(hands[-1]), [12.45, 0.18, 1.78])


def test_with_physics_what_it_lets_happen_is_shown_and_felt(rooms):
    room = rooms()
    targets = room.listen(PoseStamped, "/scene_sim/left_hand/target")
    grips = room.listen(Bool, "/scene_sim/left_hand/grip")
    hands = room.listen(PoseStamped, "/viewpoint/left_hand")
    pulses = room.listen(Vector3Stamped, "/viewpoint/left_hand/haptic_pulse")

    def grip():
        room.press(grip=1.0)
        room.look()

    room.wait(lambda: targets and grips and grips[-1].data, grip)
    np.testing.assert_allclose(place(targets[-1]), [10.45, 0.18, 1.78])
    assert not hands

    def held_up():
        grip()
        room.send("/scene_sim/left_hand/pose", room.pose("map", 10.0, 0.18, 1.78))

    room.wait(lambda: hands and pulses, held_up)
    np.testing.assert_allclose(place(hands[-1]), [10.0, 0.18, 1.78])
    assert (pulses[0].vector.x, pulses[0].vector.y) == (0.6, 0.05)
    for _ in range(20):
        held_up()
        room.spin()
    assert len(pulses) == 1


def test_hands_come_along_where_the_viewpoint_jumps(rooms):
    room = rooms()
    left = room.listen(Empty, "/scene_sim/left_hand/let_go")
    right = room.listen(Empty, "/scene_sim/right_hand/let_go")
    places = iter(range(10, 10_000, 500))  # faster than anything flies, however slow the machine

    def jump():
        room.send("/viewpoint/head", room.pose("map", next(places), 0.0, 2.0))

    room.wait(lambda: left and right, jump)


def drive(room, commands):
    room.wait(lambda: commands and commands[-1].linear.x == 0.5, lambda: hold(room))


def hold(room):
    if room.node._driver._is_armed:
        room.press(forward=1.0, grip=1.0)
    else:
        room.press()


def test_the_robot_follows_the_stick_behind_the_button(rooms):
    room = rooms(drive__vehicle="robot", drive__timeout=2.0)
    commands = room.listen(Twist, "/phone_robot/cmd_vel")
    looks = room.listen(PoseStamped, "/viewpoint/left_hand")

    def look_around():  # V14: the head moves, the stick too, but no button is held
        room.look(head_x=0.3 * (room.stamp % 5))
        room.press(forward=1.0, left=1.0)

    room.wait(lambda: len(looks) > 20, look_around)
    assert not commands

    drive(room, commands)
    room.wait(lambda: commands[-1].linear.x == 0.0, room.press)
    count = len(commands)
    looks.clear()
    room.wait(lambda: len(looks) > 20, look_around)
    assert len(commands) == count  # once, and never afterwards


def test_the_robot_stops_once_when_readings_stay_away(rooms):
    room = rooms(drive__vehicle="robot")
    commands = room.listen(Twist, "/phone_robot/cmd_vel")
    drive(room, commands)
    room.wait(lambda: commands[-1].linear.x == 0.0)
    count, looks = len(commands), room.listen(PoseStamped, "/viewpoint/left_hand")
    room.wait(lambda: len(looks) > 20, room.look)
    # The same reading again and again is no sign of life, nor is a button that stayed held.
    repeated = Joy(axes=[0.0, 1.0, 0.0, 1.0])
    repeated.header.stamp.sec, repeated.header.stamp.nanosec = 5, room.stamp
    for _ in range(20):
        room.send("/viewpoint/left_hand/joy", repeated)
        room.spin()
    assert len(commands) == count


def test_the_end_of_the_node_stops_the_robot(rooms):
    room = rooms(drive__vehicle="robot", drive__timeout=2.0)
    commands = room.listen(Twist, "/phone_robot/cmd_vel")
    drive(room, commands)
    room.end_node()
    room.wait(lambda: commands[-1].linear.x == 0.0)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_to_the_program_stops_the_robot(number):
    environment = {
        **os.environ,
        "ROS_DOMAIN_ID": str(DOMAIN),
        "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
        "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path]),
    }
    options = ["--ros-args", "-p", "drive.vehicle:=robot", "-p", "drive.timeout:=2.0"]
    room = Room(make=nobody)
    commands = room.listen(Twist, "/phone_robot/cmd_vel")
    command = [sys.executable, "-m", "vr_view.hands_node", *options]
    with subprocess.Popen(command, env=environment, cwd="/") as process:

        def hold_after_a_while():
            held = 1.0 if room.stamp % 100 > 3 else 0.0
            room.press(forward=held, grip=held)

        try:
            room.wait(lambda: commands and commands[-1].linear.x == 0.5, hold_after_a_while)
            process.send_signal(number)
            room.wait(lambda: commands[-1].linear.x == 0.0)
            assert process.wait(PATIENCE) == 0
        finally:
            process.kill()
            room.close()


def nobody(context, parameter_overrides):
    return rclpy.create_node("nobody", context=context)


def test_the_drone_flies_in_its_own_axes(rooms):
    room = rooms(drive__vehicle="drone", drive__hand="right", drive__timeout=2.0)
    commands = room.listen(TwistStamped, "/drone/setpoint_velocity")

    def fly():
        room.press("left", forward=1.0)
        armed = room.node._driver._is_armed
        room.press("right", left=-1.0 if armed else 0.0, grip=1.0 if armed else 0.0)

    room.wait(lambda: commands and commands[-1].twist.linear.y == -0.5, fly)
    room.wait(lambda: commands[-1].twist.linear.z == 0.5, fly)
    assert commands[-1].header.frame_id == "drone/base_link"
    assert commands[-1].header.stamp.sec > 0


def test_bad_messages_are_counted_and_survived(rooms):
    room = rooms()
    hands = room.listen(PoseStamped, "/viewpoint/left_hand")
    counts = room.node._diagnostics.counts
    wrong = room.pose("map", 0.0, 0.0, 1.0)

    def send_bad():
        room.send("/viewpoint/left_hand/joy", Joy(axes=[0.0, 0.0]))
        room.send("/viewpoint/device/head", wrong)

    room.wait(lambda: counts["bad Joy of the left hand"] > 1, send_bad)
    room.wait(lambda: counts["bad poses of the device's head"] > 1, send_bad)
    room.wait(lambda: hands, room.look)


def test_bad_configuration(rooms):
    with pytest.raises(ConfigurationError, match=r"reach\.shoulder"):
        rooms(reach__shoulder=[1.0, 2.0])
