"""Ray sensors: laser range finders and infrared distance sensors, cast against exact shapes.

Rays are intersected analytically (no depth image), so a range is right at any angle of incidence.
`gpu_lidar` sensors see the visuals and `lidar` sensors the collisions, as in Gazebo; the sensor's
own link is never seen. REP 117: closer than range_min reads -inf, farther than range_max or
nothing +inf.
"""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np
from numpy.typing import NDArray

from scene_sim.description.sensors import Lidar, Sensor
from scene_sim.gauges import Eye
from scene_sim.mjcf_geometry import COLLISION_GROUP, VISIBLE_TO_RAYS
from scene_sim.noise import NoiseRows, NoiseSource
from scene_sim.physics import Physics
from scene_sim.readings import Reading
from scene_sim.schedule import SECOND
from spatial_types.scan import Scan

Array = NDArray[np.float64]

# A swept scan looks at the world anew every so many beams: 0.6 ms for 360 beams at 10 Hz.
SWEEP_GROUP = 4
FEW = 4  # sensors of up to so many beams are worked out together, see FanGroup
FULL_TURN = 2.0 * np.pi


class SensorError(ValueError):
    """A sensor that the embedded simulator cannot play; the text says why."""


class RayCaster:
    """Casts many rays from one point, by either form of mj_multiRay."""

    def __init__(self, count: int, groups: NDArray[np.uint8], body: int, cutoff: float) -> None:
        self._groups, self._body, self._cutoff = groups, body, cutoff
        self._geoms = np.zeros(count, dtype=np.int32)
        self._ranges = np.zeros(count)
        self._extra = (None,) if _takes_normals() else ()

    def cast(
        self, model: mujoco.MjModel, data: mujoco.MjData, origin: Array, directions: Array
    ) -> Array:
        """Return the distance (N,) along each unit direction (N, 3); -1 where nothing is hit."""
        count = len(directions)
        ranges = self._ranges[:count]
        mujoco.mj_multiRay(
            model,
            data,
            origin,
            directions.ravel(),
            self._groups,
            True,
            self._body,
            self._geoms[:count],
            ranges,
            *self._extra,
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
        self.rendered = sensor.type == "gpu_lidar"
        self.noise = noise
        self._site = model.site(name).id
        span = spec.horizontal.max_angle - spec.horizontal.min_angle
        self.increment = span / (self.count - 1) if self.count > 1 else 0.0
        self.directions = directions_of(spec)
        groups = np.zeros(6, dtype=np.uint8)
        groups[list(VISIBLE_TO_RAYS) if self.rendered else [COLLISION_GROUP]] = 1
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
        ranges = self.noise.apply(self._beams, 1.0 / self.rate)
        if spec.range_resolution > 0.0:
            ranges = np.round(ranges / spec.range_resolution) * spec.range_resolution
        _judge(ranges, missed, spec.range_min, spec.range_max)
        return self.scan_of(stamp, ranges)

    def scan_of(self, stamp: int, ranges: Array) -> Scan:
        """Return a scan of these ranges (N,) whose first beam was at `stamp`."""
        spec = self.spec
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

    @property
    def is_simple(self) -> bool:
        """True where a FanGroup can play the sensor: few beams and plain noise."""
        return self.count <= FEW and self.noise.is_plain and self.spec.range_resolution <= 0.0


class FanGroup:
    """Sensors of few beams with the same rate: all their beams at once."""

    def __init__(self, sensors: Sequence[LidarSensor], model: mujoco.MjModel) -> None:
        """Take simple sensors that all see the rendered world, or all the solid one."""
        sites = [ray_name(sensor.name, ray) for sensor in sensors for ray in range(sensor.count)]
        self._eye = Eye(model, sites, sensors[0].rendered)
        self._places = np.array(self._eye.places)
        self._least = np.concatenate([[item.spec.range_min] * item.count for item in sensors])
        self._most = np.concatenate([[item.spec.range_max] * item.count for item in sensors])
        self._noise = NoiseRows([sensor.noise.column(sensor.count) for sensor in sensors])
        ends = np.cumsum([sensor.count for sensor in sensors]).tolist()
        self._parts = [
            (sensor, slice(end - sensor.count, end))
            for sensor, end in zip(sensors, ends, strict=True)
        ]

    def read(self, physics: Physics, stamp: int) -> list[Reading]:
        """Return the scans of all sensors at `stamp`."""
        data = physics.look_at(stamp)
        self._eye.look(data)
        ranges = data.sensordata[self._places]
        missed = ranges < 0.0
        ranges += self._noise.following()
        _judge(ranges, missed, self._least, self._most)
        return [
            Reading(sensor.name, sensor.topic, stamp, sensor.scan_of(stamp, ranges[part]))
            for sensor, part in self._parts
        ]


def _judge(
    ranges: Array, missed: NDArray[np.bool_], least: Array | float, most: Array | float
) -> None:
    """Replace what is out of range as REP 117 has it."""
    ranges[ranges < least] = -np.inf
    ranges[missed | (ranges > most)] = np.inf


def ray_name(sensor: str, ray: int) -> str:
    """Return the site of one ray of a sensor of few."""
    return f"{sensor}/ray/{ray}"


def directions_of(spec: Lidar) -> Array:
    """Return unit vectors (N, 3) in the sensor's frame."""
    axis = spec.horizontal
    azimuth = np.linspace(axis.min_angle, axis.max_angle, axis.count)
    elevation = spec.vertical.min_angle
    across = np.cos(elevation)
    upward = np.full(axis.count, np.sin(elevation))
    return np.column_stack([across * np.cos(azimuth), across * np.sin(azimuth), upward])
