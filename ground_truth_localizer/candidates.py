"""From a scan to candidates: fit every run of accepted beams, and say why a run is no target."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import asin, atan, ceil, cos, floor, pi, sin, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ground_truth_localizer.acceptance_zone import ZoneProfile
from ground_truth_localizer.beam_geometry import BeamGeometry, Window, seen_from
from ground_truth_localizer.laser_parameters import LaserParameters
from ground_truth_localizer.posterior_grid import (
    WIDE_DISTANCE,
    Box,
    Grid,
    Place,
    Posterior,
    box_about,
    posterior,
)
from ground_truth_localizer.posterior_lattice import Lattice
from ground_truth_localizer.scan_segments import Run, find_runs
from ground_truth_localizer.target_fit import Beam, BeamModel, centre_distance
from ground_truth_localizer.verdict import judge

Array = NDArray[np.float64]
MOST_KNOWN = 128  # runs of beams whose aims are remembered
OFTEN = 3  # times that an aim serves before it gets a grid
STAYS = 3.0  # standard deviations in distance, by which an aim may be off and yet serve again
NEARLY_ALL = 0.85
CLEAR = 3.0  # sigmas that a target keeps from the ends of the sensor's range
BESIDE = 2  # beams to either side of a run, which tell where the target ends
EVEN = 0.01  # of a beam's spacing, by which evenly spaced beams may be off
STILL = 0.01  # of a beam's spacing, or of its noise: what moves less within a scan stands


@dataclass(frozen=True)
class Refusal:
    """A run of accepted beams that is no target: where (map, m) and why."""

    position: Array
    reason: str


class Aim(NamedTuple):
    """Where a run's target is looked for, by which beams, and what they are `expected` to read, m.

    It serves again when the same run of beams hits something, most often a target that stands,
    which gets a `grid` of its own: that is a third cheaper than the lattice.
    """

    window: Window
    beams: list[Beam]
    near: Box
    expected: list[float]
    grid: Grid | None = None
    served: int = 0


class ScanView(NamedTuple):
    """A scan as horizontal distances (N,) along its beams (NaN: no return), and its zone.

    `span` is the sensor's shortest and longest range, m, outside of which nothing returns.
    `zone`, `model` and the aims `known` by first and last beam belong to the sensor's pose,
    `lattice` to the spacing of its beams.
    """

    stamp: int
    time_increment: float
    span: tuple[float, float]
    beams: BeamGeometry
    distances: Array
    zone: ZoneProfile
    model: BeamModel
    known: dict[tuple[int, int], Aim]
    lattice: Lattice


# Velocity along and across the line of sight of what is at a distance and bearing, m/s.
Motion = Callable[[ScanView, float, float], tuple[float, float]]


class Candidate(NamedTuple):
    """One scan's estimate of one target.

    `stamp` ns of its middle beam, `place` in map, `fit` the same in polar form, `beams` readings on
    it, `run` where in the scan; `terms` (K, 3) from BeamModel for the beams from number `first` on
    of the geometry `beams_of`.
    """

    stamp: int
    place: Place
    fit: Posterior
    beams: int
    run: Run
    first: int
    terms: Array
    beams_of: BeamGeometry


def beam_model(beams: BeamGeometry, zone: ZoneProfile, parameters: LaserParameters) -> BeamModel:
    """Prepare the beams' likelihoods for a sensor pose and zone."""
    sigma = parameters.sensor.sigma * np.maximum(beams.scale, 1e-3)
    return BeamModel(sigma, zone.background, zone.spread, zone.returns, parameters.sensor)


def lattice(beams: BeamGeometry, parameters: LaserParameters) -> Lattice:
    """Prepare for targets anywhere around a sensor."""
    sensor = parameters.sensor
    return Lattice(beams.step, parameters.target.radius, sensor.sigma, sensor.spot_radius)


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


class _Fit(NamedTuple):
    """The posterior of a run's target, and what it comes from: an aim, beams at `bearings` (K,)."""

    found: Posterior
    aim: Aim
    bearings: Array
    distances: list[float]
    terms: Array


