"""The ring of markers unrolled onto flat paper, and cut into pieces that fit a sheet.

Along the strip, s = radius * angle; seen from outside, angles that grow counter-clockwise from
above grow to the right. The strip begins at a cut and ends one circumference later.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ground_truth_localizer.marker_pattern import MarkerPattern

TURN = 2.0 * np.pi
Colour = tuple[float, float, float]


@dataclass(frozen=True)
class Patch:
    """One marker on the strip: from `start` to `stop` (m), its colour (0 to 1) and its name."""

    start: float
    stop: float
    colour: Colour
    name: str


@dataclass(frozen=True)
class Piece:
    """A part of the strip from `start` to `stop` (m) with its patches.

    Beyond `stop` follows a tab, onto which the next piece is glued.
    """

    start: float
    stop: float
    patches: tuple[Patch, ...]


def pieces(pattern: MarkerPattern, radius: float, longest: float) -> list[Piece]:
    """Cut the strip into pieces no longer than `longest` (m), in the middle of white gaps.

    Only where no gap is near enough is a marker cut. Raises ValueError where `longest` is not
    positive.
    """
    if longest <= 0.0:
        raise ValueError(f"longest piece {longest} m: expected more than nothing")
    gaps = _gaps(pattern)
    first = max(gap for gap in gaps if gap <= 1e-9) if min(gaps) <= 1e-9 else min(gaps) - TURN
    end, start = radius * (first + TURN), radius * first
    found = []
    while end - start > 1e-9:
        reach = start + longest
        stop = end
        if reach < end - 1e-9:
            turns = (radius * (gap + TURN * k) for gap in gaps for k in range(-2, 3))
            cuts = [cut for cut in turns if start + 1e-6 < cut <= reach + 1e-9]
            stop = max(cuts, default=reach)
        found.append(Piece(start, stop, _patches(pattern, radius, start, stop)))
        start = stop
    return found


def _gaps(pattern: MarkerPattern) -> list[float]:
    """Middles of the white gaps, rad within one turn; markers that touch leave one of no width."""
    order = np.argsort(np.mod(pattern.centres, TURN))
    ends = np.mod(pattern.centres, TURN)[order] + pattern.halves[order]
    starts = np.mod(pattern.centres, TURN)[order] - pattern.halves[order]
    following = np.append(starts[1:], starts[0] + TURN)
    middles = (ends + following) / 2.0
    return sorted(float(m - TURN if m > np.pi else m) for m in middles)


def _patches(pattern: MarkerPattern, radius: float, start: float, stop: float) -> tuple[Patch, ...]:
    found = []
    for centre, half, colour, name in zip(
        pattern.centres, pattern.halves, pattern.colours, pattern.names, strict=True
    ):
        for turn in (-2, -1, 0, 1, 2):
            low, high = (radius * (centre + TURN * turn + side * half) for side in (-1, 1))
            low, high = max(float(low), start), min(float(high), stop)
            if high - low > 1e-9:
                red, green, blue = (float(min(max(value, 0.0), 1.0)) for value in colour)
                found.append(Patch(low, high, (red, green, blue), name))
    return tuple(sorted(found, key=lambda patch: patch.start))
