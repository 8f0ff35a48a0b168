"""What is known of one drone, out of its telemetry, each piece with the time it was measured.

Nothing is made up: a pose needs a position and an attitude that were measured about the same time,
and where a part is missing or too old there is none.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mavlink_bridge.frames import Quaternion, Vector, conjugate, rotate
from mavlink_bridge.mapping.telemetry import (
    UNKNOWN,
    Attitude,
    Battery,
    GlobalPosition,
    Home,
    Inertial,
    LandedState,
    LocalPose,
    LocalPosition,
    Motion,
    SatelliteFix,
)

SECOND = 1_000_000_000
MOTION_PREFERRED = 2 * SECOND  # after ODOMETRY came, LOCAL_POSITION_NED tells nothing new
FIX_AGE = 10 * SECOND
NEARLY_UNIT = 0.1  # by which the square of a quaternion's length may be off


@dataclass(frozen=True)
class Pose:
    """Local from body."""

    position: Vector
    orientation: Quaternion
    covariance: tuple[float, ...] = ()


@dataclass(frozen=True)
class Odometry:
    """A pose and velocities in body axes; `angular_velocity` None where unknown."""

    pose: Pose
    linear_velocity: Vector
    angular_velocity: Vector | None
    twist_covariance: tuple[float, ...] = ()


@dataclass(frozen=True)
class InertialReading:
    """An IMU's reading; `orientation` None where none is known of that time."""

    reading: Inertial
    orientation: Quaternion | None


@dataclass(frozen=True)
class Fix:
    """Degrees, metres above the ellipsoid (NaN: unknown); deviations in metres or NaN."""

    latitude: float
    longitude: float
    altitude: float
    is_valid: bool
    is_differential: bool
    horizontal_deviation: float
    vertical_deviation: float


Product = Pose | Odometry | InertialReading | Fix | Battery
"""What a drone's telemetry amounts to; each goes to its own topic."""


