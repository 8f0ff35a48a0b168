"""Flies a body after a viewpoint by velocity commands, where a simulator offers no better way.

A body that only takes velocities (Gazebo's VelocityControl) is told the viewpoint's own velocity
and what closes the distance that is left. Velocities are in the body's axes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spatial_types.parameters import parameter
from spatial_types.transforms import Transform, rotation_vector, shortened

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ChaseOptions:
    """How eagerly a body follows."""

    gain: float = parameter(
        12.0, "Speed per distance that is left", unit="1/s", minimum=0.1, maximum=100.0
    )
    smoothing: float = parameter(
        0.03, "Time over which the viewpoint's own velocity is averaged", unit="s", minimum=0.0
    )
    speed: float = parameter(20.0, "Speed at most", unit="m/s", minimum=0.0)
    spin: float = parameter(15.0, "Rate of turning at most", unit="rad/s", minimum=0.0)
    timeout: float = parameter(
        0.3, "A viewpoint silent for so long is not followed on", unit="s", minimum=0.02
    )


class Chase:
    """Follows one viewpoint. Times are seconds of the clock of both poses' stamps."""

    def __init__(self, options: ChaseOptions) -> None:
        self._options = options
        self._wish: tuple[float, Transform] | None = None
        self._moving = np.zeros(6)  # the viewpoint's velocity and spin, in the map's axes

    def wish(self, map_from_head: Transform, now: float) -> None:
        """Take the newest viewpoint, of time `now`."""
        if self._wish is not None:
            before, last = self._wish
            elapsed = now - before
            if 0.0 < elapsed < self._options.timeout:
                step = np.concatenate(_way(last, map_from_head)) / elapsed
                share = elapsed / (elapsed + self._options.smoothing)
                self._moving += share * (step - self._moving)
            elif elapsed != 0.0:
                self._moving[:] = 0.0
        self._wish = (now, map_from_head)

    def command(self, map_from_body: Transform, now: float) -> tuple[Array, Array]:
        """Return linear (m/s) and angular (rad/s) velocity for a body that is there at `now`.

        Without a fresh viewpoint it is to stand still.
        """
        options = self._options
        if self._wish is None or not abs(now - self._wish[0]) <= options.timeout:
            return np.zeros(3), np.zeros(3)
        way, turn = _way(map_from_body, self._wish[1])
        since = now - self._wish[0]
        linear = self._moving[:3] + options.gain * (way + since * self._moving[:3])
        angular = self._moving[3:] + options.gain * (turn + since * self._moving[3:])
        back = map_from_body.rotation.T
        return back @ shortened(linear, options.speed), back @ shortened(angular, options.spin)


def _way(start: Transform, end: Transform) -> tuple[Array, Array]:
    """Return translation (m) and rotation (axis times angle, rad) from a pose to another."""
    turn = rotation_vector(end.rotation @ start.rotation.T)
    return end.translation - start.translation, turn
