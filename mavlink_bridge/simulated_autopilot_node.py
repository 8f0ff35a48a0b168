"""Node `simulated_autopilot`: flies the drone of a scene, and is its autopilot on a MAVLink link.

Publishes /drone/body/cmd_vel (geometry_msgs/Twist, for VelocityControl), takes
/drone/body/odometry (where the simulator has the body). In a namespace the first part is that
instead of `drone`. Time is the scene's.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from geometry_msgs.msg import Twist, Vector3
from nav_msgs.msg import Odometry

from mavlink_bridge.links.link import LinkError
from mavlink_bridge.links.link_url import open_link
from mavlink_bridge.simulated_autopilot.body_control import BodyLoop, BodyParameters
from mavlink_bridge.simulated_autopilot.vehicle import LONGEST_LAG, Vehicle, VehicleParameters
from ros_interface.diagnostics import OK, WARN, NodeDiagnostics
from ros_interface.errors import ConfigurationError, MessageError
from ros_interface.geometry_messages import pose_from_message
from ros_interface.node_main import run_node
from ros_interface.parameters import declare_parameters
from ros_interface.qos import RELIABLE
from ros_interface.quiet_node import QuietNode
from spatial_types.parameters import parameter
from spatial_types.transforms import Transform


@dataclass(frozen=True)
class AutopilotNodeParameters:
    """The vehicle's parameters and the node's own."""

    link: str = parameter("udpout:127.0.0.1:14540", "address of the link to the bridge")
    folder: str = parameter("~/.truthbed/drone_files", "where its files are")
    rate: float = parameter(50.0, "steps a second", unit="Hz", minimum=5.0, maximum=200.0)
    wind: tuple[float, ...] = parameter(
        (0.0, 0.0, 0.0), "wind towards east and north, and its gusts", unit="m/s"
    )
    vehicle: VehicleParameters = field(default_factory=VehicleParameters)
    loop: BodyParameters = field(default_factory=BodyParameters)


class SimulatedAutopilotNode(QuietNode):
    """Steps the vehicle by the scene's time and closes the loop of its body."""

    def __init__(self, **node_options: Any) -> None:
        """Declare parameters and open the link; `node_options` go to rclpy's Node."""
        super().__init__("simulated_autopilot", **node_options)
        options = self._options = declare_parameters(self, AutopilotNodeParameters)
        if len(options.wind) != 3:
            raise ConfigurationError(f"wind = {list(options.wind)}: expected east, north, gusts")
        self.drone = self.get_namespace().strip("/") or "drone"
        folder = Path(options.folder).expanduser()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._link = open_link(options.link)
        except (LinkError, OSError) as error:
            raise ConfigurationError(f"{self.get_name()}: {error}") from None
        self._folder = folder
        self.vehicle = self._new_vehicle()
        self._body: Transform | None = None
        self._loop: BodyLoop | None = None
        self._last = -1.0
        self.diagnostics = NodeDiagnostics(self, self._summary)
        self._publisher = self.create_publisher(Twist, f"/{self.drone}/body/cmd_vel", RELIABLE)
        self.create_subscription(Odometry, f"/{self.drone}/body/odometry", self._on_body, RELIABLE)
        self.create_timer(1.0 / options.rate, self._step)

    def _new_vehicle(self) -> Vehicle:
        vehicle = Vehicle(self._link, self._folder, self._options.vehicle, unix_time=time.time())
        vehicle.set_wind(*self._options.wind)
        return vehicle

    def _on_body(self, message: Odometry) -> None:
        try:
            self._body = pose_from_message(message.pose.pose)
        except MessageError as error:
            self.diagnostics.refuse("bad odometry of the body", error)
            return
        if self._loop is None:
            # Home is where it stands; its axes are the map's, so east is the map's x.
            home = Transform(translation=self._body.translation)
            self._loop = BodyLoop(self._options.loop, home)
            self.vehicle.body.correct((0.0, 0.0, 0.0), self._body.yaw)
            self.diagnostics.ready(f"home is {self._body.translation.round(3).tolist()}")

    def _step(self) -> None:
        now = self.get_clock().now().nanoseconds * 1e-9
        if self._body is None or self._loop is None or now <= 0.0:
            return
        if now < self._last or self.vehicle.reboot_asked:
            self._restart()
            return
        passed = now - self._last if self._last >= 0.0 else 0.0
        self._last = now
        body = self.vehicle.body
        if self._loop.take_over(body, self._body):
            self.diagnostics.count("obstructed")
        self.vehicle.advance(now)
        linear, angular = self._loop.velocity(body, self._body, min(passed, LONGEST_LAG))
        self._publisher.publish(Twist(linear=_vector(linear), angular=_vector(angular)))

    def _restart(self) -> None:
        """The scene was reset, or a reboot was asked for: begin anew where the body is."""
        self.get_logger().info("begins anew")
        self._last, self._body, self._loop = -1.0, None, None
        self.vehicle = self._new_vehicle()

    def _summary(self) -> tuple[object, str]:
        if self._body is None:
            return WARN, f"no odometry on /{self.drone}/body/odometry"
        pilot = self.vehicle.pilot
        armed = "armed" if pilot.armed else "disarmed"
        return OK, f"{self.vehicle.mode_name}, {armed}, battery {pilot.battery.level:.0%}"

    def destroy_node(self) -> None:
        """Close the link, then the node."""
        if hasattr(self, "_link"):
            self._link.close()
        super().destroy_node()


def _vector(values: Any) -> Vector3:
    x, y, z = (float(value) for value in values)
    return Vector3(x=x, y=y, z=z)


def main(args: list[str] | None = None) -> int:
    """Run the node; see the module's text."""
    return run_node(SimulatedAutopilotNode, args)


if __name__ == "__main__":
    sys.exit(main())
