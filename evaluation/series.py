"""Estimates and references as arrays over time, and interpolation between them.

Stamps are integer nanoseconds, positions metres and yaws radians in one common frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evaluation.errors import NoOverlapError, StampError
from spatial_types.angles import wrap_angle

Array = NDArray[np.float64]
Stamps = NDArray[np.int64]
WALL_CLOCK = 10**18


@dataclass(frozen=True)
class PoseSeries:
    """Planar poses over time.

    `stamps` (N,) ns; `x`, `y` (N,) m; `yaw` (N,) rad, NaN where unknown; `covariance` (N, 3, 3) of
    x, y, yaw, NaN where unknown; `good` (N,) where the source vouches for the yaw; `frame` the
    frame_id, empty if unstated.
    """

    stamps: Stamps
    x: Array
    y: Array
    yaw: Array
    covariance: Array
    good: NDArray[np.bool_]
    frame: str = ""

    def __len__(self) -> int:
        return len(self.stamps)

    @staticmethod
    def build(
        stamps: Sequence[int] | Stamps,
        x: ArrayLike,
        y: ArrayLike,
        yaw: ArrayLike | None = None,
        covariance: ArrayLike | None = None,
        good: ArrayLike | None = None,
        frame: str = "",
    ) -> PoseSeries:
        """Build from sequences; what is left out is unknown (NaN)."""
        times = np.asarray(stamps, dtype=np.int64).reshape(-1)
        n = len(times)
        yaws = np.full(n, np.nan) if yaw is None else np.asarray(yaw, dtype=float).reshape(n)
        spread = np.full((n, 3, 3), np.nan) if covariance is None else np.asarray(covariance)
        vouched = np.isfinite(yaws) if good is None else np.asarray(good, dtype=bool)
        return PoseSeries(
            times,
            np.asarray(x, dtype=float).reshape(n),
            np.asarray(y, dtype=float).reshape(n),
            yaws,
            spread.astype(float).reshape(n, 3, 3),
            vouched.reshape(n),
            frame,
        )

    def select(self, index: NDArray[np.int64] | NDArray[np.bool_]) -> PoseSeries:
        """Return the poses at an index array or mask."""
        return PoseSeries(
            self.stamps[index],
            self.x[index],
            self.y[index],
            self.yaw[index],
            self.covariance[index],
            self.good[index],
            self.frame,
        )

    def in_order(self) -> tuple[PoseSeries, list[str]]:
        """Return the poses sorted by stamp without repeats, and a note for what was mended."""
        notes = []
        backward = int(np.count_nonzero(np.diff(self.stamps) < 0))
        if backward:
            notes.append(f"{backward} stamps went backwards; poses were sorted by stamp")
        _, first = np.unique(self.stamps, return_index=True)
        repeats = len(self) - len(first)
        if repeats:
            notes.append(f"{repeats} repeated stamps; the first pose of each was kept")
        return self.select(first), notes

    def shifted(self, offset_ns: int) -> PoseSeries:
        """Return the same poses `offset_ns` later."""
        return replace(self, stamps=self.stamps + offset_ns)


@dataclass(frozen=True)
class Reference:
    """A reference trajectory sorted by stamp, and its own speed and yaw rate."""

    poses: PoseSeries
    unwrapped: Array = field(repr=False)
    speed: Array = field(repr=False)
    yaw_rate: Array = field(repr=False)

    @staticmethod
    def build(
        poses: PoseSeries, speed: ArrayLike | None = None, yaw_rate: ArrayLike | None = None
    ) -> Reference:
        """Build from poses; speed (m/s) and yaw rate (rad/s) come from differences if not given.

        Raises StampError where there are fewer than two poses, or stamps are unsorted while
        speeds are given for them.
        """
        ordered, notes = poses.in_order()
        if notes and (speed is not None or yaw_rate is not None):
            raise StampError(f"the reference's stamps are not increasing: {'; '.join(notes)}")
        if len(ordered) < 2:
            raise StampError(f"the reference holds {len(ordered)} poses; expected at least 2")
        seconds = (ordered.stamps - ordered.stamps[0]) * 1e-9
        unwrapped = np.unwrap(ordered.yaw)
        if speed is None:
            speed = np.hypot(np.gradient(ordered.x, seconds), np.gradient(ordered.y, seconds))
        if yaw_rate is None:
            yaw_rate = np.gradient(unwrapped, seconds)
        return Reference(ordered, unwrapped, np.asarray(speed, float), np.asarray(yaw_rate, float))

    def at(self, stamps: Stamps) -> tuple[PoseSeries, Array, Array, NDArray[np.bool_]]:
        """Interpolate to other stamps.

        Positions linearly, yaw along the shorter way (SLERP about one axis). Returns the poses,
        speed (m/s), yaw rate (rad/s), and which stamps the reference covers.
        """
        base = int(self.poses.stamps[0])
        known = (self.poses.stamps - base).astype(float)
        wanted = (np.asarray(stamps, dtype=np.int64) - base).astype(float)
        covered = (wanted >= known[0]) & (wanted <= known[-1])
        poses = PoseSeries.build(
            stamps,
            np.interp(wanted, known, self.poses.x),
            np.interp(wanted, known, self.poses.y),
            wrap_angle(np.interp(wanted, known, self.unwrapped)),
            frame=self.poses.frame,
        )
        speed = np.interp(wanted, known, self.speed)
        return poses, speed, np.interp(wanted, known, self.yaw_rate), covered


def require_overlap(estimate: PoseSeries, reference: PoseSeries) -> None:
    """Raise NoOverlapError, with both spans and a likely cause, if no estimate can be matched."""
    if len(estimate) == 0:
        raise NoOverlapError("the estimate holds no poses")
    inside = (estimate.stamps >= reference.stamps[0]) & (estimate.stamps <= reference.stamps[-1])
    if inside.any():
        return
    hint = "check that both used the same clock and that header stamps, not bag times, are compared"
    walls = [int(series.stamps[0]) > WALL_CLOCK for series in (estimate, reference)]
    if walls[0] != walls[1]:
        names = ("estimate", "reference")
        hint = (
            f"the {names[walls.index(True)]} is stamped with wall time and the "
            f"{names[walls.index(False)]} with simulated time; set use_sim_time on both"
        )
    raise NoOverlapError(
        f"no overlap in time: estimate {_span(estimate)}, reference {_span(reference)}; {hint}"
    )


def _span(series: PoseSeries) -> str:
    return f"{series.stamps.min() * 1e-9:.3f} to {series.stamps.max() * 1e-9:.3f} s"


def write_tum(series: PoseSeries, path: Path) -> None:
    """Write poses as `timestamp tx ty tz qx qy qz qw` lines, the TUM format that evo reads."""
    rows = []
    for stamp, x, y, yaw in zip(series.stamps, series.x, series.y, series.yaw, strict=True):
        half = 0.0 if np.isnan(yaw) else yaw / 2
        seconds, rest = divmod(int(stamp), 10**9)
        rows.append(f"{seconds}.{rest:09d} {x:.9g} {y:.9g} 0 0 0 {np.sin(half):.12g} ")
        rows[-1] += f"{np.cos(half):.12g}"
    path.write_text("\n".join(rows) + "\n")
