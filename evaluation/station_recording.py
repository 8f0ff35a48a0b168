"""What a bag of a driven target tells of its station: places by the laser, sights by the camera."""

from __future__ import annotations

import dataclasses
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from evaluation.bag_reading import Bag, BagMessage
from evaluation.bag_transforms import MOVING, STATIC, BagTransforms
from evaluation.errors import BagError
from evaluation.estimator_chain import without_numbers
from evaluation.sensor_topics import SensorTopics
from evaluation.transform_tree import TransformError, TransformTree
from ground_truth_localizer.acceptance_zone import AcceptanceZone
from ground_truth_localizer.calibration_sights import (
    CameraSight,
    LaserPlace,
    camera_sight,
    laser_place,
    state_between,
)
from ground_truth_localizer.laser_localizer import LaserLocalizer
from ground_truth_localizer.laser_parameters import LaserParameters
from ground_truth_localizer.orientation_estimator import OrientationEstimator
from ground_truth_localizer.orientation_parameters import OrientationParameters
from ground_truth_localizer.target_state import TargetState
from ros_interface.errors import MessageError
from ros_interface.image_messages import camera_model_from_message, frame_from_message
from ros_interface.scan_messages import scan_from_message
from spatial_types.camera import CameraModel
from spatial_types.scan import Scan
from spatial_types.transforms import Transform, matrix_from_rpy

Array = NDArray[np.float64]
Handlers = dict[str, Callable[[BagMessage], None]]

OPTICAL = Transform.from_rpy(rpy=(-np.pi / 2, 0.0, -np.pi / 2))
# How far from its place the target may appear, while the station is known ill, and then well.
WIDE, NARROW = 0.08, 0.03
LOOSE, LOOSE_PART = 0.1, 0.06  # along the line of sight: m, and part of the distance


@dataclass(frozen=True)
class StationOptions(SensorTopics):
    """What else is read, and the station's nominal place where its tf does not tell it.

    `mount` is the pose in `map` of the camera's viewing direction (x) with the pan joint at zero;
    `joint` is read from the topic `joints` then.
    """

    joints: str = "/joint_states"
    joint: str = "camera_pan_joint"
    mount: Transform | None = None


