"""How autopilots differ: what their modes are called and numbered, and which of them obey us.

The flavour follows from the heartbeat. PX4's modes are the same for every vehicle; ArduPilot's
numbers mean another mode on each kind of vehicle. A peer that speaks the thesis's dialect shows it
by its first DJI_* message. Names are those that ROS users know from MAVROS.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mavlink_bridge.autopilots.modes import (
    ARDUPILOT_MODES,
    COPTER,
    PLANE,
    PX4_MODES,
    ROVER,
    SUB,
    VEHICLE_OF_TYPE,
)
from mavlink_bridge.wire.frame import Frame
from spatial_types.suggestions import suggestion

MAV_AUTOPILOT_GENERIC = 0
MAV_AUTOPILOT_ARDUPILOT = 3
MAV_AUTOPILOT_INVALID = 8
MAV_AUTOPILOT_PX4 = 12
CUSTOM_MODE_ENABLED = 1
HEARTBEAT = 0
THESIS_MESSAGES = frozenset({50004, 50010, 50011, 50012})


class UnknownModeError(ValueError):
    """The autopilot has no mode of that name; the text names those that are near."""


@dataclass(frozen=True)
class ModeNumbers:
    """Parameters 1 to 3 of MAV_CMD_DO_SET_MODE."""

    base_mode: int
    custom_mode: int
    custom_submode: int


@dataclass(frozen=True)
class Flavour:
    """One kind of autopilot. Modes are "" where it has none for the purpose.

    `obeys_in` is the mode in which it follows setpoints. `setpoint_rate` is how often it wants
    them, in Hz; below that PX4 leaves the mode. `takeoff_above_sea`: its take-off altitude is
    above sea level, not above home. `speaks_thesis`: setpoints are DJI_POSE_STAMPED in ROS's frames
    instead of SET_POSITION_TARGET_LOCAL_NED.
    """

    name: str
    obeys_in: str = ""
    hovers_in: str = ""
    returns_in: str = ""
    lands_in: str = ""
    setpoint_rate: float = 0.0
    takeoff_above_sea: bool = False
    speaks_thesis: bool = False
    modes: Mapping[str, int] = field(default_factory=dict)

    def mode_name(self, heartbeat: Any) -> str:
        """Return the mode that a heartbeat tells; its number in words when it has no name."""
        if not heartbeat.base_mode & CUSTOM_MODE_ENABLED:
            return f"base mode {heartbeat.base_mode}"
        for name, number in self.modes.items():
            if number == heartbeat.custom_mode:
                return name
        return f"custom mode {heartbeat.custom_mode}"

    def mode_numbers(self, name: str) -> ModeNumbers:
        """Return how to ask for a mode. Raises UnknownModeError."""
        if name not in self.modes:
            known = suggestion(name, self.modes) if self.modes else "it has no modes"
            raise UnknownModeError(f"{self.name} has no mode '{name}'; {known}")
        number = self.modes[name]
        if self.name == "px4":
            return ModeNumbers(CUSTOM_MODE_ENABLED, number >> 16 & 0xFF, number >> 24)
        return ModeNumbers(CUSTOM_MODE_ENABLED, number, 0)


GENERIC = Flavour("generic")
THESIS = Flavour("thesis", speaks_thesis=True)
PX4 = Flavour(
    "px4",
    obeys_in="OFFBOARD",
    hovers_in="AUTO.LOITER",
    returns_in="AUTO.RTL",
    lands_in="AUTO.LAND",
    setpoint_rate=2.0,
    takeoff_above_sea=True,
    modes=PX4_MODES,
)


def _ardupilot(vehicle: str, hovers_in: str, lands_in: str) -> Flavour:
    modes = ARDUPILOT_MODES[vehicle]
    return Flavour(
        f"ardupilot {vehicle}",
        obeys_in="GUIDED",
        hovers_in=hovers_in,
        returns_in="RTL" if "RTL" in modes else "",
        lands_in=lands_in,
        modes=modes,
    )


ARDUPILOT = {
    COPTER: _ardupilot(COPTER, "LOITER", "LAND"),
    PLANE: _ardupilot(PLANE, "LOITER", "QLAND"),
    ROVER: _ardupilot(ROVER, "HOLD", ""),
    SUB: _ardupilot(SUB, "POSHOLD", "SURFACE"),
}


def flavour_of(heartbeat: Any) -> Flavour:
    """Return the flavour that a heartbeat shows."""
    if heartbeat.autopilot == MAV_AUTOPILOT_PX4:
        return PX4
    if heartbeat.autopilot == MAV_AUTOPILOT_ARDUPILOT:
        return ARDUPILOT[VEHICLE_OF_TYPE.get(heartbeat.type, COPTER)]
    return GENERIC


def recognise(known: Flavour, frame: Frame) -> Flavour:
    """Return the flavour of a frame's sender, given what it was taken for so far."""
    if frame.message_id == HEARTBEAT:
        shown = flavour_of(frame.message)
        return known if shown is GENERIC and known is THESIS else shown
    if known is GENERIC and frame.message_id in THESIS_MESSAGES:
        return THESIS
    return known
