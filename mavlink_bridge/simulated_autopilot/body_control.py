"""Keeps a simulated body where the simulated autopilot flies: velocity commands, and their loop.

Gazebo's VelocityControl takes velocities in the body's own axes. The autopilot's own velocity goes
ahead, and what the body lags behind is added, with its sum over time: so a steady wind that carries
the body along moves it only until the loop has learned it. A body that cannot follow has met
something: then the autopilot is told where it really is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mavlink_bridge.simulated_autopilot.multirotor import Multirotor
from spatial_types.parameters import parameter
from spatial_types.transforms import Transform, matrix_from_rpy, rotation_vector, shortened

Array = NDArray[np.float64]


@dataclass(frozen=True)
class BodyParameters:
    """The loop's gains and bounds."""

    gain: float = parameter(4.0, "velocity per metre that the body is off", unit="1/s", minimum=0.0)
    learning: float = parameter(
        3.0, "change of the velocity held against wind, per metre that it is off", unit="1/s^2"
    )
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


class BodyLoop:
    """The loop of one body; `home` is where the autopilot's own axes stand in the map."""

    def __init__(self, parameters: BodyParameters, home: Transform) -> None:
        self._parameters, self._home = parameters, home
        self._held = np.zeros(3)

    def velocity(
        self, body: Multirotor, map_from_body: Transform, seconds: float
    ) -> tuple[Array, Array]:
        """Return the linear and angular velocity to command, in the body's axes.

        `seconds` have passed since the last call.
        """
        parameters = self._parameters
        wanted = wanted_pose(body, self._home)
        lag = wanted.translation - map_from_body.translation
        held = self._held + parameters.learning * seconds * lag
        self._held = shortened(held, parameters.fastest_correction)
        catching_up = shortened(parameters.gain * lag, parameters.fastest_correction)
        linear = self._home.rotate(body.velocity) + catching_up + self._held
        back = map_from_body.rotation.T
        angular = back @ np.array([0.0, 0.0, body.yaw_rate])
        turn = rotation_vector(back @ wanted.rotation)
        return back @ linear, angular + parameters.turn_gain * turn

    def take_over(self, body: Multirotor, map_from_body: Transform) -> bool:
        """Put the autopilot where the body is if that has met something; True if so."""
        home_from_body = self._home.inverse() @ map_from_body
        lag = math.dist(body.position, home_from_body.translation)
        if lag <= self._parameters.obstructed:
            return False
        x, y, z = home_from_body.translation
        body.correct((x, y, z), home_from_body.yaw, (0.0, 0.0, 0.0))
        return True
