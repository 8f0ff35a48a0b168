"""Rows of the image that show one band of the cylinder, averaged into a colour profile.

Three bands are cut: the white above the markers, the markers, and the white below. In each pixel
column the rows used are those that lie wholly inside the band for the surface seen there. Where
the camera is tilted or rolled, a band is cut into several strips so that the azimuth hardly
changes within one.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cached_property
from math import ceil, cos, floor, sqrt, tan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ground_truth_localizer.cylinder_projection import (
    CylinderParameters,
    View,
    half_width,
    surface_distance,
    surface_from_offset,
)

Array = NDArray[np.float64]
# Rows kept clear of a band's ends: half a pixel of the row itself and some for anti-aliasing.
ROW_MARGIN = 1.0
# Largest drift of the azimuth within one strip, in pixels of a column.
MAXIMUM_DRIFT = 0.15
MAXIMUM_STRIPS = 12
# Columns share their rows where this share of a band's mean rows is common to all of them: then all
# columns average the same heights, and an error of the expected position hardly matters.
COMMON_SHARE = 0.5


@dataclass(frozen=True)
class Strip:
    """Averaged rows: `colours` (W, 3) grey levels, `rows` (W,) how many rows went in.

    `borders` (W + 1,) are the columns' borders as angles right of the view's bearing, ascending.
    """

    colours: Array
    rows: Array
    borders: Array

    @cached_property
    def centres(self) -> Array:
        """Offsets of the columns' centres (W,)."""
        return np.asarray((self.borders[1:] + self.borders[:-1]) / 2.0)

    def shares_columns(self, other: Strip) -> bool:
        """True where the other strip's columns look the same way, within a fiftieth of one."""
        if self.borders is other.borders:
            return True
        return bool(np.max(np.abs(self.borders - other.borders)) < 0.02 * self.pixel)

    @cached_property
    def pixel(self) -> float:
        """Typical width of a column, rad."""
        return float((self.borders[-1] - self.borders[0]) / (len(self.borders) - 1))


@dataclass(frozen=True)
class TargetStrips:
    """Strips of the three bands; a band outside the image has none."""

    above: tuple[Strip, ...]
    markers: tuple[Strip, ...]
    below: tuple[Strip, ...]


def cut_strips(
    pixels: NDArray[np.uint8],
    view: View,
    cylinder: CylinderParameters,
    margin: float,
    slack: float = 0.0,
) -> TargetStrips:
    """Cut the three bands out of an image (H, W, 3).

    `margin` (rad) is how far beyond the expected silhouette the columns reach, `slack` the
    relative uncertainty of the distance, which keeps more rows clear of a band's ends. Raises
    ValueError where the target's columns lie outside the image.
    """
    level = _level_strips(pixels, view, cylinder, margin, slack) if view.level else None
    if level is not None:
        return level
    ratio = min(cylinder.radius / view.distance, 0.95)
    left, right = _columns(view, half_width(ratio) + margin, cylinder)
    columns = np.arange(left, right + 1, dtype=np.float64)
    heights = (cylinder.top, cylinder.marker_top, cylinder.marker_bottom, cylinder.bottom)
    ends = _rows_of_heights(view, columns, ratio, np.array(heights))
    region = pixels[:, left : right + 1]
    cutter = _Cutter(view, columns, region)
    return TargetStrips(
        *(
            cutter.strips(*_rows_between(ends[k], ends[k + 1], slack, view.camera.height))
            for k in range(3)
        )
    )


def _level_strips(
    pixels: NDArray[np.uint8], view: View, cylinder: CylinderParameters, margin: float, slack: float
) -> TargetStrips | None:
    """Cut as `cut_strips` does for a level camera, with few operations on arrays.

    None where the columns of a band have too few rows in common.
    """
    ratio = min(cylinder.radius / view.distance, 0.95)
    reach = half_width(ratio) + margin
    left, right = _level_columns(view, min(reach, 1.2))
    ahead = abs(view.level_turn)
    depths = (
        view.distance * (1.0 - ratio) * max(cos(ahead + reach), 0.1),
        view.distance * sqrt(1.0 - ratio**2) * cos(max(ahead - reach, 0.0)),
    )
    bands = _level_bands(view, cylinder, depths, slack)
    if bands is None:
        return None
    means = _mean_bands(pixels[:, left : right + 1], bands)
    borders = view.level_borders[left : right + 2]
    if view.level_sign < 0.0:
        means, borders = means[:, ::-1], borders[::-1]
    return TargetStrips(
        *(
            (Strip(mean, np.full(len(mean), float(last - first)), borders),) if last > first else ()
            for (first, last), mean in zip(bands, means, strict=True)
        )
    )


