"""Errors of an estimated trajectory against a reference, and the figures made of them.

No alignment happens here: x, y and yaw errors are differences in the given frame. Bias is the mean
signed error and spread the standard deviation about it, so neither hides in the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.consistency import consistency, nees
from evaluation.errors import FrameError
from evaluation.series import PoseSeries, Reference, Stamps, require_overlap
from spatial_types.angles import wrap_angle

Array = NDArray[np.float64]

SPEED_BINS = (0.0, 0.02, 0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0, 2.0)
YAW_RATE_BINS = (0.0, 1.0, 15.0, 30.0, 60.0, 90.0, 135.0, 180.0, 360.0)


@dataclass(frozen=True)
class ErrorSeries:
    """Signed errors, estimate minus reference, of each sample; NaN where there is no estimate.

    `stamps` (N,) ns; `x`, `y` m; `yaw` rad wrapped to [-pi, pi); `nees` of what the covariance
    covers; `good` where the source vouched for the yaw; `reference` at those stamps, with its
    `speed` (m/s) and `yaw_rate` (rad/s).
    """

    stamps: Stamps
    x: Array
    y: Array
    yaw: Array
    nees: Array
    nees_dof: NDArray[np.int64]
    good: NDArray[np.bool_]
    reference_x: Array
    reference_y: Array
    reference_yaw: Array
    speed: Array
    yaw_rate: Array

    def __len__(self) -> int:
        return len(self.stamps)

    @property
    def available(self) -> NDArray[np.bool_]:
        """Which samples have an estimate of the position (N,)."""
        return np.isfinite(self.x) & np.isfinite(self.y)

    @property
    def distance(self) -> Array:
        """Position error of each sample (N,), m."""
        return np.hypot(self.x, self.y)

    def select(self, index: Any) -> ErrorSeries:
        """Return the samples at an index array or mask."""
        return ErrorSeries(**{item.name: getattr(self, item.name)[index] for item in fields(self)})


def require_same_frame(estimate: PoseSeries, reference: PoseSeries) -> None:
    """Raise FrameError where both frames are stated and differ."""
    if estimate.frame and reference.frame and estimate.frame != reference.frame:
        raise FrameError(
            f"the estimate is given in frame '{estimate.frame}' and the reference in "
            f"'{reference.frame}'; expected one frame (give the transform between them, or align)"
        )


def match(estimate: PoseSeries, reference: Reference, samples: Stamps | None = None) -> ErrorSeries:
    """Score an estimate at its own stamps, or at the stamps of expected samples.

    A sample without an estimate at exactly its stamp, or outside the reference's span, is NaN.
    Raises FrameError and NoOverlapError.
    """
    require_same_frame(estimate, reference.poses)
    ordered, _ = estimate.in_order()
    if samples is None:
        require_overlap(ordered, reference.poses)
        samples = ordered.stamps
    return errors_of(pick(ordered, samples), reference)


def pick(series: PoseSeries, samples: Stamps) -> PoseSeries:
    """Return the poses at exactly the given stamps, NaN where `series` (sorted) has none."""
    stamps = np.asarray(samples, dtype=np.int64)
    if len(series) == 0:
        nothing = np.full(len(stamps), np.nan)
        return PoseSeries.build(stamps, nothing, nothing, frame=series.frame)
    index = np.minimum(np.searchsorted(series.stamps, stamps), len(series) - 1)
    missing = series.stamps[index] != stamps
    chosen = series.select(index)
    return PoseSeries(
        stamps,
        np.where(missing, np.nan, chosen.x),
        np.where(missing, np.nan, chosen.y),
        np.where(missing, np.nan, chosen.yaw),
        np.where(missing[:, None, None], np.nan, chosen.covariance),
        chosen.good & ~missing,
        series.frame,
    )


def differences(
    poses: PoseSeries, reference: Reference
) -> tuple[Array, Array, Array, PoseSeries, Array, Array]:
    """Return dx, dy, dyaw (NaN outside the reference), and truth, speed, yaw rate at the stamps."""
    truth, speed, yaw_rate, covered = reference.at(poses.stamps)
    dx = np.where(covered, poses.x - truth.x, np.nan)
    dy = np.where(covered, poses.y - truth.y, np.nan)
    dyaw = np.where(covered, wrap_angle(poses.yaw - truth.yaw), np.nan)
    return dx, dy, dyaw, truth, speed, yaw_rate


def errors_of(poses: PoseSeries, reference: Reference) -> ErrorSeries:
    """Return estimate minus reference, the reference interpolated to each pose's stamp."""
    dx, dy, dyaw, truth, speed, yaw_rate = differences(poses, reference)
    values, dof = _pose_nees(np.column_stack([dx, dy, dyaw]), poses.covariance)
    return ErrorSeries(
        poses.stamps,
        dx,
        dy,
        dyaw,
        values,
        dof,
        poses.good,
        truth.x,
        truth.y,
        truth.yaw,
        speed,
        yaw_rate,
    )


