"""The posterior of a target's place, integrated over a grid of distance and bearing.

What a beam would read in a cell depends on the geometry alone. So a grid is built once, and the
log likelihood of any readings over all its cells is one product with a matrix: a target that stands
keeps its grid from scan to scan.
"""

from __future__ import annotations

from collections.abc import Callable
from math import cos, sin, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

MAX_ROUNDS = 5

# Cells of the grid, in units of its half widths. The posterior is smooth in distance, where the
# trapezoid rule is exact to a hundredth with cells of 1.9 standard deviations, and sharply cut off
# by the misses in bearing.
UNIT_DISTANCE = np.linspace(-1.0, 1.0, 8)
UNIT_BEARING = np.linspace(-1.0 + 1.0 / 13, 1.0 - 1.0 / 13, 13)
WIDE_DISTANCE, WIDE_BEARING = 5.4, 3.1  # standard deviations in half a grid
HALF_CELLS = 1.0 / (len(UNIT_DISTANCE) - 1), 1.0 / len(UNIT_BEARING)


def _moments() -> Array:
    """What, weighed by the posterior's cells, gives its moments and its mass at the rim."""
    u, v = np.meshgrid(UNIT_DISTANCE, UNIT_BEARING, indexing="ij")
    rim_u, rim_v = np.abs(u) > UNIT_DISTANCE[-2] + 1e-9, np.abs(v) > UNIT_BEARING[-2] + 1e-9
    return np.stack([np.ones_like(u), u, v, u * u, v * v, u * v, rim_u, rim_v], axis=2)


MOMENTS = _moments()
CELLS = len(UNIT_DISTANCE) * len(UNIT_BEARING)


class Box(NamedTuple):
    """The part of the plane that a grid covers: centre and half widths in distance and bearing."""

    distance: float
    bearing: float
    half_distance: float
    half_bearing: float


class Place(NamedTuple):
    """Position (m) in `map` and its covariance (m^2): plain numbers, faster than arrays of two."""

    x: float
    y: float
    xx: float
    xy: float
    yy: float

    @property
    def position(self) -> Array:
        """The position (2,)."""
        return np.array([self.x, self.y])


class Posterior(NamedTuple):
    """Mean and spread of distance (m) and bearing (rad) from the sensor's origin."""

    distance: float
    bearing: float
    variance_distance: float
    variance_bearing: float
    covariance: float

    def place(self, x: float, y: float) -> Place:
        """The same in `map`, seen from a sensor at (x, y)."""
        distance, c, s = self.distance, cos(self.bearing), sin(self.bearing)
        along = self.variance_distance
        across = self.variance_bearing * distance * distance
        mixed = self.covariance * distance
        cc, ss, cs = c * c, s * s, c * s
        return Place(
            x + distance * c,
            y + distance * s,
            cc * along - 2.0 * cs * mixed + ss * across,
            cs * (along - across) + (cc - ss) * mixed,
            ss * along + 2.0 * cs * mixed + cc * across,
        )


class Integral(NamedTuple):
    """A posterior, whether its grid is fine and wide enough, and whether it is worth keeping."""

    posterior: Posterior
    fits: bool
    keeps: bool


class Grid:
    """Cells about a box, and what beams (K,) at `bearings` would read in each of them.

    `spot` is the half width (m) over which the target's edge is soft.
    """

    def __init__(self, bearings: Array, radius: float, box: Box, spot: float = 0.0) -> None:
        self.box = box
        distance = box.distance + box.half_distance * UNIT_DISTANCE
        if distance[0] < 1.02 * radius:
            distance = np.maximum(distance, 1.02 * radius)
        # Equal areas, not equal steps of distance and bearing: each cell weighs its distance.
        self._moments = (MOMENTS * distance[:, None, None]).reshape(CELLS, -1)
        seen = np.dot(_rays(bearings - box.bearing), _places(distance, box))
        across, along = seen[: len(bearings)], seen[len(bearings) :]
        root = radius * radius - across * across
        np.maximum(root, 0.0, out=root)
        told = np.empty((len(bearings), 3, CELLS))
        inside = np.sign(root)
        np.sqrt(root, out=root)
        along -= root
        if spot > 0.0:
            inside = ((radius - np.abs(across)) / (2.0 * spot) + 0.5).clip(0.0, 1.0)
        told[:, 0] = inside
        linear = np.multiply(inside, along, out=told[:, 1])
        np.multiply(linear, along, out=told[:, 2])
        self._told = told.reshape(-1, CELLS)

    def integrate(self, terms: Array) -> Integral:
        """Mean and covariance over the cells, for `terms` (K, 3) as from BeamModel."""
        weight = np.dot(terms.reshape(-1), self._told)
        weight -= weight[weight.argmax()]
        np.exp(weight, out=weight)
        mass, u, v, uu, vv, uv, rim_u, rim_v = np.dot(weight, self._moments).tolist()
        box, (cell_u, cell_v) = self.box, HALF_CELLS
        u, v = u / mass, v / mass
        uu, vv, uv = uu / mass - u * u, vv / mass - v * v, uv / mass - u * v
        fits = uu > cell_u * cell_u and vv > (1.8 * cell_v) ** 2
        fits = fits and rim_u < 0.05 * mass and rim_v < 0.06 * mass
        keeps = fits and vv > (2.7 * cell_v) ** 2
        wide, high = box.half_distance, box.half_bearing
        posterior = Posterior(
            box.distance + wide * u,
            box.bearing + high * v,
            wide * wide * max(uu, 0.04 * cell_u * cell_u),
            high * high * (vv + cell_v * cell_v / 3.0),
            wide * high * uv,
        )
        return Integral(posterior, fits, keeps)


def _places(distance: Array, box: Box) -> Array:
    """The cells in metres along and across the box's bearing (2, cells)."""
    turn = box.half_bearing * UNIT_BEARING
    places = np.empty((2, len(distance), len(turn)))
    np.multiply.outer(distance, np.cos(turn), out=places[0])
    np.multiply.outer(distance, np.sin(turn), out=places[1])
    return places.reshape(2, CELLS)


def _rays(bearings: Array) -> Array:
    """What turns a place into how far it is to the right of beams (K), then along them (2 K, 2).

    Flat, as NumPy's product of more than two dimensions is ten times slower.
    """
    count = len(bearings)
    rays = np.empty((2 * count, 2))
    sines, cosines = rays[:count, 0], rays[count:, 0]
    np.sin(bearings, out=sines)
    np.cos(bearings, out=cosines)
    np.negative(cosines, out=rays[:count, 1])
    rays[count:, 1] = sines
    return rays


def posterior(
    bearings: Array,
    read: Callable[[Box], Array],
    radius: float,
    box: Box,
    spot: float = 0.0,
) -> tuple[Integral, Array, Grid]:
    """Integrate over the plane, moving and zooming from `box` until the grid fits the posterior.

    `read` gives the terms (K, 3) of the readings of a target about the middle of a box.
    """
    for _ in range(MAX_ROUNDS):
        grid = Grid(bearings, radius, box, spot)
        terms = read(box)
        result = grid.integrate(terms)
        if result.fits:
            break
        box = box_about(result.posterior, box)
    return result, terms, grid


def box_about(fit: Posterior, before: Box) -> Box:
    """The box to integrate over next, when the last gave this."""
    return Box(
        fit.distance,
        fit.bearing,
        WIDE_DISTANCE * sqrt(fit.variance_distance) + 0.05 * before.half_distance,
        WIDE_BEARING * sqrt(fit.variance_bearing) + 0.05 * before.half_bearing,
    )
