"""Where a cylinder of known radius is, from the ranges of a scan and from which beams missed it.

The estimate is the mean of the exact posterior, flat prior, over a grid of distance and bearing:
beam k at bearing b hits a circle of radius R centred at (D, beta) where |D sin(b - beta)| < R, and
then reads D cos(b - beta) - sqrt(R^2 - D^2 sin^2(b - beta)) with Gaussian noise; otherwise it reads
the background. Hit and miss carry most of the bearing, the ranges the distance. Each beam has a
small chance of telling nothing, so that one odd reading never makes the posterior empty.

Readings are never trimmed at the acceptance zone here: a target at a wall would be pulled toward
the sensor if its far readings were thrown away.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ground_truth_localizer.laser_parameters import SensorParameters

Array = NDArray[np.float64]

NEAR_SIGMAS = 5.0  # readings this far outside the circle's span cannot come from it
DISTANCE_CELLS = 11
BEARING_CELLS = 16
MAX_ROUNDS = 4


@dataclass(frozen=True)
class Readings:
    """The beams around one candidate: bearings (K,) rad, horizontal distances (K,) m (NaN: none).

    `sigma` (K,) noise of each distance, and the free beam's `background`, `spread`, `returns` (K,)
    as in ZoneProfile.
    """

    bearings: Array
    distances: Array
    sigma: Array
    background: Array
    spread: Array
    returns: Array


@dataclass(frozen=True)
class Box:
    """The part of the plane that a grid covers: centre and half widths in distance and bearing."""

    distance: float
    bearing: float
    half_distance: float
    half_bearing: float


@dataclass(frozen=True)
class Posterior:
    """Mean and spread of distance (m) and bearing (rad) from the sensor's origin."""

    distance: float
    bearing: float
    variance_distance: float
    variance_bearing: float
    covariance: float

    def position(self, origin: Array) -> Array:
        """The mean in `map` (2,), m."""
        ray = np.array([np.cos(self.bearing), np.sin(self.bearing)])
        return np.asarray(origin[:2] + self.distance * ray)

    def position_covariance(self) -> Array:
        """Covariance in `map` axes (2, 2), m^2."""
        c, s, d = np.cos(self.bearing), np.sin(self.bearing), self.distance
        turn = np.array([[c, -s * d], [s, c * d]])
        polar = np.array(
            [
                [self.variance_distance, self.covariance],
                [self.covariance, self.variance_bearing],
            ]
        )
        return np.asarray(turn @ polar @ turn.T)


def beam_terms(
    readings: Readings, reference: float, radius: float, sensor: SensorParameters
) -> Array:
    """Log likelihoods of each beam's reading as (6, K): what pooling several scans adds up.

    Rows 0 to 2: constant, slope and curvature in e = d - reference of "hit at distance d"; row 3:
    "missed"; row 4: the lowest value the hit may take; row 5: number of readings from the target.
    All are relative to the peak of the Gaussian, so a beam blocked by something nearer is zero.
    """
    r, sigma = readings.distances, readings.sigma
    with np.errstate(invalid="ignore"):
        reach = NEAR_SIGMAS * sigma
        near = np.abs(r - (reference - 0.5 * radius)) <= 0.5 * radius + reach
        blocked = r < reference - radius - reach
    none = np.isnan(r)
    density = np.log(sensor.outlier_ratio * 0.25 * np.sqrt(2.0 * np.pi) * sigma)
    e = np.where(near, r - reference, 0.0)
    weight = np.where(near, 1.0 / sigma**2, 0.0)
    constant = np.where(near, -0.5 * weight * e * e, density)
    constant[none] = np.log(sensor.dropout_ratio)
    miss = _missed(readings, density, sensor)
    terms = np.stack([constant, weight * e, -0.5 * weight, miss, density, near.astype(float)])
    terms[:, blocked] = 0.0
    return terms


def _missed(readings: Readings, density: Array, sensor: SensorParameters) -> Array:
    """Log likelihood that a beam which misses the target reads this (K,)."""
    r, spread = readings.distances, np.maximum(readings.spread, 1e-3)
    flat = np.log(0.25 * np.sqrt(2.0 * np.pi) * readings.sigma)  # anywhere within four metres
    known = np.isfinite(readings.background)
    with np.errstate(invalid="ignore"):
        z = (r - readings.background) / spread
        bell = np.log(readings.sigma / spread) - 0.5 * np.minimum(z * z, 1e3)
        behind = np.where(z > 0.0, flat, density)
        anywhere = flat + np.log(np.clip(readings.returns, sensor.outlier_ratio, 1.0))
        miss = np.maximum(np.where(known, np.maximum(bell, behind), anywhere), density)
    none = np.isnan(r)
    miss[none] = np.log(np.clip(1.0 - readings.returns[none], sensor.dropout_ratio, 1.0))
    return np.asarray(miss)


