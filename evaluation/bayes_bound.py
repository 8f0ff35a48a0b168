"""What no estimator can beat: exact Bayes estimate and Cramer-Rao bound of a circle from a scan.

The Bayes estimate weighs every position on a fine grid by the likelihood of all ranges, and of
which beams hit and which miss: flat prior, known radius, Gaussian ranges, pencil beams. Its mean
has the least mean-square error that any estimator can have from those ranges. It shares no code
with the localizer. "Along" is along the line of sight to the true centre, "across" is to its left.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.errors import EvaluationError

Array = NDArray[np.float64]
STAGES = ((31, 81, 8.0), (25, 61, np.inf), (41, 81, np.inf))
NEGLIGIBLE = 14.0
REACH = (0.15, 0.06)


@dataclass(frozen=True)
class _Data:
    """The beams near the target, turned so that the guess lies along x."""

    directions: Array
    ranges: Array
    background: Array
    radius: float
    sigma: float


@dataclass(frozen=True)
class BayesEstimate:
    """Posterior of the centre relative to a guess, metres in (along, across) of its bearing."""

    mean: Array
    median: Array
    std: Array


def circle_ranges(centres: Array, directions: Array, radius: float) -> Array:
    """Return the range (M, N) to circles at `centres` (M, 2) along unit `directions` (N, 2).

    NaN where a ray from the origin misses the circle.
    """
    along = centres @ directions.T
    across = centres[:, :1] * directions[None, :, 1] - centres[:, 1:] * directions[None, :, 0]
    inside = radius**2 - across**2
    with np.errstate(invalid="ignore"):
        return np.where((inside > 0.0) & (along > 0.0), along - np.sqrt(inside), np.nan)


def _log_likelihood(centres: Array, data: _Data, cap: float) -> Array:
    """Log of p(ranges | centre) up to a constant, each beam's cost limited to `cap`."""
    expected = circle_ranges(centres, data.directions, data.radius)
    expected = np.where(np.isnan(expected), data.background[None, :], expected)
    cost = 0.5 * ((data.ranges[None, :] - expected) / data.sigma) ** 2
    return -np.sum(np.minimum(cost, cap), axis=1)


def bayes_estimate(
    angles: Array,
    ranges: Array,
    background: Array,
    guess: tuple[float, float],
    radius: float,
    sigma: float,
) -> BayesEstimate:
    """Compute the posterior of the centre from one scan.

    `angles` (N,) rad, `ranges` (N,) m with no-returns as the sensor's longest range, `background`
    (N,) m what each beam sees without a target, `guess` (2,) m a point near the centre (the truth
    will do: the prior is flat, so it only says where the grid lies).
    Raises EvaluationError where the posterior reaches the rim of the searched area.
    """
    distance, bearing = float(np.hypot(*guess)), float(np.arctan2(guess[1], guess[0]))
    half_width = np.arcsin(min(1.0, (radius + 2 * REACH[1]) / distance))
    near = np.abs((angles - bearing + np.pi) % (2 * np.pi) - np.pi) < half_width
    turned = angles[near] - bearing
    directions = np.column_stack([np.cos(turned), np.sin(turned)])
    data = _Data(directions, ranges[near], background[near], radius, sigma)
    box = np.array([[-REACH[0], REACH[0]], [-REACH[1], REACH[1]]])
    for rows, columns, cap in STAGES:
        along = np.linspace(box[0, 0], box[0, 1], rows)
        across = np.linspace(box[1, 0], box[1, 1], columns)
        grid = np.stack(np.meshgrid(distance + along, across, indexing="ij"), axis=-1)
        log = _log_likelihood(grid.reshape(-1, 2), data, cap).reshape(rows, columns)
        log -= log.max()
        exact = np.isinf(cap)
        box = _support(along, across, log > -NEGLIGIBLE - (0.0 if exact else 2 * cap))
        if exact and (np.abs(box).max(axis=1) > REACH).any():
            raise EvaluationError("the posterior reaches the rim of the search: a better guess?")
    return _moments(along, across, np.exp(log))


def _support(along: Array, across: Array, matters: NDArray[np.bool_]) -> Array:
    """Box around every grid point that matters, one step wider."""
    result = np.empty((2, 2))
    for axis, values in enumerate((along, across)):
        index = np.flatnonzero(matters.any(axis=1 - axis))
        step = values[1] - values[0]
        result[axis] = values[index[0]] - step, values[index[-1]] + step
    return result


def _moments(along: Array, across: Array, weights: Array) -> BayesEstimate:
    total = weights.sum()
    means, medians, stds = [], [], []
    for values, share in ((along, weights.sum(axis=1)), (across, weights.sum(axis=0))):
        mean = float(values @ share / total)
        means.append(mean)
        stds.append(float(np.sqrt((values - mean) ** 2 @ share / total)))
        cumulative = (np.cumsum(share) - share / 2) / total
        medians.append(float(np.interp(0.5, cumulative, values)))
    return BayesEstimate(np.array(means), np.array(medians), np.array(stds))


def cramer_rao(
    distance: float, radius: float, sigma: float, step: float, incidence_limit: float = 60.0
) -> tuple[float, float]:
    """Return the range-only bound (std along, std across, m), median over the beams' phase.

    `step` is the beam spacing (rad). Beams that graze the circle at more than `incidence_limit`
    degrees are left out: there the local bound is unrealistically small.
    """
    rows = [_cramer_rao_at(distance, radius, sigma, step, p, incidence_limit) for p in _PHASES]
    along, across = np.nanmedian(np.array(rows), axis=0)
    return float(along), float(across)


_PHASES = np.arange(0.0, 1.0, 0.025)


def _cramer_rao_at(
    distance: float, radius: float, sigma: float, step: float, phase: float, limit: float
) -> tuple[float, float]:
    reach = int(np.ceil(np.arcsin(radius / distance) / step)) + 1
    angles = (np.arange(-reach, reach + 1) + phase) * step
    directions = np.column_stack([np.cos(angles), np.sin(angles)])
    ranges = circle_ranges(np.array([[distance, 0.0]]), directions, radius)[0]
    hit = np.isfinite(ranges)
    normals = (ranges[hit, None] * directions[hit] - [distance, 0.0]) / radius
    facing = np.sum(normals * directions[hit], axis=1)
    jacobian = (normals / facing[:, None])[-facing > np.cos(np.radians(limit))]
    information = jacobian.T @ jacobian / sigma**2
    if np.linalg.matrix_rank(information) < 2:
        return np.nan, np.nan
    along, across = np.sqrt(np.diag(np.linalg.inv(information)))
    return float(along), float(across)
