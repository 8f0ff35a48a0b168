"""The posterior of a target's place on a lattice that targets at all bearings share.

To evenly spaced beams a target looks the same wherever it is, but for its distance and for where
between two beams its middle lies. So what they would read is worked out once for rows of distances
and for cells between two beams, and serves a target that drives from scan to scan.

Rows lie about as far apart as a distance is uncertain, by the noise of the ranges and by which
beams hit; a sum over them is then next to exact. The cells resolve the misses, which cut the
posterior off sharply in bearing.
"""

from __future__ import annotations

from bisect import bisect
from functools import lru_cache
from math import asin, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

ROW_SPACING = 1.5  # standard deviations of a distance between two rows
ROWS = 8  # that one sum takes in
BLOCK = 16  # rows that are worked out at once
STRIDE = BLOCK - ROWS  # rows from one block to the next: each sum lies within a block
CELLS = 16  # between two beams
RIM_CELLS = 2
MOST_RIM = 0.01  # of the mass, at either end of what is summed up
# A posterior narrower than this (standard deviations in rows, and in cells) is not resolved.
LEAST_ROWS, LEAST_CELLS = 0.55, 0.9
MAX_ROUNDS = 4
MOST_SPACINGS = 12  # between beams, to search for the target's middle
MOST_HELD = 1 << 22  # numbers that all blocks may hold
MOST_REACH = 256  # beams to either side of the middle
MOST_ROWS = 20_000
NEAREST = 1.02  # radii


class Fit(NamedTuple):
    """Mean and spread of the distance (m), and of the middle in numbers of beams."""

    distance: float
    number: float
    variance_distance: float
    variance_number: float
    covariance: float


class _Block(NamedTuple):
    """What `reach` + 1 beams to either side of a cell tell of the cells in a block of rows.

    `told` (BLOCK, CELLS, 3 * beams): whether each beam hits, that times what it reads, and times
    the reading's square. `areas` (3, BLOCK) are what a row's cells stand for, and that times the
    distance and its square.
    """

    told: Array
    areas: Array
    reach: int