def posterior(
    bearings: Array, terms: Array, reference: float, radius: float, box: Box, spot: float = 0.0
) -> Posterior:
    """Integrate over the plane, zooming from `box` until the grid fits the posterior.

    `terms` as from `beam_terms` at the same `reference` distance; `spot` is the half width (m) over
    which the edge of the target is soft.
    """
    for _ in range(MAX_ROUNDS):
        result, cells = _integrate(bearings, terms, reference, radius, box, spot)
        tighter = Box(
            result.distance,
            result.bearing,
            4.0 * np.sqrt(result.variance_distance) + 0.7 * cells[0],
            3.0 * np.sqrt(result.variance_bearing) + 1.2 * cells[1],
        )
        centred = abs(result.bearing - box.bearing) < 0.5 * box.half_bearing
        centred &= abs(result.distance - box.distance) < 0.5 * box.half_distance
        fits = tighter.half_bearing > 0.6 * box.half_bearing
        fits &= tighter.half_distance > 0.5 * box.half_distance
        if centred and fits:
            break
        box = tighter
    return result


def _integrate(
    bearings: Array, terms: Array, reference: float, radius: float, box: Box, spot: float
) -> tuple[Posterior, tuple[float, float]]:
    """Mean and covariance over one grid, and the size of its cells."""
    cell_d = 2.0 * box.half_distance / DISTANCE_CELLS
    cell_b = 2.0 * box.half_bearing / BEARING_CELLS
    offset_d = (np.arange(DISTANCE_CELLS) - 0.5 * (DISTANCE_CELLS - 1)) * cell_d
    offset_b = (np.arange(BEARING_CELLS) - 0.5 * (BEARING_CELLS - 1)) * cell_b
    distance = np.asarray(np.maximum(box.distance + offset_d, 1.02 * radius), dtype=float)
    likelihood = _log_likelihood(
        bearings - box.bearing, terms, reference, radius, distance, offset_b, spot
    )
    weight = np.exp(likelihood - likelihood.max()) * distance[:, None]
    weight /= weight.sum()
    over_d, over_b = weight.sum(axis=1), weight.sum(axis=0)
    mean_d, mean_b = over_d @ distance, over_b @ offset_b
    from_d, from_b = distance - mean_d, offset_b - mean_b
    result = Posterior(
        distance=float(mean_d),
        bearing=float(box.bearing + mean_b),
        variance_distance=float(over_d @ from_d**2 + cell_d**2 / 12.0),
        variance_bearing=float(over_b @ from_b**2 + cell_b**2 / 12.0),
        covariance=float(from_d @ weight @ from_b),
    )
    return result, (cell_d, cell_b)


def _log_likelihood(
    bearings: Array,
    terms: Array,
    reference: float,
    radius: float,
    distance: NDArray,
    turn: Array,
    spot: float,
) -> Array:
    """Log likelihood on a grid of distance (I,) and bearing (J,) as (I, J); bearings relative."""
    constant, slope, curvature, miss, floor, count = terms[:, :, None]
    delta = bearings[:, None] - turn
    across = distance[:, None, None] * np.sin(delta)
    inside = radius * radius - across * across
    e = distance[:, None, None] * np.cos(delta)
    e -= np.sqrt(np.maximum(inside, 0.0))
    e -= reference
    hit = (curvature * e + slope) * e
    hit += constant
    np.maximum(hit, floor * np.maximum(count, 1.0), out=hit)
    hit -= miss
    if spot > 0.0:
        hit *= np.clip(0.5 + (radius - np.abs(across)) / (2.0 * spot), 0.0, 1.0)
    else:
        hit *= inside > 0.0
    return np.asarray(hit.sum(axis=1))


def centre_distance(bearings: Array, distances: Array, bearing: float, radius: float) -> float:
    """First guess of the centre's distance from the readings of a run, given its bearing.

    Each reading is inverted exactly, D = r cos a + sqrt(R^2 - r^2 sin^2 a); the median is taken of
    those near the middle, where the inverse is well conditioned.
    """
    a = bearings - bearing
    across = distances * np.sin(a)
    central = np.abs(across) < 0.75 * radius
    if not central.any():
        central = np.abs(across) <= np.abs(across).min() + 1e-9
    inside = np.maximum(radius * radius - across[central] ** 2, 0.0)
    centres = distances[central] * np.cos(a[central]) + np.sqrt(inside)
    return float(np.median(centres))
