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
    """Profiles on shared columns: `levels` (W, C) in units of one sigma, `borders` (W + 1,).

    `clear` (W,) tells columns that are not saturated, where brightness is still linear; `weight`
    (W,) is below 1 where the edge's own error adds to the noise.
    """

    levels: Array
    borders: Array
    centres: Array
    pixel: float
    clear: NDArray[np.bool_]
    weight: Array


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
    rows = _gather(strips, noise, model_error)
    if not rows:
        return None
    best: _Descent | None = None
    lamp: float | None = None
    for _ in range(ATTEMPTS):  # a lamp found late may show that the search began at a wrong place
        found, lamp = _attempt(rows, prior, lamp, edge_error)
        if found is not None and (best is None or found.misfit < best.misfit):
            best = found
        if lamp is None or (best is not None and best.misfit < GOOD_MISFIT):
            break
    if best is None:
        return None
    offset, ratio = (float(value) for value in best.state)
    return Silhouette(offset, ratio, best.information / max(best.misfit, 1.0), best.misfit)


def _attempt(
    rows: Sequence[Rows], prior: SilhouettePrior, lamp: float | None, edge_error: float
) -> tuple[_Descent | None, float | None]:
    """Search coarsely with the lamp known so far, weigh, look for a lamp, descend."""
    first = _descend(rows, _coarse(rows, prior, lamp), prior, lamp, FIRST_STEPS)
    if first is None:
        return None, None
    weighted = _weighted(rows, first.state, lamp, edge_error)
    lamp = _second_lamp(weighted, first.state)
    state = _best(weighted, first.state + rows[0].pixel * EDGE_TRIALS, lamp)
    return _descend(weighted, state, prior, lamp, STEPS), lamp


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


def _weighted(
    rows: Sequence[Rows], state: Array, lamp: float | None, edge_error: float
) -> list[Rows]:
    """Rows with each column's weight for an error of `edge_error` (rad) of what it shows."""
    moved = state + np.array([[0.0, 0.0], [edge_error, 0.0], [-edge_error, 0.0]])
    weighted = []
    for group in rows:
        used = _window(group, state)
        bases = _basis(group.borders, moved, lamp)
        normal = bases[0][used].T @ bases[0][used] + _ridge(bases.shape[2])
        levels = np.linalg.solve(normal, bases[0][used].T @ group.levels[used])
        shift = np.max(np.abs((bases[1:] - bases[0]) @ levels), axis=(0, 2))
        wide = np.maximum(shift, 0.5 * np.maximum(np.r_[shift[1:], 0.0], np.r_[0.0, shift[:-1]]))
        weighted.append(replace(group, weight=1.0 / np.sqrt(1.0 + wide**2)))
    return weighted


def _second_lamp(rows: Sequence[Rows], state: Array) -> float | None:
    """Incidence of a lamp that explains what the harmonics leave; None without one."""
    cost, freedom = 0.0, 0.0
    gains = np.zeros(len(LAMPS))
    for group in rows:
        used = _window(group, state)
        weight = group.weight[used, None]
        basis = _basis(group.borders, state[None], None)[0, used] * weight
        solver = np.linalg.solve(basis.T @ basis + _ridge(basis.shape[1]), basis.T)
        lamps = _lamp_terms(group.borders, state)[used] * weight
        lamps = lamps - basis @ (solver @ lamps)
        levels = group.levels[used] * weight
        residual = levels - basis @ (solver @ levels)
        gains += np.sum((lamps.T @ residual) ** 2, axis=1) / (np.sum(lamps**2, axis=0) + RIDGE)
        cost += float(np.sum(residual**2))
        freedom += residual.size - basis.shape[1] * residual.shape[1]
    best = int(np.argmax(gains))
    if cost < LAMP_MISFIT * freedom or cost - gains[best] > LAMP_GAIN * cost:
        return None
    return float(LAMPS[best])


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
    return [
        Rows(
            np.concatenate(
                [
                    s.colours / np.hypot(noise / np.sqrt(np.mean(s.rows)), model_error)
                    for s in group
                ],
                axis=1,
            ),
            group[0].borders,
            group[0].centres,
            group[0].pixel,
            np.all([np.max(s.colours, axis=1) < SATURATED for s in group], axis=0),
            np.ones(len(group[0].colours)),
        )
        for group in groups
    ]


def _coarse(rows: Sequence[Rows], prior: SilhouettePrior, lamp: float | None) -> Array:
    """Best of several offsets within three sigma of the prior, one pixel apart."""
    pixel = rows[0].pixel
    count = int(np.clip(np.floor(3.0 * prior.sigma[0] / pixel), 0, COARSE_LIMIT))
    return _best(
        rows, prior.mean + np.outer(np.arange(-count, count + 1) * pixel, [1.0, 0.0]), lamp
    )


def _best(rows: Sequence[Rows], trials: Array, lamp: float | None = None) -> Array:
    """Trial (2,) of trials (K, 2) that leaves the least chi-square per degree of freedom."""
    return np.asarray(trials[int(np.argmin(_cost(rows, trials, lamp)))])


