"""How the simulated drone moves: a point with limits of speed and acceleration, and a heading.

Axes are ENU, x east, y north, z up, in metres from the origin on the ground; yaw is counter-
clockwise from x. Wind acts as it does on a well tuned multirotor: the speed over ground is what was
asked for, as long as the speed through the air that this takes is one the drone has.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

from spatial_types.angles import wrap_scalar
from spatial_types.parameters import parameter

Vector = tuple[float, float, float]

GRAVITY = 9.80665
LONGEST_STEP = 0.02
ZERO: Vector = (0.0, 0.0, 0.0)
# Share of the weight that one m/s through the air costs in tilt.
DRAG = 0.03


@dataclass(frozen=True)
class MultirotorParameters:
    """What the drone can do."""

    speed: float = parameter(8.0, "largest speed through the air, over ground", unit="m/s")
    climb: float = parameter(3.0, "largest speed up", unit="m/s", minimum=0.1)
    descent: float = parameter(1.5, "largest speed down", unit="m/s", minimum=0.1)
    acceleration: float = parameter(4.0, "largest acceleration", unit="m/s^2", minimum=0.1)
    yaw_rate: float = parameter(1.5, "largest rate of turning", unit="rad/s", minimum=0.01)
    yaw_acceleration: float = parameter(4.0, "largest change of it", unit="rad/s^2", minimum=0.01)
    stiffness: float = parameter(1.2, "speed asked for per metre of distance", unit="1/s")


@dataclass(frozen=True)
class Demand:
    """What the pilot asks for: a velocity over ground in m/s, and a rate of turning in rad/s."""

    velocity: Vector = ZERO
    yaw_rate: float = 0.0


@dataclass(frozen=True)
class Wind:
    """Mean wind, where it blows to, in m/s (ENU), and the deviation of its gusts."""

    velocity: Vector = ZERO
    gusts: float = 0.0
    gust_time: float = 2.0


class Multirotor:
    """The state, stepped by `advance`. `correct` puts it where a simulator says that it is."""

    def __init__(self, parameters: MultirotorParameters | None = None, seed: int = 0) -> None:
        self.parameters = parameters or MultirotorParameters()
        self.position: Vector = ZERO
        self.velocity: Vector = ZERO
        self.acceleration: Vector = ZERO
        self.yaw = math.pi / 2.0
        self.yaw_rate = 0.0
        self.wind = Wind()
        self.ground = 0.0
        self._gust: Vector = ZERO
        self._random = random.Random(seed)

    @property
    def on_ground(self) -> bool:
        """Whether it stands."""
        return self.position[2] <= self.ground + 1e-3

    @property
    def airflow(self) -> Vector:
        """The wind that blows now, gusts included."""
        return _added(self.wind.velocity, self._gust)

    @property
    def tilt(self) -> tuple[float, float]:
        """Roll and pitch (FLU, so that pitch down is positive) that its acceleration takes."""
        if self.on_ground:
            return 0.0, 0.0
        through_air = _added(self.velocity, self.airflow, -1.0)
        east, north = (
            a / GRAVITY + DRAG * v
            for a, v in zip(self.acceleration[:2], through_air[:2], strict=True)
        )
        cosine, sine = math.cos(self.yaw), math.sin(self.yaw)
        forward, left = cosine * east + sine * north, cosine * north - sine * east
        return -math.atan(left), math.atan(forward)

    def advance(self, seconds: float, demand: Demand, *, flying: bool) -> None:
        """Move on. `flying`: the motors lift; otherwise it stands, or falls and then stands."""
        while seconds > 1e-9:
            step = min(seconds, LONGEST_STEP)
            self._step(step, demand, flying)
            seconds -= step

    def correct(
        self, position: Sequence[float], yaw: float, velocity: Sequence[float] | None = None
    ) -> None:
        """Take over a measured pose and, if it is known, velocity, all ENU."""
        x, y, z = position
        self.position, self.yaw = (x, y, z), yaw
        if velocity is not None:
            u, v, w = velocity
            self.velocity = (u, v, w)

    def limited(self, velocity: Vector) -> Vector:
        """Return what is possible of a velocity over ground, in this wind."""
        airflow = self.airflow
        through_air = _added(velocity, airflow, -1.0)
        over_ground = math.hypot(*through_air[:2])
        scale = min(1.0, self.parameters.speed / over_ground) if over_ground > 0.0 else 1.0
        up = max(-self.parameters.descent, min(self.parameters.climb, velocity[2]))
        return through_air[0] * scale + airflow[0], through_air[1] * scale + airflow[1], up

    def _step(self, dt: float, demand: Demand, flying: bool) -> None:
        self._blow(dt)
        if not flying:
            self._stand_or_fall(dt)
            return
        before = self.velocity
        wanted = _added(self.limited(demand.velocity), before, -1.0)
        self.velocity = _added(before, _shortened(wanted, self.parameters.acceleration * dt))
        self.acceleration = _added(self.velocity, before, -1.0, 1.0 / dt)
        self._turn(dt, demand.yaw_rate)
        self.position = _added(self.position, _added(before, self.velocity), dt / 2.0)
        if self.position[2] < self.ground:
            self._touch_ground()

    def _turn(self, dt: float, wanted: float) -> None:
        limit = self.parameters.yaw_rate
        change = max(-limit, min(limit, wanted)) - self.yaw_rate
        most = self.parameters.yaw_acceleration * dt
        self.yaw_rate += max(-most, min(most, change))
        self.yaw = wrap_scalar(self.yaw + self.yaw_rate * dt)

    def _stand_or_fall(self, dt: float) -> None:
        self.yaw_rate = 0.0
        if self.on_ground:
            self._touch_ground()
            return
        self.acceleration = (0.0, 0.0, -GRAVITY)
        self.velocity = _added(self.velocity, self.acceleration, dt)
        self.position = _added(self.position, self.velocity, dt)
        if self.position[2] < self.ground:
            self._touch_ground()

    def _touch_ground(self) -> None:
        self.position = (self.position[0], self.position[1], self.ground)
        up = max(0.0, self.velocity[2])
        self.velocity, self.acceleration = (0.0, 0.0, up), ZERO

    def _blow(self, dt: float) -> None:
        """Let the gusts wander (Ornstein and Uhlenbeck), so that their deviation is as asked."""
        if not self.wind.gusts:
            self._gust = ZERO
            return
        keep = math.exp(-dt / self.wind.gust_time)
        new = self.wind.gusts * math.sqrt(1.0 - keep * keep)
        x, y, z = (keep * old + self._random.gauss(0.0, new) for old in self._gust)
        self._gust = (x, y, z)


def approach(here: Vector, there: Vector, speed: float, parameters: MultirotorParameters) -> Vector:
    """Return the velocity with which to fly to a place and stop there without overshooting."""
    to_go = _added(there, here, -1.0)
    distance = math.sqrt(sum(part * part for part in to_go))
    if distance < 1e-6:
        return ZERO
    # Half the acceleration, so that the limits leave something to correct with.
    braking = math.sqrt(parameters.acceleration * distance)
    wanted = min(speed, parameters.stiffness * distance, braking)
    up = abs(to_go[2]) * wanted / distance
    limit = parameters.climb if to_go[2] > 0.0 else parameters.descent
    if up > limit:
        wanted *= limit / up
    return _added(ZERO, to_go, wanted / distance)


def turning(yaw: float, wanted: float, parameters: MultirotorParameters) -> float:
    """Return the rate with which to turn to a heading, the shorter way."""
    error = wrap_scalar(wanted - yaw)
    rate = math.sqrt(parameters.yaw_acceleration * abs(error))
    return math.copysign(min(rate, 3.0 * abs(error), parameters.yaw_rate), error)


def _added(first: Vector, second: Vector, factor: float = 1.0, scale: float = 1.0) -> Vector:
    x, y, z = (scale * (a + factor * b) for a, b in zip(first, second, strict=True))
    return x, y, z


def _shortened(vector: Vector, longest: float) -> Vector:
    length = math.sqrt(sum(part * part for part in vector))
    return vector if length <= longest else _added(ZERO, vector, longest / length)
