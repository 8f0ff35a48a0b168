"""Inertial sensors: mean acceleration over the sampling period, as a filtered sensor gives it."""

from __future__ import annotations

import mujoco
import numpy as np

from scene_sim.description.sensors import Imu, Sensor
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
        self._site = model.site(name).id
        self._gravity = model.opt.gravity.copy()
        self._oriented = spec.enable_orientation
        self._gyro = VectorNoise(spec.angular_velocity, generator)
        self._force = VectorNoise(spec.linear_acceleration, generator)
        self._last: tuple[int, Array] | None = None

    def read(self, physics: Physics, stamp: int) -> ImuReading:
        """Return the reading at `stamp`; the first one after a jump assumes no acceleration."""
        pose = physics.site_pose(self._site, stamp)
        velocity, spin = physics.site_velocity(self._site, stamp)
        force = -self._gravity
        period = 1.0 / self.rate
        if self._last is not None and stamp > self._last[0]:
            period = (stamp - self._last[0]) / SECOND
            force += (velocity - self._last[1]) / period
        self._last = (stamp, velocity)
        to_sensor = pose.rotation.T
        return ImuReading(
            stamp=stamp,
            frame_id=self.frame_id,
            orientation=pose.quaternion if self._oriented else None,
            angular_velocity=self._gyro.apply(to_sensor @ spin, period),
            linear_acceleration=self._force.apply(to_sensor @ force, period),
        )

    def forget(self) -> None:
        """Say that the link jumped: the next difference of velocities means nothing."""
        self._last = None
