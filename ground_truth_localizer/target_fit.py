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

from math import cos, log, pi, sin, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ground_truth_localizer.laser_parameters import SensorParameters

Array = NDArray[np.float64]
Index = slice | NDArray[np.intp]

NEAR_SIGMAS = 5.0  # readings this far outside the circle's span cannot come from it
MAX_ROUNDS = 5
LOG_ROOT_TWO_PI = 0.5 * log(2.0 * pi)

# Cells of the grid, in units of its half widths. The posterior is smooth in distance, where the
# trapezoid rule is exact to a hundredth with cells of 1.9 standard deviations, and sharply cut off
# by the misses in bearing.
UNIT_DISTANCE = np.linspace(-1.0, 1.0, 6)
UNIT_BEARING = np.linspace(-1.0 + 1.0 / 11, 1.0 - 1.0 / 11, 11)


def _moments() -> Array:
    """Columns that, weighed by the posterior's cells, give its moments and its mass at the rim."""
    u, v = (grid.ravel() for grid in np.meshgrid(UNIT_DISTANCE, UNIT_BEARING, indexing="ij"))
    rim_u, rim_v = np.abs(u) > UNIT_DISTANCE[-2] + 1e-9, np.abs(v) > UNIT_BEARING[-2] + 1e-9
    return np.stack([np.ones_like(u), u, v, u * u, v * v, u * v, rim_u, rim_v], axis=1)


MOMENTS = _moments()


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
        self.dropout = log(sensor.dropout_ratio)
        self.table = np.stack(
            [
                NEAR_SIGMAS * sigma,
                1.0 / sigma**2,
                flat + log(sensor.outlier_ratio),
                np.where(known, background, 0.0),
                np.where(known, 1.0 / spread, 0.0),
                np.where(known, np.log(sigma / spread), flat + rare),
                flat,
                np.log(np.maximum(1.0 - returns, sensor.dropout_ratio)),
            ]
        )

    def terms(self, index: Index, distances: Array, centre: float, radius: float) -> Array:
        """Log likelihoods of each beam's reading as (4, K): what pooling several scans adds up.

        Rows 0 to 2 are the constant, slope and curvature in d of "hit at distance d" over "missed",
        row 3 is the least value that the hit may take. `index` says which beams the `distances`
        (K,) m are of (NaN: no return), `centre` about how far the target's centre is. A beam
        blocked by something nearer tells nothing: zeros.
        """
        reach, weight, nothing, background, sharp, peak, flat, silent = self.table[:, index]
        z = (distances - background) * sharp
        miss = np.where(z > 0.0, flat, nothing)
        z *= z
        z *= -0.5
        z += peak
        np.maximum(z, miss, out=miss)
        blocked = distances < centre - radius - reach
        near = (distances <= centre + reach) > blocked
        seen = np.where(near, distances, 0.0)
        terms = np.empty((4, len(distances)))
        curvature = np.multiply(weight * -0.5, near, out=terms[2])
        np.multiply(weight, seen, out=terms[1])
        constant = np.where(near, curvature * seen * seen, nothing)
        none = np.isnan(distances)
        if np.count_nonzero(none):
            constant[none] = self.dropout
            miss = np.where(none, np.maximum(silent, nothing), miss)
        np.subtract(constant, miss, out=terms[0])
        np.subtract(nothing, miss, out=terms[3])
        if np.count_nonzero(blocked):
            terms[:, blocked] = 0.0
        return terms


class Box(NamedTuple):
    """The part of the plane that a grid covers: centre and half widths in distance and bearing."""

    distance: float
    bearing: float
    half_distance: float
    half_bearing: float


class Posterior(NamedTuple):
    """Mean and spread of distance (m) and bearing (rad) from the sensor's origin."""

    distance: float
    bearing: float
    variance_distance: float
    variance_bearing: float
    covariance: float

    def position(self, origin: Array) -> Array:
        """The mean in `map` (2,), m."""
        d, b = self.distance, self.bearing
        return np.array([origin[0] + d * cos(b), origin[1] + d * sin(b)])

    def position_covariance(self) -> Array:
        """Covariance in `map` axes (2, 2), m^2."""
        c, s = cos(self.bearing), sin(self.bearing)
        along = self.variance_distance
        across = self.variance_bearing * self.distance**2
        mixed = self.covariance * self.distance
        xx = c * c * along - 2.0 * c * s * mixed + s * s * across
        yy = s * s * along + 2.0 * c * s * mixed + c * c * across
        xy = c * s * (along - across) + (c * c - s * s) * mixed
        return np.array([[xx, xy], [xy, yy]])


