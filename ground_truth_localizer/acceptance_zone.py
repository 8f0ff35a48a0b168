"""The acceptance zone: readings inside it may be the target, all others are walls and furniture.

A zone answers, for the beams of a scan, up to which range a reading is accepted and what a beam
that misses the target is expected to read. Polygons keep a margin before every wall that the
sensor can see (inventory of the thesis, formula 4.1: the wall's shape shrunk by three sigma); a
learnt zone keeps k times each beam's own spread.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ground_truth_localizer.beam_geometry import BeamGeometry
from spatial_types.scan import Scan

Array = NDArray[np.float64]
ON_THE_WALL = 1e-6  # a sensor mounted on the boundary is inside


class ZoneError(ValueError):
    """A zone is malformed or was made for other scans; the text names file, field and value."""


@dataclass(frozen=True)
class ZoneProfile:
    """A zone seen from one sensor pose, in horizontal metres along each beam.

    `limits` (N, J) ascending: a reading is accepted where an odd number of limits lies at or below
    it, so column 0 opens and column 1 closes. `background` (N,) is what a free beam reads (inf: no
    return expected), `spread` (N,) its standard deviation, `returns` (N,) the part of free beams
    that return at all (0.5 where unknown).
    """

    limits: Array
    background: Array
    spread: Array
    returns: Array

    def accepts(self, distances: Array) -> NDArray[np.bool_]:
        """Tell which horizontal distances (N,) lie inside the zone; NaN does not."""
        if self.limits.shape[1] == 2:
            return np.asarray((distances >= self.limits[:, 0]) & (distances < self.limits[:, 1]))
        below = (self.limits <= distances[:, None]).sum(axis=1)
        return np.asarray((below % 2 == 1) & np.isfinite(distances))


class AcceptanceZone(Protocol):
    """What every kind of zone offers."""

    def profile(self, scan: Scan, beams: BeamGeometry) -> ZoneProfile:
        """See the zone along the beams of a scan; ZoneError where it was made for other scans."""
        ...


class OpenZone:
    """Accept every reading."""

    def profile(self, scan: Scan, beams: BeamGeometry) -> ZoneProfile:
        """Accept from zero on along every beam."""
        count = beams.count
        limits = np.tile([0.0, np.inf], (count, 1))
        unknown = np.full(count, np.inf)
        return ZoneProfile(limits, unknown, np.zeros(count), np.full(count, 0.5))


class PolygonZone:
    """The inside of a polygon without its holes, `margin` metres away from every wall.

    `outline` (M, 2) and each of `holes` (K, 2) are corners in `map`, in either order, without
    repeating the first. `sigma` is the range noise expected of a reading of the wall.
    """

    def __init__(
        self,
        outline: ArrayLike,
        holes: Sequence[ArrayLike] = (),
        margin: float = 0.09,
        sigma: float = 0.03,
    ) -> None:
        rings = [_ring(outline, "outline")]
        rings += [_ring(hole, f"holes[{i}]") for i, hole in enumerate(holes)]
        self.rings = rings
        self.margin = margin
        self.sigma = sigma
        self._starts = np.concatenate(rings)
        self._ends = np.concatenate([np.roll(ring, -1, axis=0) for ring in rings])

    def profile(self, scan: Scan, beams: BeamGeometry) -> ZoneProfile:
        """Cut every beam with every edge; spans that the margin leaves empty are dropped."""
        distances, depth = self._crossings(beams)
        order = np.argsort(distances, axis=1)
        distances = np.take_along_axis(distances, order, axis=1)
        depth = np.take_along_axis(depth, order, axis=1)
        inside = np.isfinite(distances).sum(axis=1) % 2 == 1
        limits = _spans(distances, inside, 0.0)
        margins = _spans(depth, inside, 0.0)
        margins[~np.isfinite(margins)] = 0.0
        margins[:, 0, 0] = 0.0  # the sensor never sees the near side of the wall it looks through
        limits[..., 0] += margins[..., 0]
        limits[..., 1] -= margins[..., 1]
        limits[limits[..., 1] <= limits[..., 0]] = np.inf
        walls = np.where(np.isfinite(distances), distances, np.inf)
        first = np.where(inside, 0, 1)
        padded = np.pad(walls, ((0, 0), (0, 2)), constant_values=np.inf)
        count = beams.count
        return ZoneProfile(
            limits=_used_columns(np.sort(limits.reshape(count, -1), axis=1)),
            background=padded[np.arange(count), first],
            spread=np.full(count, self.sigma),
            returns=np.full(count, 0.5),
        )

    def _crossings(self, beams: BeamGeometry) -> tuple[Array, Array]:
        """Distances (N, E) to every edge (inf: none) and the margin along the beam (N, E)."""
        a = self._starts - beams.origin[:2]
        edge = self._ends - self._starts
        ux, uy = beams.cosines[:, None], beams.sines[:, None]
        side_a = ux * a[:, 1] - uy * a[:, 0]
        side_b = side_a + ux * edge[:, 1] - uy * edge[:, 0]
        cuts = (side_a <= 0.0) != (side_b <= 0.0)
        across = side_b - side_a
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            distance = (a[:, 0] * edge[:, 1] - a[:, 1] * edge[:, 0]) / across
            depth = self.margin * np.hypot(edge[:, 0], edge[:, 1]) / np.abs(across)
        cuts &= distance > ON_THE_WALL
        return np.where(cuts, distance, np.inf), np.where(cuts, depth, 0.0)


class RectangleZone(PolygonZone):
    """A rectangle along the axes of `map`: formula 4.1 of the thesis, in any room."""

    def __init__(self, box: Sequence[float], margin: float = 0.09, sigma: float = 0.03) -> None:
        x0, y0, x1, y1 = box
        super().__init__([[x0, y0], [x1, y0], [x1, y1], [x0, y1]], (), margin, sigma)


class LearntZone:
    """Per beam, the range of the empty room less `k` times its spread.

    `background`, `spread`, `returns` (N,) in the sensor's own ranges (m), background inf where the
    beam never returned; `angle_min` and `angle_increment` (rad) say which scans it is for.
    `source` (a file name) stands in error messages.
    """

    def __init__(
        self,
        angle_min: float,
        angle_increment: float,
        background: ArrayLike,
        spread: ArrayLike,
        returns: ArrayLike,
        k: float = 3.0,
        source: str = "learnt zone",
    ) -> None:
        self.angle_min = angle_min
        self.angle_increment = angle_increment
        self.background = np.asarray(background, dtype=float)
        self.spread = np.asarray(spread, dtype=float)
        self.returns = np.asarray(returns, dtype=float)
        self.k = k
        self.source = source

    def profile(self, scan: Scan, beams: BeamGeometry) -> ZoneProfile:
        """Turn the learnt ranges into horizontal distances; ZoneError for other scans."""
        self._check(scan)
        background = self.background * beams.scale
        spread = self.spread * beams.scale
        open_beams = ~np.isfinite(background)
        with np.errstate(invalid="ignore"):
            far = np.where(open_beams, scan.range_max * beams.scale, background - self.k * spread)
        limits = np.stack([np.zeros(beams.count), np.maximum(far, 0.0)], axis=1)
        limits[open_beams, 1] = np.nextafter(limits[open_beams, 1], np.inf)
        return ZoneProfile(limits, background, spread, self.returns)

    def _check(self, scan: Scan) -> None:
        count = len(self.background)
        same = count == len(scan.ranges)
        same = same and abs(self.angle_increment - scan.angle_increment) * count < 0.01
        same = same and abs(self.angle_min - scan.angle_min) < 0.5 * abs(self.angle_increment)
        if not same:
            raise ZoneError(
                f"{self.source}: learnt for {count} beams from {self.angle_min:.4f} rad in steps "
                f"of {self.angle_increment:.6f}; the scan has {len(scan.ranges)} from "
                f"{scan.angle_min:.4f} in steps of {scan.angle_increment:.6f}: learn it anew"
            )


def _ring(corners: ArrayLike, name: str) -> Array:
    """Return corners as (M, 2) floats; ZoneError where they make no polygon."""
    try:
        ring = np.asarray(corners, dtype=float)
    except (TypeError, ValueError):
        raise ZoneError(f"{name}: expected a list of [x, y] corners") from None
    if ring.ndim != 2 or ring.shape[1] != 2 or len(ring) < 3 or not np.all(np.isfinite(ring)):
        raise ZoneError(f"{name}: expected at least three finite [x, y] corners")
    x, y = ring.T
    area = 0.5 * float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)))
    if abs(area) < 1e-9:
        raise ZoneError(f"{name}: the corners enclose no area")
    return ring


def _spans(values: Array, inside: NDArray[np.bool_], start: float) -> Array:
    """Pair sorted crossings (N, E) into spans (N, P, 2); rays from inside begin with `start`."""
    count = len(values)
    ahead = np.concatenate([np.full((count, 1), start), values], axis=1)
    behind = np.concatenate([values, np.full((count, 1), np.inf)], axis=1)
    paired = np.where(inside[:, None], ahead, behind)
    if paired.shape[1] % 2:
        paired = np.concatenate([paired, np.full((count, 1), np.inf)], axis=1)
    return np.asarray(paired.reshape(count, -1, 2))


def _used_columns(limits: Array) -> Array:
    """Drop the pairs of columns that no beam uses, keeping at least one pair."""
    used = max(2, int(np.isfinite(limits).sum(axis=1).max(initial=0)))
    return limits[:, : used + used % 2]
