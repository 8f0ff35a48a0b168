"""One drone over one link, without ROS: what a node calls, and what it is told.

Single-threaded: all calls come from one thread, times are passed in. `now` is seconds of a clock
that never goes back (`bridge_time.py`), `clock` nanoseconds of the clock in which telemetry is
stamped (ROS time).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import mavlink_bridge.mapping.common
import mavlink_bridge.mapping.thesis  # noqa: F401  (both register their functions)
from mavlink_bridge.endpoint import Endpoint, EndpointParameters
from mavlink_bridge.files.file_service import FTP, PARTS, FileService
from mavlink_bridge.files.trajectory_file import Trajectory, TrajectoryLimits
from mavlink_bridge.files.transfer_protocol import TransferProgress
from mavlink_bridge.frames import Vector
from mavlink_bridge.links.link import Link
from mavlink_bridge.mapping.registry import mapped_messages, telemetry_of
from mavlink_bridge.mapping.setpoints import Setpoint, SetpointError, setpoint_message
from mavlink_bridge.mapping.telemetry import Text
from mavlink_bridge.peers import Peer
from mavlink_bridge.piloting.commander import Commander, ManoeuvreParameters
from mavlink_bridge.piloting.drone_state import DroneState, Product
from mavlink_bridge.piloting.file_flight import FileFlight
from mavlink_bridge.piloting.peer_clocks import PeerClocks
from mavlink_bridge.piloting.setpoint_stream import SetpointParameters, SetpointStream
from mavlink_bridge.piloting.streams import StreamParameters, StreamRequests
from mavlink_bridge.sending.traffic_class import TrafficClass
from mavlink_bridge.wire.frame import Frame
from mavlink_bridge.wire.signing import Signing
from spatial_types.parameters import parameter
from spatial_types.transforms import Transform

HEARTBEAT_PERIOD = 1.0
STAND_BY = (
    2.0  # seconds at the beginning of a trajectory: PX4 wants to hear setpoints before it obeys
)
TYPES = {"ground_station": "MAV_TYPE_GCS", "companion": "MAV_TYPE_ONBOARD_CONTROLLER"}


@dataclass(frozen=True)
class BridgeParameters:
    """Who the bridge is on the link, whom it speaks to, and how."""

    system: int = parameter(245, "MAVLink system number of the bridge", minimum=1, maximum=255)
    component: int = parameter(191, "its component number", minimum=1, maximum=255)
    role: str = parameter(
        "ground_station",
        "what its heartbeat says that it is",
        choices=("ground_station", "companion"),
    )
    drone_system: int = parameter(
        0, "system number of the drone; 0: the first autopilot heard", minimum=0, maximum=255
    )
    attitude_age: float = parameter(
        1.0, "time between a position and the attitude that goes with it", unit="s", minimum=0.0
    )
    file_protocol: str = parameter(
        PARTS,
        "how files go to the drone and come from it: in parts as in the thesis, or by MAVLink FTP",
        choices=(PARTS, FTP),
    )
    setpoint: SetpointParameters = field(default_factory=SetpointParameters)
    manoeuvre: ManoeuvreParameters = field(default_factory=ManoeuvreParameters)
    stream: StreamParameters = field(default_factory=StreamParameters)
    trajectory: TrajectoryLimits = field(default_factory=TrajectoryLimits)


class Outlet:
    """Who is told; every method may be left as it is."""

    def product(self, product: Product, stamp: int) -> None:
        """Something was measured at `stamp` (ns of the clock)."""

    def text(self, text: Text) -> None:
        """The autopilot has said something to people."""

    def changed(self, what: str) -> None:
        """The state has changed in a way that people want to know: a line for the log."""

    def refused(self, what: str, reason: str) -> None:
        """Something could not be used."""

    def file_ended(self, progress: TransferProgress, path: Path) -> None:
        """A file was sent, or has come, or failed to."""


class DroneBridge:
    """Telemetry in, setpoints and commands out."""

    def __init__(
        self,
        link: Link,
        folder: Path,
        parameters: BridgeParameters,
        outlet: Outlet,
        endpoint_parameters: EndpointParameters | None = None,
        *,
        signing: Signing | None = None,
        map_from_local: Transform | None = None,
    ) -> None:
        """`folder` is where files come to and are served from.

        `map_from_local` is where the drone's local frame lies, for trajectories in files.
        """
        self.parameters = parameters
        self.endpoint = Endpoint(
            link,
            *(parameters.system, parameters.component),
            folder,
            endpoint_parameters,
            signing=signing,
            on_file=lambda *ended: self.files.ended(*ended),
        )
        self.files = FileService(self.endpoint, folder, parameters.file_protocol, outlet.file_ended)
        self.state = DroneState(parameters.attitude_age)
        self.commander = Commander(self.endpoint, self.state, parameters.manoeuvre)
        self.setpoints = SetpointStream(parameters.setpoint)
        self.streams = StreamRequests(parameters.stream)
        self.file_flight = self._new_flight(folder, map_from_local or Transform(), outlet)
        self.clocks = PeerClocks(self.endpoint, parameters.system)
        self.telemetry = 0  # messages that told something
        self.peer: Peer | None = None
        self._outlet = outlet
        self._dialect = self.endpoint.dialect
        self._mode = ""
        self._present = False
        self._follow_at: float | None = None
        self._heartbeat_due = 0.0
        self.endpoint.handlers.add(self._on_telemetry, *mapped_messages())

    def _new_flight(self, folder: Path, map_from_local: Transform, outlet: Outlet) -> FileFlight:
        return FileFlight(
            self.endpoint,
            self,
            folder,
            map_from_local,
            outlet.changed,
            rate=self.parameters.setpoint.trajectory_rate,
            limits=self.parameters.trajectory,
        )

    # Time

    def poll(self, now: float, clock: int, healthy: bool = True) -> list[Frame]:
        """Read and send what is due. Heartbeats go out only while the owner is healthy."""
        self.clocks.ours = clock
        if healthy:
            self._beat(now)
        self.file_flight.poll(now)
        self._send_setpoint(now)
        self._follow(now)
        self.commander.poll(now)
        self.clocks.poll(self.peer, now)
        frames = self.endpoint.poll(now)
        self._look_at_peer(now)
        return frames

    def restart(self, now: float) -> None:
        """The clock was set back: a scene began anew, and nothing that was told of it holds."""
        self.stop(now, "the scene began anew")
        self.commander.give_up("the scene began anew")
        self.state.restart()
        self.clocks.restart(now)
        self._outlet.changed("the clock was set back: all begins anew")

    def next_time(self) -> float | None:
        """Return when to poll even if nothing comes."""
        times = [
            self.setpoints.next_time(),
            self.file_flight.next_time(),
            self.endpoint.next_opening(),
            self._heartbeat_due,
        ]
        return min([time for time in times if time is not None], default=None)

    def close(self) -> None:
        """Close the link."""
        self.endpoint.close()

    # Setpoints

    def give(self, setpoint: Setpoint, now: float) -> None:
        """Let a setpoint hold from now on, for its lifetime."""
        self.file_flight.stop(now, "an application steers")
        self.steer(setpoint, now)

    def follow_setpoints(self, now: float, done: Callable[[bool, str], None]) -> None:
        """Have the drone obey. Some autopilots want a stream of setpoints before (PX4)."""
        self.commander.follow(now, done)

    def fly(self, trajectory: Trajectory, now: float) -> None:
        """Fly a trajectory: stand by at its beginning until the drone obeys, then along it."""
        self.file_flight.stop(now, "another trajectory came")
        self.setpoints.fly(trajectory, now, STAND_BY)
        self.begin(now)

    def stop(self, now: float, why: str) -> None:
        """Let nothing steer; what the drone then does is up to whoever stops it."""
        self.file_flight.stop(now, why)
        self.setpoints.clear()
        self._follow_at = None

    # What `FileFlight` needs

    def where(self) -> Vector | None:
        """Return the drone's position in its local frame, while it is heard."""
        return self.state.position if self._present else None

    def steer(self, setpoint: Setpoint, now: float) -> None:
        """Let a setpoint hold, whoever it is from."""
        self.setpoints.give(setpoint, now)
        self._send_setpoint(now)

    def begin(self, now: float) -> None:
        """Have the drone obey, once it has heard setpoints for a while."""
        self._follow_at = now + STAND_BY / 2.0

    def end(self, now: float) -> None:
        """Steer no more, and hover."""
        self.setpoints.clear()
        self._follow_at = None
        if self._present:
            self.commander.hover(now, lambda _success, _text: None)

    def _follow(self, now: float) -> None:
        """Ask for the mode in which the drone obeys, once it hears setpoints."""
        if self._follow_at is None or now < self._follow_at:
            return
        self._follow_at = None

        def ended(success: bool, text: str) -> None:
            if not success:
                self.stop(self.endpoint.now, "the drone does not obey")
                self._outlet.refused("trajectory given up", f"the drone does not obey: {text}")

        self.commander.follow(now, ended)

    def _send_setpoint(self, now: float) -> None:
        setpoint, ended = self.setpoints.poll(now)
        if setpoint is not None:
            self._submit_setpoint(setpoint, now)
        if ended == "expired":
            self._outlet.changed("the setpoint was not renewed: the drone is told to hover")
        elif ended == "flown":
            self._outlet.changed("the trajectory is flown")
        if ended and self.peer is not None and self.peer.present:
            self.commander.hover(now, lambda _success, _text: None)

    def _submit_setpoint(self, setpoint: Setpoint, now: float) -> None:
        if self.peer is None or not self.peer.present:
            self._outlet.refused("setpoint without drone", "no drone is heard")
            return
        target = (self.peer.system, self.peer.component)
        try:
            message = setpoint_message(
                setpoint, self.peer.flavour, self._dialect, target, self.clocks.ours
            )
        except SetpointError as error:
            self._outlet.refused("setpoint refused", str(error))
            self.setpoints.clear()
            return
        lifetime = self.parameters.setpoint.lifetime
        self.endpoint.submit(message, TrafficClass.SETPOINT, now, lifetime=lifetime)

    # What comes

    def _on_telemetry(self, frame: Frame, _: Any) -> None:
        if self.peer is None or frame.system != self.peer.system:
            return
        try:
            found = telemetry_of(frame.message)
        except ValueError as error:
            self._outlet.refused(f"bad {frame.message.get_type()}", str(error))
            return
        if found is None:
            return
        self.telemetry += 1
        if isinstance(found.data, Text):
            self._outlet.text(found.data)
            return
        stamp = self.clocks.stamp(found.time)
        for product in self.state.take(found.data, stamp):
            self._outlet.product(product, stamp)

    # What goes out by itself

    def _beat(self, now: float) -> None:
        if now < self._heartbeat_due:
            return
        self._heartbeat_due = max(self._heartbeat_due + HEARTBEAT_PERIOD, now + 0.5)
        make = self._dialect
        heartbeat = make.MAVLink_heartbeat_message(
            getattr(make, TYPES[self.parameters.role]),
            make.MAV_AUTOPILOT_INVALID,
            0,
            0,
            make.MAV_STATE_ACTIVE,
            3,
        )
        self.endpoint.submit(heartbeat, TrafficClass.HEARTBEAT, now)

    # The other end

    def _look_at_peer(self, now: float) -> None:
        if self.peer is None:
            self.peer = self.endpoint.connection.peers.autopilot(
                self.parameters.drone_system or None
            )
            if self.peer is None:
                return
        peer = self.peer
        self.commander.peer = peer if peer.present else None
        if peer.present != self._present:
            self._present = peer.present
            self._outlet.changed(
                f"drone {peer.system} ({peer.flavour.name}) "
                + ("is there" if peer.present else "is silent: lost")
            )
            if not peer.present:
                self.stop(now, "the drone is silent")
            self.streams.start(now)
        if peer.present:
            self.streams.poll(now, self.commander)
        mode = f"{peer.mode}, {'armed' if peer.armed else 'disarmed'}"
        if mode != self._mode:
            self._mode = mode
            self._outlet.changed(f"mode {mode}")
