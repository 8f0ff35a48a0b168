"""What a drone tells, in ROS's axes: metres, radians, seconds; quaternions x y z w.

World vectors are in the axes of the drone's local frame, ENU with its origin where the autopilot
has it. Body vectors are FLU. `Stamped.time` is the autopilot's own clock; None: the message has
none, so the time of its arrival counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from mavlink_bridge.frames import Quaternion, Vector

T = TypeVar("T")
UNKNOWN = float("nan")


class SourceTime(NamedTuple):
    """Nanoseconds since the autopilot started or, where `is_utc`, since 1970."""

    nanoseconds: int
    is_utc: bool = False


@dataclass(frozen=True)
class Stamped(Generic[T]):
    """A piece of telemetry and when it was measured."""

    time: SourceTime | None
    data: T


@dataclass(frozen=True)
class Attitude:
    """`orientation` is local from body; `angular_velocity` in body axes."""

    orientation: Quaternion
    angular_velocity: Vector


@dataclass(frozen=True)
class LocalPosition:
    """Both in local axes; `velocity` None where the message does not tell it."""

    position: Vector
    velocity: Vector | None = None


@dataclass(frozen=True)
class LocalPose:
    """Position and orientation in one."""

    position: Vector
    orientation: Quaternion


@dataclass(frozen=True)
class Motion:
    """Pose in the local frame, velocities in body axes, covariances of 36 values or empty."""

    position: Vector
    orientation: Quaternion
    linear_velocity: Vector
    angular_velocity: Vector
    pose_covariance: tuple[float, ...] = ()
    twist_covariance: tuple[float, ...] = ()


@dataclass(frozen=True)
class GlobalPosition:
    """Degrees; metres above the sea, above home. `altitude` (ellipsoid) NaN where unknown."""

    latitude: float
    longitude: float
    above_sea: float
    above_home: float = UNKNOWN
    altitude: float = UNKNOWN


@dataclass(frozen=True)
class SatelliteFix:
    """A receiver's own word. `fix_type` as GPS_FIX_TYPE, deviations in metres or NaN."""

    latitude: float
    longitude: float
    above_sea: float
    altitude: float
    fix_type: int
    satellites: int | None
    horizontal_deviation: float
    vertical_deviation: float


@dataclass(frozen=True)
class Inertial:
    """Body axes: rad/s, and m/s2 as an accelerometer has it (+9.81 upwards at rest)."""

    angular_velocity: Vector
    linear_acceleration: Vector


@dataclass(frozen=True)
class Battery:
    """Volts, amperes drawn, part that is left (0 to 1); NaN where unknown."""

    voltage: float
    current: float
    remaining: float
    number: int = 0


@dataclass(frozen=True)
class LandedState:
    """`name`: on ground, in air, taking off, landing, unknown."""

    name: str

    @property
    def on_ground(self) -> bool:
        """Whether it stands."""
        return self.name == "on ground"


@dataclass(frozen=True)
class Home:
    """Where a return leads: degrees, metres above the sea, and in the local frame."""

    latitude: float
    longitude: float
    above_sea: float
    position: Vector


@dataclass(frozen=True)
class Text:
    """A line for people; `severity` 0 (emergency) to 7 (debug)."""

    severity: int
    text: str


@dataclass(frozen=True)
class MissionProgress:
    """Number of the mission's item that is flown to, or was reached."""

    item: int
    reached: bool


Telemetry = Any
"""Any of the structs above, or one of another package's mapping function."""
