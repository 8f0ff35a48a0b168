"""What the simulated autopilot shows of PX4 or ArduPilot: modes and their numbers, and habits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mavlink_bridge.autopilots.flavours import (
    ARDUPILOT,
    MAV_AUTOPILOT_ARDUPILOT,
    MAV_AUTOPILOT_GENERIC,
    MAV_AUTOPILOT_PX4,
    PX4,
    Flavour,
)
from mavlink_bridge.autopilots.modes import COPTER
from mavlink_bridge.simulated_autopilot.pilot import Mode

# FIRMWARE_VERSION_TYPE_OFFICIAL in the low byte.
PX4_VERSION, ARDUPILOT_VERSION = 0x010E00FF, 0x040500FF


@dataclass(frozen=True)
class Habits:
    """One flavour.

    `shows`: the mode told while it does something. `does`: what a mode that is asked for makes it
    do; where one is missing there, it is refused. `bytewise`: integer parameters. `streams_needed`:
    setpoints must flow before and while it obeys them. `first_item`: number of a mission's first.
    `takeoff_arms_later`: a take-off may be asked for before arming.
    """

    name: str
    autopilot: int
    known: Flavour
    shows: Mapping[Mode, str]
    does: Mapping[str, Mode]
    bytewise: bool
    streams_needed: bool
    first_item: int
    takeoff_arms_later: bool
    version: int


_PX4_SHOWS = {
    Mode.HOLD: "AUTO.LOITER",
    Mode.GOTO: "AUTO.LOITER",
    Mode.TAKEOFF: "AUTO.TAKEOFF",
    Mode.OFFBOARD: "OFFBOARD",
    Mode.MISSION: "AUTO.MISSION",
    Mode.TRAJECTORY: "AUTO.MISSION",
    Mode.RETURN: "AUTO.RTL",
    Mode.LAND: "AUTO.LAND",
}
_PX4_DOES = {
    "OFFBOARD": Mode.OFFBOARD,
    "AUTO.TAKEOFF": Mode.TAKEOFF,
    "AUTO.MISSION": Mode.MISSION,
    "AUTO.RTL": Mode.RETURN,
    "AUTO.LAND": Mode.LAND,
    **dict.fromkeys(("AUTO.LOITER", "POSCTL", "ALTCTL"), Mode.HOLD),
}
_ARDUPILOT_SHOWS = {
    Mode.HOLD: "LOITER",
    Mode.GOTO: "GUIDED",
    Mode.TAKEOFF: "GUIDED",
    Mode.OFFBOARD: "GUIDED",
    Mode.MISSION: "AUTO",
    Mode.TRAJECTORY: "GUIDED",
    Mode.RETURN: "RTL",
    Mode.LAND: "LAND",
}
_ARDUPILOT_DOES = {
    "GUIDED": Mode.OFFBOARD,
    "AUTO": Mode.MISSION,
    "RTL": Mode.RETURN,
    "LAND": Mode.LAND,
    **dict.fromkeys(("LOITER", "STABILIZE", "ALT_HOLD", "POSHOLD", "BRAKE"), Mode.HOLD),
}

HABITS = {
    "px4": Habits(
        "px4", MAV_AUTOPILOT_PX4, PX4, _PX4_SHOWS, _PX4_DOES, True, True, 0, True, PX4_VERSION
    ),
    "ardupilot": Habits(
        "ardupilot",
        MAV_AUTOPILOT_ARDUPILOT,
        ARDUPILOT[COPTER],
        _ARDUPILOT_SHOWS,
        _ARDUPILOT_DOES,
        False,
        False,
        1,
        False,
        ARDUPILOT_VERSION,
    ),
    # Claims to be nobody: ground stations then show little more than where it is.
    "generic": Habits(
        "generic", MAV_AUTOPILOT_GENERIC, PX4, _PX4_SHOWS, _PX4_DOES, True, True, 0, True, 0
    ),
}
