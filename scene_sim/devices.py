"""Everything in a scene that measures, moves or publishes, made from its description."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from scene_sim.actuators import CONTROL_RATE, DiffDrive, PositionServo, plugin_kind
from scene_sim.camera import CameraSensor
from scene_sim.description.plugin import Plugin
from scene_sim.description.scene import Link, Model, World
from scene_sim.description.sensors import Camera, Distortion, Imu, Lidar, Noise, Sensor
from scene_sim.imu import ImuSensor
from scene_sim.lidar import SWEEP_GROUP, FanGroup, LidarSensor, SensorError
from scene_sim.mjcf_builder import body_name, sensor_name
from scene_sim.noise import NoiseSource, stream
from scene_sim.options import SimulatorOptions
from scene_sim.physics import Physics
from scene_sim.publishers import ONE_AXIS, JointStatePublisher, OdometryPublisher
from scene_sim.readings import Reading
from scene_sim.schedule import Periodic
from scene_sim.velocity_control import VelocityControl
from scene_sim.wind import Wind, blown_links, unplayed_parts, wind_plugin

# Plugins that Gazebo needs and the embedded simulator does of itself.
BUILT_IN = {"Physics", "Sensors", "Imu", "SceneBroadcaster", "UserCommands", "Contact", "NavSat"}
BUILT_IN |= {"Magnetometer", "Altimeter", "AirPressure"}

Run = Callable[[int], Sequence[Reading]]  # called with the stamp
Photograph = Callable[[CameraSensor, int], Sequence[Reading]]


class SweptScan:
    """The ticks of a scanner whose beams are measured one after the other.

    The first beam of scan k is at tick k of the sensor's rate; each tick casts one group of beams,
    and the last one gives the scan.
    """

    def __init__(self, sensor: LidarSensor, physics: Physics) -> None:
        self._sensor, self._physics = sensor, physics
        self._turns = Periodic(sensor.rate, lambda stamp: ())
        self._first = 0

    @property
    def due(self) -> int:
        """Time of the middle of the next group of beams, ns."""
        middle = (self._first + self._last - 1) / 2.0
        return self._turns.due + round(middle * self._sensor.time_increment * 1e9)

    @property
    def _last(self) -> int:
        return min(self._first + SWEEP_GROUP, self._sensor.count)

    def advance(self) -> None:
        """Go to the next group, or to the next scan's first."""
        self._first = self._last
        if self._first >= self._sensor.count:
            self._first = 0
            self._turns.advance()

    def run(self, stamp: int) -> list[Reading]:
        """Measure the group that was due; the schedule has gone on to the next already."""
        sensor = self._sensor
        first = (self._first or sensor.count) - 1
        first -= first % SWEEP_GROUP
        last = min(first + SWEEP_GROUP, sensor.count)
        sensor.measure(self._physics, stamp, first, last)
        if last < sensor.count:
            return []
        start = stamp - round((first + last - 1) / 2.0 * sensor.time_increment * 1e9)
        return [Reading(sensor.name, sensor.topic, start, sensor.scan(start))]


class Reporter(NamedTuple):
    """What says one thing at a time: called as `read(physics, stamp)`."""

    sensor: str
    topic: str
    rate: float
    read: Callable[[Physics, int], Any]


def _by_rate(items: Iterable[Any]) -> dict[float, list[Any]]:
    groups: dict[float, list[Any]] = {}
    for item in items:
        groups.setdefault(item.rate, []).append(item)
    return groups


def _one_after_the_other(runs: list[Run]) -> Run:
    def run(stamp: int) -> list[Reading]:
        return [reading for one in runs for reading in one(stamp)]

    return run if len(runs) > 1 else runs[0]


