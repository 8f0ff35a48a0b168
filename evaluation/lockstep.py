"""Simulator and estimators in one process, in lock-step: the same seed gives the same figures.

The loop advances the simulator by one tick, hands scans and images to the estimators in order of
their stamps once what tf would know about them is known, and applies their commands. Estimators
and controllers see readings only; the simulator's truth goes to the reference and nowhere else.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from evaluation.errors import EvaluationError
from evaluation.estimator_chain import EstimatorChain
from evaluation.motion import PathFollower
from evaluation.recording import NO_IMAGE, Recording, Samples, pair_samples
from evaluation.reference_log import ReferenceLog
from evaluation.trial import ModelPlace, Trial
from ground_truth_localizer.zone_learning import ZoneLearner
from scene_sim.kinematics import Kinematics
from scene_sim.readings import JointStates, Odometry, Reading
from scene_sim.scene_files import read_model
from scene_sim.simulator import ModelSpec, Simulator, SimulatorOptions
from spatial_types.camera import CameraFrame
from spatial_types.scan import Scan
from spatial_types.transforms import Transform

SECOND = 10**9
TICK = 10_000_000
COMMAND_PERIOD = 20_000_000
SCAN_TOPIC, CAMERA_TOPIC = "lrf/scan", "station/camera/image_raw"
TARGET_TOPIC, ODOMETRY_TOPIC = "reference/target", "phone_robot/odom"
OUT_OF_SIGHT = (0.0, -3.0)
ROBOT, STATION, PAN_JOINT = "phone_robot", "station", "camera_pan_joint"
IMAGE_PERIOD_NS = SECOND / 30

# Told of every scan and image after the estimators had it, and of joint states and odometry.
Observer = Callable[["LockStep", str, Any], None]


def load_simulator(trial: Trial, seed: int) -> Simulator:
    """Build the trial's scene.

    Raises EvaluationError for what the scene's files are refused for.
    """
    sensors = trial.sensors
    options = SimulatorOptions(
        seed=seed,
        scan_mode=sensors.scan_mode,
        shadows=sensors.shadows,
        camera_noise_levels=sensors.camera_noise,
        lidar_sigma=sensors.laser_noise,
    )
    models = [_spec(place, trial) for place in trial.models]
    try:
        simulator = Simulator.load(trial.world, models, options)
        for light in trial.lights:
            simulator.set_light(light.name, light.position, diffuse=light.diffuse)
    except (ValueError, KeyError) as error:
        raise EvaluationError(f"{trial.path}: the scene cannot be built: {error}") from None
    return simulator


def _spec(place: ModelPlace, trial: Trial) -> ModelSpec:
    pose = Transform.from_rpy(place.pose[:3], place.pose[3:])
    if place.name == ROBOT:
        start = trial.points[0] if trial.points else None
        if trial.plan is not None:
            pose = Transform.planar(*trial.plan.at(0.0)[:3])
        elif start is not None:
            pose = Transform.planar(start.x, start.y, start.yaw)
    return ModelSpec(place.file, place.name, pose, place.arguments)


class LockStep:
    """The running trial: simulator, estimators, and what tf would say about the station."""

    def __init__(
        self,
        trial: Trial,
        seed: int,
        chains: Sequence[EstimatorChain],
        observers: Sequence[Observer],
    ) -> None:
        self.trial = trial
        self.simulator = load_simulator(trial, seed)
        self.chains = chains
        self.reference = ReferenceLog()
        self.odometry: Odometry | None = None
        self.scan_stamps: list[int] = []
        self.image_stamps: list[int] = []
        self._observers = observers
        self.kinematics = self._told_station() or self.simulator.kinematics(STATION)
        self._map_from_lrf = self.kinematics.link_from_link("map", "lrf_link", {})
        self.camera = self.simulator.camera_model(CAMERA_TOPIC)
        self._pan: list[tuple[int, float]] = []
        self._waiting: list[tuple[int, int, int, Any]] = []
        self._order = itertools.count()
        self._lag = 2 * TICK

    def _told_station(self) -> Kinematics | None:
        """The station that tf is made from, where the trial tells another than the one there."""
        for place in self.trial.models:
            if place.name == STATION and place.told is not None:
                return Kinematics(read_model(ModelSpec(place.file, arguments=place.told)).model)
        return None

    @property
    def now(self) -> int:
        """Simulated time, ns."""
        return self.simulator.time

    def run_until(self, stamp: int, control: Callable[[int], None] | None = None) -> None:
        """Advance to `stamp` (ns), feeding the estimators on the way."""
        while self.now < stamp:
            if control is not None and self.now % COMMAND_PERIOD == 0:
                control(self.now)
            upto = min(stamp, (self.now // TICK + 1) * TICK)
            for reading in self.simulator.advance(upto):
                self._take(reading)
            self._release(self.now - self._lag)

    def learn_zone(self) -> None:
        """Learn the acceptance zone from scans of the room without the target."""
        start = self.simulator.truth(ROBOT)[0]
        self.simulator.set_model_pose(ROBOT, Transform.planar(*OUT_OF_SIGHT, 0.0))
        sensor = self.chains[0].laser_parameters.sensor
        learner = ZoneLearner(sensor.sigma, range_bias=sensor.range_bias)
        while learner.scans < self.trial.learn_scans:
            for reading in self.simulator.advance(self.now + 10 * TICK):
                if isinstance(reading.data, Scan) and reading.topic == SCAN_TOPIC:
                    learner.add(reading.data)
        for chain in self.chains:
            chain.use_zone(learner.zone())
        self.simulator.set_model_pose(ROBOT, start)

    def render(self) -> None:
        """Draw the camera's image of this moment and hand it on in its turn."""
        frame = self.simulator.render(CAMERA_TOPIC)
        self._wait(frame.stamp, 1, frame)

    def _wait(self, stamp: int, rank: int, data: Any) -> None:
        heapq.heappush(self._waiting, (stamp, rank, next(self._order), data))

    def _take(self, reading: Reading) -> None:
        data = reading.data
        if isinstance(data, Scan) and reading.topic == SCAN_TOPIC:
            self._wait(data.stamp, 0, data)
            if data.time_increment:
                self._lag = round(data.scan_time * SECOND) + 2 * TICK
        elif isinstance(data, CameraFrame) and reading.topic == CAMERA_TOPIC:
            self._wait(data.stamp, 1, data)
        elif isinstance(data, CameraFrame):
            self._tell(reading.topic, data)
        elif isinstance(data, JointStates) and PAN_JOINT in data.names:
            self._pan.append((data.stamp, float(data.positions[data.names.index(PAN_JOINT)])))
            del self._pan[:-50]
            self._tell(reading.topic, data)
        elif isinstance(data, Odometry) and reading.topic == TARGET_TOPIC:
            self.reference.add_odometry(data)
            self._tell(reading.topic, data)
        elif isinstance(data, Odometry) and reading.topic == ODOMETRY_TOPIC:
            self.odometry = data

    def _release(self, upto: int) -> None:
        while self._waiting and self._waiting[0][0] <= upto:
            *_, data = heapq.heappop(self._waiting)
            if isinstance(data, Scan):
                self._feed_scan(data)
            else:
                self._feed_image(data)

    def _feed_scan(self, scan: Scan) -> None:
        self.scan_stamps.append(scan.stamp)
        for chain in self.chains:
            chain.on_scan(scan, self._map_from_lrf)
        self._turn_camera()
        self._tell(SCAN_TOPIC, scan)

    def _tell(self, topic: str, data: Any) -> None:
        for observer in self._observers:
            observer(self, topic, data)

    def _feed_image(self, frame: CameraFrame) -> None:
        self.image_stamps.append(frame.stamp)
        map_from_camera = self.map_from_camera(frame.stamp)
        for chain in self.chains:
            chain.on_image(frame, self.camera, map_from_camera)
        self._tell(CAMERA_TOPIC, frame)

    def _turn_camera(self) -> None:
        angle = self._pan[-1][1] if self._pan else 0.0
        command = self.chains[0].pan_command(self.now, angle, self.map_from_camera_base())
        if command is not None:
            self.simulator.set_joint_target(PAN_JOINT, command)

    def map_from_camera_base(self) -> Transform:
        """Where the pan joint stands, as tf tells."""
        return self.kinematics.link_from_link("map", "camera_base_link", {})

    def map_from_camera(self, stamp: int) -> Transform:
        """Where the camera's optical frame was, from the joint's readings, as tf tells."""
        times = [float(time - stamp) for time, _ in self._pan]
        angle = float(np.interp(0.0, times, [angle for _, angle in self._pan])) if times else 0.0
        return self.kinematics.link_from_link("map", "camera_optical_frame", {PAN_JOINT: angle})


