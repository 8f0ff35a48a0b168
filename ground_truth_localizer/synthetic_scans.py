"""Exact scans of circles and walls: a fake sensor for tests, benchmarks and tuning.

Independent of the simulator: rays against circles and line segments, each beam at its own time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spatial_types.scan import Scan
from spatial_types.transforms import Transform

Array = NDArray[np.float64]
Motion = Callable[[Array], NDArray]  # seconds (N,) -> centres (N, 2) in map, m


def standing(x: float, y: float) -> Motion:
    """A target that stays at (x, y)."""
    centre: Array = np.array([x, y], dtype=np.float64)
    return lambda t: np.broadcast_to(centre, (len(t), 2))


@dataclass
class SyntheticLaser:
    """A range finder among walls (closed `outlines` of corners), fixed `pillars` (x, y, radius).

    `sweep` is the time (s) in which the beams of one scan are taken; 0 takes them at once.
    """

    outlines: Sequence[ArrayLike] = field(
        default_factory=lambda: [[[-4.0, 0.0], [4.0, 0.0], [4.0, 4.0], [-4.0, 4.0]]]
    )
    pillars: Sequence[tuple[float, float, float]] = ()
    map_from_lrf: Transform = field(default_factory=lambda: Transform.planar(0.0, 0.0, 0.0, 0.5))
    count: int = 360
    angle_min: float = 0.0
    angle_increment: float = float(np.radians(0.5))
    sigma: float = 0.03
    range_max: float = 20.0
    period: float = 0.1
    sweep: float = 0.0
    outlier_ratio: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        self._random = np.random.default_rng(self.seed)
        angles = self.angle_min + self.angle_increment * np.arange(self.count)
        local = np.stack([np.cos(angles), np.sin(angles), np.zeros(self.count)], axis=1)
        rays = self.map_from_lrf.rotate(local)
        self._scale = np.hypot(rays[:, 0], rays[:, 1])
        self._rays = rays[:, :2] / self._scale[:, None]
        self._origin = self.map_from_lrf.translation[:2]
        self._still = self._background()

    def scan(self, seconds: float, targets: Sequence[tuple[Motion, float]] = ()) -> Scan:
        """Take one scan from `seconds` on, of moving circles (motion, radius)."""
        increment = self.sweep / self.count
        times: Array = seconds + increment * np.arange(self.count, dtype=np.float64)
        ranges = self._still.copy()
        for motion, radius in targets:
            ranges = np.minimum(ranges, self._circle(motion(times), radius))
        ranges = ranges / self._scale
        ranges = ranges + self._random.normal(0.0, self.sigma, self.count)
        odd = self._random.random(self.count) < self.outlier_ratio
        ranges[odd] = self._random.uniform(0.05, 4.0, int(odd.sum()))
        return Scan(
            stamp=round(seconds * 1e9),
            frame_id="lrf_link",
            angle_min=self.angle_min,
            angle_increment=self.angle_increment,
            time_increment=increment,
            scan_time=self.period,
            range_min=0.01,
            range_max=self.range_max,
            ranges=np.where(ranges > self.range_max, np.inf, ranges),
        )

    def _background(self) -> Array:
        ranges = np.full(self.count, np.inf)
        for outline in self.outlines:
            corners = np.asarray(outline, dtype=float)
            for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True):
                ranges = np.minimum(ranges, self._segment(a, b))
        for x, y, radius in self.pillars:
            ranges = np.minimum(ranges, self._circle(np.array([[x, y]]), radius))
        return ranges

    def _segment(self, a: Array, b: Array) -> Array:
        edge, from_a = b - a, a - self._origin
        ux, uy = self._rays.T
        cross = ux * edge[1] - uy * edge[0]
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            t = (from_a[0] * edge[1] - from_a[1] * edge[0]) / cross
            s = (from_a[0] * uy - from_a[1] * ux) / cross
        good = (np.abs(cross) > 1e-12) & (t > 1e-6) & (s >= 0.0) & (s <= 1.0)
        return np.where(good, t, np.inf)

    def _circle(self, centres: NDArray, radius: float) -> Array:
        offset = centres - self._origin
        along = offset[:, 0] * self._rays[:, 0] + offset[:, 1] * self._rays[:, 1]
        across = offset[:, 0] * self._rays[:, 1] - offset[:, 1] * self._rays[:, 0]
        inside = radius * radius - across * across
        t = along - np.sqrt(np.maximum(inside, 0.0))
        return np.where((inside > 0.0) & (t > 0.0), t, np.inf)
