"""One pose from laser and camera: position, yaw, velocities and their covariance.

The laser's filter already holds all its scans, so it is not filtered again: its state is carried to
the image's stamp and multiplied once with what the silhouette says (bearing very sharply, distance
a little at close range). Yaw has its own filter. While the laser holds that the target stands, the
silhouettes of the last `memory` images are averaged, save the error that they share.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ground_truth_localizer.orientation_result import OrientationResult
from ground_truth_localizer.target_state import TargetState
from ground_truth_localizer.yaw_filter import YawFilter, YawState
from spatial_types.angles import wrap_scalar
from spatial_types.parameters import parameter

Array = NDArray[np.float64]
# As many images as "all" means; what more of them could still average out is nothing.
UNLIMITED = 300
# Yaw and bearing share the axis, but most of the yaw's error is the markers' own and the filters
# part the two: in simulation they correlate by 0.2 to 0.4, never by more.
LARGEST_CORRELATION = 0.3
# A bearing this many sigma off those held ends their averaging.
STARTED = 2.0


@dataclass(frozen=True)
class FusionParameters:
    """How laser and camera are joined."""

    memory: int = parameter(
        5, "images averaged while the target stands; 0 means all", minimum=0, maximum=100000
    )
    oldest_position: float = parameter(
        0.35, "oldest laser position used with an image", unit="s", minimum=0.01
    )
    acceleration_density: float = parameter(
        0.3, "growth of the position's uncertainty up to the image", unit="m^2/s^3", minimum=0.0
    )
    yaw_acceleration_density: float = parameter(
        30.0, "random change of the yaw rate", unit="rad^2/s^3", minimum=0.0
    )
    systematic_share: float = parameter(
        0.7,
        "part of the camera's variance that more images of a standing target do not reduce",
        minimum=0.0,
        maximum=1.0,
    )
    use_distance: bool = parameter(True, "use the silhouette's width as a distance")
    gate: float = parameter(
        6.0, "refuse a silhouette this far from the laser", unit="sigma", minimum=1.0
    )


@dataclass(frozen=True)
class FusedState:
    """Pose and velocity of the target in `map` at `stamp` (ns).

    `position` (2,) m, `velocity` (2,) m/s in map axes, `yaw` rad, `yaw_rate` rad/s;
    `pose_covariance` (3, 3) of x, y, yaw and `twist_covariance` (3, 3) of vx, vy, yaw rate.
    """

    stamp: int
    position: Array
    velocity: Array
    yaw: float
    yaw_rate: float
    pose_covariance: Array
    twist_covariance: Array


class PoseFusion:
    """Joins each image's result with the newest laser state."""

    def __init__(self, parameters: FusionParameters | None = None) -> None:
        self.parameters = parameters or FusionParameters()
        memory = min(self.parameters.memory or UNLIMITED, UNLIMITED)
        self._yaw = YawFilter(
            acceleration_density=self.parameters.yaw_acceleration_density,
            memory=memory,
            systematic_share=self.parameters.systematic_share,
        )
        self._sights: deque[OrientationResult] = deque(maxlen=memory)
        self.reason = ""

    def reset(self) -> None:
        """Forget everything: the target was lost."""
        self._yaw.reset()
        self._sights.clear()

    def update(self, result: OrientationResult, target: TargetState | None) -> FusedState | None:
        """Fuse one image's result; None, with `reason` set, where no honest pose is known."""
        self.reason = self._refusal(result, target)
        if self.reason or target is None:
            if target is None:
                self.reset()
            return None
        carried = target.at(result.stamp, self.parameters.acceleration_density)
        if not carried.stationary or self._moved(result):
            self._sights.clear()
        self._sights.append(result)
        position, covariance = self._fuse(carried)
        yaw = self._yaw.update(result.stamp, result.yaw, result.yaw_variance)
        return FusedState(
            stamp=result.stamp,
            position=position,
            velocity=carried.velocity.copy(),
            yaw=yaw.yaw,
            yaw_rate=yaw.rate,
            pose_covariance=_joint(position, covariance, yaw, result),
            twist_covariance=_block(carried.covariance[2:, 2:], float(yaw.covariance[1, 1])),
        )

    def _refusal(self, result: OrientationResult, target: TargetState | None) -> str:
        if target is None:
            return "no position from the laser"
        age = (result.stamp - target.stamp) * 1e-9
        if abs(age) > self.parameters.oldest_position:
            relation = "older" if age > 0 else "newer"
            return f"the laser's position is {abs(age):.2f} s {relation} than the image"
        if not result.good:
            return result.reason
        return ""

    def _moved(self, result: OrientationResult) -> bool:
        """True where a silhouette shows a start that the laser has not noticed yet."""
        held = [s.bearing for s in self._sights if s.sight is not None]
        if not held or result.sight is None:
            return False
        away = wrap_scalar(result.bearing - held[0]) - np.mean(
            [wrap_scalar(bearing - held[0]) for bearing in held]
        )
        return bool(away**2 > STARTED**2 * result.bearing_variance)

    def _fuse(self, target: TargetState) -> tuple[Array, Array]:
        """Product of the laser's Gaussian and the silhouettes' mean, if there is any."""
        position, covariance = target.position.copy(), target.covariance[:2, :2].copy()
        sights = [s for s in self._sights if s.sight is not None]
        if not sights:
            return position, covariance
        residuals = np.array([_residual(s, position) for s in sights])
        share = self.parameters.systematic_share
        scale = share + (1.0 - share) / len(sights)
        noise = scale * np.mean([s.sight for s in sights if s.sight is not None], axis=0)
        rows = 2 if self.parameters.use_distance else 1
        jacobian = _jacobian(sights[-1].origin, position)[:rows]
        residual, noise = residuals.mean(0)[:rows], noise[:rows, :rows]
        spread = jacobian @ covariance @ jacobian.T + noise
        if residual @ np.linalg.solve(spread, residual) > self.parameters.gate**2:
            return position, covariance
        gain = np.linalg.solve(spread, jacobian @ covariance).T
        keep = np.eye(2) - gain @ jacobian
        return (
            position + gain @ residual,
            keep @ covariance @ keep.T + gain @ noise @ gain.T,
        )


