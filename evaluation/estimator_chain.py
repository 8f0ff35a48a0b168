"""The estimators in a row, fed in order of stamps, and a record of all that they said.

What the nodes do on the graph, without the graph: laser localizer, camera tracker, orientation
estimator and fusion, each reading only what its node would read.
"""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from evaluation.recording import RefusedTarget, StateChange, Track
from evaluation.series import PoseSeries
from evaluation.trial import Variant
from ground_truth_localizer.acceptance_zone import AcceptanceZone
from ground_truth_localizer.camera_tracker import CameraTracker, TrackerParameters
from ground_truth_localizer.laser_localizer import LaserLocalizer
from ground_truth_localizer.laser_parameters import LaserParameters
from ground_truth_localizer.laser_result import LaserResult
from ground_truth_localizer.orientation_estimator import OrientationEstimator
from ground_truth_localizer.orientation_parameters import OrientationParameters
from ground_truth_localizer.orientation_result import OrientationResult
from ground_truth_localizer.pose_fusion import FusedState, FusionParameters, PoseFusion
from ground_truth_localizer.target_state import TargetState, TrackingState
from ground_truth_localizer.zone_files import zone_from_parameters
from spatial_types.camera import CameraFrame, CameraModel
from spatial_types.parameters import from_mapping
from spatial_types.scan import Scan
from spatial_types.transforms import Transform

T = TypeVar("T")
NO_SPREAD = np.zeros((2, 2))
NUMBER = re.compile(r"[-+]?\d+(\.\d+)?([eE][-+]?\d+)?")


def without_numbers(text: str) -> str:
    """Return what texts that differ only in their numbers have in common: too few beams: … of …."""
    return NUMBER.sub("…", text)


@dataclass
class PoseLog:
    """Poses as they come, turned into a PoseSeries at the end."""

    stamps: list[int] = field(default_factory=list)
    rows: list[tuple[float, float, float]] = field(default_factory=list)
    covariances: list[Any] = field(default_factory=list)
    good: list[bool] = field(default_factory=list)

    def add(
        self, stamp: int, x: float, y: float, yaw: float, covariance: Any, good: bool = True
    ) -> None:
        """Note one pose; `covariance` (2, 2) or (3, 3), the same size for all."""
        self.stamps.append(stamp)
        self.rows.append((x, y, yaw))
        self.covariances.append(covariance)
        self.good.append(good)

    def series(self, frame: str) -> PoseSeries:
        """Return everything noted so far."""
        rows = np.array(self.rows).reshape(-1, 3)
        covariances = np.full((len(rows), 3, 3), np.nan)
        if len(rows):
            size = len(self.covariances[0])
            covariances[:, :size, :size] = self.covariances
        return PoseSeries.build(
            self.stamps, rows[:, 0], rows[:, 1], rows[:, 2], covariances, self.good, frame
        )


@dataclass
class SeenTarget:
    """One track of the laser over its life."""

    first: int
    last: int = 0
    positions: list[NDArray[np.float64]] = field(default_factory=list)

    def add(self, stamp: int, position: NDArray[np.float64]) -> None:
        """Note where it was seen."""
        self.last = stamp
        self.positions.append(position)

    def row(self, key: int) -> dict[str, float]:
        """Return its span of time and of places."""
        places = np.array(self.positions)
        low, high = places.min(axis=0), places.max(axis=0)
        return {
            "track": key,
            "scans": len(places),
            "first_s": self.first * 1e-9,
            "last_s": self.last * 1e-9,
            "x_min_m": float(low[0]),
            "x_max_m": float(high[0]),
            "y_min_m": float(low[1]),
            "y_max_m": float(high[1]),
        }