class DroneState:
    """Feed it telemetry with `take`; it returns what follows from each piece."""

    def __init__(self, attitude_age: float = 1.0) -> None:
        """`attitude_age`: seconds between a position and the attitude that goes with it."""
        self._attitude_age = round(attitude_age * SECOND)
        self.restart()
        self.untold: dict[str, int] = {}
        """Counts of what was left out, by reason."""
        self._takers: dict[type, Callable[[Any, int], list[Product]]] = {
            Attitude: self._take_attitude,
            LocalPosition: self._take_position,
            LocalPose: self._take_pose,
            Motion: self._take_motion,
            GlobalPosition: self._take_global,
            SatelliteFix: self._take_receiver,
            Inertial: self._take_inertial,
            Battery: self._take_battery,
            LandedState: self._take_landed,
            Home: self._take_home,
        }

    def restart(self) -> None:
        """Forget everything."""
        self._attitude: tuple[int, Attitude] | None = None
        self._motion_stamp: int | None = None
        self._receiver: tuple[int, SatelliteFix] | None = None
        self._global_stamp: int | None = None
        self.position: Vector | None = None
        self.position_stamp = 0
        self.global_position: GlobalPosition | None = None
        self.landed = "unknown"
        self.home: Home | None = None
        self.batteries: dict[int, Battery] = {}

    def take(self, data: Any, stamp: int) -> list[Product]:
        """Take in telemetry of our time `stamp` (ns) and return what is to be told."""
        taker = self._takers.get(type(data))
        return taker(data, stamp) if taker else []

    def attitude_at(self, stamp: int) -> Attitude | None:
        """Return the last attitude if it was measured about `stamp`."""
        if self._attitude is None or abs(stamp - self._attitude[0]) > self._attitude_age:
            return None
        return self._attitude[1]

    @property
    def above_home(self) -> float:
        """Metres above home, or above the local origin where nothing better is known; or NaN."""
        if self.global_position is not None and self.global_position.above_home == (
            self.global_position.above_home
        ):
            return self.global_position.above_home
        return UNKNOWN if self.position is None else self.position[2]

    def _take_attitude(self, data: Attitude, stamp: int) -> list[Product]:
        if not _is_turn(data.orientation):
            return self._leave_out("orientation that is none")
        self._attitude = (stamp, data)
        return []

    def _take_position(self, data: LocalPosition, stamp: int) -> list[Product]:
        if not _is_place(data.position):
            return self._leave_out("position that is none")
        if self._motion_stamp is not None and stamp - self._motion_stamp < MOTION_PREFERRED:
            return []
        self.position, self.position_stamp = data.position, stamp
        attitude = self.attitude_at(stamp)
        if attitude is None:
            return self._leave_out("position without attitude")
        pose = Pose(data.position, attitude.orientation)
        if data.velocity is None or not _is_place(data.velocity):
            return [pose]
        body = rotate(conjugate(attitude.orientation), data.velocity)
        return [pose, Odometry(pose, body, attitude.angular_velocity)]

    def _take_pose(self, data: LocalPose, stamp: int) -> list[Product]:
        if not _is_place(data.position) or not _is_turn(data.orientation):
            return self._leave_out("pose that is none")
        self.position, self.position_stamp = data.position, stamp
        self._attitude = (stamp, Attitude(data.orientation, (0.0, 0.0, 0.0)))
        return [Pose(data.position, data.orientation)]

    def _take_motion(self, data: Motion, stamp: int) -> list[Product]:
        if not _is_place(data.position) or not _is_turn(data.orientation):
            return self._leave_out("pose that is none")
        self._motion_stamp = stamp
        self.position, self.position_stamp = data.position, stamp
        self._attitude = (stamp, Attitude(data.orientation, data.angular_velocity))
        pose = Pose(data.position, data.orientation, data.pose_covariance)
        if not _is_place(data.linear_velocity):
            return [pose]
        twist = (data.linear_velocity, data.angular_velocity, data.twist_covariance)
        return [pose, Odometry(pose, *twist)]

    def _take_global(self, data: GlobalPosition, stamp: int) -> list[Product]:
        self.global_position, self._global_stamp = data, stamp
        if self._receiver is None or stamp - self._receiver[0] > FIX_AGE:
            fix = Fix(data.latitude, data.longitude, UNKNOWN, True, False, UNKNOWN, UNKNOWN)
            return [fix]
        receiver = self._receiver[1]
        above_ellipsoid = receiver.altitude - receiver.above_sea  # the geoid's, NaN if unknown
        return [_fix(data.latitude, data.longitude, data.above_sea + above_ellipsoid, receiver)]

    def _take_receiver(self, data: SatelliteFix, stamp: int) -> list[Product]:
        self._receiver = (stamp, data)
        if self._global_stamp is not None and stamp - self._global_stamp < MOTION_PREFERRED:
            return []  # the filtered position is told instead
        return [_fix(data.latitude, data.longitude, data.altitude, data)]

    def _take_inertial(self, data: Inertial, stamp: int) -> list[Product]:
        if not _is_place(data.angular_velocity) or not _is_place(data.linear_acceleration):
            return self._leave_out("inertial reading that is none")
        attitude = self.attitude_at(stamp)
        return [InertialReading(data, attitude.orientation if attitude else None)]

    def _take_battery(self, data: Battery, _: int) -> list[Product]:
        self.batteries[data.number] = data
        return [data]

    def _take_landed(self, data: LandedState, _: int) -> list[Product]:
        self.landed = data.name
        return []

    def _take_home(self, data: Home, _: int) -> list[Product]:
        self.home = data
        return []

    def _leave_out(self, reason: str) -> list[Product]:
        self.untold[reason] = self.untold.get(reason, 0) + 1
        return []


def _is_place(values: Vector) -> bool:
    x, y, z = values
    return math.isfinite(x + y + z)


def _is_turn(values: Quaternion) -> bool:
    x, y, z, w = values
    return abs(x * x + y * y + z * z + w * w - 1.0) < NEARLY_UNIT


def _fix(latitude: float, longitude: float, altitude: float, receiver: SatelliteFix) -> Fix:
    return Fix(
        latitude,
        longitude,
        altitude,
        receiver.fix_type >= 2,
        receiver.fix_type >= 4,
        receiver.horizontal_deviation,
        receiver.vertical_deviation,
    )
