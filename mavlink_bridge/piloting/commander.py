"""Arm, take off, hover, land, return, cancel, change mode: each ends in one word to who asked.

A command that was accepted is not yet done: a take-off is when the height is reached, not when the
ground is left, and a landing when the drone stands.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mavlink_bridge.autopilots.flavours import Flavour, UnknownModeError
from mavlink_bridge.endpoint import Endpoint
from mavlink_bridge.peers import Peer
from mavlink_bridge.piloting.drone_state import DroneState
from mavlink_bridge.sending.command_result import CommandOutcome
from mavlink_bridge.sending.command_tracker import PendingCommand
from spatial_types.parameters import parameter

Done = Callable[[bool, str], None]
NAN = math.nan
NEARLY = 0.95  # of the asked height counts as reached


@dataclass(frozen=True)
class ManoeuvreParameters:
    """How manoeuvres are flown, and how long they may take."""

    takeoff_height: float = parameter(
        1.5, "height above the place of take-off", unit="m", minimum=0.1
    )
    timeout: float = parameter(
        60.0, "time after which a take-off or a landing has failed", unit="s", minimum=1.0
    )


@dataclass
class _Waiting:
    """A manoeuvre that was accepted, and what ends it."""

    name: str
    done: Done
    deadline: float
    is_over: Callable[[], bool]


class Commander:
    """One drone's commands; `peer` is set by the owner, None while there is no drone."""

    def __init__(
        self, endpoint: Endpoint, state: DroneState, parameters: ManoeuvreParameters
    ) -> None:
        self.peer: Peer | None = None
        self.last = ""
        """The last command and how it ended."""
        self._endpoint = endpoint
        self._state = state
        self._parameters = parameters
        self._dialect = endpoint.dialect
        self._pending: list[PendingCommand] = []
        self._waiting: _Waiting | None = None

    @property
    def target(self) -> tuple[int, int] | None:
        """System and component of the drone."""
        return (self.peer.system, self.peer.component) if self.peer else None

    @property
    def flavour(self) -> Flavour | None:
        """What kind of autopilot it is."""
        return self.peer.flavour if self.peer else None

    # Manoeuvres

    def arm(self, on: bool, now: float, done: Done) -> None:
        """Let the motors turn, or stop them."""
        what = "arm" if on else "disarm"
        self._command(what, "COMPONENT_ARM_DISARM", (1.0 if on else 0.0,), now, done)

    def take_off(self, now: float, done: Done) -> None:
        """Rise to the parameter's height above home; done when it is reached."""
        height = self._parameters.takeoff_height
        flavour = self.flavour
        if flavour is not None and flavour.obeys_in == "GUIDED":
            self.set_mode(
                "GUIDED", now, self._then(lambda when: self._rise(height, when, done), done)
            )
        else:
            self._rise(height, now, done)

    def land(self, now: float, done: Done) -> None:
        """Land here; done when it stands."""

        def landing(when: float) -> None:
            self._wait("land", when, self._has_landed, done)

        here = (0.0, 0.0, 0.0, self._any, self._any, self._any, 0.0)
        self._command("land", "NAV_LAND", here, now, self._then(landing, done))

    def return_home(self, now: float, done: Done) -> None:
        """Begin to fly home and land there; done when the drone has begun."""
        self._command("return", "NAV_RETURN_TO_LAUNCH", (), now, done)

    def hover(self, now: float, done: Done) -> None:
        """Stay here."""
        self._end_waiting(False, "ended by hover")
        if self.flavour is not None and self.flavour.hovers_in:
            self.set_mode(self.flavour.hovers_in, now, done)
        else:
            self._command("hover", "DO_PAUSE_CONTINUE", (0.0,), now, done)

    def follow(self, now: float, done: Done) -> None:
        """Let the drone obey setpoints."""
        if self.flavour is not None and self.flavour.obeys_in:
            self.set_mode(self.flavour.obeys_in, now, done)
        else:
            done(
                self.peer is not None, "it obeys setpoints in any mode" if self.peer else "no drone"
            )

    def set_mode(self, name: str, now: float, done: Done) -> None:
        """Change to a mode by its name."""
        if self.flavour is None:
            done(False, "no drone")
            return
        try:
            numbers = self.flavour.mode_numbers(name)
        except UnknownModeError as error:
            self._tell(f"mode {name}", False, str(error), done)
            return
        values = (numbers.base_mode, numbers.custom_mode, numbers.custom_submode)
        self._command(f"mode {name}", "DO_SET_MODE", tuple(map(float, values)), now, done)

    def cancel(self, now: float, done: Done) -> None:
        """Stop whatever is going on, and stay here."""
        for pending in list(self._pending):
            self._endpoint.commands.cancel(pending, now)
        self._end_waiting(False, "cancelled")
        self.hover(now, done)

    def poll(self, now: float) -> None:
        """Notice manoeuvres that are over, or take too long."""
        waiting = self._waiting
        if waiting is None:
            return
        if waiting.is_over():
            self._end_waiting(True, "done")
        elif now > waiting.deadline:
            self._end_waiting(False, f"not done after {self._parameters.timeout:g} s")

    def give_up(self, why: str) -> None:
        """End the manoeuvre that is under way."""
        self._end_waiting(False, why)

    def request(self, command: str, values: tuple[float, ...], now: float) -> None:
        """Send a command whose end interests nobody: a message's rate, a message once."""
        if self.target is not None:
            self._endpoint.command(self._message(command, values), now)

    # How

    @property
    def _any(self) -> float:
        """What stands for "as it is": ArduPilot knows only 0."""
        return 0.0 if self.flavour is not None and self.flavour.obeys_in == "GUIDED" else NAN

    def _rise(self, height: float, now: float, done: Done) -> None:
        altitude = height
        flavour = self.flavour
        if flavour is not None and flavour.takeoff_above_sea:
            position = self._state.global_position
            if position is None:
                self._tell("take-off", False, "its height above the sea is not known yet", done)
                return
            altitude = position.above_sea + height
        start = self._state.above_home
        base = 0.0 if math.isnan(start) or self._has_home() else start

        def is_up() -> bool:
            return self._state.above_home - base >= NEARLY * height

        def rising(when: float) -> None:
            self._wait("take-off", when, is_up, done)

        values = (0.0, 0.0, 0.0, self._any, self._any, self._any, altitude)
        self._command("take-off", "NAV_TAKEOFF", values, now, self._then(rising, done))

    def _has_home(self) -> bool:
        position = self._state.global_position
        return position is not None and not math.isnan(position.above_home)

    def _has_landed(self) -> bool:
        disarmed = self.peer is not None and self.peer.armed is False
        return self._state.landed == "on ground" or disarmed

    def _wait(self, name: str, now: float, is_over: Callable[[], bool], done: Done) -> None:
        self._end_waiting(False, f"ended by {name}")
        self._waiting = _Waiting(name, done, now + self._parameters.timeout, is_over)

    def _end_waiting(self, success: bool, text: str) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            self._tell(waiting.name, success, text, waiting.done)

    def _then(self, go_on: Callable[[float], None], done: Done) -> Done:
        def next_step(success: bool, text: str) -> None:
            if success:
                go_on(self._endpoint.now)
            else:
                done(False, text)

        return next_step

    def _message(self, command: str, values: tuple[float, ...]) -> Any:
        number = getattr(self._dialect, f"MAV_CMD_{command}")
        padded = (*values, *(0.0,) * (7 - len(values)))
        assert self.target is not None
        return self._dialect.MAVLink_command_long_message(*self.target, number, 0, *padded)

    def _command(
        self, name: str, command: str, values: tuple[float, ...], now: float, done: Done
    ) -> None:
        if self.target is None:
            self._tell(name, False, "no drone", done)
            return

        def ended(outcome: CommandOutcome) -> None:
            self._pending[:] = [item for item in self._pending if item.outcome is None]
            self._tell(name, outcome.succeeded, outcome.reason, done)

        pending = self._endpoint.command(
            self._message(command, values), now, on_success=ended, on_failure=ended
        )
        if pending.outcome is None:
            self._pending.append(pending)

    def _tell(self, name: str, success: bool, text: str, done: Done) -> None:
        self.last = f"{name}: {text}"
        done(success, text)