def posterior(
    bearings: Array, terms: Array, radius: float, box: Box, spot: float = 0.0
) -> Posterior:
    """Integrate over the plane, moving and zooming from `box` until the grid fits the posterior.

    `terms` as from BeamModel; `spot` is the half width (m) over which the target's edge is soft.
    """
    for _ in range(MAX_ROUNDS):
        result, fits = _integrate(bearings, terms, radius, box, spot)
        if fits:
            break
        box = Box(
            result.distance,
            result.bearing,
            4.0 * sqrt(result.variance_distance) + 0.1 * box.half_distance,
            2.5 * sqrt(result.variance_bearing) + 0.1 * box.half_bearing,
        )
    return result


def _integrate(
    bearings: Array, terms: Array, radius: float, box: Box, spot: float
) -> tuple[Posterior, bool]:
    """Mean and covariance over one grid, and whether the grid is fine and wide enough."""
    distance = box.distance + box.half_distance * UNIT_DISTANCE
    if distance[0] < 1.02 * radius:
        distance = np.maximum(distance, 1.02 * radius)
    turn = box.half_bearing * UNIT_BEARING
    weight = _log_likelihood(bearings - box.bearing, terms, radius, distance, turn, spot)
    weight -= np.maximum.reduce(weight, axis=None)
    np.exp(weight, out=weight)
    weight *= distance[:, None]  # equal areas, not equal steps of distance and bearing
    mass, u, v, uu, vv, uv, rim_u, rim_v = np.dot(weight.reshape(-1), MOMENTS).tolist()
    u, v = u / mass, v / mass
    uu, vv, uv = uu / mass - u * u, vv / mass - v * v, uv / mass - u * v
    cell_u, cell_v = 1.0 / (len(UNIT_DISTANCE) - 1), 1.0 / len(UNIT_BEARING)  # half cells
    fits = uu > (1.0 * cell_u) ** 2 and vv > (1.5 * cell_v) ** 2
    fits = fits and rim_u < 0.05 * mass and rim_v < 0.06 * mass
    result = Posterior(
        distance=box.distance + box.half_distance * u,
        bearing=box.bearing + box.half_bearing * v,
        variance_distance=box.half_distance**2 * max(uu, 0.04 * cell_u**2),
        variance_bearing=box.half_bearing**2 * (vv + cell_v**2 / 3.0),
        covariance=box.half_distance * box.half_bearing * uv,
    )
    return result, fits


def _log_likelihood(
    bearings: Array, terms: Array, radius: float, distance: NDArray, turn: Array, spot: float
) -> Array:
    """Log likelihood on a grid of distance (I,) and bearing (J,) as (I, J); bearings relative."""
    count, columns = len(bearings), len(turn)
    # Beams and bearings share the inner axis: long rows are what NumPy is fast at.
    delta = (bearings[:, None] - turn).reshape(-1)
    constant, slope, curvature, least = np.repeat(terms, columns, axis=1)
    across = np.sin(delta) * distance[:, None]
    root = radius * radius - across * across
    np.maximum(root, 0.0, out=root)
    inside = np.sign(root)
    np.sqrt(root, out=root)
    reading = np.cos(delta) * distance[:, None]
    reading -= root
    hit = np.multiply(curvature, reading, out=root)
    hit += slope
    hit *= reading
    hit += constant
    np.maximum(hit, least, out=hit)
    if spot > 0.0:
        edge = (radius - np.abs(across)) / (2.0 * spot) + 0.5
        inside = np.minimum(np.maximum(edge, 0.0), 1.0)
    hit *= inside
    return np.asarray(np.add.reduce(hit.reshape(len(distance), count, columns), axis=1))


def centre_distance(bearings: Array, distances: Array, bearing: float, radius: float) -> float:
    """First guess of the centre's distance from the readings of a run, given its bearing.

    Each reading is inverted exactly, D = r cos a + sqrt(R^2 - r^2 sin^2 a), in the middle
    three quarters of the run, where that is well conditioned; the result is the mean of the middle
    half of these by size, which odd readings do not move.
    """
    edge = len(bearings) // 8
    a, r = (bearings - bearing)[edge : -edge or None], distances[edge : -edge or None]
    across = r * np.sin(a)
    root = radius * radius - across * across
    centres = (r * np.cos(a) + np.sqrt(np.maximum(root, 0.0))).tolist()
    centres.sort()
    tail = len(centres) // 4
    kept = centres[tail : len(centres) - tail]
    return float(sum(kept) / len(kept))