class Devices:
    """Sensors, actuators and publishers of all models, and the tasks that run them."""

    def __init__(
        self,
        world: World,
        models: Iterable[Model],
        physics: Physics,
        seed: int,
        options: SimulatorOptions,
    ) -> None:
        self.warnings: list[str] = []
        self.cameras: dict[str, CameraSensor] = {}
        self.lidars: list[LidarSensor] = []
        self.imus: list[ImuSensor] = []
        self.drives: list[DiffDrive] = []
        self.flyers: list[VelocityControl] = []
        self.servos: list[PositionServo] = []
        self.joint_publishers: list[JointStatePublisher] = []
        self.odometry_publishers: list[OdometryPublisher] = []
        self._physics, self._seed, self._options = physics, seed, options
        self._models = list(models)
        for model in self._models:
            for link, sensor in model.sensors():
                self._add_sensor(model, link, sensor)
            for plugin in model.plugins:
                self._add_plugin(model, plugin)
        self._wind = self._make_wind(world)

    # Making them

    def _add_sensor(self, model: Model, link: Link, sensor: Sensor) -> None:
        name = sensor_name(model, link, sensor)
        if sensor.update_rate <= 0.0:
            self._warn(sensor.source, f"sensor '{sensor.name}' has no <update_rate>: left out")
            return
        sensor = _named(sensor, f"model/{model.name}/link/{link.name}/sensor/{sensor.name}", link)
        spec = sensor.spec
        try:
            if isinstance(spec, Lidar):
                self._add_lidar(sensor, name)
            elif isinstance(spec, Camera) and sensor.type == "camera":
                self._add_camera(sensor, name)
            elif isinstance(spec, Imu):
                generator = stream(self._seed, name)
                self.imus.append(ImuSensor(sensor, name, self._physics.model, generator))
            else:
                raise SensorError(f"sensor '{sensor.name}' of type {sensor.type}")
        except SensorError as error:
            self._warn(sensor.source, f"{error}: not supported by the embedded simulator")

    def _add_lidar(self, sensor: Sensor, name: str) -> None:
        spec, options = sensor.spec, self._options
        assert isinstance(spec, Lidar)
        noise = _overridden(spec.noise, options.lidar_noise, options.lidar_sigma)
        source = NoiseSource(noise, stream(self._seed, name))
        swept = options.scan_mode == "swept" and spec.horizontal.count > SWEEP_GROUP
        self.lidars.append(LidarSensor(sensor, name, self._physics.model, source, swept))

    def _add_camera(self, sensor: Sensor, name: str) -> None:
        spec, options = sensor.spec, self._options
        assert isinstance(spec, Camera)
        if spec.distortion != Distortion() or spec.intrinsics is not None:
            self._warn(
                sensor.source,
                f"camera '{sensor.name}': <distortion> and <intrinsics> are not supported by the "
                "embedded simulator: drawn as an ideal pinhole of its horizontal_fov",
            )
        levels = options.camera_noise_levels
        stddev = None if levels is None else levels / 255.0
        noise = _overridden(spec.noise, options.camera_noise, stddev)
        sensor = dataclasses.replace(sensor, spec=dataclasses.replace(spec, noise=noise))
        self.cameras[sensor.topic] = CameraSensor(sensor, name, self._physics.model, self._seed)

    def _add_plugin(self, model: Model, plugin: Plugin) -> None:
        compiled = self._physics.model
        kind = plugin_kind(plugin)
        if kind == "DiffDrive":
            self.drives.append(DiffDrive(plugin, model, compiled))
        elif kind == "VelocityControl":
            self.flyers.append(VelocityControl(plugin, model, compiled))
        elif kind == "JointPositionController":
            self.servos.append(PositionServo(plugin, model, compiled))
        elif kind == "JointStatePublisher":
            self.joint_publishers.append(JointStatePublisher(plugin, model, compiled))
        elif kind == "OdometryPublisher":
            self.odometry_publishers.append(OdometryPublisher(plugin, model, compiled))
        elif kind not in BUILT_IN:
            self._not_supported(plugin)

    def _make_wind(self, world: World) -> Wind | None:
        for plugin in world.plugins:
            if plugin_kind(plugin) not in {*BUILT_IN, "WindEffects"}:
                self._not_supported(plugin)
        effects = wind_plugin(world)
        if effects is not None:
            self.warnings += unplayed_parts(effects)
            return Wind(world, effects, self._models, self._physics, self._seed)
        if any(world.wind) and any(blown_links(self._models)):
            self._warn(world.source, "<wind> without the plugin WindEffects moves nothing")
        return None

    def _not_supported(self, plugin: Plugin) -> None:
        text = f"plugin '{plugin.name}' is not supported by the embedded simulator"
        self._warn(plugin.source, text)

    def _warn(self, source: object, text: str) -> None:
        self.warnings.append(f"{source}: {text}")

    # Running them

    def _control(self, stamp: int) -> tuple[Reading, ...]:
        """Let every actuator work for one control period."""
        physics = self._physics
        physics.advance_to(stamp)
        for servo in self.servos:
            servo.control(physics)
        for drive in self.drives:
            drive.control(physics)
        if self._wind is not None:
            self._wind.blow(stamp * 1e-9)
            self._wind.push(physics)
        for flyer in self.flyers:
            flyer.control(physics, self._wind)
        return ()

    @property
    def topics(self) -> frozenset[str]:
        """Every topic that is published."""
        others: list[Any] = [*self.lidars, *self.cameras.values(), *self._reporters()]
        return frozenset(item.topic for item in others)

    def tasks(self, photograph: Photograph, topics: frozenset[str] | None = None) -> Iterator[Any]:
        """Yield the tasks of the actuators, and of what publishes on these topics (None: all).

        `photograph` is called at each camera's rate. Whatever has the same rate shares a task, as
        going from one task to the next costs as much as a reading.
        """

        def heard(items: Iterable[Any]) -> list[Any]:
            return [item for item in items if topics is None or item.topic in topics]

        runs: dict[float, list[Run]] = {CONTROL_RATE: [self._control]}
        for rate, run in self._scans(heard(self.lidars)):
            runs.setdefault(rate, []).append(run)
        for camera in heard(self.cameras.values()):
            runs.setdefault(camera.rate, []).append(partial(photograph, camera))
        for rate, reporters in _by_rate(heard(self._reporters())).items():
            runs.setdefault(rate, []).append(partial(self._report, reporters))
        yield from (Periodic(rate, _one_after_the_other(each)) for rate, each in runs.items())
        swept = (lidar for lidar in heard(self.lidars) if lidar.time_increment > 0.0)
        yield from (SweptScan(lidar, self._physics) for lidar in swept)

    def _scans(self, lidars: list[LidarSensor]) -> Iterator[tuple[float, Run]]:
        fans = [lidar for lidar in lidars if lidar.is_simple]
        for rate, together in _by_rate(fans).items():
            for rendered in (True, False):
                sensors = [sensor for sensor in together if sensor.rendered == rendered]
                if sensors:
                    group = FanGroup(sensors, self._physics.model)
                    yield rate, partial(group.read, self._physics)
        for lidar in lidars:
            if not lidar.is_simple and lidar.time_increment == 0.0:
                yield lidar.rate, partial(self._scan, lidar)

    def _scan(self, lidar: LidarSensor, stamp: int) -> list[Reading]:
        lidar.measure(self._physics, stamp, 0, lidar.count)
        return [Reading(lidar.name, lidar.topic, stamp, lidar.scan(stamp))]

    def _reporters(self) -> Iterator[Reporter]:
        items: list[Any] = [*self.imus, *self.joint_publishers, *self.odometry_publishers]
        for item in items:
            yield Reporter(item.topic, item.topic, item.rate, item.read)
        for drive in self.drives:
            yield Reporter(drive.model, drive.odometry_topic, drive.rate, drive.odometry)

    def _report(self, reporters: list[Reporter], stamp: int) -> list[Reading]:
        physics = self._physics
        return [
            Reading(sensor, topic, stamp, read(physics, stamp))
            for sensor, topic, _, read in reporters
        ]

    def put_down(self, model: str, physics: Physics) -> None:
        """Tell a model's devices that it was moved by hand."""
        for drive in self.drives:
            if drive.model == model:
                drive.put_down(physics)
        for flyer in self.flyers:
            if flyer.model == model:
                flyer.halt()
        for imu in self.imus:
            if imu.name.startswith(f"{model}::"):
                imu.forget()

    # Finding them

    def drive(self, model: str) -> DiffDrive:
        """Return the DiffDrive of a model; KeyError with the known ones otherwise."""
        return _find(self.drives, "model", model, "DiffDrive on model")

    def flyer(self, model: str) -> VelocityControl:
        """Return the VelocityControl of a model; KeyError with the known ones otherwise."""
        return _find(self.flyers, "model", model, "VelocityControl on model")

    def servo(self, joint: str) -> PositionServo:
        """Return the controller of a joint; KeyError with the known ones otherwise."""
        return _find(self.servos, "joint", joint, "controller of joint")

    def publisher(self, name: str) -> OdometryPublisher:
        """Return the truth of that name; KeyError with the known ones otherwise."""
        return _find(self.odometry_publishers, "name", name, "truth of")

    def joint_positions(self, stamp: int) -> dict[str, float]:
        """Return the position of every moving one-axis joint, by name."""
        compiled, qpos = self._physics.model, self._physics.look_at(stamp).qpos
        positions = {}
        for model in self._models:
            for joint in model.joints:
                if not model.static and joint.type in ONE_AXIS:
                    index = compiled.joint(body_name(model.name, joint.name)).id
                    positions[joint.name] = float(qpos[compiled.jnt_qposadr[index]])
        return positions


def _named(sensor: Sensor, default_topic: str, link: Link) -> Sensor:
    """Fill in the topic and frame as Gazebo does where the file gives none."""
    return dataclasses.replace(
        sensor,
        topic=(sensor.topic or default_topic).lstrip("/"),
        frame_id=sensor.frame_id or link.name,
    )


def _overridden(noise: Noise, wanted: bool, stddev: float | None) -> Noise:
    if not wanted:
        return Noise()
    if stddev is None:
        return noise
    return dataclasses.replace(noise, kind="gaussian", stddev=stddev)


def _find(items: Iterable[Any], attribute: str, value: str, what: str) -> Any:
    known = []
    for item in items:
        if getattr(item, attribute) == value:
            return item
        known.append(getattr(item, attribute))
    raise KeyError(f"no {what} '{value}'; known: {', '.join(known) or 'none'}")