@dataclass
class StationRecording:
    """Reads the bag once for the scans, and then as often as wished for the images."""

    bag: Bag
    options: StationOptions
    laser: LaserParameters
    orientation: OrientationParameters
    zone: AcceptanceZone
    report: Callable[[float], None] = lambda done: None
    places: list[LaserPlace] = field(default_factory=list)
    camera: CameraModel | None = None
    map_from_lrf: Transform | None = None
    trouble: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)
    scans: list[tuple[Scan, Transform]] = field(default_factory=list)
    images: int = 0

    def __post_init__(self) -> None:
        self._transforms = BagTransforms(self.bag, self.options.map_frame, self._note)
        self._pan = TransformTree()
        self._camera_frame = ""
        if self.options.mount is not None:
            mount = self.options.mount
            self._pan.set_static("map", "mount", (*mount.translation, *mount.quaternion))
            self._pan.set_static("pan", "camera", (0.0, 0.0, 0.0, *OPTICAL.quaternion))

    def read_scans(self) -> None:
        """Read scans, transforms, joints and intrinsics, and locate the target."""

        def on_scan(message: BagMessage) -> None:
            scan = scan_from_message(self.bag.deserialize(message))
            pose = self.options.lrf_pose or self._transforms.lookup(scan.frame_id, scan.stamp)
            self.map_from_lrf = pose
            self.scans.append((scan, pose))

        handlers: Handlers = {self.options.scan: on_scan, self.options.info: self._on_info}
        if self.options.mount is not None:
            handlers[self.options.joints] = self._on_joints
        if self.options.mount is None or self.options.lrf_pose is None:
            handlers |= self._transforms.handlers
        self._run(handlers)
        self.locate(self.laser.sensor.range_bias)

    def locate(self, range_bias: float) -> None:
        """Locate the target in every scan, with ranges that are `range_bias` (m) too long."""
        sensor = dataclasses.replace(self.laser.sensor, range_bias=range_bias)
        parameters = dataclasses.replace(self.laser, sensor=sensor)
        localizer = LaserLocalizer(parameters, self.zone)
        self.places.clear()
        for scan, pose in self.scans:
            place = laser_place(localizer.update(scan, pose), pose)
            if place is not None and (not self.places or place.stamp > self.places[-1].stamp):
                self.places.append(place)

    def sights(self, values: Array, spread: float, every: int = 1) -> list[CameraSight]:
        """Read the images, each `every`th of them, with the station corrected by `values`.

        `values` begin with the camera's shift in x and y of the laser's axes and the angle;
        `spread` (m) is how far from its place the target may appear.
        """
        estimator = OrientationEstimator(self.orientation)
        stamps = [place.stamp for place in self.places]
        radius = self.orientation.target.radius
        found: list[CameraSight] = []
        seen = 0
        self.refused.clear()

        def on_image(message: BagMessage) -> None:
            nonlocal seen
            seen += 1
            if (seen - 1) % every or self.camera is None:
                return
            number = bisect_left(stamps, message.stamp)
            state = state_between(self.places, number, message.stamp)
            if state is None:
                self.refused["no target in the scans before and after"] += 1
                return
            frame = frame_from_message(self.bag.deserialize(message))
            self._camera_frame = frame.frame_id
            told = self.map_from_camera(frame.stamp)
            target = self._where_to_look(state, told, values, spread)
            result = estimator.update(frame, self.camera, self._corrected(told, values), target)
            sight = camera_sight(result, radius, told, float(values[2]))
            if sight is None:
                self.refused[result.kind or "width"] += 1
            else:
                found.append(sight)

        self._run({self.options.image: on_image})
        self.images = seen
        return found

    def count_images(self) -> None:
        """Count the images without reading them."""
        self.images = sum(1 for _ in self.bag.messages([self.options.image]))

    def map_from_camera(self, stamp: int) -> Transform:
        """Where the station's nominal values put the camera's optical frame; TransformError."""
        if self.options.mount is not None:
            return self._pan.lookup("map", "camera", stamp)
        return self._transforms.lookup(self._camera_frame, stamp)

    def earlier(self, sights: Sequence[CameraSight], late: float) -> list[CameraSight]:
        """Return the same sights with stamps `late` (s) earlier, and the pan as it was then."""
        if late == 0.0:
            return list(sights)
        moved = []
        for sight in sights:
            stamp = sight.stamp - round(late * 1e9)
            try:
                told = self.map_from_camera(stamp)
            except TransformError:
                continue  # before the first transform, or behind the last
            pan = float(np.arctan2(told.rotation[1, 2], told.rotation[0, 2]))
            seen = sight.seen + np.array([pan - sight.pan, 0.0])
            origin = told.translation[:2]
            moved.append(dataclasses.replace(sight, stamp=stamp, seen=seen, pan=pan, origin=origin))
        return moved

    def _run(self, handlers: Handlers) -> None:
        """Hand out messages; what is wrong with one is noted, and the next comes."""
        first: int | None = None
        for message in self.bag.messages(set(handlers), (MOVING, STATIC)):
            first = message.log_time if first is None else first
            try:
                handlers[message.topic](message)
            except (TransformError, MessageError, BagError, ValueError) as error:
                self._note(f"{message.topic}: {error}")
            self.report((message.log_time - first) * 1e-9)

    def _note(self, text: str) -> None:
        kind = without_numbers(text)
        self.trouble[kind] += 1
        self.examples.setdefault(kind, text[:300])

    def _on_info(self, message: BagMessage) -> None:
        if self.camera is None:
            self.camera = camera_model_from_message(self.bag.deserialize(message))

    def _on_joints(self, message: BagMessage) -> None:
        joints = self.bag.deserialize(message)
        if self.options.joint in joints.name:
            index = list(joints.name).index(self.options.joint)
            if index >= len(joints.position):
                raise MessageError(f"JointState.position of '{self.options.joint}' is missing")
            angle = float(joints.position[index])
            pose = (0.0, 0.0, 0.0, *Transform.planar(0.0, 0.0, angle).quaternion)
            self._pan.set_moving("mount", "pan", message.stamp, pose)

    def _corrected(self, told: Transform, values: Array) -> Transform:
        """The camera's pose with what is known by now of how it differs from the told one."""
        assert self.map_from_lrf is not None
        axes = Transform.planar(0.0, 0.0, self.map_from_lrf.yaw)
        shift = axes.rotate((values[0], values[1], 0.0))
        turn = matrix_from_rpy((0.0, 0.0, values[2]))
        return Transform(turn @ told.rotation, told.translation + shift)

    def _where_to_look(
        self, state: TargetState, told: Transform, values: Array, spread: float
    ) -> TargetState:
        """The target's place, with a covariance wide enough that it holds the silhouette nowhere.

        What the silhouette says of the distance is weighed against the laser's later; so here the
        laser's must not count.
        """
        away = state.position - self._corrected(told, values).translation[:2]
        distance = float(np.hypot(*away))
        along = away / distance
        free = (LOOSE + LOOSE_PART * distance) ** 2 - spread**2
        covariance = np.zeros((4, 4))
        covariance[:2, :2] = spread**2 * np.eye(2) + free * np.outer(along, along)
        return dataclasses.replace(state, covariance=covariance, stationary=True)
