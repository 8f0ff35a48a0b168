"""Ray sensors: laser range finders and infrared distance sensors, cast against exact shapes.

Rays are intersected analytically (no depth image), so a range is right at any angle of incidence.
`gpu_lidar` sensors see the visuals and `lidar` sensors the collisions, as in Gazebo; the sensor's
own link is never seen. REP 117: closer than range_min reads -inf, farther than range_max or
nothing +inf.
"""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

from scene_sim.description.sensors import Lidar, Sensor
from scene_sim.mjcf_geometry import COLLISION_GROUP, VISIBLE_TO_RAYS
from scene_sim.noise import NoiseSource
from scene_sim.physics import Physics
from scene_sim.schedule import SECOND
from spatial_types.scan import Scan

Array = NDArray[np.float64]

# A swept scan looks at the world anew every so many beams: 0.6 ms for 360 beams at 10 Hz.
SWEEP_GROUP = 4
FEW = 4  # up to so many rays cost less one by one
FULL_TURN = 2.0 * np.pi


class SensorError(ValueError):
    """A sensor that the embedded simulator cannot play; the text says why."""


class RayCaster:
    """Casts rays from one point: few one by one, many at once by either form of mj_multiRay."""

    def __init__(self, count: int, groups: NDArray[np.uint8], body: int, cutoff: float) -> None:
        self._groups, self._body, self._cutoff = groups, body, cutoff
        self._geoms = np.zeros(count, dtype=np.int32)
        self._ranges = np.zeros(count)
        self._normals_taken = _takes_normals()

    def cast(
        self, model: mujoco.MjModel, data: mujoco.MjData, origin: Array, directions: Array
    ) -> Array:
        """Return the distance (N,) along each unit direction (N, 3); -1 where nothing is hit."""
        count = len(directions)
        geoms, ranges = self._geoms[:count], self._ranges[:count]
        if count <= FEW:
            ray, one = mujoco.mj_ray, self._geoms[:1]
            for index in range(count):
                ranges[index] = ray(
                    model, data, origin, directions[index], self._groups, True, self._body, one
                )
            return ranges
        extra = (None,) if self._normals_taken else ()
        mujoco.mj_multiRay(
            model,
            data,
            origin,
            directions.ravel(),
            self._groups,
            True,
            self._body,
            geoms,
            ranges,
            *extra,
            count,
            self._cutoff,
        )
        return ranges


def _takes_normals() -> bool:
    """Newer releases of MuJoCo take an array for the normals; their text says so."""
    return "normal" in (mujoco.mj_multiRay.__doc__ or "")


class LidarSensor:
    """One ray sensor on a link; `site` is its frame in the MuJoCo model."""

    def __init__(
        self, sensor: Sensor, name: str, model: mujoco.MjModel, noise: NoiseSource, swept: bool
    ) -> None:
        """Raise SensorError for several layers or resampled beams."""
        spec = sensor.spec
        assert isinstance(spec, Lidar)
        if spec.vertical.count > 1:
            raise SensorError(f"sensor '{sensor.name}' has several layers: expected one")
        if spec.horizontal.resolution != 1.0:
            raise SensorError(
                f"sensor '{sensor.name}': <resolution> is {spec.horizontal.resolution}: expected 1"
            )
        self.name, self.topic = name, sensor.topic
        self.rate = sensor.update_rate
        self.frame_id = sensor.frame_id
        self.spec = spec
        self.count = spec.horizontal.count
        self._noise = noise
        self._site = model.site(name).id
        span = spec.horizontal.max_angle - spec.horizontal.min_angle
        self.increment = span / (self.count - 1) if self.count > 1 else 0.0
        self.directions = _directions(spec, self.count, self.increment)
        groups = np.zeros(6, dtype=np.uint8)
        rendered = sensor.type == "gpu_lidar"
        groups[list(VISIBLE_TO_RAYS) if rendered else [COLLISION_GROUP]] = 1
        body = int(model.site_bodyid[self._site])
        self._caster = RayCaster(self.count, groups, body, spec.range_max + 1.0)
        # A head that turns once per scan passes one beam after the other at this pace.
        self.time_increment = abs(self.increment) / FULL_TURN / self.rate if swept else 0.0
        self._beams = np.zeros(self.count)

    def offset_ns(self, beam: int) -> int:
        """Return when `beam` is measured after the scan's stamp, ns."""
        return round(beam * self.time_increment * SECOND)

    def measure(self, physics: Physics, stamp: int, first: int, last: int) -> None:
        """Cast beams first to last - 1 into the world as it is at `stamp`."""
        data = physics.look_at(stamp)
        world_from_sensor = physics.site_pose(self._site, stamp)
        self._beams[first:last] = self._caster.cast(
            physics.model,
            data,
            world_from_sensor.translation,
            world_from_sensor.rotate(self.directions[first:last]),
        )

    def scan(self, stamp: int) -> Scan:
        """Return the measured beams with noise, as a scan whose first beam was at `stamp`."""
        spec = self.spec
        missed = self._beams < 0.0
        ranges = self._noise.apply(self._beams, 1.0 / self.rate)
        if spec.range_resolution > 0.0:
            ranges = np.round(ranges / spec.range_resolution) * spec.range_resolution
        ranges[ranges < spec.range_min] = -np.inf
        ranges[missed | (ranges > spec.range_max)] = np.inf
        return Scan(
            stamp=stamp,
            frame_id=self.frame_id,
            angle_min=spec.horizontal.min_angle,
            angle_increment=self.increment,
            time_increment=self.time_increment,
            scan_time=1.0 / self.rate,
            range_min=spec.range_min,
            range_max=spec.range_max,
            ranges=ranges,
        )


def _directions(spec: Lidar, count: int, increment: float) -> Array:
    """Return unit vectors (N, 3) in the sensor's frame."""
    azimuth = spec.horizontal.min_angle + increment * np.arange(count)
    elevation = spec.vertical.min_angle
    across = np.cos(elevation)
    return np.column_stack(
        [across * np.cos(azimuth), across * np.sin(azimuth), np.full(count, np.sin(elevation))]
    )
