"""Node `mavlink_bridge`: a drone on a MAVLink link as ROS topics and services.

Publishes /drone/pose, odometry, imu, global_position, battery, state and tf map -> drone/base_link;
takes /drone/setpoint_pose, setpoint_velocity, trajectory and files/...; serves arm, take_off, land,
hover, return_home, cancel and follow_setpoints, and the parameter `mode`. In a namespace the first
part is that instead of `drone`. docs/drone.md tells all of it.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from geometry_msgs.msg import PoseStamped, TwistStamped
from nav_msgs.msg import Path as PathMessage
from rcl_interfaces.msg import ParameterDescriptor, SetParametersResult
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.parameter import Parameter

from mavlink_bridge.autopilots.flavours import UnknownModeError
from mavlink_bridge.drone_files import DroneFiles
from mavlink_bridge.drone_inputs import (
    InputFrames,
    position_setpoint,
    trajectory_from_path,
    velocity_setpoint,
)
from mavlink_bridge.drone_services import DroneServices
from mavlink_bridge.drone_topics import DroneTopics
from mavlink_bridge.endpoint import EndpointParameters
from mavlink_bridge.files.transfer_protocol import TransferProgress
from mavlink_bridge.frames import yaw_of
from mavlink_bridge.links.link import LinkError
from mavlink_bridge.links.link_thread import LinkThread
from mavlink_bridge.links.link_url import open_link
from mavlink_bridge.mapping.setpoints import Setpoint
from mavlink_bridge.mapping.telemetry import Text
from mavlink_bridge.piloting.bridge_time import SceneTime
from mavlink_bridge.piloting.drone_bridge import BridgeParameters, DroneBridge, Outlet
from mavlink_bridge.piloting.ground_station import SHORT, GroundStationForward
from mavlink_bridge.state_report import StateReport
from mavlink_bridge.wire.key_file import KeyFileError, SigningStore, open_signing
from ros_interface.diagnostics import NodeDiagnostics
from ros_interface.errors import ConfigurationError, MessageError
from ros_interface.node_main import run_node
from ros_interface.parameters import declare_parameters
from ros_interface.qos import RELIABLE
from ros_interface.quiet_node import QuietNode
from ros_interface.timers import wall_timer
from spatial_types.parameters import parameter
from spatial_types.transforms import Transform

THREADS = 8  # services that wait keep one each
HUNG_AFTER = 2.0  # seconds without a callback: then the drone must not think that we are well
SWITCH_INTERVAL = 0.001  # seconds that a callback may keep the link's thread from running
SEVERITY_WARNING = 4
OFF = "none"
LINK_ID = 1  # in signatures: the bridge has one signed link
SCENE_WAIT = 0.01  # seconds: a scene may be tens of times as fast as we are


@dataclass(frozen=True)
class NodeParameters(BridgeParameters):
    """The bridge's parameters and the node's own."""

    link: str = parameter("udpin:127.0.0.1:14540", "address of the link to the drone")
    ground_station: str = parameter(
        "",
        "address of a ground station to let at the drone; udp: 127.0.0.1:14550, tcp: it calls "
        "127.0.0.1:5760, none or empty: off",
    )
    key_file: str = parameter("", "key file to sign with; none: unsigned")
    folder: str = parameter("~/.truthbed/files", "where files come to and are served from")
    map_frame: str = parameter("map", "frame of poses and setpoints")
    local_position: tuple[float, ...] = parameter(
        (0.0, 0.0, 0.0), "origin of the autopilot's local frame in the map", unit="m"
    )
    local_yaw: float = parameter(
        0.0, "turn from the map to the autopilot's east, counter-clockwise", unit="rad"
    )
    publish_tf: bool = parameter(True, "publish the pose on tf")
    trajectory_speed: float = parameter(
        0.5, "speed along a trajectory whose poses have no times", unit="m/s", minimum=0.01
    )
    service_timeout: float = parameter(
        90.0, "longest time that a service lets its caller wait", unit="s", minimum=1.0
    )
    endpoint: EndpointParameters = field(default_factory=EndpointParameters)

    def check(self) -> None:
        """Raise ParameterError for budgets that contradict themselves."""
        self.endpoint.budget.check()

    @property
    def map_from_local(self) -> Transform:
        """Where the autopilot's local frame lies."""
        x, y, z = self.local_position
        return Transform.planar(x, y, self.local_yaw, z)