def run_points(
    trial: Trial,
    seed: int,
    chains: Sequence[EstimatorChain],
    report: Callable[[float], None],
    observers: Sequence[Observer] = (),
) -> Recording:
    """Run a trial of static points: only the images that belong to a sample are drawn."""
    step = LockStep(trial, seed, chains, observers)
    step.simulator.camera_mode("on_demand")
    if trial.learn_scans:
        step.learn_zone()
    pictures = _needs_images(chains, observers)
    scans: list[int] = []
    images: list[int] = []
    points: list[int] = []
    for index, point in enumerate(trial.points):
        step.simulator.set_model_pose(ROBOT, Transform.planar(point.x, point.y, point.yaw))
        for chain in chains:
            chain.reset()
        step.run_until(step.now + round(trial.settle * SECOND))
        step.run_until(step.now + 2 * TICK)
        for _ in range(trial.samples):
            scan, image = _one_sample(step, pictures)
            scans.append(scan)
            images.append(image)
            points.append(index)
            report(len(scans))
        step.run_until(step.now + 5 * TICK)
    names = tuple(point.name for point in trial.points)
    columns = [np.array(column, dtype=np.int64) for column in (scans, images, points)]
    return _recording(trial, seed, step, Samples(columns[0], columns[1], columns[2], names))


