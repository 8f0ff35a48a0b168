"""From a scan to candidates: fit every run of accepted beams, and say why a run is no target."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ground_truth_localizer.acceptance_zone import ZoneProfile
from ground_truth_localizer.beam_geometry import BeamGeometry
from ground_truth_localizer.laser_parameters import LaserParameters
from ground_truth_localizer.scan_segments import Run, find_runs
from ground_truth_localizer.target_fit import (
    NEAR_SIGMAS,
    Box,
    Posterior,
    Readings,
    beam_terms,
    centre_distance,
    posterior,
)
from spatial_types.scan import Scan

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Refusal:
    """A run of accepted beams that is no target: where (map, m) and why."""

    position: Array
    reason: str


@dataclass(frozen=True)
class ScanView:
    """A scan as horizontal distances (N,) along its beams (NaN: no return), and its zone."""

    stamp: int
    time_increment: float
    beams: BeamGeometry
    distances: Array
    sigma: Array
    profile: ZoneProfile

    def readings(self, index: NDArray[np.intp]) -> Readings:
        """Return the beams of a window; bearings stay continuous over a closed scan's seam."""
        bearings = self.beams.bearings[index]
        if self.beams.closed and len(index) > 1:
            bearings = np.unwrap(bearings)
        return Readings(
            bearings,
            self.distances[index],
            self.sigma[index],
            self.profile.background[index],
            self.profile.spread[index],
            self.profile.returns[index],
        )


@dataclass(frozen=True)
class Candidate:
    """One scan's estimate of one target.

    `stamp` ns of its middle beam, `position` (2,) and `covariance` (2, 2) in map, `fit` the same in
    polar form, `beams` readings on it, `run` where in the scan, `misfit` mean squared residual.
    """

    stamp: int
    position: Array
    covariance: Array
    fit: Posterior
    beams: int
    run: Run
    misfit: float


def scan_view(
    scan: Scan, beams: BeamGeometry, profile: ZoneProfile, parameters: LaserParameters
) -> ScanView:
    """Project a scan on the floor; readings off the target's height count as no zone's."""
    distances = np.where(scan.hits, scan.ranges * beams.scale, np.nan)
    sigma = parameters.sensor.sigma * np.maximum(beams.scale, 1e-3)
    return ScanView(scan.stamp, scan.time_increment, beams, distances, sigma, profile)


def accepted_beams(view: ScanView, parameters: LaserParameters) -> NDArray[np.bool_]:
    """Which beams (N,) read something inside the zone and at a height where the target is."""
    with np.errstate(invalid="ignore"):
        accepted = view.profile.accepts(view.distances)
        if np.any(view.beams.slopes != 0.0):
            height = view.beams.origin[2] + view.distances * view.beams.slopes / view.beams.scale
            accepted &= (height >= parameters.target.bottom) & (height <= parameters.target.top)
    return accepted


def find_candidates(
    view: ScanView, parameters: LaserParameters
) -> tuple[list[Candidate], list[Refusal]]:
    """Fit every run of accepted beams of a scan; return targets and refusals."""
    accepted = accepted_beams(view, parameters)
    max_step = parameters.target.radius + 6.0 * parameters.sensor.sigma
    candidates: list[Candidate] = []
    refused: list[Refusal] = []
    for run in find_runs(accepted, view.distances, max_step, view.beams.closed):
        outcome = fit_run(view, run, parameters)
        if isinstance(outcome, Candidate):
            candidates.append(outcome)
        else:
            refused.append(outcome)
    return candidates, refused