def _cost(rows: Sequence[Rows], trials: Array, lamp: float | None) -> Array:
    """Chi-square per degree of freedom (K,) of trials (K, 2)."""
    total = np.zeros(len(trials))
    freedom = np.zeros(len(trials))
    for group in rows:
        used = _window(group, trials)
        weight = used * group.weight
        basis = _basis(group.borders, trials, lamp) * weight[..., None]
        turned = np.swapaxes(basis, 1, 2)
        normal = turned @ basis + _ridge(basis.shape[2])
        levels = group.levels * group.weight[:, None]
        seen = turned @ levels
        explained = np.sum(seen * np.linalg.solve(normal, seen), axis=(1, 2))
        total += used @ np.sum(levels**2, axis=1) - explained
        freedom += (used.sum(1) - basis.shape[2]) * group.levels.shape[1]
    return np.asarray(total / np.maximum(freedom, 1.0))


def _evaluate(
    rows: Sequence[Rows], state: Array, lamp: float | None
) -> tuple[float, Array, Array, float]:
    """Return chi-square, information (2, 2), gradient (2,) and degrees of freedom."""
    cost, freedom = 0.0, 0.0
    information, gradient = np.zeros((2, 2)), np.zeros(2)
    for group in rows:
        used = _window(group, state)
        if np.count_nonzero(used) < 9:
            continue
        part = _project_out(group, used, state, lamp)
        cost, freedom = cost + part[0], freedom + part[3]
        information, gradient = information + part[1], gradient + part[2]
    return cost, information, gradient, freedom


def _window(group: Rows, states: Array) -> NDArray[np.bool_]:
    """Columns (..., W) on the target and a few beyond each edge, for states (..., 2)."""
    reach = np.arcsin(np.minimum(states[..., 1:], 0.99)) + BACKGROUND_COLUMNS * group.pixel
    return np.asarray((np.abs(group.centres - states[..., :1]) <= reach) & group.clear)


def _project_out(
    group: Rows, used: NDArray[np.bool_], state: Array, lamp: float | None
) -> tuple[float, Array, Array, float]:
    """Variable projection: the brightnesses are solved for, the two angles remain."""
    weight = (group.weight * used)[:, None]
    observed = group.levels * weight
    stacked = _basis(group.borders, state + NUDGES, lamp) * weight
    basis = stacked[0]
    solver = np.linalg.solve(basis.T @ basis + _ridge(basis.shape[1]), basis.T)
    levels = solver @ observed
    residual = observed - basis @ levels
    slope = (stacked[1:] - basis) @ levels / NUDGE
    flat = (slope - basis @ (solver @ slope)).reshape(2, -1)
    flat_residual = residual.ravel()
    freedom = (np.count_nonzero(used) - basis.shape[1]) * residual.shape[1]
    return float(flat_residual @ flat_residual), flat @ flat.T, -flat @ flat_residual, freedom


@lru_cache
def _ridge(size: int) -> Array:
    return RIDGE * np.eye(size)


def _basis(borders: Array, states: Array, lamp: float | None) -> Array:
    """Each term averaged over each pixel (K, W, 7 or 8) for states (K, 2).

    Two backgrounds, then the shading: antiderivatives over s = sin i of 1, s, cos i, s^2, s cos i,
    and of a second lamp if there is one.
    """
    s = np.sin(borders - states[:, :1]) / states[:, 1:]
    inside = np.minimum(np.maximum(s, -1.0), 1.0)
    squared = inside * inside
    rest = 1.0 - squared
    cosine = np.sqrt(rest)
    incidence = np.arcsin(inside)
    terms = np.empty((*s.shape, 7 if lamp is None else 8))
    terms[..., 0] = np.minimum(s, -1.0)
    terms[..., 1] = np.maximum(s, 1.0)
    terms[..., 2] = inside
    terms[..., 3] = squared / 2.0
    terms[..., 4] = (inside * cosine + incidence) / 2.0
    terms[..., 5] = squared * inside / 3.0
    terms[..., 6] = rest * cosine / -3.0
    if lamp is not None:
        terms[..., 7] = _lamp_primitive(incidence, lamp)
    width = s[:, 1:] - s[:, :-1]
    return np.asarray((terms[:, 1:] - terms[:, :-1]) / width[..., None])


def _lamp_terms(borders: Array, state: Array) -> Array:
    """What each of `LAMPS` gives each pixel (W, L)."""
    s = np.sin(borders - state[0]) / state[1]
    incidence = np.arcsin(np.clip(s, -1.0, 1.0))
    primitive = _lamp_primitive(incidence[:, None], LAMPS)
    return np.asarray((primitive[1:] - primitive[:-1]) / (s[1:] - s[:-1])[:, None])


def _lamp_primitive(incidence: Array, lamp: float | Array) -> Array:
    """Antiderivative over s = sin i of max(0, cos(i - lamp))."""
    lit = np.minimum(np.maximum(incidence, lamp - np.pi / 2.0), lamp + np.pi / 2.0)
    sine = np.sin(lit)
    along = (lit + sine * np.cos(lit)) / 2.0
    return np.asarray(np.cos(lamp) * along + np.sin(lamp) * sine * sine / 2.0)
