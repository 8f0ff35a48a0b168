"""Node `fly_square`: arms a drone, takes off, flies a rectangle, lands, and ends.

An example of what an application does, by topics and services alone: it waits for /drone/state to
say that the drone is there, calls /drone/arm, take_off and land, and sends /drone/trajectory.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import Path
from rclpy.executors import ExternalShutdownException
from std_srvs.srv import SetBool, Trigger

from ros_interface.errors import ConfigurationError
from ros_interface.geometry_messages import message_from_pose
from ros_interface.node_main import run_node
from ros_interface.parameters import declare_parameters
from ros_interface.qos import LATCHED, RELIABLE
from ros_interface.quiet_node import QuietNode
from spatial_types.parameters import parameter
from spatial_types.transforms import Transform


@dataclass(frozen=True)
class SquareParameters:
    """Where to fly."""

    corners: tuple[float, ...] = parameter(
        (-2.5, 1.0, 2.5, 3.2), "two opposite corners: x, y, x, y in the map", unit="m"
    )
    height: float = parameter(1.5, "above the floor", unit="m", minimum=0.3)
    laps: int = parameter(1, "how often", minimum=1)
    repeat: bool = parameter(False, "fly again after landing, until Ctrl-C")


def rectangle(corners: tuple[float, ...], height: float, laps: int) -> list[Transform]:
    """Return the poses along a rectangle, each looking along the side that it begins."""
    x0, y0, x1, y1 = corners
    points = [(x0, y0), (x1, y0), (x1, y1), (x0, y1)] * laps + [(x0, y0)]
    poses: list[Transform] = []
    for here, there in zip(points, [*points[1:], points[-1]], strict=True):
        last = poses[-1].yaw if poses else 0.0
        yaw = last if here == there else math.atan2(there[1] - here[1], there[0] - here[0])
        if poses:
            poses.append(Transform.planar(*here, last, height))  # turns there, not on the way
        poses.append(Transform.planar(*here, yaw, height))
    return poses


class FlySquareNode(QuietNode):
    """One step after the other; each begins when the one before was answered."""

    def __init__(self, **node_options: Any) -> None:
        """Declare parameters and wait for the drone; `node_options` go to rclpy's Node."""
        super().__init__("fly_square", **node_options)
        options = self._options = declare_parameters(self, SquareParameters)
        if len(options.corners) != 4:
            raise ConfigurationError(f"corners = {list(options.corners)}: expected x, y, x, y")
        self.drone = self.get_namespace().strip("/") or "drone"
        self._steps: list[Callable[[], None]] = []
        self._state: dict[str, str] = {}
        self._flying = self._was_live = self._started = False
        self._path = self.create_publisher(Path, f"/{self.drone}/trajectory", RELIABLE)
        self.create_subscription(DiagnosticStatus, f"/{self.drone}/state", self._on_state, LATCHED)
        self._begin()

    def _begin(self) -> None:
        start: list[Callable[[], None]] = [
            partial(self._call, SetBool, "arm", SetBool.Request(data=True)),
            partial(self._call, Trigger, "take_off"),
        ]
        flies = self._state.get("landed") not in (None, "unknown", "on ground")
        land = partial(self._call, Trigger, "land")
        self._steps = [*([] if flies else start), self._send_path, land]
        self._started = False

    def _on_state(self, message: DiagnosticStatus) -> None:
        self._state = {item.key: item.value for item in message.values}
        if not self._started and self._state.get("connected") == "True":
            self._started = True
            self._next()
        has_setpoint = self._state.get("setpoint") != "none"
        if self._flying and not has_setpoint and self._was_live:
            self._flying = False
            self.get_logger().info("the rectangle is flown")
            self._next()
        self._was_live = has_setpoint

    def _next(self) -> None:
        if self._steps:
            self._steps.pop(0)()
        elif self._options.repeat:
            self._begin()
        else:
            self.get_logger().info("done")
            raise ExternalShutdownException  # which ends the node, with exit code 0

    def _call(self, kind: Any, name: str, request: Any = None) -> None:
        client: Any = self.create_client(kind, f"/{self.drone}/{name}")
        client.wait_for_service(timeout_sec=10.0)
        future = client.call_async(request or kind.Request())
        future.add_done_callback(lambda answered: self._answered(name, answered.result()))

    def _answered(self, name: str, answer: Any) -> None:
        log = self.get_logger()
        if answer.success:
            log.info(f"{name}: {answer.message}")
            self._next()
            return
        log.warning(f"{name}: {answer.message}; tried again with the drone's next state")
        self._begin()

    def _send_path(self) -> None:
        path = Path()
        path.header.frame_id = "map"
        path.header.stamp = self.get_clock().now().to_msg()
        options = self._options
        for pose in rectangle(options.corners, options.height, options.laps):
            path.poses.append(PoseStamped(header=path.header, pose=message_from_pose(pose)))
        self._was_live, self._flying = False, True
        self._path.publish(path)


def main(args: list[str] | None = None) -> int:
    """Run the node; see the module's text."""
    return run_node(FlySquareNode, args)


if __name__ == "__main__":
    sys.exit(main())
