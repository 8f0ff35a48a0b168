"""Node `camera_tracker`: turns the camera to the target, or sweeps for it.

Subscribes to /ground_truth/laser_odometry, /ground_truth/status and /joint_states, needs tf from
the map to the pan joint's base; publishes /station/pan/command (std_msgs/Float64, rad).
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import Any

import tf2_ros
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64

from ground_truth_localizer.camera_tracker import CameraTracker, PanCommand, TrackerParameters
from ground_truth_localizer.target_follower_node import LASER_TOPIC, TargetFollowerNode
from ros_interface.diagnostics import OK, WARN
from ros_interface.errors import MessageError
from ros_interface.node_main import run_node
from ros_interface.qos import RELIABLE, SENSOR_DATA
from ros_interface.stamps import nanoseconds_from_stamp
from ros_interface.thread_priority import FOLLOWER
from spatial_types.parameters import parameter
from spatial_types.transforms import Transform


@dataclass(frozen=True)
class TrackerNodeParameters(TrackerParameters):
    """The tracker's parameters and the node's own."""

    rate: float = parameter(20.0, "commands a second", unit="Hz", minimum=0.5, maximum=500.0)
    command_topic: str = parameter("/station/pan/command", "where the pan angle is sent")
    joint: str = parameter("camera_pan_joint", "name of the pan joint in /joint_states")
    map_frame: str = parameter("map", "frame of the target's position")
    base_frame: str = parameter(
        "camera_base_link", "frame whose x axis is the view at joint angle 0 and z the pan axis"
    )


class CameraTrackerNode(TargetFollowerNode[TrackerNodeParameters]):
    """Receive, convert, call, publish."""

    def __init__(self, **node_options: Any) -> None:
        """Declare parameters and open topics; `node_options` go to rclpy's Node."""
        super().__init__("camera_tracker", TrackerNodeParameters, **node_options)
        self._tracker = CameraTracker(self._options)
        self._pan: float | None = None
        self._command: PanCommand | None = None
        self._publisher = self.create_publisher(Float64, self._options.command_topic, RELIABLE)
        self.create_subscription(JointState, "/joint_states", self._on_joints, SENSOR_DATA)
        self.create_timer(1.0 / self._options.rate, self._tick)

    def _on_joints(self, message: JointState) -> None:
        if self._options.joint not in message.name:
            return
        index = list(message.name).index(self._options.joint)
        if index >= len(message.position) or not math.isfinite(message.position[index]):
            self._diagnostics.refuse(
                "bad joint states",
                f"JointState.position of '{self._options.joint}': expected a finite number",
            )
            return
        try:
            self._begins_anew(nanoseconds_from_stamp(message.header.stamp))
        except MessageError as error:
            self._diagnostics.refuse("bad joint states", error)
            return
        self._pan = float(message.position[index])

    def _tick(self) -> None:
        base = self._base()
        if self._pan is None or base is None:
            return
        options = self._options
        self._diagnostics.ready(
            f"pan angles to {options.command_topic}, joint '{options.joint}' from /joint_states, "
            f"target from {LASER_TOPIC}"
        )
        now = self.get_clock().now().nanoseconds
        self._command = self._tracker.update(now, self._pan, base, self._target)
        self._publisher.publish(Float64(data=self._command.angle))
        self._diagnostics.count(f"commands while {self._command.mode.name.lower()}")

    def _base(self) -> Transform | None:
        try:
            return self._lookup(self._options.map_frame, self._options.base_frame)
        except (tf2_ros.TransformException, MessageError) as error:
            self._diagnostics.lack("ticks without transform", error)
            return None

    def _summary(self) -> tuple[object, str]:
        if self._pan is None:
            return WARN, f"no joint '{self._options.joint}' on /joint_states"
        if self._command is None:
            return WARN, f"no transform {self._options.map_frame} <- {self._options.base_frame}"
        return OK, f"{self._command.mode.value}, {math.degrees(self._command.angle):.1f} deg"


def main(args: list[str] | None = None) -> int:
    """Run the node."""
    return run_node(CameraTrackerNode, args, niceness=FOLLOWER)


if __name__ == "__main__":
    sys.exit(main())