class Lattice:
    """Serves beams `step` (rad) apart with noise `sigma` (m), and one radius of targets (m).

    `spot` is the half width (m) over which a target's edge is soft.
    """

    def __init__(self, step: float, radius: float, sigma: float, spot: float = 0.0) -> None:
        self.step = step
        self._radius = radius
        self._spot = spot
        self._sigma = sigma
        self._rows = [NEAREST * radius]  # distances, as far as they were asked for
        self._blocks: dict[int, _Block] = {}
        self._held = 0

    def fit(self, terms: Array, distance: float, low: int, high: int) -> Fit | None:
        """Integrate over the plane, for `terms` (K, 3) of K beams in a row as from BeamModel.

        The target is about at `distance` (m), its middle between the beams number `low` and `high`,
        which may lie beyond those of the terms. None where the posterior is too narrow or too wide
        for the lattice.
        """
        for _ in range(MAX_ROUNDS):
            row = self._first_row(distance)
            if row is None or high - low > MOST_SPACINGS:
                break
            block, row = self._block(row // STRIDE), row % STRIDE
            areas = block.areas[:, row : row + ROWS]
            weight = _log_likelihood(block, row, terms, low, high - low)
            weight -= weight.item(weight.argmax())
            np.exp(weight, out=weight)
            by_row = np.dot(weight.reshape(ROWS, -1), _columns(high - low))
            sums = np.dot(areas, by_row).tolist()
            mass, least = sums[0][0], MOST_RIM * sums[0][0]
            distance = sums[1][0] / mass
            if sums[0][3] > least:
                low, high = low - 1, high + 1
            elif max(areas.item(0) * by_row.item(0), areas[0, -1] * by_row[-1, 0]) < least:
                fit = _moments(sums, 0.5 * (low + high))
                narrow = fit.variance_distance < (LEAST_ROWS * self._spacing(distance)) ** 2
                narrow |= fit.variance_number < (LEAST_CELLS / CELLS) ** 2
                return None if narrow else fit
        return None

    def _first_row(self, distance: float) -> int | None:
        """The first of the rows about a distance; rows are added as far as it takes.

        None where that takes too many of them, or too many beams see the target.
        """
        rows = self._rows
        while rows[-1] < distance and len(rows) < MOST_ROWS:
            self._add_row()
        row = max(bisect(rows, distance) - ROWS // 2, 0)
        nearest = rows[row // STRIDE * STRIDE]
        return None if rows[-1] < distance or self._reach(nearest) > MOST_REACH else row

    def _reach(self, distance: float) -> int:
        """How many beams to either side of its middle may see a target."""
        return int(asin(min((self._radius + self._spot) / distance, 1.0)) / self.step)

    def _add_row(self) -> None:
        self._rows.append(self._rows[-1] + self._spacing(self._rows[-1]))

    def _spacing(self, distance: float) -> float:
        """From one row to the next: standard deviations of a distance that is seen once."""
        sine, step = self._radius / distance, self.step
        by_ranges = 2.0 * sine / (step * self._sigma**2)
        by_hits = 24.0 * (sine / (distance * step)) ** 2
        return ROW_SPACING / sqrt(by_ranges + by_hits)

    def _block(self, number: int) -> _Block:
        known = self._blocks.get(number)
        if known is None:
            known = self._made(number)
            self._held += known.told.size
            if self._held > MOST_HELD:
                self._blocks.clear()
                self._held = known.told.size
            self._blocks[number] = known
        return known

    def _made(self, number: int) -> _Block:
        start = number * STRIDE
        while len(self._rows) < start + BLOCK:
            self._add_row()
        distance = np.array(self._rows[start : start + BLOCK])
        radius, spot = self._radius, self._spot
        reach = self._reach(self._rows[start])
        middle = (np.arange(CELLS) + 0.5) / CELLS
        turn = self.step * (np.arange(-reach, reach + 2) - middle[:, None])
        across = np.multiply.outer(distance, np.sin(turn))
        root = radius * radius - across * across
        if spot > 0.0:
            inside = ((radius - np.abs(across)) / (2.0 * spot) + 0.5).clip(0.0, 1.0)
        else:
            inside = (root > 0.0).astype(float)
        reading = np.multiply.outer(distance, np.cos(turn)) - np.sqrt(np.maximum(root, 0.0))
        told = np.stack([inside, inside * reading, inside * reading**2], axis=-1)
        area = distance * np.gradient(distance)
        areas = np.stack([area, area * distance, area * distance**2])
        return _Block(told.reshape(BLOCK, CELLS, -1), areas, reach)


def _log_likelihood(block: _Block, row: int, terms: Array, low: int, spacings: int) -> Array:
    """Log likelihood of each cell of the rows from `row` on (ROWS * CELLS, spacings)."""
    beams = 2 * block.reach + 2
    # Beams beside those of the terms tell nothing.
    shown = np.zeros((beams + spacings - 1, 3))
    first = low - block.reach
    begin, end = max(first, 0), min(first + len(shown), len(terms))
    if begin < end:
        shown[begin - first : end - first] = terms[begin:end]
    # The cells between the next two beams are told the same by beams that are one further.
    moved = np.ndarray((spacings, 3 * beams), float, shown, 0, (24, 8))
    told = block.told[row : row + ROWS].reshape(ROWS * CELLS, -1)
    return np.asarray(np.dot(told, moved.T))


def _moments(sums: list[list[float]], middle: float) -> Fit:
    """Mean and spread from the sums of a posterior's cells, with numbers from a `middle` on."""
    (mass, off, square, _), (along, mixed, *_), (along_square, *_) = sums
    distance, off = along / mass, off / mass
    return Fit(
        distance,
        middle + off,
        along_square / mass - distance * distance,
        square / mass - off * off + 1.0 / (12.0 * CELLS * CELLS),
        mixed / mass - distance * off,
    )


@lru_cache(maxsize=MOST_SPACINGS)
def _columns(spacings: int) -> Array:
    """What, weighed by a row's cells, gives its mass, its moments in bearing and that at the rim.

    (CELLS * spacings, 4); bearings are numbers of beams from the middle of the spacings.
    """
    cell = (np.arange(CELLS)[:, None] + 0.5) / CELLS + np.arange(spacings) - 0.5 * spacings
    middle = cell.ravel()
    rim = np.abs(middle) > 0.5 * spacings - RIM_CELLS / CELLS
    return np.stack([np.ones_like(middle), middle, middle**2, rim], axis=1)