class MavlinkBridgeNode(QuietNode):
    """Converts, and gives all else to the link's thread."""

    def __init__(self, **node_options: Any) -> None:
        """Declare parameters and open the link; `node_options` go to rclpy's Node."""
        super().__init__("mavlink_bridge", **node_options)
        self.declare_parameter(
            "mode", "", ParameterDescriptor(description="Set it to change the flight mode")
        )
        parameters = declare_parameters(self, NodeParameters)
        if len(parameters.local_position) != 3:
            raise ConfigurationError(
                f"local_position = {list(parameters.local_position)}: expected x, y, z"
            )
        self._options = parameters
        self._store: SigningStore | None = None
        self._scene: SceneTime | None = None
        self._resets = 0
        self.drone = self.get_namespace().strip("/") or "drone"
        self._frames = InputFrames(
            parameters.map_frame,
            f"{self.drone}/base_link",
            parameters.map_from_local,
            round(parameters.setpoint.lifetime * 1e9),
        )
        self.topics = DroneTopics(
            self, self.drone, parameters.map_frame, parameters.map_from_local, parameters.publish_tf
        )
        self.bridge = self._open_bridge(parameters)
        self.report = StateReport(self, self.bridge, self.drone)
        self.diagnostics = NodeDiagnostics(self, self.report.summary)
        self._alive = time.monotonic()
        wall_timer(self, 0.2, self._watch)
        wall_timer(self, 1.0, self.report.publish)
        self._take_setpoints()
        self.add_on_set_parameters_callback(self._on_parameters)
        self.files = DroneFiles(self, self.drone, self.bridge, self.diagnostics)
        self.thread = self.files.thread = self._make_thread()
        services = self, self.drone, ReentrantCallbackGroup()
        timeout = parameters.service_timeout
        self.drone_services = DroneServices(*services, self.bridge, self.thread, timeout)
        self.thread.start()
        self.get_logger().info(f"ready: {parameters.link}, topics /{self.drone}/...")

    def _open_bridge(self, parameters: NodeParameters) -> DroneBridge:
        folder = Path(parameters.folder).expanduser()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            link = open_link(parameters.link)
            signing = None
            if parameters.key_file:
                key_file = Path(parameters.key_file).expanduser()
                signing, self._store = open_signing(key_file, LINK_ID, time.time())
        except (LinkError, KeyFileError, OSError) as error:
            raise ConfigurationError(f"{self.get_name()}: {error}") from None
        outlet = _Told(self)
        bridge = DroneBridge(
            link,
            folder,
            parameters,
            outlet,
            parameters.endpoint,
            signing=signing,
            map_from_local=parameters.map_from_local,
        )
        self.ground = self._open_ground(bridge, parameters.ground_station)
        return bridge

    def _open_ground(self, bridge: DroneBridge, address: str) -> GroundStationForward | None:
        if address in ("", OFF):
            return None
        try:
            link = open_link(SHORT.get(address, address))
        except LinkError as error:
            bridge.close()
            raise ConfigurationError(f"{self.get_name()}: ground_station: {error}") from None
        return GroundStationForward(bridge.endpoint, link)

    def _make_thread(self) -> LinkThread:
        links = [self.bridge.endpoint.connection.link]
        if self.ground is not None:
            links.append(self.ground.connection.link)
        if not self.get_parameter("use_sim_time").value:
            return LinkThread(links, self._poll, self.bridge.next_time)
        self._scene = SceneTime()
        return LinkThread(links, self._poll, self.bridge.next_time, self._scene_now, SCENE_WAIT)

    # On the link's thread

    def _scene_now(self) -> float:
        assert self._scene is not None
        return self._scene.advance(self.get_clock().now().nanoseconds)

    def _poll(self, now: float) -> None:
        if self._scene is not None and self._scene.resets > self._resets:
            self._resets = self._scene.resets
            self.topics.restart()
            self.bridge.restart(now)
        healthy = time.monotonic() - self._alive < HUNG_AFTER
        frames = self.bridge.poll(now, self.get_clock().now().nanoseconds, healthy)
        if self.ground is not None:
            self.ground.poll(frames, now)
        signing = self.bridge.endpoint.connection.signing
        if self._store is not None and signing is not None:
            self._store.keep(signing, now)

    # On the executor's threads

    def _watch(self) -> None:
        self._alive = time.monotonic()
        if self.thread.error is not None:
            raise RuntimeError("the link's thread broke down") from self.thread.error

    def _take_setpoints(self) -> None:
        def subscribe(kind: type, topic: str, make: Callable[[Any, int], Setpoint]) -> None:
            def take(message: Any) -> None:
                try:
                    setpoint = make(message, self.get_clock().now().nanoseconds)
                except MessageError as error:
                    self.diagnostics.refuse(f"{topic} refused", error)
                    return
                self.diagnostics.count(topic)
                self.thread.do(lambda now: self.bridge.give(setpoint, now))

            self.create_subscription(kind, f"/{self.drone}/{topic}", take, RELIABLE)

        subscribe(PoseStamped, "setpoint_pose", self._position)
        subscribe(TwistStamped, "setpoint_velocity", self._velocity)
        self.create_subscription(
            PathMessage, f"/{self.drone}/trajectory", self._on_trajectory, RELIABLE
        )

    def _position(self, message: PoseStamped, clock: int) -> Setpoint:
        return position_setpoint(message, self._frames, clock)

    def _velocity(self, message: TwistStamped, clock: int) -> Setpoint:
        attitude = self.bridge.state.attitude_at(clock)
        yaw = yaw_of(attitude.orientation) if attitude else None
        return velocity_setpoint(message, self._frames, clock, yaw)

    def _on_trajectory(self, message: PathMessage) -> None:
        try:
            trajectory = trajectory_from_path(
                message,
                self._frames,
                self.bridge.state.position,
                self._options.trajectory_speed,
            )
        except MessageError as error:
            self.diagnostics.refuse("trajectory refused", error)
            return
        self.diagnostics.count("trajectories")
        self.thread.do(lambda now: self.bridge.fly(trajectory, now))

    def _on_parameters(self, changed: list[Parameter]) -> SetParametersResult:
        for item in changed:
            if item.name != "mode" or item.value == "":
                continue
            flavour = self.bridge.commander.flavour
            if flavour is None:
                return SetParametersResult(successful=False, reason="no drone is heard")
            try:
                flavour.mode_numbers(item.value)
            except UnknownModeError as error:
                return SetParametersResult(successful=False, reason=str(error))
            self._change_mode(item.value)
        return SetParametersResult(successful=True)

    def _change_mode(self, name: str) -> None:
        self.thread.do(lambda now: self.bridge.commander.set_mode(name, now, self._mode_told))

    def _mode_told(self, success: bool, text: str) -> None:
        log = self.get_logger()
        (log.info if success else log.warning)(f"mode: {text}")

    def destroy_node(self) -> None:
        """End the thread, close the link, then the node."""
        if hasattr(self, "thread"):
            self.thread.close()
            signing = self.bridge.endpoint.connection.signing
            if self._store is not None and signing is not None:
                self._store.save(signing)
            self.bridge.close()
            if self.ground is not None:
                self.ground.close()
        super().destroy_node()


class _Told(Outlet):
    """What the bridge tells, to topics, log and diagnostics; on the link's thread."""

    def __init__(self, node: MavlinkBridgeNode) -> None:
        self._node = node

    def product(self, product: Any, stamp: int) -> None:
        if stamp > 0:
            self._node.topics.send(product, stamp)

    def text(self, text: Text) -> None:
        log = self._node.get_logger()
        line = f"drone: {text.text}"
        if text.severity <= SEVERITY_WARNING:
            log.warning(line)
        else:
            log.info(line)

    def changed(self, what: str) -> None:
        self._node.get_logger().info(what)
        self._node.report.publish()

    def refused(self, what: str, reason: str) -> None:
        self._node.diagnostics.refuse(what, reason)

    def file_ended(self, progress: TransferProgress, path: Path) -> None:
        self._node.files.ended(progress, path)


def main(args: list[str] | None = None) -> int:
    """Run the node; see the module's text."""
    sys.setswitchinterval(SWITCH_INTERVAL)
    return run_node(MavlinkBridgeNode, args, threads=THREADS)


if __name__ == "__main__":
    sys.exit(main())
