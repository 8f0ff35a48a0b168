"""Yaw from the marker rows: least squares through the exact projection of the marker pattern.

A marker's arc has two ends; each is seen at a known angle (`offset_from_surface`), so the share of
a pixel column that it covers, and how that share changes with yaw, are closed forms. The rows'
profile is compared with  shade x (1 + sum share_k (colour_k - 1)).  The shade is the white rows'
profile above and below; how far it is trusted is told by how well those two agree, so a shadow
across the target makes the fit rest on hue instead of failing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ground_truth_localizer.cylinder_projection import (
    half_width,
    offset_from_surface,
    surface_from_offset,
    visible_limit,
)
from ground_truth_localizer.image_strips import Strip
from ground_truth_localizer.marker_pattern import MarkerPattern

Array = NDArray[np.float64]
STEPS = 7
NUDGE = 1e-5
NUDGES = NUDGE * np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
SMALL_STEP = 4e-4
START_SHIFTS = np.array([-1.4, -0.7, 0.0, 0.7, 1.4])  # pixels at the middle of the target
# Beyond this sine of the incidence a column is a grazing sliver: left out.
GRAZING = 0.985
SATURATED = 252.0
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

    `colours` (W, 3) and `shade` (W, 3) in grey levels, `low` and `high` (W,) the columns' borders
    as angles right of the bearing, `noise` (W,) sigma of a colour and `doubt` (W,) of the shade,
    both in grey levels.
    """

    colours: Array
    shade: Array
    low: Array
    high: Array
    noise: Array
    doubt: Array


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
        self._templates: Array = _hue(albedo).reshape(turns, -1)
        self._squares: Array = self._templates**2

    def fit(self, profile: Profile, axis: Axis) -> YawFit | None:
        """Search all directions, refine the best few; None where too few columns show."""
        if len(profile.low) < 6:
            return None
        states, costs, informations = self._refine(profile, axis, self._candidates(profile, axis))
        order = np.argsort(costs)
        state, cost, information = states[order[0]], costs[order[0]], informations[order[0]]
        away = np.abs(_wrap(states[:, 0] - state[0])) > np.radians(15.0)
        elsewhere = costs[away]
        freedom = max(2 * len(profile.low) - 2, 1)
        misfit = cost / freedom
        covariance = np.linalg.inv(information) * max(misfit, 1.0)
        return YawFit(
            turn=float(_wrap(state[0])),
            offset=float(state[1]),
            variance=float(np.array([1.0, -1.0]) @ covariance @ [1.0, -1.0]),
            by_offset=float(-information[0, 1] / information[0, 0]),
            misfit=float(misfit),
            margin=float(np.min(elsewhere, initial=np.inf) / max(cost, freedom)),
            seen=self._seen(float(state[0]), axis.ratio),
        )

    def _candidates(self, profile: Profile, axis: Axis, count: int = 3) -> Array:
        """Best turns (K,) of the coarse search, at least 20 degrees apart."""
        centres = (profile.low + profile.high) / 2.0 - axis.offset
        surface = surface_from_offset(centres, axis.ratio)
        hue = _hue(profile.colours / np.maximum(profile.shade, 8.0))
        seen = np.stack([np.interp(self.bins, surface, hue[:, c]) for c in range(3)], -1)
        weight = np.cos(self.bins) * ((self.bins > surface[0]) & (self.bins < surface[-1]))
        weight = weight.repeat(3)
        cost = self._squares @ weight - 2.0 * (self._templates @ (weight * seen.ravel()))
        found = []
        for _ in range(count):
            turn = self.turns[int(np.argmin(cost))]
            found.append(turn)
            cost[np.cos(self.turns - turn) > np.cos(np.radians(20.0))] = np.inf
        return np.array(found)

    def _refine(self, profile: Profile, axis: Axis, turns: Array) -> tuple[Array, Array, Array]:
        """Gauss-Newton over turn and the axis's offset, from several turns (K,) at once.

        Returns states (K, 2), chi-squares (K,) and information matrices (K, 2, 2).
        """
        states = self._starts(profile, axis, turns)
        best, costs = states.copy(), np.full(len(turns), np.inf)
        informations = np.zeros((len(turns), 2, 2))
        for _ in range(STEPS):
            cost, information, gradient = self._evaluate(profile, axis, states)
            better = cost < costs
            best[better], costs[better] = states[better], cost[better]
            informations[better] = information[better]
            step = -np.linalg.solve(information, gradient[..., None])[..., 0]
            step[:, 0] = np.clip(step[:, 0], -0.12, 0.12)
            states = states + step
            if abs(step[int(np.argmin(costs)), 0]) < SMALL_STEP:
                break
        return best, costs, informations

    def _starts(self, profile: Profile, axis: Axis, turns: Array) -> Array:
        """Best state (K, 2) near each turn.

        An edge one pixel off leaves no slope in the pixel where it belongs, so a descent may stick
        there: a few turns around each are tried first.
        """
        pixel = float(np.median(profile.high - profile.low)) * (1.0 / axis.ratio - 1.0)
        around = (turns[:, None] + pixel * START_SHIFTS).ravel()
        states = np.stack([around, np.full(len(around), axis.offset)], -1)
        cost = self._cost(profile, axis, states).reshape(len(turns), -1)
        best = np.argmin(cost, axis=1) + np.arange(len(turns)) * cost.shape[1]
        return states[best]

    def _evaluate(self, profile: Profile, axis: Axis, states: Array) -> tuple[Array, Array, Array]:
        """Chi-square (K,), information (K, 2, 2) and gradient (K, 2), the shade marginalised.

        A shade s = shade (1 + e), e ~ N(0, doubt), gives each column's colours the covariance
        noise^2 I + doubt^2 m m', m the model; its inverse is Sherman and Morrison's.
        """
        nudged = (states + NUDGES[:, None]).reshape(-1, 2)
        share = self.shares(profile.low, profile.high, nudged, axis.ratio)
        model = (1.0 + share @ (self.pattern.colours - 1.0)) * profile.shade
        model = model.reshape(3, len(states), *profile.shade.shape)
        rows = np.concatenate([(profile.colours - model[0])[None], (model[1:] - model[0]) / NUDGE])
        noise = profile.noise**2 + axis.edge_error**2 * np.max(rows[2] ** 2, axis=-1)
        along = np.sum(rows * model[0], axis=-1)
        doubt = profile.doubt**2
        pull = doubt / (noise + doubt * np.sum(model[0] ** 2, axis=-1))
        weighted = (rows - (along * pull)[..., None] * model[0]) / noise[..., None]
        products = np.einsum("ikwc,jkwc->kij", rows, weighted)
        shift = states[:, 1] - axis.offset
        information = products[:, 1:, 1:] + np.diag([1e-6, 1.0 / axis.sigma**2])
        gradient = -products[:, 1:, 0]
        gradient[:, 1] += shift / axis.sigma**2
        return products[:, 0, 0] + (shift / axis.sigma) ** 2, information, gradient

    def _cost(self, profile: Profile, axis: Axis, states: Array) -> Array:
        """Chi-square (K,) as `_evaluate` has it, but for the error of the edges."""
        share = self.shares(profile.low, profile.high, states, axis.ratio)
        model = (1.0 + share @ (self.pattern.colours - 1.0)) * profile.shade
        residual = profile.colours - model
        noise, doubt = profile.noise**2, profile.doubt**2
        along = np.einsum("kwc,kwc->kw", residual, model)
        pull = doubt / (noise + doubt * np.einsum("kwc,kwc->kw", model, model))
        squares = np.einsum("kwc,kwc->kw", residual, residual) - pull * along**2
        return np.asarray(squares @ (1.0 / noise))

    def shares(self, low: Array, high: Array, states: Array, ratio: float) -> Array:
        """Share of each column that each marker covers (S, W, K) for states (S, 2)."""
        limit = visible_limit(ratio)
        middle = _wrap(states[:, :1] + self.pattern.centres)
        start = np.clip(middle - self.pattern.halves, -limit, limit)
        end = np.clip(middle + self.pattern.halves, -limit, limit)
        first = offset_from_surface(start, ratio) + states[:, 1:]
        last = offset_from_surface(end, ratio) + states[:, 1:]
        covered = np.minimum(last[:, None, :], high[None, :, None]) - np.maximum(
            first[:, None, :], low[None, :, None]
        )
        return np.asarray(np.maximum(covered, 0.0) / (high - low)[None, :, None])

    def _seen(self, turn: float, ratio: float) -> int:
        """How many markers show at least half."""
        return int(np.sum(np.abs(_wrap(turn + self.pattern.centres)) < visible_limit(ratio)))


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
    shade = (shades[0] + shades[-1]) / 2.0
    level = shade.sum(1) / 3.0
    limit = np.arcsin(GRAZING * np.sin(half_width(axis.ratio)))
    inside = (strip.borders[:-1] - axis.offset > -limit) & (strip.borders[1:] - axis.offset < limit)
    used = inside & (strip.rows > 0) & (level > DARK)
    shade, level, rows = shade[used], level[used], strip.rows[used]
    if len(whites) == 1:
        spread = np.full(len(level), 0.05)
    else:
        spread = np.abs(shades[0] - shades[1])[used].sum(1) / 6.0 / level
    spread = np.where(shade.max(1, initial=0.0) >= SATURATED, 0.5, spread)
    return Profile(
        colours=strip.colours[used],
        shade=shade,
        low=strip.borders[:-1][used],
        high=strip.borders[1:][used],
        noise=np.hypot(noise / np.sqrt(rows), model * level),
        doubt=np.hypot(spread, 0.01),
    )


def _on_columns(white: Strip, strip: Strip) -> Array:
    """The white strip's colours at the marker strip's columns (W, 3)."""
    if white.shares_columns(strip):
        return white.colours
    return np.stack(
        [np.interp(strip.centres, white.centres, white.colours[:, c]) for c in range(3)], -1
    )


def _hue(colours: Array) -> Array:
    """Share of each channel (..., 3): free of brightness."""
    return np.asarray(colours / np.maximum(colours.sum(-1, keepdims=True), 1e-3))


def _wrap(angle: Array | float) -> Array:
    return np.asarray((np.asarray(angle) + np.pi) % (2.0 * np.pi) - np.pi)
