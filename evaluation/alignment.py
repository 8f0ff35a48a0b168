"""Time offset and rigid offset between an estimate and a reference: stated, applied only if asked.

The rigid fit is Umeyama's (IEEE PAMI 13(4), 1991) without scale, on the plane.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from evaluation.errors import StampError
from evaluation.metrics import ErrorSeries
from evaluation.series import PoseSeries, Reference
from spatial_types.angles import wrap_angle

Array = NDArray[np.float64]
LONGEST_OFFSET = 1.0
YAW_LEVER = 0.1
MOVING_SPEED = 0.02
MOVING_YAW_RATE = np.radians(2.0)


@dataclass(frozen=True)
class PlanarAlignment:
    """reference_from_estimate: turn by `yaw` (rad), then shift by `translation` (2,) m."""

    yaw: float
    translation: Array

    def apply(self, series: PoseSeries) -> PoseSeries:
        """Take poses and covariances of the estimate's frame into the reference's."""
        c, s = np.cos(self.yaw), np.sin(self.yaw)
        turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        return PoseSeries(
            series.stamps,
            c * series.x - s * series.y + self.translation[0],
            s * series.x + c * series.y + self.translation[1],
            wrap_angle(series.yaw + self.yaw),
            turn @ series.covariance @ turn.T,
            series.good,
            "",
        )


def fit_alignment(estimate: PoseSeries, reference: Reference) -> PlanarAlignment:
    """Fit the rigid motion that brings the estimate onto the reference, least squares.

    Raises StampError for fewer than three matched poses.
    """
    truth, _, _, covered = reference.at(estimate.stamps)
    use = covered & np.isfinite(estimate.x) & np.isfinite(estimate.y)
    if np.count_nonzero(use) < 3:
        raise StampError(f"{np.count_nonzero(use)} matched poses; alignment needs at least 3")
    source = np.column_stack([estimate.x, estimate.y])[use]
    target = np.column_stack([truth.x, truth.y])[use]
    return fit_rigid(source, target)


def fit_rigid(source: Array, target: Array) -> PlanarAlignment:
    """Fit the turn and shift that take points `source` (N, 2) onto `target` (N, 2)."""
    a, b = source - source.mean(axis=0), target - target.mean(axis=0)
    yaw = float(np.arctan2(np.sum(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]), np.sum(a * b)))
    c, s = np.cos(yaw), np.sin(yaw)
    shift = target.mean(axis=0) - np.array([[c, -s], [s, c]]) @ source.mean(axis=0)
    return PlanarAlignment(yaw, shift)


def time_offset(estimate: PoseSeries, reference: Reference) -> float | None:
    """Estimate how late the estimate's stamps are, seconds; None where nothing moves.

    The offset is the one that leaves the least scatter of position (and of yaw at a lever arm of
    0.1 m) about its mean, so that a constant bias does not pass for a delay. It is sought within
    one second either way.
    """
    moving = (reference.speed > MOVING_SPEED) | (np.abs(reference.yaw_rate) > MOVING_YAW_RATE)
    usable = estimate.select(np.isfinite(estimate.x) & np.isfinite(estimate.y))
    if np.count_nonzero(moving) < 10 or len(usable) < 10:
        return None

    truth = reference.poses
    known = (truth.stamps - truth.stamps[0]).astype(float)
    times = (usable.stamps - truth.stamps[0]).astype(float)
    with_yaw = bool(np.isfinite(usable.yaw).any())

    def scatter(offset: float) -> float:
        at = times - round(offset * 1e9)
        inside = (at >= 0) & (at <= known[-1])
        if np.count_nonzero(inside) < 0.5 * len(usable):
            return 1e6
        at = at[inside]
        cost = float(np.var(usable.x[inside] - np.interp(at, known, truth.x)))
        cost += float(np.var(usable.y[inside] - np.interp(at, known, truth.y)))
        if not with_yaw:
            return cost
        yaw = wrap_angle(usable.yaw[inside] - np.interp(at, known, reference.unwrapped))
        yaw = yaw[np.isfinite(yaw)]
        return cost + (YAW_LEVER**2 * float(np.var(yaw)) if len(yaw) else 0.0)

    coarse = np.linspace(-LONGEST_OFFSET, LONGEST_OFFSET, 41)
    best = coarse[int(np.argmin([scatter(float(value)) for value in coarse]))]
    found = minimize_scalar(
        scatter, bounds=(best - 0.06, best + 0.06), method="bounded", options={"xatol": 1e-5}
    )
    return float(found.x)


def frame_warnings(errors: ErrorSeries) -> list[str]:
    """Say so where a constant turn or shift of frames explains most of the error."""
    warnings = []
    yaw = errors.yaw[np.isfinite(errors.yaw)]
    if len(yaw) >= 5:
        resultant = np.mean(np.exp(1j * yaw))
        mean = float(np.degrees(np.angle(resultant)))
        if abs(mean) > 20.0 and abs(resultant) > 0.9:
            warnings.append(
                f"every yaw is off by about {mean:.0f} deg: estimate and reference seem to be in "
                "frames (or of bodies) turned against each other"
            )
    known = errors.select(errors.available)
    if len(known) >= 10 and known.distance.mean() > 0.2:
        target = np.column_stack([known.reference_x, known.reference_y])
        source = target + np.column_stack([known.x, known.y])
        fit = fit_rigid(source, target)
        c, s = np.cos(fit.yaw), np.sin(fit.yaw)
        rest = source @ np.array([[c, s], [-s, c]]) + fit.translation - target
        left = float(np.sqrt(np.mean(np.sum(rest**2, axis=1))))
        if left < 0.2 * float(np.sqrt(np.mean(known.distance**2))):
            warnings.append(
                f"a turn of {np.degrees(fit.yaw):.0f} deg and a shift of "
                f"({fit.translation[0]:.3f}, {fit.translation[1]:.3f}) m would explain most of the "
                "position error: estimate and reference seem to be in different frames"
            )
    return warnings