def _pose_nees(errors: Array, covariance: Array) -> tuple[Array, NDArray[np.int64]]:
    """NEES of x, y, yaw where the yaw's variance is known, of x, y elsewhere."""
    planar = nees(errors[:, :2], covariance[:, :2, :2])
    full = nees(errors, covariance)
    with_yaw = np.isfinite(full)
    return np.where(with_yaw, full, planar), np.where(with_yaw, 3, 2)


def figures(errors: ErrorSeries) -> dict[str, Any]:
    """Return the figures of one set of samples; None stands for a figure that has no samples."""
    known = errors.select(errors.available)
    result: dict[str, Any] = {"samples": len(errors)}
    for axis, values in (("x", known.x), ("y", known.y)):
        result[f"{axis}_mae_m"] = _mean(np.abs(values))
        result[f"{axis}_bias_m"] = _mean(values)
        result[f"{axis}_std_m"] = _std(values)
    result["position_rmse_m"] = _root(_mean(known.distance**2))
    result["position_max_m"] = _max(known.distance)
    result.update(_angle_figures(errors))
    result["availability"] = float(errors.available.mean()) if len(errors) else None
    result.update(_consistency_figures(known))
    return result


def _angle_figures(errors: ErrorSeries) -> dict[str, Any]:
    known = np.isfinite(errors.yaw)
    angle = np.degrees(errors.yaw[known])
    good = np.degrees(errors.yaw[known & errors.good])
    return {
        "angle_mae_deg": _mean(np.abs(angle)),
        "angle_bias_deg": _mean(angle),
        "angle_std_deg": _std(angle),
        "angle_max_deg": _max(np.abs(angle)),
        "angle_good_max_deg": _max(np.abs(good)),
        "angle_availability": float(known.mean()) if len(errors) else None,
        "angle_good_share": float((known & errors.good).mean()) if len(errors) else None,
    }


def _consistency_figures(known: ErrorSeries) -> dict[str, Any]:
    """NEES over the samples of the more frequent kind (with or without yaw)."""
    dof = 3 if np.count_nonzero(known.nees_dof == 3) * 2 > len(known) else 2
    return consistency(known.nees[known.nees_dof == dof], dof)


def along_across(errors: ErrorSeries, origin: tuple[float, float] = (0.0, 0.0)) -> dict[str, Any]:
    """Return figures along the line of sight from `origin` to the reference, and across it."""
    known = errors.select(errors.available)
    bearing = np.arctan2(known.reference_y - origin[1], known.reference_x - origin[0])
    along = np.cos(bearing) * known.x + np.sin(bearing) * known.y
    across = -np.sin(bearing) * known.x + np.cos(bearing) * known.y
    result: dict[str, Any] = {}
    for name, values in (("along", along), ("across", across)):
        result[f"{name}_mae_m"] = _mean(np.abs(values))
        result[f"{name}_bias_m"] = _mean(values)
        result[f"{name}_std_m"] = _std(values)
    return result


def binned(errors: ErrorSeries, values: Array, edges: Sequence[float]) -> list[dict[str, Any]]:
    """Return figures of the samples whose `values` fall between edges, without empty bins."""
    rows = []
    for low, high in pairwise(edges):
        inside = errors.select((values >= low) & (values < high))
        if len(inside):
            row = figures(inside)
            keys = ("samples", "position_rmse_m", "position_max_m", "angle_mae_deg")
            chosen = {key: row[key] for key in (*keys, "angle_max_deg", "availability")}
            rows.append({"from": low, "to": high, **chosen})
    return rows


def by_speed(errors: ErrorSeries) -> dict[str, Any]:
    """Return errors binned by the reference's speed (m/s) and yaw rate (deg/s)."""
    rates = np.abs(np.degrees(errors.yaw_rate))
    return {
        "speed_m_s": binned(errors, errors.speed, SPEED_BINS),
        "yaw_rate_deg_s": binned(errors, rates, YAW_RATE_BINS),
    }


def outages(errors: ErrorSeries) -> dict[str, Any]:
    """Return runs of samples without an estimate, and how long each took to recover.

    A gap's time to recover runs from its first missing sample to the next estimate; a gap that
    the end cuts off has None.
    """
    missing = ~errors.available
    edges = np.flatnonzero(np.diff(np.concatenate([[False], missing, [False]]).astype(int)))
    gaps = []
    for first, after in zip(edges[::2], edges[1::2], strict=True):
        start = int(errors.stamps[first])
        end = int(errors.stamps[after]) if after < len(errors) else None
        recover = None if end is None else (end - start) * 1e-9
        gaps.append(
            {"start_s": start * 1e-9, "samples": int(after - first), "time_to_recover_s": recover}
        )
    times = [gap["time_to_recover_s"] for gap in gaps if gap["time_to_recover_s"] is not None]
    return {
        "gaps": gaps,
        "mean_time_to_recover_s": float(np.mean(times)) if times else None,
        "max_time_to_recover_s": float(np.max(times)) if times else None,
    }


def _mean(values: Array) -> float | None:
    return float(values.mean()) if len(values) else None


def _std(values: Array) -> float | None:
    return float(values.std()) if len(values) else None


def _max(values: Array) -> float | None:
    return float(values.max()) if len(values) else None


def _root(value: float | None) -> float | None:
    return None if value is None else float(np.sqrt(value))
