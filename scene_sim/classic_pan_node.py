"""Node `classic_pan`: the pan motor's Float64 command for Gazebo Classic.

That simulator brings no controller that takes an angle: its plugin sets joints to the points of a
trajectory, one after the other. This node makes such a trajectory from where the joint is to where
it shall be, at the motor's speed.

Subscribes to /station/pan/command (std_msgs/Float64, rad) and /joint_states; publishes
/station/pan/trajectory (trajectory_msgs/JointTrajectory).
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import Any

from builtin_interfaces.msg import Duration
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from ros_interface.node_main import run_node
from ros_interface.parameters import declare_parameters
from ros_interface.qos import RELIABLE, SENSOR_DATA
from spatial_types.parameters import parameter

#: Time from one point to the next; the plugin looks 100 times a second.
PERIOD_NS = 20_000_000


@dataclass(frozen=True)
class ClassicPanParameters:
    """What the node is told."""

    command_topic: str = parameter("/station/pan/command", "where the pan angle comes from")
    trajectory_topic: str = parameter("/station/pan/trajectory", "where the plugin listens")
    joint: str = parameter("camera_pan_joint", "name of the pan joint in /joint_states")
    speed: float = parameter(math.pi, "of the motor", unit="rad/s", minimum=0.01, maximum=100.0)


def sweep(start: float, goal: float, step: float) -> list[float]:
    """Return the angles after `start`, at most `step` apart, that end at `goal` (rad)."""
    count = max(1, math.ceil(abs(goal - start) / step - 1e-9))
    return [start + (goal - start) * (index + 1) / count for index in range(count)]


def trajectory(joint: str, angles: list[float]) -> JointTrajectory:
    """Return the message that the plugin takes.

    It adds the points' times up, each a wait before the next point, where the message's definition
    has them count from the start.
    """
    message = JointTrajectory(joint_names=[joint])
    message.header.frame_id = "world"
    wait = Duration(sec=0, nanosec=PERIOD_NS)
    message.points = [
        JointTrajectoryPoint(positions=[angle], time_from_start=wait) for angle in angles
    ]
    return message


class ClassicPanNode(Node):
    """Receive, convert, publish."""

    def __init__(self, **node_options: Any) -> None:
        """Declare parameters and open topics; `node_options` go to rclpy's Node."""
        super().__init__("classic_pan", **node_options)
        self._options = declare_parameters(self, ClassicPanParameters)
        self._angle: float | None = None
        self._goal: float | None = None
        self._publisher = self.create_publisher(
            JointTrajectory, self._options.trajectory_topic, RELIABLE
        )
        self.create_subscription(JointState, "/joint_states", self._on_joints, SENSOR_DATA)
        self.create_subscription(Float64, self._options.command_topic, self._on_command, RELIABLE)

    def _on_joints(self, message: JointState) -> None:
        if self._options.joint in message.name:
            self._angle = message.position[list(message.name).index(self._options.joint)]

    def _on_command(self, message: Float64) -> None:
        if self._angle is None or not math.isfinite(message.data):
            self.get_logger().warning(
                f"command {message.data} rad not carried out: expected a finite angle, and "
                f"'{self._options.joint}' on /joint_states before it",
                throttle_duration_sec=5.0,
            )
            return
        if message.data != self._goal:
            self._goal = message.data
            angles = sweep(self._angle, message.data, self._options.speed * PERIOD_NS * 1e-9)
            self._publisher.publish(trajectory(self._options.joint, angles))


def main(args: list[str] | None = None) -> int:
    """Run the node."""
    return run_node(ClassicPanNode, args)


if __name__ == "__main__":
    sys.exit(main())