def _level_columns(view: View, reach: float) -> tuple[int, int]:
    """First and last image column of the target before a level camera, cut to the image."""
    ends = (-reach - view.level_turn, reach - view.level_turn)
    if max(abs(ends[0]), abs(ends[1])) > 1.5:
        raise ValueError("the target is behind the camera")
    fx, _, cx = view.camera.matrix[0].tolist()
    sides = sorted(cx + fx * view.level_sign * tan(end) for end in ends)
    left, right = max(floor(sides[0]), 0), min(ceil(sides[1]), view.camera.width - 1)
    if right - left < 5:
        raise ValueError("the target is outside the image")
    return left, right


def _level_bands(
    view: View, cylinder: CylinderParameters, depths: tuple[float, float], slack: float
) -> list[tuple[int, int]] | None:
    """First row and one past the last of each band that show it at any depth between two."""
    heights = (cylinder.top, cylinder.marker_top, cylinder.marker_bottom, cylinder.bottom)
    focal, middle = view.camera.matrix[1, 1:].tolist()
    above = float(view.map_from_camera.translation[2])
    scales = [view.level_sign * focal / depth for depth in depths]
    ends = [[middle + scale * (above - height) for scale in scales] for height in heights]
    if view.level_sign < 0.0:
        ends = ends[::-1]
    limit = view.camera.height
    bands = []
    for upper, lower in itertools.pairwise(ends):
        clear = ROW_MARGIN + slack * (lower[0] - upper[0])
        first = min(max(ceil(max(upper) + clear), 0), limit)
        last = min(max(floor(min(lower) - clear) + 1, 0), limit)
        mean = sum(min(b, limit) - max(a, 0.0) for a, b in zip(upper, lower, strict=True)) / 2.0
        if last - first < COMMON_SHARE * (mean - 2.0 * clear):
            return None
        bands.append((first, max(last, first)))
    return bands if view.level_sign > 0.0 else bands[::-1]


def _mean_bands(region: NDArray[np.uint8], bands: list[tuple[int, int]]) -> Array:
    """Mean (B, W, 3) of each band's rows."""
    sums = np.array([_sum_rows(region[first:last]) for first, last in bands])
    counts = np.array([[[max(last - first, 1)]] for first, last in bands])
    return np.asarray(sums / counts)


def _sum_rows(rows: NDArray[np.uint8]) -> NDArray[Any]:
    """Sum over the rows in the narrowest type that holds it, which is by far the quickest."""
    return np.add.reduce(rows, axis=0, dtype=np.uint16 if len(rows) <= 257 else np.uint32)


def _columns(view: View, reach: float, cylinder: CylinderParameters) -> tuple[int, int]:
    """First and last image column of the target at marker height, cut to the image."""
    reach = min(reach, 1.2)
    ends = view.pixels(
        np.array([-reach, -reach, reach, reach]),
        np.full(4, view.distance),
        np.array([cylinder.bottom, cylinder.top, cylinder.bottom, cylinder.top]),
    )[:, 0]
    if not np.all(np.isfinite(ends)):
        raise ValueError("the target is behind the camera")
    left = max(int(np.floor(np.min(ends))), 0)
    right = min(int(np.ceil(np.max(ends))), view.camera.width - 1)
    if right - left < 5:
        raise ValueError("the target is outside the image")
    return left, right


def _rows_of_heights(view: View, columns: Array, ratio: float, heights: Array) -> Array:
    """Image row (H, W) at which each height on the cylinder appears in each column."""
    rows = np.full((len(heights), len(columns)), (view.camera.height - 1) / 2.0)
    if view.level:
        rows = rows[:1]
    for _ in range(1 if view.level else 3):  # a tilted camera's azimuth depends on the row
        offsets = view.offsets(np.stack(np.broadcast_arrays(columns, rows), -1))
        distance = _distance_seen(offsets, ratio, view.distance)
        rows = view.pixels(offsets, distance, heights[:, None])[..., 1]
        rows = np.clip(np.nan_to_num(rows), -1e4, 1e4)
    return rows


