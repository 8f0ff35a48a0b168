"""Inertial sensors: mean acceleration over the sampling period, as a filtered sensor gives it."""

from __future__ import annotations

import mujoco
import numpy as np

from scene_sim.description.sensors import Imu, Sensor
from scene_sim.gauges import MotionGauge
from scene_sim.noise import VectorNoise
from scene_sim.physics import Array, Physics
from scene_sim.readings import ImuReading
from scene_sim.schedule import SECOND


class ImuSensor:
    """One IMU on a link; the acceleration is the specific force, +9.81 on z at rest."""

    def __init__(
        self, sensor: Sensor, name: str, model: mujoco.MjModel, generator: np.random.Generator
    ) -> None:
        spec = sensor.spec
        assert isinstance(spec, Imu)
        self.name, self.topic, self.rate = name, sensor.topic, sensor.update_rate
        self.frame_id = sensor.frame_id
        self._gauge = MotionGauge(model, name)
        self._upward = -model.opt.gravity
        self._oriented = spec.enable_orientation
        self._gyro = VectorNoise(spec.angular_velocity, generator)
        self._force = VectorNoise(spec.linear_acceleration, generator)
        self._last: tuple[int, Array] | None = None

    def read(self, physics: Physics, stamp: int) -> ImuReading:
        """Return the reading at `stamp`; the first one after a jump assumes no acceleration."""
        sensed, gauge = physics.sensed(stamp), self._gauge
        velocity = sensed[gauge.velocity]
        force, period = self._upward, 1.0 / self.rate
        if self._last is not None and stamp > self._last[0]:
            period = (stamp - self._last[0]) / SECOND
            force = force + (velocity - self._last[1]) / period
        self._last = (stamp, velocity)
        return ImuReading(
            stamp,
            self.frame_id,
            _xyzw(sensed[gauge.orientation]) if self._oriented else None,
            self._gyro.apply(sensed[gauge.own_spin], period),
            self._force.apply(np.dot(force, physics.site_rotations[gauge.site]), period),
        )

    def forget(self) -> None:
        """Say that the link jumped: the next difference of velocities means nothing."""
        self._last = None


def _xyzw(quaternion: Array) -> Array:
    """Return MuJoCo's quaternion (w first) as ROS has it, with w not negative."""
    w, x, y, z = quaternion.tolist()
    return np.array([x, y, z, w] if w >= 0.0 else [-x, -y, -z, -w])
