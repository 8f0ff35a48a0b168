"""From a scan to candidates: fit every run of accepted beams, and say why a run is no target."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import asin, atan, pi, sin, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ground_truth_localizer.acceptance_zone import ZoneProfile
from ground_truth_localizer.beam_geometry import BeamGeometry, Window
from ground_truth_localizer.laser_parameters import LaserParameters
from ground_truth_localizer.scan_segments import Run, find_runs
from ground_truth_localizer.target_fit import (
    NEAR_SIGMAS,
    BeamModel,
    Box,
    Posterior,
    centre_distance,
    posterior,
)

Array = NDArray[np.float64]
CENTRAL = 1.0 - 0.95**2  # of the radius squared: beams within 95 % of the radius of the middle


@dataclass(frozen=True)
class Refusal:
    """A run of accepted beams that is no target: where (map, m) and why."""

    position: Array
    reason: str


@dataclass(frozen=True)
class ScanView:
    """A scan as horizontal distances (N,) along its beams (NaN: no return), and its zone.

    `zone` and `model` belong to the sensor's pose and stay the same from scan to scan.
    """

    stamp: int
    time_increment: float
    beams: BeamGeometry
    distances: Array
    zone: ZoneProfile
    model: BeamModel


# Velocity along and across the line of sight of what is at a distance and bearing, m/s.
Motion = Callable[[ScanView, float, float], tuple[float, float]]


@dataclass(frozen=True)
class Candidate:
    """One scan's estimate of one target.

    `stamp` ns of its middle beam, `position` (2,) and `covariance` (2, 2) in map, `fit` the same in
    polar form, `beams` readings on it, `run` where in the scan, `misfit` mean squared residual;
    `terms` (4, K) from BeamModel for the beams from number `first` on of the geometry `beams_of`.
    """

    stamp: int
    position: Array
    covariance: Array
    fit: Posterior
    beams: int
    run: Run
    misfit: float
    first: int
    terms: Array
    beams_of: BeamGeometry


def beam_model(beams: BeamGeometry, zone: ZoneProfile, parameters: LaserParameters) -> BeamModel:
    """Prepare the beams' likelihoods for a sensor pose and zone."""
    sigma = parameters.sensor.sigma * np.maximum(beams.scale, 1e-3)
    return BeamModel(sigma, zone.background, zone.spread, zone.returns, parameters.sensor)


def accepted_beams(view: ScanView, parameters: LaserParameters) -> NDArray[np.bool_]:
    """Which beams (N,) read something inside the zone and at a height where the target is."""
    accepted = view.zone.accepts(view.distances)
    if not view.beams.level:
        height = view.beams.origin[2] + view.distances * view.beams.slopes / view.beams.scale
        accepted &= (height >= parameters.target.bottom) & (height <= parameters.target.top)
    return accepted


def find_candidates(
    view: ScanView, parameters: LaserParameters, motion: Motion | None = None
) -> tuple[list[Candidate], list[Refusal]]:
    """Fit every run of accepted beams of a scan; return targets and refusals.

    `motion` tells the velocity of what is at a distance and bearing, for scans taken beam by beam.
    """
    accepted = accepted_beams(view, parameters)
    max_step = parameters.target.radius + 6.0 * parameters.sensor.sigma
    candidates: list[Candidate] = []
    refused: list[Refusal] = []
    for run in find_runs(accepted, view.distances, max_step, view.beams.closed):
        outcome = fit_run(view, run, parameters, motion)
        if isinstance(outcome, Candidate):
            candidates.append(outcome)
        else:
            refused.append(outcome)
    return candidates, refused


def fit_run(
    view: ScanView, run: Run, parameters: LaserParameters, motion: Motion | None = None
) -> Candidate | Refusal:
    """Fit the target to one run of beams, or refuse the run with a reason."""
    radius, spot = parameters.target.radius, parameters.sensor.spot_radius
    guess = _guess(view, run, parameters)
    if isinstance(guess, Refusal):
        return guess
    step = view.beams.step
    missing = max(-guess.excess - step, 0.0)
    pad = 2 + int(missing / step)
    window = view.beams.window(run.start - pad, run.width + 2 * pad)
    bearings, distances = _standing_beams(view, run, window, guess, motion)
    spread = parameters.sensor.sigma / sqrt(guess.beams)
    # Between where every beam of the run hits and where both neighbours miss, give or take what
    # the uncertain distance does to the half angle.
    doubt = abs(abs(guess.excess) - 0.5 * step) + 0.5 * step
    doubt += (guess.half_angle * 3.0 * spread + spot) / guess.distance + missing
    doubt = min(doubt, 1.3 * step + missing)
    terms = view.model.terms(window.where, distances, guess.distance, radius)
    box = Box(guess.distance, guess.bearing, 3.8 * spread, doubt)
    fit = posterior(bearings, terms, radius, box, spot)
    reach, silent = view.model.table[0, window.where], view.model.table[7, window.where]
    verdict = judge(bearings, distances, reach, silent, fit, parameters, step)
    position = fit.position(view.beams.origin)
    if verdict.reason:
        return Refusal(position, verdict.reason)
    return Candidate(
        stamp=view.stamp + round(run.middle * view.time_increment * 1e9),
        position=position,
        covariance=fit.position_covariance(),
        fit=fit,
        beams=verdict.beams,
        run=run,
        misfit=verdict.misfit,
        first=window.first,
        terms=terms,
        beams_of=view.beams,
    )


