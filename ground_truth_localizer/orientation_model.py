"""Yaw from the marker rows: least squares through the exact projection of the marker pattern.

A marker's arc has two ends; each is seen at a known angle (`offset_from_surface`), so the share of
a pixel column that it covers, and how that share changes with yaw, are closed forms. The rows'
profile is compared with  shade x (1 + sum share_k (colour_k - 1)).  The shade is the white rows'
profile above and below; how far it is trusted is told by how well those two agree, so a shadow
across the target makes the fit rest on hue instead of failing.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from math import asin, sin

import numpy as np
from numpy.typing import NDArray

from ground_truth_localizer.cylinder_projection import (
    half_width,
    visible_limit,
)
from ground_truth_localizer.image_strips import Strip
from ground_truth_localizer.marker_pattern import MarkerPattern
from spatial_types.angles import wrap_scalar

Array = NDArray[np.float64]
STEPS = 7
# A start that fits so many times worse than the best is not worth a descent.
HOPELESS = 6.0
# As much worse before its neighbours were tried, neither are they.
FAR_WORSE = 25.0
SMALL_STEP = 4e-4
LARGEST_TURN = 0.12  # rad, in one step
TURN = 2.0 * np.pi
START_SHIFTS = np.array([-1.4, -0.7, 0.0, 0.7, 1.4])  # pixels at the middle of the target
# Beyond this sine of the incidence a column is a grazing sliver: left out.
GRAZING = 0.985
SATURATED = 252.0
SHADE_DOUBT = 0.01
DARK = 8.0  # grey levels below which a column says nothing


@dataclass(frozen=True)
class Axis:
    """Axis of the cylinder for one view: `offset` and its sigma (rad), `ratio` = radius/distance.

    `edge_error` (rad) is the error of each edge in the image that no averaging of rows removes.
    """

    offset: float
    sigma: float
    ratio: float
    edge_error: float = 0.0


@dataclass(frozen=True)
class Profile:
    """Marker rows ready to be fitted, one column each.

    `colours` (3, W) and `shade` (3, W) in grey levels, `low` and `high` (W,) the columns' borders
    as angles right of the bearing, `noise` (W,) variance of a colour in grey levels and `doubt`
    (W,) that of the shade's factor.
    """

    colours: Array
    shade: Array
    low: Array
    high: Array
    noise: Array
    doubt: Array

    @cached_property
    def inverse(self) -> Array:
        """The inverse of the columns' widths (W,)."""
        return np.asarray(1.0 / (self.high - self.low))

    def only(self, used: NDArray[np.bool_] | NDArray[np.int64]) -> Profile:
        """The columns of an index array or mask alone."""
        return Profile(*(getattr(self, item.name)[..., used] for item in fields(self)))


@dataclass(frozen=True)
class _Starts:
    """States (K, 2) to descend from, and their chi-squares (K,)."""

    states: Array
    costs: Array


@dataclass(frozen=True)
class YawFit:
    """`turn` is the target's zero mark as a surface angle (rad, right positive, as seen).

    `offset` the axis's offset that fits best with it; `variance` of turn - offset, which is the
    yaw but for the view's bearing; `by_offset` how the turn answers to a shift
    of the axis; `misfit` chi-square per degree of freedom; `margin` how much worse the best
    solution elsewhere fits (ratio of chi-squares); `seen` how many markers show.
    """

    turn: float
    offset: float
    variance: float
    by_offset: float
    misfit: float
    margin: float
    seen: int


