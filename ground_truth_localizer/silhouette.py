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

import numpy as np
from numpy.typing import NDArray

from ground_truth_localizer.image_strips import Strip

Array = NDArray[np.float64]
# Columns of background kept beyond each edge.
BACKGROUND_COLUMNS = 3.5
RIDGE = 1e-7
STEPS = 6
COARSE_LIMIT = 25
# A step below this (rad; 0.004 pixels of the thesis's camera) ends the search.
SMALL_STEP = 1e-5
NUDGE = 1e-5
# A dark rim before a bright wall fits at two places less than a pixel apart, so each edge is tried
# a little to either side (pixels) before the last descent: rows are (offset, ratio) in pixels.
_EDGE_SHIFTS = np.array([-0.8, -0.4, 0.0, 0.4, 0.8])
EDGE_TRIALS = np.array(
    [
        [(left + right) / 2.0, (right - left) / 2.0]
        for left in _EDGE_SHIFTS
        for right in _EDGE_SHIFTS
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
    """Profiles on shared columns: `levels` (W, C) in units of one sigma, `borders` (W + 1,)."""

    levels: Array
    borders: Array
    pixel: float


def fit_silhouette(
    strips: Sequence[Strip], prior: SilhouettePrior, noise: float, model_error: float
) -> Silhouette | None:
    """Fit bearing and width to white strips; None where no minimum is found.

    `noise` is the grey-level noise of one pixel and `model_error` what remains of the model's
    misfit after averaging rows, one sigma each.
    """
    rows = _gather(strips, noise, model_error)
    if not rows:
        return None
    state: Array | None = _coarse(rows, prior)
    for trials in (None, EDGE_TRIALS):
        if state is not None and trials is not None:
            state = _best(rows, state + rows[0].pixel * trials)
        state = _descend(rows, state, prior) if state is not None else None
    if state is None:
        return None
    cost, information, _, freedom = _evaluate(rows, state)
    misfit = cost / max(freedom, 1.0)
    return Silhouette(float(state[0]), float(state[1]), information / max(misfit, 1.0), misfit)


def _descend(rows: Sequence[Rows], state: Array, prior: SilhouettePrior) -> Array | None:
    """Gauss-Newton on offset and ratio; None where the width runs away."""
    weight = np.diag(1.0 / prior.sigma**2)
    smallest, largest = 0.3 * prior.mean[1], min(3.0 * prior.mean[1], 0.97)
    for _ in range(STEPS):
        _, information, gradient, _ = _evaluate(rows, state)
        step = -np.linalg.solve(information + weight, gradient + weight @ (state - prior.mean))
        state = state + np.clip(step, -smallest, smallest)
        if not smallest < state[1] < largest:
            return None
        if np.max(np.abs(step)) < SMALL_STEP:
            break
    return state


def _gather(strips: Sequence[Strip], noise: float, model_error: float) -> list[Rows]:
    """Scale strips to unit noise and join those that share their columns as more channels."""
    groups: list[list[Strip]] = []
    for strip in strips:
        for group in groups:
            if np.allclose(group[0].borders, strip.borders, rtol=0.0, atol=0.02 * strip.pixel):
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
            group[0].pixel,
        )
        for group in groups
    ]


def _coarse(rows: Sequence[Rows], prior: SilhouettePrior) -> Array:
    """Best of several offsets within three sigma of the prior, one pixel apart."""
    pixel = rows[0].pixel
    count = int(np.clip(np.floor(3.0 * prior.sigma[0] / pixel), 0, COARSE_LIMIT))
    return _best(rows, prior.mean + np.outer(np.arange(-count, count + 1) * pixel, [1.0, 0.0]))


def _best(rows: Sequence[Rows], trials: Array) -> Array:
    """Trial (2,) of trials (K, 2) that leaves the least chi-square per degree of freedom."""
    total = np.zeros(len(trials))
    freedom = np.zeros(len(trials))
    for group in rows:
        used = np.stack([_window(group, trial) for trial in trials]).astype(float)
        basis = _basis(group.borders, trials) * used[..., None]
        turned = np.swapaxes(basis, 1, 2)
        normal = turned @ basis + RIDGE * np.eye(basis.shape[2])
        seen = turned @ group.levels
        explained = np.sum(seen * np.linalg.solve(normal, seen), axis=(1, 2))
        total += used @ np.sum(group.levels**2, axis=1) - explained
        freedom += (used.sum(1) - basis.shape[2]) * group.levels.shape[1]
    return np.asarray(trials[int(np.argmin(total / np.maximum(freedom, 1.0)))])


def _evaluate(rows: Sequence[Rows], state: Array) -> tuple[float, Array, Array, float]:
    """Return chi-square, information (2, 2), gradient (2,) and degrees of freedom."""
    cost, freedom = 0.0, 0.0
    information, gradient = np.zeros((2, 2)), np.zeros(2)
    for group in rows:
        used = _window(group, state)
        if np.count_nonzero(used) < 9:
            continue
        part = _project_out(group, used, state)
        cost, freedom = cost + part[0], freedom + part[3]
        information, gradient = information + part[1], gradient + part[2]
    return cost, information, gradient, freedom


def _window(group: Rows, state: Array) -> NDArray[np.bool_]:
    """Columns on the target and a few beyond each edge."""
    reach = np.arcsin(min(state[1], 0.99)) + BACKGROUND_COLUMNS * group.pixel
    centres = (group.borders[1:] + group.borders[:-1]) / 2.0
    return np.asarray(np.abs(centres - state[0]) <= reach)


def _project_out(
    group: Rows, used: NDArray[np.bool_], state: Array
) -> tuple[float, Array, Array, float]:
    """Variable projection: the brightnesses are solved for, the two angles remain."""
    observed = group.levels[used]
    nudged = state + np.array([[0.0, 0.0], [NUDGE, 0.0], [0.0, NUDGE]])
    stacked = _basis(group.borders, nudged)[:, used]
    basis = stacked[0]
    normal = basis.T @ basis + RIDGE * np.eye(basis.shape[1])
    solver = np.linalg.solve(normal, basis.T)
    levels = solver @ observed
    residual = observed - basis @ levels
    slope = (stacked[1:] - basis) @ levels / NUDGE
    flat = (slope - basis @ (solver @ slope)).reshape(2, -1)
    freedom = residual.size - basis.shape[1] * residual.shape[1]
    return float(np.sum(residual**2)), flat @ flat.T, -flat @ residual.ravel(), float(freedom)


def _basis(borders: Array, states: Array) -> Array:
    """Each term averaged over each pixel (K, W, 7) for states (K, 2).

    Two backgrounds, then the five shading harmonics.
    """
    s = np.sin(borders - states[:, :1]) / states[:, 1:]
    width = np.diff(s, axis=1)
    inside = np.clip(s, -1.0, 1.0)
    terms = np.stack(
        [np.minimum(s, -1.0), np.maximum(s, 1.0), *_primitives(inside)],
        axis=-1,
    )
    return np.asarray(np.diff(terms, axis=1) / width[..., None])


def _primitives(s: Array) -> tuple[Array, ...]:
    """Antiderivatives over s = sin i of 1, s, cos i, s^2 and s cos i."""
    c2 = 1.0 - s * s
    c = np.sqrt(c2)
    return s, s * s / 2.0, (s * c + np.arcsin(s)) / 2.0, s**3 / 3.0, -c2 * c / 3.0