def _residual(sight: OrientationResult, position: Array) -> Array:
    """(bearing, distance) seen minus expected for a target at `position`."""
    dx, dy = position - sight.origin
    return np.array(
        [wrap_scalar(sight.bearing - np.arctan2(dy, dx)), sight.distance - np.hypot(dx, dy)]
    )


def _jacobian(origin: Array, position: Array) -> Array:
    """Derivative (2, 2) of (bearing, distance) by position."""
    dx, dy = position - origin
    distance = np.hypot(dx, dy)
    return np.array([[-dy / distance**2, dx / distance**2], [dx / distance, dy / distance]])


def _joint(position: Array, covariance: Array, yaw: YawState, result: OrientationResult) -> Array:
    """Covariance (3, 3) of x, y, yaw: the shared bearing error ties yaw to the position across."""
    across = _jacobian(result.origin, position)[0] if result.sight is not None else np.zeros(2)
    variance = float(yaw.covariance[0, 0])
    bearing = float(across @ covariance @ across)
    share = result.yaw_by_bearing
    limit = LARGEST_CORRELATION**2 * variance
    if share**2 * bearing > limit:
        share = float(np.sign(share) * np.sqrt(limit / bearing))
    joint = _block(covariance, variance)
    joint[:2, 2] = joint[2, :2] = share * covariance @ across
    return joint


def _block(two: Array, one: float) -> Array:
    """Block-diagonal (3, 3) of a (2, 2) and a scalar."""
    out = np.zeros((3, 3))
    out[:2, :2] = two
    out[2, 2] = one
    return out