class YawFitter:
    """Finds the yaw of one marker pattern; holds the look-up for the coarse search."""

    def __init__(self, pattern: MarkerPattern, turns: int = 180, bins: int = 31) -> None:
        self.pattern = pattern
        self.bins: Array = np.radians(np.linspace(-75.0, 75.0, bins))
        self.turns: Array = np.linspace(-np.pi, np.pi, turns, endpoint=False)
        albedo = pattern.smoothed(self.bins[None, :] - self.turns[:, None], np.radians(9.0))
        self._templates: Array = (
            _hue(np.moveaxis(albedo, -1, 0)).transpose(1, 2, 0).reshape(turns, -1)
        )
        self._squares: Array = self._templates**2
        self._facing: Array = np.cos(self.bins)
        self._near = int(turns * 20 / 360)
        # Steps of colour (3, E) at the markers' left ends, then at their right ends; each end's
        # marker (+ pi, to be wrapped), and how far the end is from the marker's middle (- pi).
        self._steps: Array = np.concatenate([pattern.colours - 1.0, 1.0 - pattern.colours]).T.copy()
        self._middles: Array = np.concatenate([pattern.centres, pattern.centres]) + np.pi
        self._ends: Array = np.concatenate([-pattern.halves, pattern.halves]) - np.pi

    def fit(self, profile: Profile, axis: Axis) -> YawFit | None:
        """Search all directions, refine the best few; None where too few columns show."""
        if len(profile.low) < 6:
            return None
        starts = self._starts(profile, axis, self._candidates(profile, axis))
        states, costs, informations = self._refine(profile, axis, starts)
        first = int(np.argmin(costs))
        state, cost, information = states[first], float(costs[first]), informations[first]
        away = np.abs(_wrap(states[:, 0] - state[0])) > np.radians(15.0)
        freedom = max(2 * len(profile.low) - 2, 1)
        misfit = cost / freedom
        a, b, d = float(information[0, 0]), float(information[0, 1]), float(information[1, 1])
        return YawFit(
            turn=wrap_scalar(float(state[0])),
            offset=float(state[1]),
            variance=(a + 2.0 * b + d) / (a * d - b * b) * max(misfit, 1.0),
            by_offset=-b / a,
            misfit=misfit,
            margin=float(np.min(costs[away], initial=np.inf)) / max(cost, freedom),
            seen=self._seen(float(state[0]), axis.ratio),
        )

    def _candidates(self, profile: Profile, axis: Axis, count: int = 3) -> Array:
        """Best turns (K,) of the coarse search, at least 20 degrees apart."""
        ends = np.empty(len(profile.low) + 1)
        ends[:-1], ends[-1] = profile.low, profile.high[-1]
        ends -= axis.offset
        surface = np.arcsin(np.minimum(np.maximum(np.sin(ends) / axis.ratio, -1.0), 1.0)) - ends
        column = surface.searchsorted(self.bins) - 1
        shown = (column >= 0) & (column < len(profile.low))
        hue = _hue(profile.colours / np.maximum(profile.shade, DARK))
        seen = hue.T[np.where(shown, column, 0)]
        weight = self._facing * shown
        cost = self._squares @ weight.repeat(3)
        cost -= self._templates @ (2.0 * weight[:, None] * seen).ravel()
        found = []
        for _ in range(count):
            best = int(cost.argmin())
            found.append(self.turns[best])
            low, high = best - self._near, best + self._near + 1
            cost[max(low, 0) : high] = np.inf
            if low < 0:
                cost[low:] = np.inf
            elif high > len(cost):
                cost[: high - len(cost)] = np.inf
        return np.array(found)

    def _refine(self, profile: Profile, axis: Axis, starts: _Starts) -> tuple[Array, Array, Array]:
        """Gauss-Newton over turn and the axis's offset, from several states at once.

        Those that start hopelessly behind the best are left where they are. Returns states (K, 2),
        chi-squares (K,) and information matrices (K, 2, 2).
        """
        best, costs = starts.states.copy(), starts.costs.copy()
        informations = np.zeros((len(best), 2, 2))
        racing = np.flatnonzero(costs <= HOPELESS * max(float(costs.min()), len(profile.low)))
        costs[racing] = np.inf
        states = best[racing]
        for _ in range(STEPS):
            cost, information, gradient = self._evaluate(profile, axis, states)
            better = cost < costs[racing]
            chosen = racing[better]
            best[chosen], costs[chosen] = states[better], cost[better]
            informations[chosen] = information[better]
            step = _newton_steps(information, gradient)
            states = states + step
            if abs(step[int(costs[racing].argmin()), 0]) < SMALL_STEP:
                break
        return best, costs, informations

    def _starts(self, profile: Profile, axis: Axis, turns: Array) -> _Starts:
        """Best state near each turn.

        An edge one pixel off leaves no slope in the pixel where it belongs, so a descent may stick
        there: a few turns around each are tried first, save for turns that fit hopelessly worse.
        """
        width = float(profile.high[-1] - profile.low[0]) / len(profile.low)
        shifts = width * (1.0 / axis.ratio - 1.0) * START_SHIFTS
        states = np.empty((len(turns) - 1 + len(shifts), 2))
        states[:, 1] = axis.offset
        states[: len(shifts), 0] = turns[0] + shifts
        states[len(shifts) :, 0] = turns[1:]
        cost = self._cost(profile, axis, states)
        best = [int(cost[: len(shifts)].argmin()), *range(len(shifts), len(states))]
        starts = _Starts(states[best], cost[best])
        limit = FAR_WORSE * max(float(starts.costs.min()), len(profile.low))
        for k in range(1, len(turns)):
            if starts.costs[k] <= limit:
                states[: len(shifts), 0] = turns[k] + shifts
                cost = self._cost(profile, axis, states[: len(shifts)])
                first = int(cost.argmin())
                starts.states[k], starts.costs[k] = states[first], cost[first]
        return starts

    def _evaluate(self, profile: Profile, axis: Axis, states: Array) -> tuple[Array, Array, Array]:
        """Chi-square (K,), information (K, 2, 2) and gradient (K, 2), the shade marginalised.

        A shade s = shade (1 + e), e ~ N(0, doubt), gives each column's colours the covariance
        noise^2 I + doubt^2 m m', m the model; its inverse is Sherman and Morrison's.
        """
        right, near = self._edges(profile, axis, states)
        square = axis.ratio * axis.ratio
        slopes = (near - square) / (1.0 + square - 2.0 * near)
        model = (1.0 + self._steps @ right) * profile.shade
        moved = ((right > 0.0) & (right < 1.0)) * -profile.inverse
        rows = np.empty((len(states), 3, *profile.shade.shape))
        np.subtract(profile.colours, model, out=rows[:, 0])
        np.multiply((self._steps * slopes[:, None]) @ moved, profile.shade, out=rows[:, 1])
        edges = np.multiply(self._steps @ moved, profile.shade, out=rows[:, 2])
        noise = profile.noise + axis.edge_error**2 * (edges * edges).max(axis=1)
        pull = profile.doubt / (noise * (noise + profile.doubt * (model * model).sum(axis=1)))
        along = (rows * model[:, None]).sum(axis=2)
        flat = rows.reshape(len(states), 3, -1)
        weighed = (rows / noise[:, None, None]).reshape(flat.shape)
        products = flat @ weighed.swapaxes(1, 2)
        products -= along @ (along * pull[:, None]).swapaxes(1, 2)
        hold = 1.0 / axis.sigma**2
        shift = states[:, 1] - axis.offset
        information = products[:, 1:, 1:]
        information[:, 0, 0] += 1e-6
        information[:, 1, 1] += hold
        gradient = -products[:, 1:, 0]
        gradient[:, 1] += shift * hold
        return products[:, 0, 0] + shift * shift * hold, information, gradient

    def _cost(self, profile: Profile, axis: Axis, states: Array) -> Array:
        """Chi-square (K,) as `_evaluate` has it, but for the error of the edges."""
        right, _ = self._edges(profile, axis, states)
        model = (1.0 + self._steps @ right) * profile.shade
        residual = profile.colours - model
        along = (residual * model).sum(axis=1)
        pull = profile.doubt / (profile.noise + profile.doubt * (model * model).sum(axis=1))
        squares = (residual * residual).sum(axis=1) - pull * along * along
        return np.asarray(squares @ (1.0 / profile.noise))

    def _edges(self, profile: Profile, axis: Axis, states: Array) -> tuple[Array, Array]:
        """Where the markers' edges (E of them) appear for states (K, 2).

        Returns the share of each column right of each edge (K, E, W), and how much nearer than the
        axis each edge is, as a share of the axis's distance (K, E).
        """
        limit = visible_limit(axis.ratio)
        surface = (states[:, :1] + self._middles) % TURN + self._ends
        surface = np.minimum(np.maximum(surface, -limit), limit)
        near = axis.ratio * np.cos(surface)
        offsets = np.arctan2(axis.ratio * np.sin(surface), 1.0 - near) + states[:, 1:]
        right = (profile.high - offsets[..., None]) * profile.inverse
        return np.minimum(np.maximum(right, 0.0, out=right), 1.0, out=right), near

    def _seen(self, turn: float, ratio: float) -> int:
        """How many markers show at least half."""
        return int(np.sum(np.abs(_wrap(turn + self.pattern.centres)) < visible_limit(ratio)))


