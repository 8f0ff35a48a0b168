"""The simulated autopilot: a drone that flies by itself, and the MAVLink services around it.

    vehicle = Vehicle(open_link("udpout:127.0.0.1:14550"), Path("files"))
    while True:
        vehicle.advance(time.monotonic())

Nothing here reads a clock or waits. A simulator that draws the drone takes `body.velocity` and
`body.yaw_rate` as what to fly, and says with `body.correct` where it then is.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from mavlink_bridge.endpoint import Endpoint, EndpointParameters
from mavlink_bridge.links.link import Link
from mavlink_bridge.sending.traffic_class import TrafficClass
from mavlink_bridge.simulated_autopilot import telemetry
from mavlink_bridge.simulated_autopilot.battery import Battery, BatteryParameters
from mavlink_bridge.simulated_autopilot.commands import Commands
from mavlink_bridge.simulated_autopilot.flavour import HABITS
from mavlink_bridge.simulated_autopilot.geodesy import GlobalPoint, LocalOrigin
from mavlink_bridge.simulated_autopilot.listener import Listener
from mavlink_bridge.simulated_autopilot.mission_flight import MissionFlight
from mavlink_bridge.simulated_autopilot.mission_service import MissionService
from mavlink_bridge.simulated_autopilot.multirotor import Multirotor, MultirotorParameters
from mavlink_bridge.simulated_autopilot.parameter_service import ParameterService
from mavlink_bridge.simulated_autopilot.parameter_table import ParameterTable
from mavlink_bridge.simulated_autopilot.pilot import Mode, Pilot
from mavlink_bridge.simulated_autopilot.plans import Plans
from mavlink_bridge.simulated_autopilot.safety import Safety
from mavlink_bridge.simulated_autopilot.streams import Streams
from mavlink_bridge.wire.signing import Signing
from spatial_types.parameters import parameter

TEXT_LENGTH = 50
WARNING = 4
LONGEST_LAG = 1.0


@dataclass(frozen=True)
class VehicleParameters:
    """All that is chosen before it starts."""

    system: int = parameter(1, "MAVLink system number", minimum=1, maximum=254)
    component: int = parameter(1, "MAVLink component number", minimum=1, maximum=254)
    flavour: str = parameter("px4", "whose modes and habits", choices=tuple(HABITS))
    latitude: float = parameter(46.0503, "of home", unit="deg", minimum=-89.0, maximum=89.0)
    longitude: float = parameter(14.4689, "of home", unit="deg", minimum=-180.0, maximum=180.0)
    altitude: float = parameter(300.0, "of home above the sea", unit="m")
    battery_level: float = parameter(1.0, "charge at start", minimum=0.0, maximum=1.0)
    seed: int = parameter(0, "of the gusts", minimum=0)
    takes_keys: bool = parameter(False, "whether SETUP_SIGNING is followed while disarmed")
    body: MultirotorParameters = field(default_factory=MultirotorParameters)
    battery: BatteryParameters = field(default_factory=BatteryParameters)


class Vehicle:
    """One drone on one link. Positions of `body` are ENU metres from home at the start."""

    def __init__(
        self,
        link: Link,
        folder: Path,
        parameters: VehicleParameters | None = None,
        *,
        signing: Signing | None = None,
        unix_time: float = 0.0,
        endpoint_parameters: EndpointParameters | None = None,
    ) -> None:
        """`folder` has the files; `unix_time` is what it was when the clock began, 0: unknown."""
        wanted = self.parameters = parameters or VehicleParameters()
        self.system = wanted.system
        self.folder = folder
        self.flavour = HABITS[wanted.flavour]
        self.endpoint = Endpoint(
            link, wanted.system, wanted.component, folder, endpoint_parameters, signing=signing
        )
        self.dialect = self.endpoint.dialect
        self.origin = LocalOrigin(GlobalPoint(wanted.latitude, wanted.longitude, wanted.altitude))
        self.body = Multirotor(wanted.body, wanted.seed)
        self.table = ParameterTable()
        battery = Battery(wanted.battery, wanted.battery_level)
        self.pilot = Pilot(self.body, battery, self.table, self.say)
        self.pilot.mission.first = self.flavour.first_item
        self.pilot.hold_on_expiry = self.flavour.streams_needed
        self.pilot.rests_in = Mode.HOLD if self.flavour.streams_needed else Mode.GOTO
        self.reboot_asked = False
        self._unix_time = unix_time
        self._begun: float | None = None
        self._held_mode = self.flavour.shows[Mode.HOLD]
        self._offer_services()

    def _offer_services(self) -> None:
        reports = telemetry.REPORTS
        makers = {number: self._maker(report.make) for number, report in reports.items()}
        rates = {number: report.rate for number, report in reports.items()}
        self.streams = Streams(self.endpoint.sender, makers, rates)
        flight = MissionFlight(self.pilot, self.origin)
        plans = Plans(self.pilot, flight, self.origin).plans
        self._missions = MissionService(
            self.endpoint, plans, lambda item: self.pilot.go_to(flight.place_of(item))
        )
        self._parameters = ParameterService(
            self.endpoint, self.table, bytewise=self.flavour.bytewise
        )
        self.commands = Commands(self)
        self._listener = Listener(self)
        self._safety = Safety(self.pilot, self.endpoint.connection.peers)
        self._next_heartbeat = 0.0

    def _maker(self, make: Any) -> Any:
        return lambda: make(self)

    @property
    def now(self) -> float:
        """The time of the running `advance`."""
        return self.endpoint.now

    @property
    def boot_ms(self) -> int:
        """Milliseconds since the first `advance`."""
        return round((self.now - (self._begun or self.now)) * 1000.0)

    @property
    def unix_usec(self) -> int:
        """Unix time in microseconds, 0 if it is unknown."""
        return round((self._unix_time + self.now) * 1e6) if self._unix_time else 0

    @property
    def home_altitude(self) -> float:
        """Metres above the sea."""
        return self.origin.origin.altitude + self.pilot.home[2]

    @property
    def failsafe(self) -> bool:
        """Whether it acts on its own because something is wrong."""
        return self._safety.active

    def advance(self, now: float) -> None:
        """Fly on until `now`, read what has come, and send what is due."""
        if self._begun is None:
            self._begun = self.endpoint.now = self._next_heartbeat = now
        passed = max(0.0, now - self.endpoint.now)
        self.endpoint.now = now
        # After a stall of the program it goes on from where it is, instead of leaping.
        self.pilot.advance(now, min(passed, LONGEST_LAG))
        self._safety.check(now)
        self._tell_reached()
        self._missions.poll(now)
        self._parameters.poll(now)
        self._beat(now)
        self.streams.poll(now)
        self.endpoint.poll(now)

    def set_wind(self, east: float, north: float, gusts: float = 0.0) -> None:
        """Let the wind blow to there, in m/s; `gusts` is their standard deviation."""
        self.body.wind = replace(self.body.wind, velocity=(east, north, 0.0), gusts=gusts)

    def custom_mode(self) -> int:
        """Return the number of the present mode."""
        return self.flavour.known.modes[self.mode_name]

    @property
    def mode_name(self) -> str:
        """The present mode as its autopilot calls it."""
        if self.pilot.mode is Mode.HOLD:
            return self._held_mode
        return self.flavour.shows[self.pilot.mode]

    def ask_mode(self, number: int) -> str:
        """Go into a mode by its number; return why not, empty if it was done."""
        names = {mode: name for name, mode in self.flavour.known.modes.items()}
        name = names.get(number, f"{number}")
        mode = self.flavour.does.get(name)
        if mode is None:
            return f"mode {name} is not simulated"
        refused = self._enter(mode)
        if not refused and mode is Mode.HOLD:
            self._held_mode = name
        return refused

    def _enter(self, mode: Mode) -> str:
        if mode is Mode.OFFBOARD:
            return self.pilot.go_offboard(needs_setpoint=self.flavour.streams_needed)
        if mode is Mode.MISSION:
            return self.pilot.start_mission()
        if mode is Mode.RETURN:
            return self.pilot.return_home()
        if mode is Mode.LAND:
            return self.pilot.land()
        if mode is Mode.TAKEOFF:
            return self.pilot.take_off()
        self.pilot.hold()
        return ""

    def set_current_item(self, index: int) -> str:
        """Go on with a mission's item."""
        progress = self.pilot.mission
        if not 0 <= index < len(progress.items):
            return f"no mission item {index}"
        progress.go_to(max(index, progress.first))
        return ""

    def say(self, text: str, severity: int = WARNING) -> None:
        """Send a text to whom it may concern."""
        self.tell(self.dialect.MAVLink_statustext_message(severity, text.encode()[:TEXT_LENGTH]))

    def tell(self, message: Any) -> None:
        """Queue a message that must not be replaced by a newer one."""
        self.endpoint.submit(message, TrafficClass.COMMAND, self.now)

    def restart(self) -> None:
        """Send what waits, its answer to the reboot command too, and let go of all but the link."""
        self.endpoint.poll(self.now)
        self.endpoint.files.close()
        self.endpoint.ftp_server.close()

    def close(self) -> None:
        """Close the link."""
        self.endpoint.close()

    def _beat(self, now: float) -> None:
        if now >= self._next_heartbeat:
            self._next_heartbeat = max(self._next_heartbeat + 1.0, now)
            self.endpoint.submit(telemetry.heartbeat(self), TrafficClass.HEARTBEAT, now)

    def _tell_reached(self) -> None:
        for index in self.pilot.mission.reached:
            self.tell(self.dialect.MAVLink_mission_item_reached_message(index))
        self.pilot.mission.reached.clear()