def fit_run(view: ScanView, run: Run, parameters: LaserParameters) -> Candidate | Refusal:
    """Fit the target to one run of beams, or refuse the run with a reason."""
    radius = parameters.target.radius
    inner = view.readings(view.beams.window(run.start, run.width))
    seen = np.isfinite(inner.distances)
    if seen.sum() < parameters.target.min_beams:
        where = _middle(view, inner, seen)
        return Refusal(where, f"too few beams: {int(seen.sum())} of {parameters.target.min_beams}")
    bearing = 0.5 * (inner.bearings[0] + inner.bearings[-1])
    guess = centre_distance(inner.bearings[seen], inner.distances[seen], bearing, radius)
    guess = max(guess, 1.05 * radius)
    half = np.arcsin(min(radius / guess, 1.0))
    excess = 0.5 * abs(inner.bearings[-1] - inner.bearings[0]) - half
    slack = 1.5 * view.beams.step + np.arctan(parameters.target.radius_tolerance / guess)
    if excess > slack + 0.5 * half:
        width = 2.0 * guess * np.sin(min(excess + half, 0.5 * np.pi))
        return Refusal(
            _middle(view, inner, seen), f"too wide: about {width:.2f} m of {2 * radius:.2f} m"
        )
    pad = 2 + int(np.ceil(max(-excess, 0.0) / view.beams.step))
    readings = view.readings(view.beams.window(run.start - pad, run.width + 2 * pad))
    terms = beam_terms(readings, guess, radius, parameters.sensor)
    box = Box(
        guess,
        bearing,
        4.5 * parameters.sensor.sigma / np.sqrt(max(0.5 * seen.sum(), 1.0)),
        1.3 * view.beams.step + max(-excess, 0.0) + parameters.sensor.spot_radius / guess,
    )
    fit = posterior(readings.bearings, terms, guess, radius, box, parameters.sensor.spot_radius)
    return _judge(view, run, readings, fit, parameters)


def _judge(
    view: ScanView, run: Run, readings: Readings, fit: Posterior, parameters: LaserParameters
) -> Candidate | Refusal:
    """Accept a fit whose beams agree with the circle; otherwise say which way they do not."""
    radius, target = parameters.target.radius, parameters.target
    position = fit.position(view.beams.origin)
    delta = readings.bearings - fit.bearing
    across = np.abs(fit.distance * np.sin(delta))
    inside = across < radius
    expected = fit.distance * np.cos(delta) - np.sqrt(np.maximum(radius**2 - across**2, 0.0))
    with np.errstate(invalid="ignore"):
        residual = (readings.distances - expected) / readings.sigma
        on_target = np.abs(residual) < NEAR_SIGMAS
        blocked = residual < -NEAR_SIGMAS
        solid = inside & ~blocked
        slack = target.radius_tolerance + fit.distance * view.beams.step
        outside = (across > radius + slack) & on_target
        missing = (across < radius - slack) & ~on_target & ~blocked
    beams = int((inside & on_target).sum())
    allowed = 1 + int(0.15 * max(int(solid.sum()), 1))
    if int(outside.sum()) > allowed:
        return Refusal(position, f"too wide: {int(outside.sum())} beams beside the circle")
    if int(missing.sum()) > allowed:
        return Refusal(position, f"too narrow: {int(missing.sum())} beams pass through the circle")
    if beams < target.min_beams:
        return Refusal(position, f"too few beams: {beams} of {target.min_beams}")
    misfit = float(
        np.mean(np.minimum(residual[inside & on_target & (across < 0.95 * radius)] ** 2, 25.0))
    )
    limit = target.max_misfit + 3.0 * np.sqrt(2.0 / beams)
    if misfit > limit:
        return Refusal(position, f"not round: misfit {misfit:.1f}, at most {limit:.1f}")
    middle = int(0.5 * (run.start + run.stop)) if view.time_increment else 0
    return Candidate(
        stamp=view.stamp + round(middle * view.time_increment * 1e9),
        position=position,
        covariance=fit.position_covariance(),
        fit=fit,
        beams=beams,
        run=run,
        misfit=misfit,
    )


def _middle(view: ScanView, readings: Readings, seen: NDArray[np.bool_]) -> Array:
    """Mean point of some readings in map (2,)."""
    bearing, distance = readings.bearings[seen], readings.distances[seen]
    points = np.stack([distance * np.cos(bearing), distance * np.sin(bearing)])
    return np.asarray(view.beams.origin[:2] + points.mean(axis=1))