def fit_run(
    view: ScanView, run: Run, parameters: LaserParameters, motion: Motion | None = None
) -> Candidate | Refusal:
    """Fit the target to one run of beams, or refuse the run with a reason."""
    least, target = parameters.target.min_beams, parameters.target
    if run.beams < least:
        return Refusal(_point(view, run), f"too few beams: {run.beams} of {least}")
    aim = view.known.get((run.start, run.stop))
    fit = _fit(view, run, aim, parameters, motion) if aim else None
    if fit is None or not _stays(fit, run):
        taken = _take_aim(view, run, parameters)
        if isinstance(taken, Refusal):
            return taken
        fit = _fit(view, run, taken, parameters, motion)
    if fit.aim is not aim or aim.grid is None:
        _remember(view, run, fit, parameters)
    step = view.beams.step
    verdict = judge(fit.found, fit.bearings, fit.distances, fit.aim.beams, target, step)
    place = fit.found.place(*view.beams.place)
    reason = verdict.reason or _cut_short(view, run, fit.found, parameters)
    if reason:
        return Refusal(place.position, reason)
    return Candidate(
        stamp=view.stamp + round(run.middle * view.time_increment * 1e9),
        place=place,
        fit=fit.found,
        beams=verdict.beams,
        run=run,
        first=fit.aim.window.first,
        terms=fit.terms,
        beams_of=view.beams,
    )


def _cut_short(view: ScanView, run: Run, found: Posterior, parameters: LaserParameters) -> str:
    """Say that noise takes some of a target's readings out of the sensor's range, if it does.

    Those that remain lie on one side of the truth, and would pull the target there.
    """
    shortest, longest = view.span
    scale = float(view.beams.scale[run.start])
    noise = CLEAR * parameters.sensor.sigma
    if found.distance / scale + noise > longest:
        return f"at the end of the sensor's range of {longest:g} m"
    if (found.distance - parameters.target.radius) / scale - noise < shortest:
        return f"nearer than the sensor's range begins, {shortest:g} m"
    return ""


def _stays(fit: _Fit, run: Run) -> bool:
    """Tell whether a target is where it was looked for, by nearly all readings of its run."""
    off = fit.found.distance - fit.aim.near.distance
    if off * off > STAYS * STAYS * fit.found.variance_distance:
        return False
    return bool(np.count_nonzero(fit.terms[:, 2]) > NEARLY_ALL * run.beams)


def _remember(view: ScanView, run: Run, fit: _Fit, parameters: LaserParameters) -> None:
    """Keep an aim for the next time that this run of beams hits something."""
    aim = fit.aim
    if aim.grid is None and fit.bearings is aim.window.bearings:
        aim = aim._replace(served=aim.served + 1)
        if aim.served > OFTEN:
            radius, spot = parameters.target.radius, parameters.sensor.spot_radius
            near = box_about(fit.found, aim.near)
            grid = Grid(fit.bearings, radius, near, spot)
            aim = Aim(aim.window, aim.beams, near, _expected(fit.bearings, near, radius), grid)
    if len(view.known) >= MOST_KNOWN:
        view.known.clear()
    view.known[run.start, run.stop] = aim


def _take_aim(view: ScanView, run: Run, parameters: LaserParameters) -> Aim | Refusal:
    """Guess where a run's target is, unless the run is far too wide for one."""
    radius, spot, step = parameters.target.radius, parameters.sensor.spot_radius, view.beams.step
    guess = _guess(view, run, parameters)
    if isinstance(guess, Refusal):
        return guess
    missing = max(-guess.excess - step, 0.0)
    pad = BESIDE + int(missing / step)
    window = view.beams.window(run.start - pad, run.width + 2 * pad)
    spread = parameters.sensor.sigma / sqrt(guess.beams)
    # Between where every beam of the run hits and where both neighbours miss, give or take what
    # the uncertain distance does to the half angle.
    doubt = abs(abs(guess.excess) - 0.5 * step) + 0.5 * step
    doubt += (guess.half_angle * 3.0 * spread + spot) / guess.distance + missing
    doubt = min(doubt, 1.3 * step + missing)
    near = Box(guess.distance, guess.bearing, WIDE_DISTANCE * spread, doubt)
    expected = _expected(window.bearings, near, radius)
    return Aim(window, view.model.beams(window.where), near, expected)


def _expected(bearings: Array, near: Box, radius: float) -> list[float]:
    """What beams would read of a target in the middle of a box; its distance where they miss."""
    across, along = seen_from(bearings, near.distance, near.bearing)
    along -= np.sqrt(np.maximum(radius * radius - across * across, 0.0))
    return along.tolist()


def _fit(
    view: ScanView, run: Run, aim: Aim, parameters: LaserParameters, motion: Motion | None
) -> _Fit:
    """Integrate about where a target is looked for."""
    near = aim.near
    bearings, distances = _standing_beams(view, run, aim, parameters, motion)
    front = near.distance - parameters.target.radius
    terms = view.model.terms(aim.beams, distances, aim.expected, front)
    if aim.grid is not None and bearings is aim.window.bearings:
        integral = aim.grid.integrate(terms)
        if integral.keeps:
            return _Fit(integral.posterior, aim, bearings, distances, terms)
    found = _fit_on_lattice(view.lattice, bearings, terms, near)
    if found is None:
        return _fit_on_grids(view, aim, bearings, distances, parameters)
    return _Fit(found, aim, bearings, distances, terms)


