"""Whether the beams around a fitted circle agree with it, and which way they do not."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, nan, sqrt
from typing import NamedTuple

from ground_truth_localizer.beam_geometry import seen_from
from ground_truth_localizer.laser_parameters import TargetParameters
from ground_truth_localizer.posterior_grid import Array, Posterior
from ground_truth_localizer.target_fit import NEAR_SIGMAS, Beam

CENTRAL = 1.0 - 0.95**2  # of the radius squared: beams within 95 % of the radius of the middle


class Verdict(NamedTuple):
    """Whether beams agree with a fitted circle: empty `reason` if so, `beams` on it, `misfit`."""

    reason: str
    beams: int
    misfit: float


def judge(
    fit: Posterior,
    bearings: Array,
    distances: Sequence[float],
    beams: Sequence[Beam],
    target: TargetParameters,
    step: float,
) -> Verdict:
    """Say whether some beams agree with a fitted circle, and which way they do not.

    `distances` (K,) are what the `beams` at `bearings` read, `step` is the angle between them.
    """
    across, along = seen_from(bearings, fit.distance, fit.bearing)
    slack = target.radius_tolerance + fit.distance * step
    found = _count(distances, beams, across.tolist(), along.tolist(), target.radius, slack)
    reason = _wrong_width(found, allowed=1 + int(0.15 * found.hits))
    if reason:
        return Verdict(reason, found.hits, nan)
    if found.hits < target.min_beams:
        return Verdict(f"too few beams: {found.hits} of {target.min_beams}", found.hits, nan)
    misfit = NEAR_SIGMAS**2 * found.squares / max(found.central, 1)
    limit = target.max_misfit * (1.0 + 4.0 * sqrt(2.0 / found.hits))  # few beams scatter more
    if misfit > limit:
        text = f"not round: misfit {misfit:.1f}, at most {limit:.1f}"
        return Verdict(text, found.hits, misfit)
    return Verdict("", found.hits, misfit)


class _Counts(NamedTuple):
    """How many beams hit the circle, read it though beside it, and passed through it.

    Of the `central` ones among the hits `squares` adds up the deviations, in reaches squared.
    """

    hits: int
    beside: int
    through: float
    central: int
    squares: float


def _count(
    distances: Sequence[float],
    beams: Sequence[Beam],
    across: Sequence[float],
    along: Sequence[float],
    radius: float,
    slack: float,
) -> _Counts:
    """Sort beams by where they pass the centre: `across` beside it, `along` the beam (m)."""
    hits = beside = central = 0
    through = squares = 0.0
    square, middle = radius * radius, CENTRAL * radius * radius
    for distance, beam, a, b in zip(distances, beams, across, along, strict=True):
        root, reach = square - a * a, beam.reach
        if root <= 0.0:
            if abs(a) - radius > slack and abs(distance - b) < reach:
                beside += 1
            continue
        off = distance - b + sqrt(root)
        deviation = abs(off)
        if deviation < reach:
            hits += 1
        elif radius - abs(a) > slack:
            through += _passing(off, beam)
        # Beams off the circle by less than its own size still belong to the thing that was hit.
        if root > middle and deviation < reach + radius:
            central += 1
            part = deviation / reach
            squares += part * part if part < 1.0 else 1.0
    return _Counts(hits, beside, through, central, squares)


def _wrong_width(found: _Counts, allowed: int) -> str:
    """Why the circle has not the target's width; empty where it has."""
    if found.beside > allowed:
        return f"too wide: {found.beside} beams beside the circle"
    if int(found.through) > allowed:
        return f"too narrow: {int(found.through)} beams pass through the circle"
    return ""


def _passing(off: float, beam: Beam) -> float:
    """How much a beam went through: a lost return counts by how likely that is to be one."""
    if off != off:
        return exp(beam.silent)
    return 1.0 if off > 0.0 else 0.0