class EstimatorChain:
    """One set of estimators with one set of parameters.

    `failures` holds what images were refused for where `on_image` could not raise it.
    """

    def __init__(
        self, variant: Variant, method: str, zone: AcceptanceZone | None = None, where: str = ""
    ) -> None:
        """Build the estimators; ParameterError (`where` in front) for what they refuse."""
        self.variant = variant
        self.method = variant.method or method
        self.laser_parameters = self._read(LaserParameters, "laser", where)
        self.orientation_parameters = self._read(OrientationParameters, "orientation", where)
        self._tracker_parameters = self._read(TrackerParameters, "tracker", where)
        self._fusion_parameters = self._read(FusionParameters, "fusion", where)
        self._zone = zone or zone_from_parameters(self.laser_parameters)
        self._laser_log, self._fused_log, self.all_targets = PoseLog(), PoseLog(), PoseLog()
        self._states: list[StateChange] = []
        self._refused: list[RefusedTarget] = []
        self.unusable: Counter[str] = Counter()
        self.failures: list[Exception] = []
        self._seen: dict[int, SeenTarget] = {}
        self.reset()

    def _read(self, cls: type[T], room: str, where: str) -> T:
        values = dict(self.variant.parameters.get(room, {}))
        if any(item.name == "method" for item in dataclasses.fields(cls)):  # type: ignore[arg-type]
            values.setdefault("method", self.method)
        return from_mapping(cls, values, f"{where}{room}.")

    def reset(self) -> None:
        """Start anew, as after a restart; the record goes on."""
        self._localizer = LaserLocalizer(self.laser_parameters, self._zone)
        self._orientation = OrientationEstimator(self.orientation_parameters)
        self._tracker = CameraTracker(self._tracker_parameters)
        self._fusion = PoseFusion(self._fusion_parameters)
        self._last_state = ""
        self._target: TargetState | None = None
        self.fused: FusedState | None = None

    def use_zone(self, zone: AcceptanceZone) -> None:
        """Accept targets in another zone from now on, and start anew."""
        self._zone = zone
        self.reset()

    def on_scan(self, scan: Scan, map_from_lrf: Transform) -> LaserResult:
        """Take in one scan."""
        result = self._localizer.update(scan, map_from_lrf)
        if result.primary is not None:
            self._target = result.primary
        elif result.state is not TrackingState.TRACKING:
            self._target = None
        if result.state.value != self._last_state:
            self._last_state = result.state.value
            self._states.append(StateChange(scan.stamp, result.state.value, result.reason))
        for item in result.refused:
            x, y = item.position[:2].tolist()
            self._refused.append(RefusedTarget(scan.stamp, x, y, item.reason))
        for target in result.targets:
            seen = self._seen.setdefault(target.track_id, SeenTarget(scan.stamp))
            seen.add(scan.stamp, target.state.position)
            x, y = target.state.position.tolist()
            self.all_targets.add(scan.stamp, x, y, np.nan, NO_SPREAD)
        state = result.primary
        if state is not None:
            at = state.at(scan.stamp)
            x, y = at.position.tolist()
            self._laser_log.add(scan.stamp, x, y, np.nan, at.covariance[:2, :2])
        return result

    def on_image(self, frame: CameraFrame, camera: CameraModel, map_from_camera: Transform) -> None:
        """Take in one image, unless only the laser is scored."""
        self.fused = None
        if self.variant.estimate == "laser":
            return
        if self._target is None:
            self._fusion.reset()
            return
        result = self._orientation.update(frame, camera, map_from_camera, self._target)
        self._fuse(frame.stamp, result, self._target)

    def _fuse(self, stamp: int, result: OrientationResult, target: TargetState) -> None:
        self.fused = self._fusion.update(result, target)
        if self.fused is None:
            self.unusable[without_numbers(self._fusion.reason)] += 1
            return
        x, y = self.fused.position.tolist()
        covariance = self.fused.pose_covariance
        self._fused_log.add(stamp, x, y, self.fused.yaw, covariance, result.good)

    def pan_command(self, now: int, angle: float, map_from_base: Transform) -> float:
        """Return where the camera should look (rad), with the pan joint at `angle` now."""
        return self._tracker.update(now, angle, map_from_base, self._target).angle

    def close(self) -> None:
        """Let go of whatever the chain holds outside this process: nothing here."""

    def track(self, frame: str = "map") -> Track:
        """Return the record as a row of results."""
        log = self._laser_log if self.variant.estimate == "laser" else self._fused_log
        return Track(
            self.variant.name,
            self.variant.estimate,
            self.method,
            log.series(frame),
            tuple(self._states),
            tuple(self._refused),
            dict(self.unusable.most_common()),
            np.array(self._laser_log.stamps, dtype=np.int64),
            tuple(self._seen[key].row(key) for key in sorted(self._seen)),
            self.all_targets.series(frame),
        )
