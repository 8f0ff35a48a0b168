"""Replay a bag through the estimators, offline and in lock-step by header stamps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.bag_reading import Bag, BagMessage
from evaluation.bag_transforms import MOVING, STATIC, BagTransforms
from evaluation.errors import BagError
from evaluation.estimator_chain import EstimatorChain, PoseLog, without_numbers
from evaluation.recording import NO_IMAGE, Recording, Samples, Track, pair_samples
from evaluation.reference_reading import ODOMETRY_TYPE, ReferenceReader
from evaluation.sensor_topics import SensorTopics
from evaluation.series import PoseSeries
from evaluation.transform_tree import TransformError
from ros_interface.errors import MessageError
from ros_interface.geometry_messages import pose_from_message
from ros_interface.image_messages import camera_model_from_message, frame_from_message
from ros_interface.scan_messages import scan_from_message
from spatial_types.camera import CameraModel
from spatial_types.transforms import Transform

POSE_TYPES = (
    "geometry_msgs/msg/PoseWithCovarianceStamped",
    "geometry_msgs/msg/PoseStamped",
    ODOMETRY_TYPE,
)
UNKNOWN_VARIANCE = 1e5
BEHIND_STAMP = 12  # encapsulation and stamp


@dataclass(frozen=True)
class ReplayOptions(SensorTopics):
    """What else is read, and map_from_camera where tf is not to tell it."""

    reference: str = "/reference/target"
    estimate: str = "/ground_truth/pose"
    camera_pose: Transform | None = None


@dataclass
class Replay:
    """One run through a bag."""

    bag: Bag
    options: ReplayOptions
    chains: list[EstimatorChain]
    report: Callable[[float], None] = lambda done: None
    reference_reader: ReferenceReader = field(default_factory=ReferenceReader)
    scan_stamps: list[int] = field(default_factory=list)
    image_stamps: list[int] = field(default_factory=list)
    trouble: dict[str, int] = field(default_factory=dict)
    examples: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._transforms = BagTransforms(self.bag, self.options.map_frame, self._note)
        self._camera: CameraModel | None = None
        self._info: bytes | memoryview = b""
        self._handlers: dict[str, Callable[[BagMessage], None]] = {
            self.options.scan: self._on_scan,
            **self._transforms.handlers,
        }
        if any(chain.variant.estimate == "fused" for chain in self.chains):
            self._handlers[self.options.image] = self._on_image
            self._handlers[self.options.info] = self._on_info

    def run(self, name: str) -> Recording:
        """Read the bag once and return what the estimators said."""
        try:
            self._read()
            tracks = tuple(chain.track(self.options.map_frame) for chain in self.chains)
        finally:
            for chain in self.chains:
                chain.close()
        for chain in self.chains:
            for error in chain.failures:
                self._note(f"{self.options.image}: {error}")
        return Recording(
            name,
            None,
            self._samples(),
            tracks,
            self.reference_reader.reference(),
            f"replay of {self.bag.path.name}",
            (*self.bag.notes, *self.reference_reader.notes, *self._troubles()),
        )

    def _read(self) -> None:
        """Feed the estimators with every message."""
        first: int | None = None
        collected = collect_reference(self.bag, self.options.reference, self.reference_reader)
        topics = {*self._handlers, *collected}
        for message in self.bag.messages(topics, (MOVING, STATIC), collected):
            first = message.log_time if first is None else first
            try:
                self._handlers[message.topic](message)
            except TransformError as error:
                self._note(f"{message.topic}: no transform: {error}")
            except (MessageError, BagError, ValueError) as error:
                self._note(f"{message.topic}: {error}")
            if message.stamp:  # there are many transforms, and the others come between them
                self.report((message.log_time - first) * 1e-9)

    def _samples(self) -> Samples:
        scans = np.array(self.scan_stamps, dtype=np.int64)
        samples = pair_samples(scans, np.array(self.image_stamps, dtype=np.int64))
        if self.chains[0].variant.estimate == "laser":
            return samples
        return samples.select(samples.image_stamps != NO_IMAGE)

    def _troubles(self) -> list[str]:
        counts = self.trouble.items()
        return [f"{self.examples[kind]} ({count} times)" for kind, count in counts]

    def _note(self, text: str) -> None:
        """Count a trouble; kinds are told apart without numbers, so that each is told once."""
        kind = without_numbers(text)
        self.trouble[kind] = self.trouble.get(kind, 0) + 1
        self.examples.setdefault(kind, text[:300])

    def _on_scan(self, message: BagMessage) -> None:
        scan = scan_from_message(self.bag.deserialize(message))
        pose = self.options.lrf_pose or self._transforms.lookup(scan.frame_id, scan.stamp)
        self.scan_stamps.append(scan.stamp)
        for chain in self.chains:
            chain.on_scan(scan, pose)

    def _on_image(self, message: BagMessage) -> None:
        if self._camera is None:
            raise MessageError("image before any CameraInfo")
        frame = frame_from_message(self.bag.deserialize(message))
        pose = self.options.camera_pose or self._transforms.lookup(frame.frame_id, frame.stamp)
        self.image_stamps.append(frame.stamp)
        for chain in self.chains:
            chain.on_image(frame, self._camera, pose)

    def _on_info(self, message: BagMessage) -> None:
        content = message.data[BEHIND_STAMP:]
        if content != self._info:  # the same is told with every image
            self._camera = camera_model_from_message(self.bag.deserialize(message))
            self._info = content


def collect_reference(bag: Bag, topic: str, reader: ReferenceReader) -> dict[str, list[bytes]]:
    """Return where the reference's messages shall be put; nowhere if the bag has none such."""
    kind = bag.topics.get(topic, ODOMETRY_TYPE)
    if kind != ODOMETRY_TYPE:
        reader.notes.append(f"{topic}: reference of type {kind}; expected {ODOMETRY_TYPE}")
        return {}
    return {topic: reader.raw}


