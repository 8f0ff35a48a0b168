"""Driven paths: moves turned into a smooth reference motion, and the controller that follows it.

The controller sees the robot's own odometry only, never the simulator's truth. Units: metres,
radians, seconds; poses on the plane of `map`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spatial_types.angles import wrap_scalar
from spatial_types.transforms import Transform

Array = NDArray[np.float64]
TICK = 0.01
STEP = 0.005
BLEND = 0.25


@dataclass(frozen=True)
class MotionLimits:
    """Cruise speed m/s, acceleration m/s2, turning rate rad/s, turning acceleration rad/s2."""

    cruise: float = 0.5
    acceleration: float = 0.5
    turn_rate: float = np.pi / 2
    turn_acceleration: float = np.pi


@dataclass(frozen=True)
class Move:
    """One piece of a path.

    `kind` is `drive` (`length` m, negative is backwards, turning by `angle` rad on the way),
    `turn` (by `angle` rad in place) or `stop` (for `length` s).
    """

    kind: str
    length: float = 0.0
    angle: float = 0.0


Pose = tuple[float, float, float]


def arc_to(pose: Pose, x: float, y: float, backwards: bool = False) -> Move:
    """Return the drive along the one circle that leaves `pose` straight on and ends at x, y."""
    dx, dy = x - pose[0], y - pose[1]
    heading = pose[2] + (np.pi if backwards else 0.0)
    half = wrap_scalar(float(np.arctan2(dy, dx)) - heading)
    length = float(np.hypot(dx, dy)) / float(np.sinc(half / np.pi))
    return Move("drive", -length if backwards else length, 2 * half)


def pose_after(pose: Pose, move: Move) -> Pose:
    """Return the nominal pose x, y, yaw after a move, before the curvature is blended."""
    x, y, yaw = pose
    if move.kind == "drive":
        chord = move.length * float(np.sinc(move.angle / 2 / np.pi))
        middle = yaw + move.angle / 2
        x, y = x + chord * float(np.cos(middle)), y + chord * float(np.sin(middle))
    return x, y, yaw + move.angle


@dataclass(frozen=True)
class MotionPlan:
    """The reference motion, sampled each 10 ms: poses and the velocities that make them."""

    time: Array
    x: Array
    y: Array
    yaw: Array
    speed: Array
    yaw_rate: Array

    @property
    def duration(self) -> float:
        """Seconds from start to standstill."""
        return float(self.time[-1])

    def at(self, time: float) -> tuple[float, float, float, float, float]:
        """Return x, y, yaw, speed and yaw rate at a time (s), held at both ends."""
        columns = (self.x, self.y, self.yaw, self.speed, self.yaw_rate)
        x, y, yaw, speed, rate = (float(np.interp(time, self.time, c)) for c in columns)
        return x, y, yaw, speed, rate


def plan_motion(start: Pose, moves: Sequence[Move], limits: MotionLimits) -> MotionPlan:
    """Turn moves into a motion whose speed and yaw rate start and end at rest.

    Drives of one direction in a row are one run with one trapezoid of speed; the curvature is
    blended over 0.25 m where it changes, so that the yaw rate does not jump.
    """
    speeds, rates = [np.zeros(1)], [np.zeros(1)]
    for run in _runs(moves):
        speed, rate = _run_velocities(run, limits)
        speeds.append(speed)
        rates.append(rate)
    speed, rate = np.concatenate(speeds), np.concatenate(rates)
    yaw = start[2] + np.concatenate([[0.0], np.cumsum(_between(rate)) * TICK])
    middle = _between(yaw)
    step = _between(speed) * TICK
    x = start[0] + np.concatenate([[0.0], np.cumsum(step * np.cos(middle))])
    y = start[1] + np.concatenate([[0.0], np.cumsum(step * np.sin(middle))])
    time: Array = TICK * np.arange(len(speed), dtype=float)
    return MotionPlan(time, x, y, yaw, speed, rate)


def _between(values: Array) -> Array:
    return (values[1:] + values[:-1]) / 2


def _runs(moves: Sequence[Move]) -> list[list[Move]]:
    runs: list[list[Move]] = []
    for move in moves:
        last = runs[-1][-1] if runs else None
        joins = (
            last is not None
            and move.kind == last.kind == "drive"
            and (move.length > 0) == (last.length > 0)
        )
        if joins:
            runs[-1].append(move)
        else:
            runs.append([move])
    return runs


def _run_velocities(run: list[Move], limits: MotionLimits) -> tuple[Array, Array]:
    if run[0].kind == "stop":
        nothing = np.zeros(max(1, round(run[0].length / TICK)))
        return nothing, nothing
    if run[0].kind == "turn":
        rate = _trapezoid(abs(run[0].angle), limits.turn_rate, limits.turn_acceleration)
        return np.zeros(len(rate)), np.sign(run[0].angle) * rate
    total = sum(abs(move.length) for move in run)
    speed = _trapezoid(total, limits.cruise, limits.acceleration)
    travelled = np.concatenate([[0.0], np.cumsum(_between(speed)) * TICK])
    curvature = _curvature(run)
    grid = (np.arange(len(curvature)) + 0.5) * STEP
    rate = speed * np.interp(travelled, grid, curvature)
    return np.sign(run[0].length) * speed, rate


def _trapezoid(total: float, top: float, acceleration: float) -> Array:
    """Speeds each tick that cover exactly `total`, from rest to rest."""
    top = min(top, np.sqrt(total * acceleration))
    ramp = top / acceleration
    duration = total / top + ramp
    ticks = np.arange(1, int(np.ceil(duration / TICK)) + 1) * TICK
    speed = np.clip(np.minimum(ticks, duration - ticks) * acceleration, 0.0, top)
    speed[-1] = 0.0
    covered = float(np.sum(_between(np.concatenate([[0.0], speed]))) * TICK)
    return speed * (total / covered)


def _curvature(run: list[Move]) -> Array:
    """Yaw per metre travelled along the run in steps of 5 mm, blended over 0.25 m."""
    pieces = []
    for move in run:
        count = max(1, round(abs(move.length) / STEP))
        pieces.append(np.full(count, move.angle / (count * STEP)))
    raw = np.concatenate(pieces)
    half = int(BLEND / STEP / 2)
    padded = np.concatenate([np.full(half, raw[0]), raw, np.full(half, raw[-1])])
    return np.convolve(padded, np.ones(2 * half + 1) / (2 * half + 1), mode="valid")


class PathFollower:
    """Velocity commands that keep the robot on a plan, from its odometry.

    Kanayama et al., "A stable tracking control method for an autonomous mobile robot", ICRA 1990.
    """

    ALONG, ACROSS, HEADING = 1.5, 6.0, 2.5

    def __init__(self, plan: MotionPlan) -> None:
        self.plan = plan
        self._map_from_odom: Transform | None = None

    def command(self, time: float, odom_from_base: Transform) -> tuple[float, float]:
        """Return linear (m/s) and angular (rad/s) velocity for `time` s after the start.

        The first odometry pose is taken to be the plan's start.
        """
        x, y, yaw, speed, rate = self.plan.at(time)
        if self._map_from_odom is None:
            first = self.plan.at(0.0)
            self._map_from_odom = Transform.planar(*first[:3]) @ odom_from_base.inverse()
        pose = self._map_from_odom @ odom_from_base
        dx, dy = x - pose.translation[0], y - pose.translation[1]
        heading = wrap_scalar(yaw - pose.yaw)
        c, s = np.cos(pose.yaw), np.sin(pose.yaw)
        along, across = c * dx + s * dy, -s * dx + c * dy
        if time >= self.plan.duration:
            return 0.0, 0.0
        linear = speed * np.cos(heading) + self.ALONG * along
        angular = rate + self.ACROSS * speed * across + self.HEADING * heading
        return float(linear), float(angular)