def _needs_images(chains: Sequence[EstimatorChain], observers: Sequence[Observer]) -> bool:
    return bool(observers) or any(chain.variant.estimate == "fused" for chain in chains)


def _one_sample(step: LockStep, draw: bool) -> tuple[int, int]:
    """Run to the next scan and the image nearest after it, and draw that image if asked."""
    period = SECOND // 10
    scan = (step.now // period + 1) * period
    image = round(np.ceil(round(scan / IMAGE_PERIOD_NS, 6)) * IMAGE_PERIOD_NS)
    step.run_until(image)
    if draw:
        step.render()
    return scan, image


def run_drive(
    trial: Trial,
    seed: int,
    chains: Sequence[EstimatorChain],
    report: Callable[[float], None],
    observers: Sequence[Observer] = (),
    pictures: bool | None = None,
) -> Recording:
    """Run a driven trial: the robot follows the plan by its odometry.

    `pictures` says whether images are drawn, None for where a row or an observer needs them.
    """
    plan = trial.plan
    assert plan is not None
    step = LockStep(trial, seed, chains, observers)
    step.simulator.camera_mode("on_demand")
    if trial.learn_scans:
        step.learn_zone()
    step.run_until(step.now + round(trial.settle * SECOND))
    if pictures is None:
        pictures = _needs_images(chains, observers)
    step.simulator.camera_mode("rate" if pictures else "on_demand")
    start = step.now
    follower = PathFollower(plan)
    script = EventScript(trial, step, start)

    def control(now: int) -> None:
        script.run(now)
        if step.odometry is not None and not script.away:
            command = follower.command((now - start) / SECOND, step.odometry.pose)
            step.simulator.set_velocity(ROBOT, *command)
        report((now - start) / SECOND)

    step.run_until(start + round(plan.duration * SECOND), control)
    end = step.now
    step.run_until(end + 15 * TICK)
    samples = _samples_between(step, start, end, pictures)
    return _recording(trial, seed, step, samples, script.absent(end))


def _samples_between(step: LockStep, start: int, end: int, pictures: bool) -> Samples:
    scans = np.array([stamp for stamp in step.scan_stamps if start < stamp <= end], dtype=np.int64)
    samples = pair_samples(scans, np.array(step.image_stamps, dtype=np.int64))
    return samples.select(samples.image_stamps != NO_IMAGE) if pictures else samples


class EventScript:
    """Moves models about at the times that the trial says."""

    def __init__(self, trial: Trial, step: LockStep, start: int) -> None:
        self._events = list(trial.events)
        self._step = step
        self._start = start
        self._before: dict[str, Transform] = {}
        self._hidden_since: int | None = None
        self._absent: list[tuple[int, int]] = []
        self.away = False

    def run(self, now: int) -> None:
        """Do what is due."""
        while self._events and now >= self._start + self._events[0].at * SECOND:
            event = self._events.pop(0)
            self._move(event.model, event.pose)
            if event.hides:
                self._hidden_since = now
            if event.shows and self._hidden_since is not None:
                self._absent.append((self._hidden_since, now))
                self._hidden_since = None

    def _move(self, model: str, pose: tuple[float, ...] | None) -> None:
        simulator = self._step.simulator
        if pose is None:
            simulator.set_model_pose(model, self._before[model])
        else:
            link = simulator.models[model].canonical_link
            self._before[model] = simulator.link_pose(model, link)
            simulator.set_model_pose(model, Transform.from_rpy(pose[:3], pose[3:]))
        if model == ROBOT:
            self.away = pose is not None

    def absent(self, end: int) -> tuple[tuple[int, int], ...]:
        """Spans (ns) in which the target could not be seen."""
        open_end = [(self._hidden_since, end)] if self._hidden_since is not None else []
        return (*self._absent, *open_end)


def _recording(
    trial: Trial,
    seed: int,
    step: LockStep,
    samples: Samples,
    absent: tuple[tuple[int, int], ...] = (),
) -> Recording:
    return Recording(
        trial.name,
        seed,
        samples,
        tuple(chain.track() for chain in step.chains),
        step.reference.reference(),
        trial.description,
        tuple(f"scene: {text}" for text in step.simulator.warnings),
        absent,
        np.array(step.scan_stamps, dtype=np.int64),
    )
