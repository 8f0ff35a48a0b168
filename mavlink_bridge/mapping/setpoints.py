"""Setpoints in ROS's axes to messages: where to be, or how fast to go.

Both are in the drone's local frame (ENU); what comes in other frames is turned before.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from mavlink_bridge.autopilots.flavours import Flavour
from mavlink_bridge.frames import Vector, world_vector, world_yaw, yaw_rate

FRAME_LOCAL_NED = 1
IGNORE_POSITION, IGNORE_VELOCITY, IGNORE_ACCELERATION = 0x007, 0x038, 0x1C0
IGNORE_YAW, IGNORE_YAW_RATE = 0x400, 0x800
NOWHERE = (0.0, 0.0, 0.0)
DJI_SETPOINT = 0


class SetpointError(ValueError):
    """The autopilot cannot follow such a setpoint; the text says why."""


@dataclass(frozen=True)
class PositionSetpoint:
    """Be at `position` (m) with `yaw` (rad, None: as it is), passing with `velocity` (m/s)."""

    position: Vector
    yaw: float | None = None
    velocity: Vector | None = None


@dataclass(frozen=True)
class VelocitySetpoint:
    """Go at `velocity` (m/s) and turn at `yaw_rate` (rad/s, counter-clockwise)."""

    velocity: Vector
    yaw_rate: float = 0.0


Setpoint = PositionSetpoint | VelocitySetpoint


def setpoint_message(
    setpoint: Setpoint, flavour: Flavour, dialect: Any, target: tuple[int, int], stamp: int
) -> Any:
    """Return the message for an autopilot at `target` (system, component); `stamp` in ns.

    Raises SetpointError for what the thesis's dialect has no message for.
    """
    if flavour.speaks_thesis:
        return _thesis_message(setpoint, dialect, target[0], stamp)
    mask, position, velocity, yaw, rate = _fields(setpoint)
    return dialect.MAVLink_set_position_target_local_ned_message(
        stamp // 1_000_000 % 2**32,
        *target,
        FRAME_LOCAL_NED,
        mask,
        *world_vector(position),
        *world_vector(velocity),
        *NOWHERE,
        yaw,
        rate,
    )


def _fields(setpoint: Setpoint) -> tuple[int, Vector, Vector, float, float]:
    """Return type_mask, position, velocity (ENU), heading and its rate (NED)."""
    if isinstance(setpoint, VelocitySetpoint):
        mask = IGNORE_POSITION | IGNORE_ACCELERATION | IGNORE_YAW
        return mask, NOWHERE, setpoint.velocity, 0.0, yaw_rate(setpoint.yaw_rate)
    mask = IGNORE_ACCELERATION | IGNORE_YAW_RATE
    if setpoint.velocity is None:
        mask |= IGNORE_VELOCITY
    if setpoint.yaw is None:
        mask |= IGNORE_YAW
    heading = 0.0 if setpoint.yaw is None else world_yaw(setpoint.yaw)
    return mask, setpoint.position, setpoint.velocity or NOWHERE, heading, 0.0


def _thesis_message(setpoint: Setpoint, dialect: Any, system: int, stamp: int) -> Any:
    if isinstance(setpoint, VelocitySetpoint):
        raise SetpointError("the thesis's dialect has no setpoints of velocity")
    half = (setpoint.yaw or 0.0) / 2.0
    return dialect.MAVLink_dji_pose_stamped_message(
        system,
        stamp // 1_000_000_000,
        stamp % 1_000_000_000,
        DJI_SETPOINT,
        list(setpoint.position),
        [0.0, 0.0, math.sin(half), math.cos(half)],
    )