def _newton_steps(information: Array, gradient: Array) -> Array:
    """Steps (K, 2) to the minima of parabolas, no turn by more than `LARGEST_TURN`."""
    steps = np.empty_like(gradient)
    for k, (((a, b), (_, d)), (g, h)) in enumerate(
        zip(information.tolist(), gradient.tolist(), strict=True)
    ):
        determinant = a * d - b * b
        turn = (b * h - d * g) / determinant
        steps[k] = min(max(turn, -LARGEST_TURN), LARGEST_TURN), (b * g - a * h) / determinant
    return steps


def make_profile(
    strip: Strip, above: Strip | None, below: Strip | None, axis: Axis, noise: float, model: float
) -> Profile | None:
    """Take a marker strip's columns well inside the silhouette, with their shade.

    `noise` is the grey-level noise of a pixel, `model` the relative misfit of the shade that
    remains even where the white rows agree. None without any white row.
    """
    whites = [w for w in (above, below) if w is not None]
    if not whites:
        return None
    shades = [_on_columns(white, strip) for white in whites]
    limit = asin(GRAZING * sin(half_width(axis.ratio)))
    first, last = strip.borders.searchsorted((axis.offset - limit, axis.offset + limit)).tolist()
    inside = slice(first, max(last - 1, first))
    shades = [shade[inside].T for shade in shades]
    shade = (shades[0] + shades[-1]) * 0.5
    level = shade.sum(axis=0) * (1.0 / 3.0)
    rows = strip.rows[inside]
    if len(whites) == 1:
        spread = np.full(len(level), 0.05)
    else:
        spread = np.abs(shades[0] - shades[1]).sum(axis=0) / (6.0 * np.maximum(level, DARK))
    spread[shade.max(axis=0, initial=0.0) >= SATURATED] = 0.5
    profile = Profile(
        colours=strip.colours[inside].T,
        shade=shade,
        low=strip.borders[:-1][inside],
        high=strip.borders[1:][inside],
        noise=noise * noise / np.maximum(rows, 1.0) + model * model * level * level,
        doubt=spread * spread + SHADE_DOUBT**2,
    )
    used = (rows > 0) & (level > DARK)
    return profile if used.all() else profile.only(used)


def _on_columns(white: Strip, strip: Strip) -> Array:
    """The white strip's colours at the marker strip's columns (W, 3)."""
    if white.shares_columns(strip):
        return white.colours
    return np.stack(
        [np.interp(strip.centres, white.centres, white.colours[:, c]) for c in range(3)], -1
    )


def _hue(colours: Array) -> Array:
    """Share of each channel (3, ...): free of brightness."""
    return np.asarray(colours / np.maximum(colours.sum(axis=0), 1e-3))


def _wrap(angle: Array | float) -> Array:
    return np.asarray((np.asarray(angle) + np.pi) % (2.0 * np.pi) - np.pi)
