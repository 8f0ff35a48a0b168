"""The MAVLink commands that the simulated autopilot obeys, one method each."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from mavlink_bridge.files.trajectory_file import TrajectoryError, find_trajectory, read_trajectory
from mavlink_bridge.frames import world_yaw
from mavlink_bridge.sending.command_receiver import Execution
from mavlink_bridge.sending.command_result import CommandResult
from mavlink_bridge.simulated_autopilot.geodesy import E7, GlobalPoint
from mavlink_bridge.simulated_autopilot.mission import ABOVE_HOME, ABOVE_SEA
from mavlink_bridge.simulated_autopilot.mission_flight import heading_of_command
from mavlink_bridge.simulated_autopilot.multirotor import Vector
from mavlink_bridge.simulated_autopilot.pilot import Landed, Mode

if TYPE_CHECKING:
    from mavlink_bridge.simulated_autopilot.vehicle import Vehicle

FORCED = 21196.0
CHANGE_MODE = 1
AUTOPILOT_VERSION, HOME_POSITION = 148, 242
HIGHEST = 1e5

ACCEPTED, DENIED = CommandResult.ACCEPTED, CommandResult.DENIED


class Commands:
    """Registers itself with the endpoint's receiver; what is refused is told as STATUSTEXT."""

    def __init__(self, vehicle: Vehicle) -> None:
        self._vehicle = vehicle
        self._pilot = vehicle.pilot
        commands: dict[int, Callable[[Any], CommandResult | str]] = {
            17: self._loiter,
            20: lambda _: self._pilot.return_home(),
            21: lambda _: self._pilot.land(),
            22: self._take_off,
            115: self._yaw,
            176: self._set_mode,
            178: self._speed,
            179: self._set_home,
            192: self._reposition,
            193: self._pause,
            224: self._set_current,
            246: self._reboot,
            300: self._start_mission,
            400: self._arm,
            410: lambda _: self._send(HOME_POSITION),
            510: self._tell_interval,
            511: self._set_interval,
            512: lambda message: self._send(int(message.param1)),
            519: lambda _: self._send(AUTOPILOT_VERSION),
            520: lambda _: self._send(AUTOPILOT_VERSION),
            50100: self._fly_trajectory,
        }
        for number, command in commands.items():
            vehicle.endpoint.receiver.register(number, self._executor(command))

    def _executor(
        self, command: Callable[[Any], CommandResult | str]
    ) -> Callable[[Execution, float], CommandResult]:
        def execute(execution: Execution, _: float) -> CommandResult:
            try:
                outcome = command(execution.message)
            except (ValueError, OverflowError):  # a number that is none where one is needed
                outcome = DENIED
            if isinstance(outcome, CommandResult):
                return outcome
            if outcome:
                self._vehicle.say(f"Refused: {outcome}")
            return DENIED if outcome else ACCEPTED

        return execute

    def _arm(self, message: Any) -> CommandResult | str:
        forced = message.param2 == FORCED
        if message.param1 not in (0.0, 1.0):
            return DENIED
        return self._pilot.arm(force=forced) if message.param1 else self._pilot.disarm(force=forced)

    def _take_off(self, message: Any) -> CommandResult | str:
        height: float | None = altitude_of(message)
        if height is not None and self._vehicle.flavour.known.takeoff_above_sea:
            height -= self._vehicle.home_altitude
        if not self._pilot.armed and not self._vehicle.flavour.takeoff_arms_later:
            return "disarmed"
        return self._pilot.take_off(height)

    def _loiter(self, _: Any) -> CommandResult | str:
        self._pilot.hold()
        return ACCEPTED

    def _set_mode(self, message: Any) -> CommandResult | str:
        main, sub = int(message.param2), int(message.param3)
        number = main << 16 | sub << 24 if self._vehicle.flavour.known.name == "px4" else main
        return self._vehicle.ask_mode(number)

    def _reposition(self, message: Any) -> CommandResult | str:
        place = self.place_of(message)
        if isinstance(place, CommandResult):
            return place
        speed = message.param1 if message.param1 > 0.0 else None
        heading = message.param4
        yaw = None if math.isnan(heading) else world_yaw(finite(heading))  # radians, for once
        return self._pilot.go_to(place, yaw, speed)

    def place_of(self, message: Any) -> Vector | CommandResult:
        """Return where a command's place is, ENU; missing parts are where the drone is."""
        here = self._vehicle.origin.globe(self._pilot.body.position)
        if message.get_type() == "COMMAND_INT":
            if message.frame not in ABOVE_SEA | ABOVE_HOME:
                return CommandResult.UNSUPPORTED_MAV_FRAME
            latitude, longitude, altitude = message.x / E7, message.y / E7, message.z
            above_home = message.frame in ABOVE_HOME
            missing = message.x in (0x7FFFFFFF, -0x80000000)
        else:
            latitude, longitude, altitude = message.param5, message.param6, message.param7
            above_home, missing = False, math.isnan(latitude) or math.isnan(longitude)
        if missing:
            latitude, longitude = here.latitude, here.longitude
        if math.isnan(altitude):
            altitude = here.altitude
        elif above_home:
            altitude += self._vehicle.home_altitude
        if not (abs(latitude) <= 90.0 and abs(longitude) <= 180.0 and abs(altitude) <= HIGHEST):
            return DENIED
        return self._vehicle.origin.local(GlobalPoint(latitude, longitude, altitude))

    def _speed(self, message: Any) -> CommandResult | str:
        if not message.param2 > 0.0:
            return DENIED
        self._pilot.speed = min(message.param2, self._pilot.body.parameters.speed)
        return ACCEPTED

    def _set_home(self, message: Any) -> CommandResult | str:
        place = self._pilot.body.position if message.param1 == 1.0 else self.place_of(message)
        if isinstance(place, CommandResult):
            return place
        self._pilot.set_home(place)
        return self._send(HOME_POSITION)

    def _pause(self, message: Any) -> CommandResult | str:
        if message.param1 == 0.0:
            self._pilot.hold()
            return ACCEPTED
        return self._pilot.start_mission()

    def _set_current(self, message: Any) -> CommandResult | str:
        return self._vehicle.set_current_item(int(message.param1))

    def _start_mission(self, message: Any) -> CommandResult | str:
        if message.param1 > 0.0:
            refused = self._vehicle.set_current_item(int(message.param1))
            if refused:
                return refused
        return self._pilot.start_mission() if self._pilot.armed else "disarmed"

    def _yaw(self, message: Any) -> CommandResult | str:
        if self._pilot.landed is Landed.ON_GROUND:
            return "on the ground"
        if self._pilot.mode not in (Mode.HOLD, Mode.GOTO, Mode.OFFBOARD):
            return f"turning in mode {self._pilot.mode.value}"
        numbers = (message.param1, message.param2, message.param3, message.param4)
        self._pilot.yaw = heading_of_command(numbers, self._pilot.body.yaw)
        return ACCEPTED

    def _reboot(self, message: Any) -> CommandResult | str:
        if self._pilot.armed:
            return "armed"
        if message.param1 != 1.0:
            return DENIED
        self._vehicle.reboot_asked = True
        return ACCEPTED

    def _send(self, number: int) -> CommandResult:
        if not self._vehicle.streams.knows(number):
            return DENIED
        self._vehicle.streams.send(number, self._vehicle.endpoint.now)
        return ACCEPTED

    def _set_interval(self, message: Any) -> CommandResult | str:
        known = self._vehicle.streams.set_interval(int(message.param1), message.param2)
        return ACCEPTED if known else DENIED

    def _tell_interval(self, message: Any) -> CommandResult | str:
        number = int(message.param1)
        if not self._vehicle.streams.knows(number):
            return DENIED
        interval = self._vehicle.streams.interval(number)
        self._vehicle.tell(
            self._vehicle.dialect.MAVLink_message_interval_message(
                number, round(interval * 1e6) if interval else -1
            )
        )
        return ACCEPTED

    def _fly_trajectory(self, message: Any) -> CommandResult | str:
        named = (message.param1, message.param2, message.param3)
        path = find_trajectory(self._vehicle.folder, named)
        if path is None:
            return "no such trajectory"
        try:
            trajectory = read_trajectory(path)
        except TrajectoryError as error:
            return str(error).removeprefix(f"{path}: ")
        return self._pilot.fly(trajectory, max(0.0, message.param4))


def finite(number: float) -> float:
    """Return a number that is one. Raises ValueError."""
    if not math.isfinite(number):
        raise ValueError(f"{number}: expected a number")
    return number


def altitude_of(message: Any) -> float | None:
    """Return a take-off's altitude; None where it is left to the vehicle."""
    altitude = float(message.z if message.get_type() == "COMMAND_INT" else message.param7)
    return None if math.isnan(altitude) or altitude == 0.0 else finite(altitude)
