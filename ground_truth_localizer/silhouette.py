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
from dataclasses import dataclass
from functools import lru_cache
from math import asin, ceil, floor, sqrt

import numpy as np
from numpy.typing import NDArray

from ground_truth_localizer.image_strips import Strip
from ground_truth_localizer.shading_terms import basis_terms, lamp_terms
from ground_truth_localizer.silhouette_rows import BACKGROUND_COLUMNS, Rows, gather

Array = NDArray[np.float64]
RIDGE = 1e-7
STEPS = 6
FIRST_STEPS = 2
ATTEMPTS = 3
GOOD_MISFIT = 2.0
COARSE_LIMIT = 25
# The first attempt looks this far around the prior (pixels), and at the width's mean and two more
# widths (sigma) where the laser leaves it open.
NEAR_REACH = 2.0
NEAR_STEP = 0.7
NEAR_RATIOS = np.array([-1.2, 0.0, 1.2])
# Steps below these (rad; 0.15 pixels of the thesis's camera) are the last ones needed. A lamp moves
# the edges by a hundredth of what it moves itself.
SMALL_STEPS = (4e-4, 4e-4, 1e-2)
NUDGE = 1e-5
NUDGES: Array = NUDGE * np.array([[0.0] * 3, [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
# A lamp to the side leaves an attached shadow that ends in a kink, which the harmonics round off:
# where the fit is worse than this, the lamp is looked for, and kept if it gains this factor.
LAMP_MISFIT = 0.8
LAMP_GAIN = 0.7
LAMPS: Array = np.radians([s * a for a in range(10, 165, 5) for s in (-1.0, 1.0)])
# Its direction is fitted along with the edges: five degrees off would move them by a third of a
# pixel. Held loosely (rad) to where it was found.
LAMP_SIGMA = 0.15
LAMP_STEP = 0.1
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
    rows = gather(strips, noise, model_error, edge_error)
    if not rows:
        return None
    best = _descend(rows, _start(rows, prior), prior, STEPS)
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
            if best.misfit < GOOD_MISFIT:
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
    if lamp is not None:
        trials = np.column_stack([trials, np.full(len(trials), lamp)])
    best = trials[int(np.argmin(_cost(rows, trials)))]
    return _descend(rows, best, prior, steps)


def _start(rows: Sequence[Rows], prior: SilhouettePrior) -> Array:
    """State (2,) near the prior's mean that a descent may begin with.

    The best of a few trials, or between it and its neighbours where a parabola says so.
    """
    pixel = rows[0].pixel
    across, along = prior.sigma.tolist()
    reach = ceil(min(3.0 * across / pixel, NEAR_REACH) / NEAR_STEP)
    grid = _near_grid(reach, along >= 0.3 * pixel)
    trials = prior.mean + grid * (pixel, along)
    costs = _cost(rows, trials).tolist()
    best = costs.index(min(costs))
    start = trials[best]
    if 0 < best % (2 * reach + 1) < 2 * reach:
        before, here, after = costs[best - 1 : best + 2]
        bend = before - 2.0 * here + after
        if bend > 0.0:
            start[0] += 0.5 * (before - after) / bend * NEAR_STEP * pixel
    return np.asarray(start)


@lru_cache(maxsize=32)
def _near_grid(reach: int, widths: bool) -> Array:
    """Trials (K, 2): offsets in pixels, and widths in sigma where they are open."""
    offsets = np.arange(-reach, reach + 1) * NEAR_STEP
    ratios = NEAR_RATIOS if widths else np.zeros(1)
    return np.stack(np.meshgrid(offsets, ratios), -1).reshape(-1, 2)


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
    rows: Sequence[Rows], start: Array, prior: SilhouettePrior, steps: int
) -> _Descent | None:
    """Gauss-Newton on offset and ratio, and a lamp's direction if `start` (2 or 3,) has one.

    None where the width runs away.
    """
    state = start.tolist()
    means = prior.mean.tolist() + state[2:]
    weights = [1.0 / (sigma * sigma) for sigma in (*prior.sigma.tolist(), LAMP_SIGMA)]
    smallest, largest = 0.3 * means[1], min(3.0 * means[1], 0.97)
    limits = (smallest, smallest, LAMP_STEP)
    for _ in range(steps):
        cost, information, gradient, freedom = _evaluate(rows, state)
        pulls = [w * (x - m) for w, x, m in zip(weights, state, means, strict=False)]
        step = _newton(information, gradient, weights, pulls)
        state = [
            x + min(max(move, -limit), limit)
            for x, move, limit in zip(state, step, limits, strict=False)
        ]
        if not smallest < state[1] < largest:
            return None
        if all(abs(move) < small for move, small in zip(step, SMALL_STEPS, strict=False)):
            break
    strain = max(
        abs(x - m) * sqrt(w) for x, m, w in zip(state[:2], means[:2], weights[:2], strict=True)
    )
    if len(state) == 3:
        held = information[2, 2] + weights[2]
        information = information[:2, :2] - np.outer(information[:2, 2], information[2, :2]) / held
    return _Descent(np.array(state[:2]), cost, information, freedom, strain)


def _newton(
    information: Array, gradient: Array, weights: Sequence[float], pulls: Sequence[float]
) -> list[float]:
    """Step to the minimum of a parabola plus Gaussian knowledge of each unknown."""
    if len(gradient) > 2:
        full = information + np.diag(weights)
        return [float(x) for x in np.linalg.solve(full, -gradient - np.array(pulls))]
    (a, b), (_, d) = information.tolist()
    a, d = a + weights[0], d + weights[1]
    g, h = gradient.tolist()
    g, h = g + pulls[0], h + pulls[1]
    determinant = a * d - b * b
    return [(b * h - d * g) / determinant, (b * g - a * h) / determinant]


def _second_lamp(rows: Sequence[Rows], state: Array) -> float | None:
    """Incidence of a lamp that explains what the harmonics leave; None without one."""
    parts = []
    cost, freedom = 0.0, 0.0
    for group in rows:
        inner = group.window(*state.tolist())
        basis = basis_terms(inner.borders, state[None], inner.weight)[0]
        solver = _solver(basis)
        residual = inner.levels - (inner.levels @ solver.T) @ basis
        parts.append((inner, basis, solver, residual))
        cost += float(np.vdot(residual, residual))
        freedom += residual.size - len(basis) * len(residual)
    if cost < LAMP_MISFIT * freedom:
        return None
    gains = np.zeros(len(LAMPS))
    for inner, basis, solver, residual in parts:
        lamps = lamp_terms(inner.borders, state, LAMPS) * inner.weight
        lamps -= (lamps @ solver.T) @ basis
        gains += np.sum((residual @ lamps.T) ** 2, axis=0) / (np.sum(lamps**2, axis=1) + RIDGE)
    best = int(np.argmax(gains))
    return None if cost - gains[best] > LAMP_GAIN * cost else float(LAMPS[best])


def _solver(basis: Array) -> Array:
    """Matrix (T, W) that takes a profile to the brightnesses which fit it best."""
    return np.asarray(np.linalg.solve(basis @ basis.T + _ridge(len(basis)), basis))


def _cost(rows: Sequence[Rows], trials: Array) -> Array:
    """Chi-square per degree of freedom (K,) of trials (K, 2), or (K, 3) with a lamp."""
    total, freedom = np.zeros(len(trials)), np.zeros(len(trials))
    left, small = trials[:, :2].min(axis=0).tolist()
    right, large = trials[:, :2].max(axis=0).tolist()
    for group in rows:
        part = group.window((left + right) / 2.0, large, (right - left) / 2.0)
        beyond = BACKGROUND_COLUMNS * group.pixel
        if small == large:
            reach: Array | float = asin(min(large, 0.99)) + beyond
        else:
            reach = np.arcsin(np.minimum(trials[:, 1:2], 0.99)) + beyond
        mask = np.abs(part.centres - trials[:, :1]) <= reach
        weight = part.weight * mask
        basis = basis_terms(part.borders, trials, weight)
        seen = basis @ part.levels.T
        normal = basis @ basis.swapaxes(1, 2) + _ridge(basis.shape[1])
        explained = (seen * np.linalg.solve(normal, seen)).sum(axis=(1, 2))
        total += mask @ (part.levels * part.levels).sum(axis=0) - explained
        freedom += (np.count_nonzero(weight, axis=1) - basis.shape[1]) * len(part.levels)
    return np.asarray(total / np.maximum(freedom, 1.0))


def _evaluate(rows: Sequence[Rows], state: Sequence[float]) -> tuple[float, Array, Array, float]:
    """Return chi-square, information (P, P), gradient (P,) and degrees of freedom."""
    cost, freedom, size = 0.0, 0.0, len(state)
    information, gradient = np.zeros((size, size)), np.zeros(size)
    for group in rows:
        inner = group.window(state[0], state[1])
        count = int(np.count_nonzero(inner.weight))
        if count < 9:
            continue
        basis, part = _project_out(inner, np.array(state))
        cost, information, gradient = cost + part[0], information + part[1], gradient + part[2]
        freedom += (count - basis) * len(inner.levels)
    return cost, information, gradient, freedom


def _project_out(inner: Rows, state: Array) -> tuple[int, tuple[float, Array, Array]]:
    """Variable projection: the brightnesses are solved for, the angles remain.

    Returns how many brightnesses, and chi-square, information and gradient.
    """
    size = len(state)
    stacked = basis_terms(inner.borders, state + NUDGES[: size + 1, :size], inner.weight)
    basis = stacked[0]
    solver = _solver(basis)
    levels = inner.levels @ solver.T
    residual = (inner.levels - levels @ basis).ravel()
    slope = levels @ ((stacked[1:] - basis) * (1.0 / NUDGE))
    flat = (slope - (slope @ solver.T) @ basis).reshape(size, -1)
    return len(basis), (float(residual @ residual), flat @ flat.T, flat @ -residual)


@lru_cache
def _ridge(size: int) -> Array:
    return RIDGE * np.eye(size)