def recorded_poses(bag: Bag, topic: str) -> PoseSeries:
    """Read recorded estimates (PoseWithCovarianceStamped, PoseStamped or Odometry)."""
    log, frame = PoseLog(), ""
    unusable: Counter[str] = Counter()
    for message in bag.messages([topic]):
        try:
            fields = bag.deserialize(message)
            if message.type == "geometry_msgs/msg/PoseStamped":
                pose = pose_from_message(fields.pose)
                yaw, covariance = pose.yaw, np.full((3, 3), np.nan)
            else:
                pose, yaw, covariance = pose_and_covariance(fields.pose)
        except (BagError, MessageError) as error:
            unusable[f"{topic}: {error}"] += 1
            continue
        frame = fields.header.frame_id
        x, y = (float(value) for value in pose.translation[:2])
        log.add(message.stamp, x, y, yaw, covariance, bool(np.isfinite(yaw)))
    bag.notes += [f"{text} ({count} times)" for text, count in unusable.items()]
    return log.series(frame)


def pose_and_covariance(message: Any) -> tuple[Transform, float, NDArray[np.float64]]:
    """Return pose, yaw and covariance (3, 3) of a PoseWithCovariance; NaN for what is unknown.

    A variance of yaw above 1e5 says that the yaw is unknown, zeros that nothing is.
    """
    pose = pose_from_message(message.pose)
    full = np.asarray(message.covariance, dtype=float).reshape(6, 6)
    covariance, yaw = full[np.ix_([0, 1, 5], [0, 1, 5])].copy(), pose.yaw
    if covariance[2, 2] >= UNKNOWN_VARIANCE:
        yaw, covariance[2, :], covariance[:, 2] = np.nan, np.nan, np.nan
    if not covariance[:2, :2].any():
        covariance[:] = np.nan
    return pose, yaw, covariance


def score_recorded(bag: Bag, options: ReplayOptions) -> Recording:
    """Take recorded estimates as they are, and the recorded reference."""
    poses = recorded_poses(bag, options.estimate)
    reader = ReferenceReader()
    collected = collect_reference(bag, options.reference, reader)
    for _ in bag.messages(collected, (), collected):
        pass  # all that is asked for is collected
    stamps = poses.in_order()[0].stamps
    samples = Samples(stamps, stamps, np.zeros(len(stamps), dtype=np.int64), ("all",))
    track = Track("recorded", "fused", "recorded", poses)
    description = f"recorded estimates of {bag.path.name}"
    reference = reader.reference()
    notes = (*bag.notes, *reader.notes, *poses.in_order()[1])
    return Recording(bag.path.name, None, samples, (track,), reference, description, notes)


__all__ = ["Replay", "ReplayOptions", "recorded_poses", "score_recorded"]