def _standing_beams(
    view: ScanView, run: Run, window: Window, guess: _Guess, motion: Motion | None
) -> tuple[Array, Array]:
    """Bearings (K,) and distances (K,) that the target would show if it stood still.

    To first order a moving target is a standing one seen by beams that are turned and shortened by
    how far it has come.
    """
    bearings, distances = window.bearings, view.distances[window.where]
    if motion is None or not view.time_increment:
        return bearings, distances
    times = (window.first - run.middle + np.arange(len(bearings))) * view.time_increment
    along, across = motion(view, guess.distance, guess.bearing)
    return bearings - across / guess.distance * times, distances - along * times


class _Guess(NamedTuple):
    """Where a run's target may be; `excess` is half the run's width (rad) over `half_angle`."""

    distance: float
    bearing: float
    half_angle: float
    excess: float
    beams: int


def _guess(view: ScanView, run: Run, parameters: LaserParameters) -> _Guess | Refusal:
    """Place the target roughly, refusing runs that are far too small or too wide for it."""
    radius, least = parameters.target.radius, parameters.target.min_beams
    window = view.beams.window(run.start, run.width)
    bearings, distances = window.bearings, view.distances[window.where]
    first, last = float(bearings[0]), float(bearings[-1])
    if run.beams < run.width:  # else none of them is NaN
        seen = ~np.isnan(distances)
        bearings, distances = bearings[seen], distances[seen]
    if run.beams < least:
        return Refusal(_middle(view, bearings, distances), f"too few beams: {run.beams} of {least}")
    bearing = 0.5 * (first + last)
    guess = max(centre_distance(bearings, distances, bearing, radius), 1.05 * radius)
    half = asin(radius / guess)
    excess = 0.5 * abs(last - first) - half
    slack = 1.5 * view.beams.step + atan(parameters.target.radius_tolerance / guess)
    if excess > slack + 0.5 * half:
        width = 2.0 * guess * sin(min(excess + half, 0.5 * pi))
        return Refusal(
            _middle(view, bearings, distances),
            f"too wide: about {width:.2f} m of {2 * radius:.2f} m",
        )
    return _Guess(guess, bearing, half, excess, len(bearings))


class Verdict(NamedTuple):
    """Whether beams agree with a fitted circle: empty `reason` if so, `beams` on it, `misfit`."""

    reason: str
    beams: int
    misfit: float


def judge(
    bearings: Array,
    distances: Array,
    reach: Array,
    silent: Array,
    fit: Posterior,
    parameters: LaserParameters,
    step: float,
) -> Verdict:
    """Say whether the beams around a fit agree with the circle, and which way they do not.

    `reach` (K,) is how far (m) a reading may be from the circle and still be one of it; `silent`
    (K,) the log probability that a beam returns nothing when it misses.
    """
    radius, target = parameters.target.radius, parameters.target
    delta = bearings - fit.bearing
    across = fit.distance * np.sin(delta)
    root = radius * radius - across * across
    off = distances - fit.distance * np.cos(delta)
    off += np.sqrt(np.maximum(root, 0.0))
    deviation = np.abs(off)
    inside, on_target = root > 0.0, deviation < reach
    beams = int(np.count_nonzero(inside & on_target))
    if np.count_nonzero(inside != on_target):
        slack = target.radius_tolerance + fit.distance * step
        from_edge = np.abs(across) - radius
        beside = int(np.count_nonzero((from_edge > slack) & on_target))
        through = _passing(off, (from_edge < -slack) & ~on_target, silent)
        reason = _wrong_width(beside, through, allowed=1 + int(0.15 * beams))
        if reason:
            return Verdict(reason, beams, np.nan)
    if beams < target.min_beams:
        return Verdict(f"too few beams: {beams} of {target.min_beams}", beams, np.nan)
    # Beams off the circle by less than its own size still belong to the thing that was hit.
    used = (root > CENTRAL * radius * radius) & (deviation < reach + radius)
    sigmas = NEAR_SIGMAS * np.minimum((deviation / reach)[used], 1.0)
    misfit = float(sigmas @ sigmas) / max(len(sigmas), 1)
    limit = target.max_misfit * (1.0 + 4.0 * sqrt(2.0 / beams))  # few beams scatter more
    if misfit > limit:
        return Verdict(f"not round: misfit {misfit:.1f}, at most {limit:.1f}", beams, misfit)
    return Verdict("", beams, misfit)


def _wrong_width(beside: int, through: int, allowed: int) -> str:
    """Why the circle has not the target's width; empty where it has."""
    if beside > allowed:
        return f"too wide: {beside} beams beside the circle"
    if through > allowed:
        return f"too narrow: {through} beams pass through the circle"
    return ""


def _passing(off: Array, central: NDArray[np.bool_], silent: Array) -> int:
    """How many central beams went through; a lost return counts by how likely that is to be one."""
    if not central.any():
        return 0
    none = np.isnan(off)
    weight = np.where(none, np.exp(silent), off > 0.0)
    return int(weight[central].sum())


def _middle(view: ScanView, bearings: Array, distances: Array) -> Array:
    """Mean point of some readings in map (2,)."""
    points = np.stack([distances * np.cos(bearings), distances * np.sin(bearings)])
    return np.asarray(view.beams.origin[:2] + points.mean(axis=1))
