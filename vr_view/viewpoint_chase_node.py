"""Node `viewpoint_chase`: flies Gazebo's two eye cameras after the viewpoint.

Takes /viewpoint/head and where the cameras are, gives the velocity for their VelocityControl. The
embedded simulator needs no such loop: its eyes are where the viewpoint is.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
from geometry_msgs.msg import PoseStamped, Twist
from nav_msgs.msg import Odometry

from ros_interface.diagnostics import OK, WARN, NodeDiagnostics
from ros_interface.errors import MessageError
from ros_interface.geometry_messages import pose_from_message
from ros_interface.node_main import run_node
from ros_interface.parameters import declare_parameters
from ros_interface.qos import NEWEST, RELIABLE
from ros_interface.quiet_node import QuietNode
from ros_interface.stamps import nanoseconds_from_stamp
from spatial_types.parameters import parameter
from spatial_types.transforms import Transform
from vr_view.stereo.chase import Chase, ChaseOptions


@dataclass(frozen=True)
class ChaseParameters(ChaseOptions):
    """The loop's parameters and the node's own."""

    map_frame: str = parameter("map", "Frame of viewpoint and cameras")
    eyes: str = parameter("viewpoint_eyes", "First part of the cameras' topics")


class ViewpointChaseNode(QuietNode):
    """Converts, calls, publishes."""

    def __init__(self, **node_options: Any) -> None:
        """Declare parameters and open topics; `node_options` go to rclpy's Node."""
        super().__init__("viewpoint_chase", **node_options)
        options = self._options = declare_parameters(self, ChaseParameters)
        self._chase = Chase(options)
        self._apart = np.inf
        self._wish: Transform | None = None
        self._diagnostics = NodeDiagnostics(self, self._summary)
        self._commands = self.create_publisher(Twist, f"/{options.eyes}/cmd_vel", RELIABLE)
        self.create_subscription(PoseStamped, "/viewpoint/head", self._on_viewpoint, NEWEST)
        self.create_subscription(Odometry, f"/{options.eyes}/odometry", self._on_odometry, NEWEST)

    def _taken(self, message: Any, pose: Any, what: str) -> tuple[float, Transform] | None:
        """Return time (s) and pose, or count and tell why there is none."""
        try:
            if message.header.frame_id not in ("", self._options.map_frame):
                raise MessageError(
                    f"header.frame_id = '{message.header.frame_id}': expected "
                    f"'{self._options.map_frame}'"
                )
            return nanoseconds_from_stamp(message.header.stamp) * 1e-9, pose_from_message(pose)
        except MessageError as error:
            self._diagnostics.refuse(f"bad poses of the {what}", error)
            return None

    def _on_viewpoint(self, message: PoseStamped) -> None:
        taken = self._taken(message, message.pose, "viewpoint")
        if taken is not None:
            self._wish = taken[1]
            self._chase.wish(taken[1], taken[0])

    def _on_odometry(self, message: Odometry) -> None:
        taken = self._taken(message, message.pose.pose, "cameras")
        if taken is None:
            return
        linear, angular = self._chase.command(taken[1], taken[0])
        if self._wish is not None:
            self._apart = float(np.linalg.norm(self._wish.translation - taken[1].translation))
        twist = Twist()
        twist.linear.x, twist.linear.y, twist.linear.z = linear.tolist()
        twist.angular.x, twist.angular.y, twist.angular.z = angular.tolist()
        self._commands.publish(twist)
        self._diagnostics.count("commands")

    def _summary(self) -> tuple[object, str]:
        if not np.isfinite(self._apart):
            return WARN, "waits for a viewpoint and for the cameras' odometry"
        return OK, f"cameras {1e3 * self._apart:.0f} mm from the viewpoint"


def main(args: list[str] | None = None) -> int:
    """Run the node."""
    return run_node(ViewpointChaseNode, args)


if __name__ == "__main__":
    sys.exit(main())