def _fit_on_grids(
    view: ScanView, aim: Aim, bearings: Array, distances: list[float], parameters: LaserParameters
) -> _Fit:
    """Integrate on grids of the target's own, the last of which may serve again."""
    radius, spot = parameters.target.radius, parameters.sensor.spot_radius

    def read(box: Box) -> Array:
        expected, front = _expected(bearings, box, radius), box.distance - radius
        return view.model.terms(aim.beams, distances, expected, front)

    result, terms, grid = posterior(bearings, read, radius, aim.near, spot)
    found = result.posterior
    if bearings is aim.window.bearings and result.keeps:
        expected = _expected(bearings, grid.box, radius)
        aim = aim._replace(near=grid.box, expected=expected, grid=grid)
    return _Fit(found, aim, bearings, distances, terms)


def _fit_on_lattice(lattice: Lattice, bearings: Array, terms: Array, near: Box) -> Posterior | None:
    """Integrate on the lattice; None where it is too coarse, or the beams are not even."""
    begin, end, last = float(bearings[0]), float(bearings[-1]), len(bearings) - 1
    step = (end - begin) / last
    if abs(abs(step) - lattice.step) * last > EVEN * lattice.step:
        return None
    number, doubt = (near.bearing - begin) / step, near.half_bearing / lattice.step
    fit = lattice.fit(terms, near.distance, floor(number - doubt), ceil(number + doubt))
    if fit is None:
        return None
    return Posterior(
        fit.distance,
        begin + step * fit.number,
        fit.variance_distance,
        step * step * fit.variance_number,
        step * fit.covariance,
    )


def _standing_beams(
    view: ScanView, run: Run, aim: Aim, parameters: LaserParameters, motion: Motion | None
) -> tuple[Array, list[float]]:
    """Bearings (K,) and distances that the target would show if it stood still.

    To first order a moving target is a standing one seen by beams that are turned and shortened by
    how far it has come. That is left out where it is next to nothing.
    """
    bearings, distances = aim.window.bearings, view.distances[aim.window.where]
    if motion is None or not view.time_increment:
        return bearings, distances.tolist()
    along, across = motion(view, aim.near.distance, aim.near.bearing)
    span = run.width * abs(view.time_increment)
    turned, shortened = across / aim.near.distance, STILL * parameters.sensor.sigma
    if abs(turned) * span < STILL * view.beams.step and abs(along) * span < shortened:
        return bearings, distances.tolist()
    times = (aim.window.first - run.middle + np.arange(len(bearings))) * view.time_increment
    return bearings - turned * times, (distances - along * times).tolist()


class _Guess(NamedTuple):
    """Where a run's target may be; `excess` is half the run's width (rad) over `half_angle`."""

    distance: float
    bearing: float
    half_angle: float
    excess: float
    beams: int


def _guess(view: ScanView, run: Run, parameters: LaserParameters) -> _Guess | Refusal:
    """Place the target roughly, refusing runs that are far too wide for it."""
    radius = parameters.target.radius
    window = view.beams.window(run.start, run.width)
    bearings, distances = window.bearings.tolist(), view.distances[window.where].tolist()
    bearing, width = 0.5 * (bearings[0] + bearings[-1]), abs(bearings[-1] - bearings[0])
    if run.beams < run.width:
        known = [k for k, distance in enumerate(distances) if distance == distance]
        bearings, distances = [bearings[k] for k in known], [distances[k] for k in known]
    guess = max(centre_distance(bearings, distances, bearing, radius), 1.05 * radius)
    half = asin(radius / guess)
    excess = 0.5 * width - half
    slack = 1.5 * view.beams.step + atan(parameters.target.radius_tolerance / guess)
    if excess > slack + 0.5 * half:
        width = 2.0 * guess * sin(min(excess + half, 0.5 * pi))
        reason = f"too wide: about {width:.2f} m of {2 * radius:.2f} m"
        return Refusal(_point(view, run), reason)
    return _Guess(guess, bearing, half, excess, len(bearings))


def _point(view: ScanView, run: Run) -> Array:
    """A point that a run of beams hit, in map (2,)."""
    number = run.middle % view.beams.count
    if np.isnan(view.distances[number]):
        number = run.start
    x, y = view.beams.place
    bearing, distance = float(view.beams.bearings[number]), float(view.distances[number])
    return np.array([x + distance * cos(bearing), y + distance * sin(bearing)])
