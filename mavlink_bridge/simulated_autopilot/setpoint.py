"""Setpoints from outside: what of them is asked for, in ENU, and until when it counts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mavlink_bridge.frames import world_vector, world_yaw, yaw_of
from mavlink_bridge.simulated_autopilot.geodesy import E7, GlobalPoint, LocalOrigin
from mavlink_bridge.simulated_autopilot.multirotor import Multirotor, Vector

NO_POSITION, NO_VELOCITY, NO_YAW, NO_YAW_RATE = 0x007, 0x038, 0x400, 0x800
FARTHEST = 1e6
NO_ACCELERATION, FORCE = 0x1C0, 0x200
LOCAL, LOCAL_OFFSET, BODY, BODY_OFFSET, BODY_FRD = 1, 7, 8, 9, 12
GLOBAL_ABOVE_SEA, GLOBAL_ABOVE_HOME = (0, 5), (3, 6)

Partial = tuple["float | None", "float | None", "float | None"]
NOTHING: Partial = (None, None, None)


class RefusedSetpointError(ValueError):
    """A setpoint asks for what is not simulated; the text says what."""


@dataclass(frozen=True)
class Setpoint:
    """Axis by axis what is asked for, ENU; None: nothing. `at` is when it came."""

    position: Partial
    velocity: Partial
    yaw: float | None
    yaw_rate: float
    at: float

    def target(self, here: Vector) -> Vector:
        """Return where to be; where one is, in the axes that ask for no position."""
        x, y, z = (h if p is None else p for p, h in zip(self.position, here, strict=True))
        return x, y, z


def local_setpoint(message: Any, body: Multirotor, now: float) -> Setpoint:
    """Return that of a SET_POSITION_TARGET_LOCAL_NED. Raises RefusedSetpointError."""
    frame = message.coordinate_frame
    if frame not in (LOCAL, LOCAL_OFFSET, BODY, BODY_OFFSET, BODY_FRD):
        raise RefusedSetpointError(f"setpoints in frame {frame} are not simulated")
    position = (message.x, message.y, message.z)
    if frame in (LOCAL, LOCAL_OFFSET):
        place = world_vector(position)
    else:
        place = _from_body(position, body.yaw)
    if frame != LOCAL:
        place = _sum(place, body.position)
    return _setpoint(message, place, body, now, body_axes=frame in (BODY, BODY_OFFSET, BODY_FRD))


def global_setpoint(
    message: Any, body: Multirotor, origin: LocalOrigin, home_height: float, now: float
) -> Setpoint:
    """Return that of a SET_POSITION_TARGET_GLOBAL_INT. Raises RefusedSetpointError."""
    frame = message.coordinate_frame
    if frame not in (*GLOBAL_ABOVE_SEA, *GLOBAL_ABOVE_HOME):
        raise RefusedSetpointError(f"setpoints in frame {frame} are not simulated")
    altitude = message.alt + (home_height if frame in GLOBAL_ABOVE_HOME else 0.0)
    place = origin.local(GlobalPoint(message.lat_int / E7, message.lon_int / E7, altitude))
    return _setpoint(message, place, body, now, body_axes=False)


def thesis_setpoint(message: Any, now: float) -> Setpoint:
    """Return that of a DJI_POSE_STAMPED: ROS's axes already, and metres from the origin."""
    x, y, z = message.position
    numbers = (*message.position, *message.orientation)
    if not all(abs(value) <= FARTHEST for value in numbers):
        raise RefusedSetpointError("a setpoint that is no place")
    yaw = yaw_of(message.orientation) if any(message.orientation) else None
    return Setpoint((x, y, z), NOTHING, yaw, 0.0, now)


def _setpoint(
    message: Any, place: Vector, body: Multirotor, now: float, *, body_axes: bool
) -> Setpoint:
    mask = message.type_mask
    if mask & FORCE and mask & NO_ACCELERATION != NO_ACCELERATION:
        raise RefusedSetpointError("forces are not simulated")
    speed = (message.vx, message.vy, message.vz)
    velocity = _from_body(speed, body.yaw) if body_axes else world_vector(speed)
    kept, moved = _kept(mask & NO_POSITION), _kept((mask & NO_VELOCITY) >> 3)
    position: Partial = tuple(  # type: ignore[assignment]
        value if use else None for value, use in zip(place, kept, strict=True)
    )
    wanted: Partial = tuple(  # type: ignore[assignment]
        value if use else None for value, use in zip(velocity, moved, strict=True)
    )
    numbers = [value for value in (*position, *wanted) if value is not None]
    if not all(abs(value) <= FARTHEST for value in numbers):
        raise RefusedSetpointError("a setpoint that is no place or speed")
    if not numbers:
        raise RefusedSetpointError("a setpoint without position and velocity")
    return Setpoint(position, wanted, *_heading(message, body.yaw, body_axes), now)


def _heading(message: Any, yaw: float, body_axes: bool) -> tuple[float | None, float]:
    mask = message.type_mask
    rate = -message.yaw_rate
    if mask & NO_YAW_RATE or not math.isfinite(rate):
        rate = 0.0
    if mask & NO_YAW or not math.isfinite(message.yaw):
        return None, rate
    return (yaw - message.yaw if body_axes else world_yaw(message.yaw)), rate


def _kept(bits: int) -> tuple[bool, bool, bool]:
    """Return which ENU axes a mask of the three NED axes leaves; set bits are ignored."""
    return not bits & 2, not bits & 1, not bits & 4


def _from_body(vector: Sequence[float], yaw: float) -> Vector:
    """Turn forward, right, down to ENU, by the heading alone."""
    forward, right, down = vector
    cosine, sine = math.cos(yaw), math.sin(yaw)
    return forward * cosine + right * sine, forward * sine - right * cosine, -down


def _sum(first: Vector, second: Vector) -> Vector:
    return first[0] + second[0], first[1] + second[1], first[2] + second[2]
