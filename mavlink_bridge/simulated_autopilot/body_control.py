"""Keeps a simulated body where the simulated autopilot flies: velocity commands, and their loop.

Gazebo's VelocityControl takes velocities in the body's own axes. The autopilot's own velocity goes
ahead, and what the body lags behind is added. A body that cannot follow has met something: then the
autopilot is told where it really is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mavlink_bridge.simulated_autopilot.multirotor import Multirotor
from spatial_types.parameters import parameter
from spatial_types.transforms import Transform, matrix_from_rpy

Array = NDArray[np.float64]


@dataclass(frozen=True)
class BodyParameters:
    """The loop's gains and bounds."""

    gain: float = parameter(4.0, "velocity per metre that the body is off", unit="1/s", minimum=0.0)
    turn_gain: float = parameter(8.0, "rate per radian that it is turned", unit="1/s", minimum=0.0)
    fastest_correction: float = parameter(
        1.0, "largest velocity for the lag alone", unit="m/s", minimum=0.01
    )
    obstructed: float = parameter(
        0.25, "lag from which on the body has met something", unit="m", minimum=0.05
    )


def wanted_pose(body: Multirotor, map_from_home: Transform) -> Transform:
    """Return where the autopilot flies, in the map, tilted as it is."""
    roll, pitch = body.tilt
    turn = matrix_from_rpy((roll, pitch, body.yaw))
    return map_from_home @ Transform(turn, np.array(body.position, float))


def body_velocity(
    body: Multirotor,
    map_from_home: Transform,
    map_from_body: Transform,
    parameters: BodyParameters,
) -> tuple[Array, Array]:
    """Return the linear and angular velocity to command, in the body's axes."""
    wanted = wanted_pose(body, map_from_home)
    lag = wanted.translation - map_from_body.translation
    catching_up = parameters.gain * lag
    speed = float(np.linalg.norm(catching_up))
    if speed > parameters.fastest_correction:
        catching_up *= parameters.fastest_correction / speed
    linear = map_from_home.rotate(body.velocity) + catching_up
    turn = map_from_body.rotation.T @ wanted.rotation
    angular = map_from_body.rotation.T @ np.array([0.0, 0.0, body.yaw_rate])
    back = map_from_body.rotation.T
    return back @ linear, angular + parameters.turn_gain * _rotation_vector(turn)


def take_over(
    body: Multirotor,
    map_from_home: Transform,
    map_from_body: Transform,
    parameters: BodyParameters,
) -> bool:
    """Put the autopilot where the body is if that has met something; True if so."""
    home_from_body = map_from_home.inverse() @ map_from_body
    lag = math.dist(body.position, home_from_body.translation)
    if lag <= parameters.obstructed:
        return False
    x, y, z = home_from_body.translation
    body.correct((x, y, z), home_from_body.yaw, (0.0, 0.0, 0.0))
    return True


def _rotation_vector(rotation: Array) -> Array:
    """Return the axis times the angle of a turn; exact for small ones, bounded for all."""
    skew = np.array(
        [
            rotation[2, 1] - rotation[1, 2],
            rotation[0, 2] - rotation[2, 0],
            rotation[1, 0] - rotation[0, 1],
        ]
    )
    sine = float(np.linalg.norm(skew)) / 2.0
    angle = math.atan2(sine, (float(np.trace(rotation)) - 1.0) / 2.0)
    if sine < 1e-9:
        return skew / 2.0 if angle < 1.0 else np.array([0.0, 0.0, angle])
    return skew / (2.0 * sine) * angle
