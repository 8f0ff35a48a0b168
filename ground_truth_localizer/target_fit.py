"""What readings tell of where a cylinder of known radius is: which beams hit it, at what range.

The estimate is the mean of the exact posterior, flat prior, over a grid of distance and bearing:
beam k at bearing b hits a circle of radius R centred at (D, beta) where |D sin(b - beta)| < R, and
then reads D cos(b - beta) - sqrt(R^2 - D^2 sin^2(b - beta)) with Gaussian noise; otherwise it reads
the background. Hit and miss carry most of the bearing, the ranges the distance. Each beam has a
small chance of telling nothing, so that one odd reading never makes the posterior empty.

Readings are never trimmed at the acceptance zone here: a target at a wall would be pulled toward
the sensor if its far readings were thrown away.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, log, pi, sin, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ground_truth_localizer.laser_parameters import SensorParameters

Array = NDArray[np.float64]
Index = slice | NDArray[np.intp]

NEAR_SIGMAS = 5.0  # readings this far outside the circle's span cannot come from it
BLOCKED = (0.0, 0.0, 0.0)
LOG_ROOT_TWO_PI = 0.5 * log(2.0 * pi)


class Beam(NamedTuple):
    """What is known of one beam: plain numbers, faster than arrays for the few that see a target.

    `reach` is how far (m) a reading may be from the circle and still be one of it; the others are
    the log densities of its readings, see BeamModel.
    """

    reach: float
    weight: float
    nothing: float
    background: float
    sharp: float
    peak: float
    behind: float
    silent: float


class BeamModel:
    """What readings of each beam of a scan are worth, prepared once for a sensor pose and zone.

    Built from each beam's noise `sigma` (N,) and its zone's `background`, `spread`, `returns` (N,)
    as in ZoneProfile. Log densities are relative to the peak of the beam's range noise.
    """

    def __init__(
        self,
        sigma: Array,
        background: Array,
        spread: Array,
        returns: Array,
        sensor: SensorParameters,
    ) -> None:
        known = np.isfinite(background)
        spread = np.maximum(spread, 1e-3)
        flat = np.log(0.25 * sigma) + LOG_ROOT_TWO_PI  # anywhere within four metres
        rare = np.log(np.maximum(returns, sensor.outlier_ratio))
        self._beams: list[Beam] = []  # made when first asked for
        self.dropout = log(sensor.dropout_ratio)
        nothing = flat + log(sensor.outlier_ratio)
        self.table = np.stack(
            [
                NEAR_SIGMAS * sigma,
                -0.5 / sigma**2,
                nothing,
                np.where(known, background, 0.0),
                np.where(known, sqrt(0.5) / spread, 0.0),
                np.where(known, np.log(sigma / spread), flat + rare),
                flat,
                np.log(np.maximum(1.0 - returns, sensor.dropout_ratio)),
            ]
        )

    def beams(self, index: Index) -> list[Beam]:
        """What is known of some beams, for `terms` and `judge`."""
        if not self._beams:
            self._beams = [Beam(*beam) for beam in self.table.T.tolist()]
        if isinstance(index, slice):
            return self._beams[index]
        return [self._beams[k] for k in index.tolist()]

    def terms(
        self,
        beams: Sequence[Beam],
        distances: Sequence[float],
        expected: Sequence[float],
        front: float,
    ) -> Array:
        """Log likelihoods of each beam's reading as (K, 3): what pooling several scans adds up.

        They are the constant, slope and curvature in d of "hit at distance d" over "missed".
        `distances` (K,) m are what the `beams` read (NaN: no return), `expected` is about what they
        would read of the target. A reading that is far from that has a cause of its own, and tells
        no more than whether the beam hit; one well before the target's `front` was blocked by
        something and tells nothing: zeros.
        """
        told: list[float] = []
        for d, about, beam in zip(distances, expected, beams, strict=True):
            reach, weight, nothing, background, sharp, peak, behind, silent = beam
            if d != d:
                told += (self.dropout - max(silent, nothing), 0.0, 0.0)
            elif d < front - reach:
                told += BLOCKED
            else:
                z, off = (d - background) * sharp, d - about
                miss, least = peak - z * z, behind if z > 0.0 else nothing
                if miss < least:
                    miss = least
                if weight * off * off > nothing:
                    half = weight * d
                    told += (half * d - miss, -2.0 * half, weight)
                else:
                    told += (nothing - miss, 0.0, 0.0)
        return np.array(told).reshape(-1, 3)


def centre_distance(
    bearings: Sequence[float], distances: Sequence[float], bearing: float, radius: float
) -> float:
    """First guess of the centre's distance from the readings of a run, given its bearing.

    Each reading is inverted exactly, D = r cos a + sqrt(R^2 - r^2 sin^2 a), in the middle
    three quarters of the run, where that is well conditioned; the result is the mean of the middle
    half of these by size, which odd readings do not move.
    """
    centres = []
    edge = len(bearings) // 8
    for k in range(edge, len(bearings) - edge):
        turn, r = bearings[k] - bearing, distances[k]
        across = r * sin(turn)
        centres.append(r * cos(turn) + sqrt(max(radius * radius - across * across, 0.0)))
    centres.sort()
    tail = len(centres) // 4
    kept = centres[tail : len(centres) - tail]
    return sum(kept) / len(kept)
