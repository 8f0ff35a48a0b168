"""The cylinder's silhouette, to a fraction of a pixel, from averaged white rows.

The whole profile is modelled, not the step alone: light from anywhere shades a white cylinder
smoothly in its incidence angle i, and with a lamp near the camera it darkens like cos(i), steepest
just at the edge. So a row is

    left background | c0 + c1 sin i + c2 cos i + c3 sin^2 i + c4 sin i cos i | right background

(the smooth harmonics of Lambertian light, Basri and Jacobs 2003), each term integrated exactly
over each pixel. The seven brightnesses are linear; the bearing of the axis and radius / distance
are found by variable projection (Golub and Pereyra 1973).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import asin, ceil, floor, hypot, sqrt

import numpy as np
from numpy.typing import NDArray

from ground_truth_localizer.image_strips import Strip

Array = NDArray[np.float64]
# Columns of background kept beyond each edge.
BACKGROUND_COLUMNS = 3.5
RIDGE = 1e-7
SATURATED = 250.0
STEPS = 6
FIRST_STEPS = 2
ATTEMPTS = 3
GOOD_MISFIT = 2.0
COARSE_LIMIT = 25
# The first attempt looks this far around the prior (pixels), and at the width's mean and two more
# widths (sigma) where the laser leaves it open.
NEAR_REACH = 2.0
NEAR_STEP = 0.5
NEAR_RATIOS = np.array([-1.2, 0.0, 1.2])
# A step below this (rad; 0.04 pixels of the thesis's camera) is the last one needed.
SMALL_STEP = 1e-4
NUDGE = 1e-5
NUDGES = NUDGE * np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
# A lamp to the side leaves an attached shadow that ends in a kink, which the harmonics round off:
# where the fit is worse than this, the lamp is looked for, and kept if it gains this factor.
LAMP_MISFIT = 1.2
LAMP_GAIN = 0.7
LAMPS: Array = np.radians([s * a for a in range(10, 165, 10) for s in (-1.0, 1.0)])
# A dark rim before a bright wall fits at two places less than a pixel apart, so each edge is tried
# a little to either side (pixels) before the last descent: rows are (offset, ratio) in pixels.
_EDGE_SHIFTS = (-0.8, -0.4, 0.0, 0.4, 0.8)
EDGE_TRIALS: Array = np.array(
    [
        [(left + right) / 2.0, (right - left) / 2.0]
        for left in _EDGE_SHIFTS
        for right in _EDGE_SHIFTS
        if left * right == 0.0 or left == right
    ]
)


@dataclass(frozen=True)
class Silhouette:
    """Fitted `offset` of the axis (rad, right of the view's bearing) and `ratio` = radius/distance.

    `information` (2, 2) is the inverse covariance of both from this image alone; it stays finite
    where an edge is invisible. `misfit` is chi-square per degree of freedom; where it exceeds 1
    the information has been scaled down by it.
    """

    offset: float
    ratio: float
    information: Array
    misfit: float


@dataclass(frozen=True)
class SilhouettePrior:
    """Gaussian knowledge of (offset, ratio) from elsewhere, used to start and to hold the fit."""

    mean: Array
    sigma: Array


@dataclass(frozen=True)
class Rows:
    """Profiles on shared columns: `levels` (C, W) in units of one sigma, `borders` (W + 1,).

    `weight` (W,) is 0 for saturated columns, where brightness is no longer linear, and below 1
    where the edge's own error adds to the noise.
    """

    levels: Array
    borders: Array
    centres: Array
    pixel: float
    weight: Array

    def window(self, state: Array) -> slice:
        """Columns on the target and a few beyond each edge, for one state (2,)."""
        offset, ratio = state.tolist()
        reach = asin(min(ratio, 0.99)) + BACKGROUND_COLUMNS * self.pixel
        first, last = self.centres.searchsorted((offset - reach, offset + reach)).tolist()
        return slice(first, last)

    def cut(self, used: slice) -> Rows:
        """The columns of a window alone."""
        borders = self.borders[used.start : used.stop + 1]
        levels, centres = self.levels[:, used], self.centres[used]
        return Rows(levels, borders, centres, self.pixel, self.weight[used])


def fit_silhouette(
    strips: Sequence[Strip],
    prior: SilhouettePrior,
    noise: float,
    model_error: float,
    edge_error: float,
) -> Silhouette | None:
    """Fit bearing and width to white strips; None where no minimum is found.

    `noise` is the grey-level noise of one pixel and `model_error` what remains of the model's
    misfit after averaging rows, one sigma each. `edge_error` (rad) is the systematic error of where
    an edge appears.
    """
    rows = [_weighted(group, edge_error) for group in _gather(strips, noise, model_error)]
    if not rows:
        return None
    best = _attempt(rows, _near(rows, prior), prior, None)
    if best is None or best.misfit > LAMP_MISFIT:
        best = _search(rows, prior, best)
    if best is None:
        return None
    offset, ratio = best.state.tolist()
    return Silhouette(offset, ratio, best.information / max(best.misfit, 1.0), best.misfit)


def _search(rows: Sequence[Rows], prior: SilhouettePrior, best: _Descent | None) -> _Descent | None:
    """Look for a lamp and farther around, where the first attempt left something to explain."""
    lamp = None
    if best is not None:
        lamp = _second_lamp(rows, best.state)
        if lamp is not None:
            found = _attempt(rows, best.state + rows[0].pixel * EDGE_TRIALS, prior, lamp)
            if found is not None and found.misfit < best.misfit:
                best = found
            if best.misfit < LAMP_MISFIT:
                return best
    for _ in range(ATTEMPTS):  # a lamp found late may show that the search began at a wrong place
        if best is not None and best.misfit < GOOD_MISFIT and lamp is None:
            break
        first = _attempt(rows, _far(rows, prior), prior, lamp, FIRST_STEPS)
        if first is None:
            break
        lamp = _second_lamp(rows, first.state)
        found = _attempt(rows, first.state + rows[0].pixel * EDGE_TRIALS, prior, lamp)
        if found is not None and (best is None or found.misfit < best.misfit):
            best = found
        if lamp is None:
            break
    return best


def _attempt(
    rows: Sequence[Rows],
    trials: Array,
    prior: SilhouettePrior,
    lamp: float | None,
    steps: int = STEPS,
) -> _Descent | None:
    """Descend from the trial (2,) of trials (K, 2) that fits best."""
    best = trials[int(np.argmin(_cost(rows, trials, lamp)))]
    return _descend(rows, best, prior, lamp, steps)


def _near(rows: Sequence[Rows], prior: SilhouettePrior) -> Array:
    """States (K, 2) about the prior's mean, so close that a descent finds the one between."""
    pixel = rows[0].pixel
    reach = min(3.0 * float(prior.sigma[0]) / pixel, NEAR_REACH)
    offsets = np.arange(-ceil(reach / NEAR_STEP), ceil(reach / NEAR_STEP) + 1) * NEAR_STEP * pixel
    ratios = NEAR_RATIOS * float(prior.sigma[1])
    if prior.sigma[1] < 0.3 * pixel:
        ratios = ratios[1:2]
    trials = np.empty((len(ratios), len(offsets), 2))
    trials[..., 0] = offsets + prior.mean[0]
    trials[..., 1] = ratios[:, None] + prior.mean[1]
    return trials.reshape(-1, 2)


def _far(rows: Sequence[Rows], prior: SilhouettePrior) -> Array:
    """States (K, 2) at offsets within three sigma of the prior, one pixel apart."""
    pixel = rows[0].pixel
    count = int(min(max(floor(3.0 * prior.sigma[0] / pixel), 0), COARSE_LIMIT))
    return prior.mean + np.outer(np.arange(-count, count + 1) * pixel, [1.0, 0.0])


@dataclass(frozen=True)
class _Descent:
    """Where a descent ended, and what held one (tiny) step before."""

    state: Array
    cost: float
    information: Array
    freedom: float
    strain: float

    @property
    def misfit(self) -> float:
        """Chi-square per degree of freedom, more where the prior is strained beyond three sigma."""
        return self.cost / max(self.freedom, 1.0) * max(1.0, (self.strain / 3.0) ** 2)


def _descend(
    rows: Sequence[Rows], state: Array, prior: SilhouettePrior, lamp: float | None, steps: int
) -> _Descent | None:
    """Gauss-Newton on offset and ratio; None where the width runs away."""
    weight = np.diag(1.0 / prior.sigma**2)
    smallest, largest = 0.3 * prior.mean[1], min(3.0 * prior.mean[1], 0.97)
    for _ in range(steps):
        cost, information, gradient, freedom = _evaluate(rows, state, lamp)
        step = -np.linalg.solve(information + weight, gradient + weight @ (state - prior.mean))
        state = state + np.clip(step, -smallest, smallest)
        if not smallest < state[1] < largest:
            return None
        if max(abs(step[0]), abs(step[1])) < SMALL_STEP:
            break
    strain = float(np.max(np.abs(state - prior.mean) / prior.sigma))
    return _Descent(state, cost, information, freedom, strain)


def _weighted(group: Rows, edge_error: float) -> Rows:
    """Rows with each column's weight for an error of `edge_error` (rad) of what it shows."""
    steps = np.abs(group.levels[:, 1:] - group.levels[:, :-1]).max(axis=0)
    shift = np.zeros(len(group.weight))
    shift[1:] = steps
    shift[:-1] = np.maximum(shift[:-1], steps)
    shift *= edge_error / group.pixel
    return replace(group, weight=group.weight / np.sqrt(1.0 + shift * shift))


def _second_lamp(rows: Sequence[Rows], state: Array) -> float | None:
    """Incidence of a lamp that explains what the harmonics leave; None without one."""
    parts = []
    cost, freedom = 0.0, 0.0
    for group in rows:
        inner = group.cut(group.window(state))
        basis = _basis(inner.borders, state[None], None)[0] * inner.weight
        solver = _solver(basis)
        levels = inner.levels * inner.weight
        residual = levels - (levels @ solver.T) @ basis
        parts.append((inner, basis, solver, residual))
        cost += float(np.vdot(residual, residual))
        freedom += residual.size - len(basis) * len(residual)
    if cost < LAMP_MISFIT * freedom:
        return None
    gains = np.zeros(len(LAMPS))
    for inner, basis, solver, residual in parts:
        lamps = _lamp_terms(inner.borders, state) * inner.weight
        lamps -= (lamps @ solver.T) @ basis
        gains += np.sum((residual @ lamps.T) ** 2, axis=0) / (np.sum(lamps**2, axis=1) + RIDGE)
    best = int(np.argmax(gains))
    return None if cost - gains[best] > LAMP_GAIN * cost else float(LAMPS[best])


def _solver(basis: Array) -> Array:
    """Matrix (T, W) that takes a profile to the brightnesses which fit it best."""
    return np.asarray(np.linalg.solve(basis @ basis.T + _ridge(len(basis)), basis))


def _gather(strips: Sequence[Strip], noise: float, model_error: float) -> list[Rows]:
    """Scale strips to unit noise and join those that share their columns as more channels."""
    groups: list[list[Strip]] = []
    for strip in strips:
        for group in groups:
            if strip.shares_columns(group[0]):
                group.append(strip)
                break
        else:
            groups.append([strip])
    return [_joined(group, noise, model_error) for group in groups]


def _joined(group: Sequence[Strip], noise: float, model_error: float) -> Rows:
    """Scale strips of the same columns to unit noise and stack them as channels."""
    levels = np.concatenate(
        [s.colours.T / hypot(noise / sqrt(s.rows.mean()), model_error) for s in group]
    )
    first = group[0]
    clear = np.all([s.colours.max(axis=1) < SATURATED for s in group], axis=0)
    return Rows(levels, first.borders, first.centres, first.pixel, clear.astype(float))


def _cost(rows: Sequence[Rows], trials: Array, lamp: float | None) -> Array:
    """Chi-square per degree of freedom (K,) of trials (K, 2)."""
    total = np.zeros(len(trials))
    freedom = np.zeros(len(trials))
    for group in rows:
        reach = np.arcsin(np.minimum(trials[:, 1:], 0.99)) + BACKGROUND_COLUMNS * group.pixel
        weight = (np.abs(group.centres - trials[:, :1]) <= reach) * group.weight
        basis = _basis(group.borders, trials, lamp) * weight[:, None]
        normal = basis @ basis.swapaxes(1, 2) + _ridge(basis.shape[1])
        seen = basis @ (group.levels * group.weight).T
        explained = np.sum(seen * np.linalg.solve(normal, seen), axis=(1, 2))
        total += (weight * weight) @ np.sum(group.levels**2, axis=0) - explained
        freedom += (np.count_nonzero(weight, axis=1) - basis.shape[1]) * len(group.levels)
    return np.asarray(total / np.maximum(freedom, 1.0))


def _evaluate(
    rows: Sequence[Rows], state: Array, lamp: float | None
) -> tuple[float, Array, Array, float]:
    """Return chi-square, information (2, 2), gradient (2,) and degrees of freedom."""
    cost, freedom = 0.0, 0.0
    information, gradient = np.zeros((2, 2)), np.zeros(2)
    for group in rows:
        inner = group.cut(group.window(state))
        if np.count_nonzero(inner.weight) < 9:
            continue
        part = _project_out(inner, state, lamp)
        cost, freedom = cost + part[0], freedom + part[3]
        information, gradient = information + part[1], gradient + part[2]
    return cost, information, gradient, freedom


def _project_out(
    inner: Rows, state: Array, lamp: float | None
) -> tuple[float, Array, Array, float]:
    """Variable projection: the brightnesses are solved for, the two angles remain."""
    observed = inner.levels * inner.weight
    stacked = _basis(inner.borders, state + NUDGES, lamp) * inner.weight
    basis = stacked[0]
    solver = _solver(basis)
    levels = observed @ solver.T
    residual = (observed - levels @ basis).ravel()
    slope = levels @ ((stacked[1:] - basis) / NUDGE)
    flat = (slope - (slope @ solver.T) @ basis).reshape(2, -1)
    freedom = float((np.count_nonzero(inner.weight) - len(basis)) * len(levels))
    return float(residual @ residual), flat @ flat.T, -flat @ residual, freedom


@lru_cache
def _ridge(size: int) -> Array:
    return RIDGE * np.eye(size)


def _basis(borders: Array, states: Array, lamp: float | None) -> Array:
    """Each term averaged over each pixel (K, 7 or 8, W) for states (K, 2).

    Two backgrounds, then the shading: antiderivatives over s = sin i of 1, s, cos i, s^2, s cos i,
    and of a second lamp if there is one.
    """
    s = np.sin(borders - states[:, :1]) / states[:, 1:]
    inside = np.minimum(np.maximum(s, -1.0), 1.0)
    squared = inside * inside
    rest = 1.0 - squared
    cosine = np.sqrt(rest)
    incidence = np.arcsin(inside)
    terms = np.empty((len(s), 7 if lamp is None else 8, s.shape[1]))
    np.minimum(s, -1.0, out=terms[:, 0])
    np.maximum(s, 1.0, out=terms[:, 1])
    terms[:, 2] = inside
    np.multiply(squared, 0.5, out=terms[:, 3])
    np.multiply(inside * cosine + incidence, 0.5, out=terms[:, 4])
    np.multiply(squared * inside, 1.0 / 3.0, out=terms[:, 5])
    np.multiply(rest * cosine, -1.0 / 3.0, out=terms[:, 6])
    if lamp is not None:
        terms[:, 7] = _lamp_primitive(incidence, lamp)
    width = s[:, 1:] - s[:, :-1]
    return np.asarray((terms[:, :, 1:] - terms[:, :, :-1]) / width[:, None])


def _lamp_terms(borders: Array, state: Array) -> Array:
    """What each of `LAMPS` gives each pixel (L, W)."""
    s = np.sin(borders - state[0]) / state[1]
    incidence = np.arcsin(np.clip(s, -1.0, 1.0))
    primitive = _lamp_primitive(incidence, LAMPS[:, None])
    return np.asarray((primitive[:, 1:] - primitive[:, :-1]) / (s[1:] - s[:-1]))


def _lamp_primitive(incidence: Array, lamp: float | Array) -> Array:
    """Antiderivative over s = sin i of max(0, cos(i - lamp))."""
    lit = np.minimum(np.maximum(incidence, lamp - np.pi / 2.0), lamp + np.pi / 2.0)
    sine = np.sin(lit)
    along = (lit + sine * np.cos(lit)) / 2.0
    return np.asarray(np.cos(lamp) * along + np.sin(lamp) * sine * sine / 2.0)
