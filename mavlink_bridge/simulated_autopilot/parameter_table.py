"""The simulated autopilot's parameters: few, named as PX4 names them, and all of them obeyed."""

from __future__ import annotations

import struct
from dataclasses import dataclass

INT32, REAL32 = 6, 9
UNKNOWN = -1
NAME_LENGTH = 16


class RefusedValueError(ValueError):
    """A value is outside a parameter's range; the text names both."""


@dataclass(frozen=True)
class Entry:
    """One parameter; an integer where its default is one."""

    name: str
    default: float
    least: float
    most: float
    meaning: str

    @property
    def kind(self) -> int:
        """MAV_PARAM_TYPE."""
        return INT32 if isinstance(self.default, int) else REAL32


ENTRIES = (
    Entry("BAT_CRIT_THR", 0.07, 0.0, 0.5, "battery level at which it lands"),
    Entry("BAT_LOW_THR", 0.15, 0.0, 0.8, "battery level at which it returns"),
    Entry("CAL_ACC0_ID", 1, 0, 2**31 - 1, "ground stations take 0 for uncalibrated"),
    Entry("CAL_GYRO0_ID", 1, 0, 2**31 - 1, "ground stations take 0 for uncalibrated"),
    Entry("CAL_MAG0_ID", 1, 0, 2**31 - 1, "ground stations take 0 for uncalibrated"),
    Entry("COM_DISARM_LAND", 2.0, -1.0, 20.0, "s after landing until it disarms; below 0: never"),
    Entry("COM_DL_LOSS_T", 10.0, 1.0, 300.0, "s without the ground station until NAV_DLL_ACT"),
    Entry("COM_OF_LOSS_T", 1.0, 0.1, 60.0, "s for which a setpoint counts"),
    Entry("GF_MAX_HOR_DIST", 0.0, 0.0, 10000.0, "m from home over ground; 0: any"),
    Entry("GF_MAX_VER_DIST", 0.0, 0.0, 10000.0, "m above home; 0: any"),
    Entry("MIS_TAKEOFF_ALT", 2.5, 0.5, 120.0, "m above home, of a take-off that names none"),
    Entry("MPC_LAND_SPEED", 0.7, 0.2, 2.0, "m/s downwards near the ground"),
    Entry("MPC_XY_CRUISE", 5.0, 0.5, 20.0, "m/s over ground, in missions and on the way home"),
    Entry("NAV_ACC_RAD", 0.5, 0.05, 200.0, "m from a waypoint at which it is reached"),
    Entry("NAV_DLL_ACT", 2, 0, 3, "ground station lost: 0 nothing, 1 hold, 2 return, 3 land"),
    Entry("RTL_RETURN_ALT", 15.0, 1.0, 150.0, "m above home, to return in"),
    Entry("SYS_AUTOSTART", 4001, 0, 9999999, "a quadrotor; ground stations ask for it"),
    Entry("SYS_HITL", 0, 0, 2, "present because ground stations ask for it"),
)


class ParameterTable:
    """Values by name; `table["MPC_XY_CRUISE"]`."""

    def __init__(self) -> None:
        self.entries = {entry.name: entry for entry in ENTRIES}
        self.names = sorted(self.entries)
        self._values: dict[str, float] = {name: self.entries[name].default for name in self.names}

    def __getitem__(self, name: str) -> float:
        return self._values[name]

    def set(self, name: str, value: float) -> None:
        """Set a parameter. Raises KeyError for a name that there is not, or RefusedValueError."""
        entry = self.entries[name]
        if not entry.least <= value <= entry.most:
            raise RefusedValueError(
                f"{name} = {value:g}: expected {entry.least:g} to {entry.most:g}"
            )
        self._values[name] = int(value) if entry.kind == INT32 else float(value)

    def name_at(self, index: int) -> str | None:
        """Return the name that PARAM_REQUEST_READ's index stands for."""
        return self.names[index] if 0 <= index < len(self.names) else None


def wire_value(value: float, kind: int, *, bytewise: bool) -> float:
    """Return a value as MAVLink's `param_value` carries it.

    PX4 puts an integer's bytes into the float (`bytewise`), ArduPilot its number.
    """
    if kind == INT32 and bytewise:
        return float(struct.unpack("<f", struct.pack("<i", int(value)))[0])
    return float(value)


def value_of_wire(value: float, kind: int, *, bytewise: bool) -> float:
    """Return the value that a `param_value` of a kind means."""
    if kind != REAL32 and bytewise:
        return float(struct.unpack("<i", struct.pack("<f", value))[0])
    return value