def _rows_between(
    one: Array, other: Array, slack: float, height: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First row and one past the last (W,) that lie wholly between two rows (W,) of the image."""
    clear = ROW_MARGIN + slack * np.abs(other - one)
    low = np.clip(np.ceil(np.minimum(one, other) + clear), 0, height).astype(np.int64)
    high = np.clip(np.floor(np.maximum(one, other) - clear) + 1, 0, height).astype(np.int64)
    first, last = int(np.max(low)), int(np.min(high))
    if last - first >= COMMON_SHARE * np.mean(high - low):
        return np.full_like(low, first), np.full_like(high, last)
    return low, np.maximum(high, low)


def _distance_seen(offsets: Array, ratio: float, distance: float) -> Array:
    """Horizontal distance to the surface in each column; the tangent's beyond the silhouette."""
    limit = half_width(ratio) * 0.999
    surface = surface_from_offset(np.clip(offsets, -limit, limit), ratio)
    return surface_distance(surface, ratio, distance)


class _Cutter:
    """Averages rows of one image region into strips."""

    def __init__(self, view: View, columns: Array, region: NDArray[np.uint8]) -> None:
        self.view = view
        self.columns = columns
        self.region = region
        self.edges: Array = np.concatenate([columns - 0.5, columns[-1:] + 0.5])
        self.shared = self._borders(np.zeros(len(self.edges))) if view.level else None

    def strips(self, low: NDArray[np.int64], high: NDArray[np.int64]) -> tuple[Strip, ...]:
        """Average a band's rows (W,) into as many strips as the tilt asks for."""
        if np.mean(high - low) < 1.0:
            return ()
        count = min(self._count(low, high), int(np.max(high - low)))
        cuts = [low + (high - low) * k // count for k in range(count + 1)]
        return tuple(self._strip(first, last) for first, last in itertools.pairwise(cuts))

    def _count(self, low: NDArray[np.int64], high: NDArray[np.int64]) -> int:
        """How many strips keep the azimuth's drift over the rows below `MAXIMUM_DRIFT`."""
        if self.shared is not None:
            return 1
        middle = len(self.columns) // 2
        column = float(self.columns[middle])
        corners = np.array(
            [[column, low[middle]], [column, high[middle] - 1], [column + 1.0, low[middle]]]
        )
        start, end, neighbour = self.view.offsets(corners)
        drift = abs(end - start) / max(abs(neighbour - start), 1e-9)
        return int(np.clip(np.ceil(drift / MAXIMUM_DRIFT), 1, MAXIMUM_STRIPS))

    def _strip(self, first: NDArray[np.int64], last: NDArray[np.int64]) -> Strip:
        """Average rows first to last - 1; borders ascend whichever way up the camera is."""
        colours = _mean_rows(self.region, first, last)
        rows = np.maximum(last - first, 0).astype(float)
        borders = self.shared
        if borders is None:
            middle = (first + last - 1) / 2.0
            between = (middle[1:] + middle[:-1]) / 2.0
            borders = self._borders(np.concatenate([middle[:1], between, middle[-1:]]))
        if borders[-1] < borders[0]:
            return Strip(colours[::-1], rows[::-1], borders[::-1])
        return Strip(colours, rows, borders)

    def _borders(self, rows: Array) -> Array:
        return self.view.offsets(np.stack([self.edges, rows], -1))


def _mean_rows(
    region: NDArray[np.uint8], first: NDArray[np.int64], last: NDArray[np.int64]
) -> Array:
    """Mean (W, 3) of each column's rows first to last - 1."""
    low, high = int(np.min(first)), int(np.max(last))
    block = region[low:high].astype(np.float32)
    rows = np.arange(low, high)[:, None]
    if np.all(first == low) and np.all(last == high):
        flat = block.reshape(high - low, -1)
        mean = np.full(high - low, 1.0 / (high - low), dtype=np.float32) @ flat
        return mean.reshape(-1, 3).astype(np.float64)
    weights = ((rows >= first) & (rows < last)).astype(np.float32)
    total = np.einsum("rw,rwc->wc", weights, block)
    return np.asarray(total / np.maximum(weights.sum(0), 1.0)[:, None], dtype=np.float64)
