"""The node `robot_state_publisher`: same parameters and topics as the real one.

Moving joints go to /tf with the stamp of the joint states they come from, at most
`publish_frequency` times a second by those stamps; fixed ones go to /tf_static once. States with
stamps older than the last are left out, until the node's clock jumps back too.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import rclpy
from geometry_msgs.msg import TransformStamped
from rcl_interfaces.msg import SetParametersResult
from rclpy.clock import Clock, ClockType
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile, qos_profile_sensor_data
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from tf2_py.buffer_core import message_from_rigid, nanoseconds
from tf2_ros import StaticTransformBroadcaster, TransformBroadcaster

from robot_state_publisher.urdf_tree import Joint, UrdfError, joints_from_urdf, with_mimics

NICENESS = 10
FREQUENCY_RULE = "publish_frequency must be between 0 and 1000"


class RobotStatePublisher(Node):
    """Turns joint states into transforms."""

    def __init__(self) -> None:
        """Declare the parameters, read the robot and publish what is fixed.

        Raises:
            UrdfError: robot_description is empty or no robot.
            ValueError: publish_frequency is out of range.
        """
        super().__init__("robot_state_publisher")
        description = self.declare_parameter("robot_description", "").value
        if not 0.0 <= self.declare_parameter("publish_frequency", 20.0).value <= 1000.0:
            raise ValueError(FREQUENCY_RULE)
        self.declare_parameter("frame_prefix", "")
        self.declare_parameter("ignore_timestamp", False)
        self._broadcaster = TransformBroadcaster(self)
        self._static_broadcaster = StaticTransformBroadcaster(self)
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        self._description = self.create_publisher(String, "robot_description", latched)
        self._joints: dict[str, Joint] = {}
        self._published_at: dict[str, int] = {}
        self._last_call = 0
        self._take_robot(description)
        self.add_on_set_parameters_callback(self._check_parameters)
        self.add_post_set_parameters_callback(self._apply_parameters)
        self.create_subscription(
            JointState, "joint_states", self._take_joint_states, qos_profile_sensor_data
        )

    def _take_robot(self, description: str) -> None:
        if not description:
            raise UrdfError("robot_description parameter must not be empty")
        self._joints = joints_from_urdf(description)
        self._published_at.clear()
        self._description.publish(String(data=description))
        self._publish_fixed()
        self.get_logger().info("Robot initialized")

    def _publish_fixed(self) -> None:
        now = self.get_clock().now().nanoseconds
        fixed = [joint for joint in self._joints.values() if joint.type in ("fixed", "planar")]
        self._static_broadcaster.sendTransform(
            [self._transform(joint, 0.0, now) for joint in fixed]
        )

    def _transform(self, joint: Joint, position: float, time: int) -> TransformStamped:
        prefix = self.get_parameter("frame_prefix").value
        return message_from_rigid(
            prefix + joint.parent, prefix + joint.child, joint.pose(position), time
        )

    def _take_joint_states(self, state: JointState) -> None:
        if len(state.name) != len(state.position):
            self.get_logger().warning(
                f"ignored a JointState of {len(state.name)} joints with {len(state.position)} "
                f"positions (first joint: '{state.name[0] if state.name else ''}')",
                throttle_duration_sec=5.0,
            )
            return
        self._notice_jump_back()
        time = nanoseconds(state.header.stamp)
        if self.get_parameter("ignore_timestamp").value or time >= self._due(state.name):
            self._publish_moving(dict(zip(state.name, state.position, strict=True)), time)
            self._published_at.update(dict.fromkeys(state.name, time))

    def _notice_jump_back(self) -> None:
        now = self.get_clock().now().nanoseconds
        if now < self._last_call:
            self.get_logger().warning("Moved backwards in time, re-publishing joint transforms!")
            self._published_at.clear()
        self._last_call = now

    def _due(self, names: list[str]) -> int:
        """The stamp from which on these joints are to be published again."""
        frequency = self.get_parameter("publish_frequency").value
        interval = int(1000.0 / frequency) * 1_000_000 if frequency else 0
        oldest = min((self._published_at.get(name, 0) for name in names), default=0)
        return min(oldest, self._last_call) + interval

    def _publish_moving(self, positions: dict[str, float], time: int) -> None:
        transforms = [
            self._transform(self._joints[name], position, time)
            for name, position in with_mimics(self._joints, positions).items()
            if name in self._joints and self._joints[name].moving
        ]
        if transforms:
            self._broadcaster.sendTransform(transforms)

    def _check_parameters(self, parameters: list[Parameter]) -> SetParametersResult:
        for parameter in parameters:
            if parameter.name == "robot_description":
                try:
                    joints_from_urdf(parameter.value or "")
                except UrdfError as error:
                    return SetParametersResult(successful=False, reason=str(error))
            elif parameter.name == "publish_frequency" and not 0.0 <= parameter.value <= 1000.0:
                return SetParametersResult(successful=False, reason=FREQUENCY_RULE)
        return SetParametersResult(successful=True)

    def _apply_parameters(self, parameters: list[Parameter]) -> None:
        for parameter in parameters:
            if parameter.name == "robot_description":
                self._take_robot(parameter.value)


@contextmanager
def _yielding_to_estimators() -> Iterator[None]:
    """In Python this node takes more of a small computer than the real one does.

    Afterwards it takes its share back, where the system lets it, to end soon on a busy machine.
    """
    if sys.platform != "linux":
        yield
        return
    before = os.getpriority(os.PRIO_PROCESS, 0)
    os.setpriority(os.PRIO_PROCESS, 0, max(NICENESS, before))
    try:
        yield
    finally:
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, 0, before)


def main(args: list[str] | None = None) -> int:
    """Run the node; 1 when the robot cannot be read."""
    # rclpy's own handler ends the spinning. Python's would raise KeyboardInterrupt in the midst of
    # a call into C++, which makes another error of it.
    signal.signal(signal.SIGINT, lambda _number, _frame: None)
    rclpy.init(args=args)
    try:
        node = RobotStatePublisher()
        # rclpy wakes its executors before it shuts the context down; one that goes to sleep in
        # between would sleep for ever.
        node.create_timer(0.5, lambda: None, clock=Clock(clock_type=ClockType.STEADY_TIME))
        with _yielding_to_estimators():
            rclpy.spin(node)
    except ValueError as error:
        print(f"robot_state_publisher: {error}", file=sys.stderr)
        return 1
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    except Exception:
        if rclpy.ok():  # otherwise the context was taken away in the midst of something
            raise
    finally:
        rclpy.try_shutdown()
        # Python takes the handler away before it ends, and at a terminal Ctrl-C comes twice, from
        # there and from the launcher.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    return 0
