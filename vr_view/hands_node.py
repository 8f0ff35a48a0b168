"""Node `hands`: a person's hands reach, grab, feel and drive.

Takes the device's poses of head and hands, the viewpoint's head and both controllers' Joy; gives
the hands in the map, as the embedded simulator's physics lets them go where it plays them, and
drives the robot or the drone behind a dead-man button. docs/vr_hands.md lists the topics.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from geometry_msgs.msg import PoseStamped, Twist, TwistStamped, Vector3, Vector3Stamped
from rclpy.duration import Duration
from sensor_msgs.msg import Joy
from std_msgs.msg import Bool, Empty

from ros_interface.diagnostics import OK, NodeDiagnostics
from ros_interface.errors import MessageError
from ros_interface.geometry_messages import message_from_pose, pose_from_message
from ros_interface.node_main import run_node
from ros_interface.parameters import declare_parameters
from ros_interface.qos import NEWEST, RELIABLE
from ros_interface.quiet_node import QuietNode
from ros_interface.stamps import nanoseconds_from_stamp
from ros_interface.timers import wall_timer
from spatial_types.parameters import parameter
from spatial_types.transforms import Transform
from vr_view.hands.driving import STILL, Drive, StickDriver, Velocity
from vr_view.hands.hand_poses import SIDES, Reach
from vr_view.hands.haptics import Pulse, pulse_of
from vr_view.hands.joy_mapping import InputError, JoyLayout, read_joy
from vr_view.hands.person import HandLostError, HandOptions, Person, TouchSense, Wish

WATCH_PERIOD = 0.02  # s between looks at whether the stick's readings still come


@dataclass(frozen=True)
class HandsParameters:
    """Parameters of the hands."""

    map_frame: str = parameter("map", "Frame of the viewpoint and of the hands that go out")
    device_frame: str = parameter("viewpoint_device", "Frame in which the device tells its poses")
    robot_topic: str = parameter("/phone_robot/cmd_vel", "Where the robot takes its Twist")
    drone: str = parameter("drone", "Name of the drone: its topic's first part, and its frame's")
    touch_amplitude: float = parameter(
        0.6, "Pulse where a hand is held up by something; 0: none", minimum=0.0, maximum=1.0
    )
    touch_seconds: float = parameter(0.05, "Its length", unit="s", minimum=0.0, maximum=5.0)
    joy: JoyLayout = field(default_factory=JoyLayout)
    hand: HandOptions = field(default_factory=HandOptions)
    reach: Reach = field(default_factory=Reach)
    drive: Drive = field(default_factory=Drive)

    def check(self) -> None:
        """Raise ParameterError for what contradicts itself."""
        self.hand.check()
        self.reach.check()


class HandsNode(QuietNode):
    """Converts, calls, publishes."""

    def __init__(self, **node_options: Any) -> None:
        """Declare parameters and open topics; `node_options` go to rclpy's Node."""
        super().__init__("hands", **node_options)
        options = self._options = declare_parameters(self, HandsParameters)
        self._diagnostics = NodeDiagnostics(self, self._summary)
        self._person = Person(options.hand, options.reach, options.drive)
        self._driver = StickDriver(options.drive)
        self._touch = {side: TouchSense() for side in SIDES}
        self._joy_stamps = dict.fromkeys(SIDES, 0)
        self._open_outputs()
        self._open_inputs()
        wall_timer(self, WATCH_PERIOD, self._watch)
        self._diagnostics.ready(f"the stick drives: {options.drive.vehicle}")

    def _open_outputs(self) -> None:
        publish, drive = self.create_publisher, self._options.drive
        self._hands, self._targets, self._grips, self._pulses = {}, {}, {}, {}
        self._let_go = {}
        for side in SIDES:
            hand, played = f"/viewpoint/{side}_hand", f"/scene_sim/{side}_hand"
            self._hands[side] = publish(PoseStamped, hand, RELIABLE)
            self._targets[side] = publish(PoseStamped, f"{played}/target", RELIABLE)
            self._grips[side] = publish(Bool, f"{played}/grip", RELIABLE)
            self._let_go[side] = publish(Empty, f"{played}/let_go", RELIABLE)
            self._pulses[side] = publish(Vector3Stamped, f"{hand}/haptic_pulse", RELIABLE)
        self._vehicle: Any = None
        if drive.vehicle == "robot":
            self._vehicle = publish(Twist, self._options.robot_topic, RELIABLE)
        elif drive.vehicle == "drone":
            topic = f"/{self._options.drone}/setpoint_velocity"
            self._vehicle = publish(TwistStamped, topic, RELIABLE)

    def _open_inputs(self) -> None:
        def poses(topic: str, take: Any) -> None:
            self.create_subscription(PoseStamped, topic, take, NEWEST)

        poses("/viewpoint/device/head", self._on_head)
        poses("/viewpoint/head", self._on_viewpoint)
        for side in SIDES:
            poses(f"/viewpoint/device/{side}_hand", partial(self._on_hand, side))
            poses(f"/scene_sim/{side}_hand/pose", partial(self._on_played, side))
            on_joy = partial(self._on_joy, side)
            self.create_subscription(Joy, f"/viewpoint/{side}_hand/joy", on_joy, NEWEST)

    # Where the hands are

    def _pose(self, message: PoseStamped, frame: str, what: str) -> tuple[int, Transform] | None:
        """Return stamp and pose, or count and tell why there is none."""
        found = message.header.frame_id
        try:
            if found not in ("", frame):
                raise MessageError(f"header.frame_id = '{found}': expected '{frame}'")
            return nanoseconds_from_stamp(message.header.stamp), pose_from_message(message.pose)
        except MessageError as error:
            self._diagnostics.refuse(f"bad poses of {what}", error)
            return None

    def _on_head(self, message: PoseStamped) -> None:
        taken = self._pose(message, self._options.device_frame, "the device's head")
        if taken is not None:
            self._person.hear_head(taken[1], taken[0])

    def _on_viewpoint(self, message: PoseStamped) -> None:
        taken = self._pose(message, self._options.map_frame, "the viewpoint's head")
        if taken is not None and self._person.hear_viewpoint(taken[1], time.monotonic()):
            for side in SIDES:  # the hands come along, and leave what they held
                self._let_go[side].publish(Empty())
            self._diagnostics.count("viewpoints that jumped")

    def _on_hand(self, side: str, message: PoseStamped) -> None:
        taken = self._pose(message, self._options.device_frame, f"the {side} hand")
        if taken is None:
            return
        now = time.monotonic()
        try:
            wish = self._person.place(side, taken[1], taken[0], now)
        except HandLostError as error:
            self._diagnostics.lack(f"{side} hands not placed", error)
            return
        self._diagnostics.count(f"{side} hands")
        self._touch[side].wish(wish.pose.translation, now)
        self._send_wish(side, wish)

    def _send_wish(self, side: str, wish: Wish) -> None:
        message = PoseStamped(pose=message_from_pose(wish.pose))
        message.header.stamp = self.get_clock().now().to_msg()
        message.header.frame_id = self._options.map_frame
        self._targets[side].publish(message)
        self._grips[side].publish(Bool(data=wish.closed))
        if not self._targets[side].get_subscription_count():  # no physics to correct it
            self._hands[side].publish(message)

    def _on_played(self, side: str, message: PoseStamped) -> None:
        """Show the hand where physics let it go."""
        taken = self._pose(message, self._options.map_frame, f"the {side} hand as played")
        if taken is None:
            return
        self._hands[side].publish(message)
        if self._touch[side].touches(taken[1].translation) and self._options.touch_amplitude:
            self._pulse(side, pulse_of(self._options.touch_amplitude, self._options.touch_seconds))

    def _pulse(self, side: str, pulse: Pulse) -> None:
        message = Vector3Stamped(vector=Vector3(x=pulse.amplitude, y=pulse.seconds, z=0.0))
        message.header.stamp = self.get_clock().now().to_msg()
        self._pulses[side].publish(message)
        self._diagnostics.count(f"{side} hand touches")

    # What they press

    def _on_joy(self, side: str, message: Joy) -> None:
        try:
            stamp = nanoseconds_from_stamp(message.header.stamp)
            if stamp and stamp == self._joy_stamps[side]:
                raise MessageError("Joy with the stamp of the last one: it tells nothing new")
            reading = read_joy(message.axes, message.buttons, self._options.joy)
        except (InputError, MessageError) as error:
            self._diagnostics.refuse(f"bad Joy of the {side} hand", error)
            return
        self._joy_stamps[side] = stamp
        now = time.monotonic()
        self._person.hear_input(side, reading, now)
        if self._vehicle is None:
            return
        if side == self._options.drive.hand:
            self._drive(self._driver.hear(reading, now))
        else:
            self._driver.hear_other(reading, now)

    def _watch(self) -> None:
        """Stop the vehicle where readings stay away; while they come, they alone command."""
        command = self._driver.poll(time.monotonic())
        if not self._driver.is_driving:
            self._drive(command)

    def _drive(self, command: Velocity | None) -> None:
        if command is None or self._vehicle is None:
            return
        twist = Twist()
        twist.linear.x, twist.linear.y, twist.linear.z = command.forward, command.left, command.up
        twist.angular.z = command.turn
        self._diagnostics.count("stops" if command == STILL else "commands")
        if self._options.drive.vehicle == "robot":
            self._vehicle.publish(twist)
            return
        message = TwistStamped(twist=twist)
        message.header.stamp = self.get_clock().now().to_msg()
        message.header.frame_id = f"{self._options.drone}/base_link"
        self._vehicle.publish(message)

    def _summary(self) -> tuple[object, str]:
        vehicle = self._options.drive.vehicle
        if self._driver.is_driving:
            return OK, f"driving the {vehicle}"
        return OK, "hands" if vehicle == "none" else f"hands; the {vehicle} is not driven"

    def destroy_node(self) -> None:
        """Stop the vehicle first where it is driven."""
        stop = self._driver.stop() if hasattr(self, "_driver") else None
        if stop is not None and self.context.ok():
            self._drive(stop)
            self._vehicle.wait_for_all_acked(Duration(seconds=1))
        super().destroy_node()


def main(args: list[str] | None = None) -> int:
    """Run the node."""
    return run_node(HandsNode, args, last_words=True)


if __name__ == "__main__":
    sys.exit(main())
