"""Where the beams of a scan go in `map`: one description for every mounting of the sensor.

A vertical cylinder seen by any ray depends only on the ray's horizontal part. So each beam is
reduced to a horizontal bearing and a factor that turns its range into a horizontal distance;
upright, upside-down, clockwise and tilted sensors then look alike to all that follows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spatial_types.scan import Scan
from spatial_types.transforms import Transform

Array = NDArray[np.float64]
LEVEL_SLOPE = 1e-3


class Window(NamedTuple):
    """Neighbouring beams: the first one's number, where to find them in the scan, their bearings.

    The bearings (K,) are continuous over the seam of a closed scan.
    """

    first: int
    where: slice | NDArray[np.intp]
    bearings: Array


@dataclass(frozen=True)
class BeamGeometry:
    """The beams of one sensor pose, in `map` axes.

    `origin` (3,) of the sensor in m; per beam (N,): `bearings` rad unwrapped along the scan,
    `scale` horizontal metres per metre of range, `slopes` metres of height per metre of range.
    `step` is the typical angle between neighbours (rad, positive), `closed` where the last beam is
    the first one's neighbour, `level` where all beams keep the sensor's height; `place` is the
    origin's x and y.
    """

    origin: Array
    bearings: Array
    scale: Array
    slopes: Array
    step: float
    closed: bool
    level: bool
    cosines: Array = field(init=False, repr=False)
    sines: Array = field(init=False, repr=False)
    place: tuple[float, float] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "cosines", np.cos(self.bearings))
        object.__setattr__(self, "sines", np.sin(self.bearings))
        object.__setattr__(self, "place", tuple(self.origin[:2].tolist()))

    @property
    def count(self) -> int:
        """Number of beams."""
        return len(self.bearings)

    def window(self, start: int, count: int) -> Window:
        """Return `count` beams from number `start` on.

        They are clipped on an open scan; on a closed one numbers below zero or beyond the count
        name the same beams again.
        """
        if not self.closed:
            start, stop = max(start, 0), min(start + count, self.count)
            return Window(start, slice(start, stop), self.bearings[start:stop])
        numbers = np.arange(start, start + min(count, self.count))
        turns, index = np.divmod(numbers, self.count)
        full = 2.0 * np.pi if self.bearings[-1] > self.bearings[0] else -2.0 * np.pi
        return Window(start, index, self.bearings[index] + full * turns)


def beam_geometry(scan: Scan, map_from_lrf: Transform) -> BeamGeometry:
    """Reduce the beams of a scan to bearings in `map`; a scan of no beams gives empty arrays."""
    angles = scan.angles
    local = np.stack([np.cos(angles), np.sin(angles), np.zeros_like(angles)], axis=1)
    rays = map_from_lrf.rotate(local)
    step = abs(scan.angle_increment)
    closed = len(angles) > 2 and abs(len(angles) * step - 2.0 * np.pi) < 0.5 * step
    return BeamGeometry(
        origin=map_from_lrf.translation,
        bearings=np.unwrap(np.arctan2(rays[:, 1], rays[:, 0])),
        scale=np.hypot(rays[:, 0], rays[:, 1]),
        slopes=rays[:, 2],
        step=step,
        closed=closed,
        level=not np.any(np.abs(rays[:, 2]) > LEVEL_SLOPE),
    )


def seen_from(bearings: Array, distance: float, bearing: float) -> tuple[Array, Array]:
    """How far a place is to the right of each of some beams (K,), and how far along it, in m."""
    turn = bearings - bearing
    return distance * np.sin(turn), distance * np.cos(turn)


class BeamGeometryCache:
    """Remember the last geometry: a mounted sensor sends the same beams scan after scan."""

    def __init__(self) -> None:
        self._beams: tuple[float, ...] = ()
        self._pose: Transform | None = None
        self._value: BeamGeometry | None = None

    def get(self, scan: Scan, map_from_lrf: Transform) -> BeamGeometry:
        """Return the geometry of this scan, computed anew only where something differs."""
        beams = (scan.angle_min, scan.angle_increment, len(scan.ranges))
        if self._value is None or beams != self._beams or not self._is_pose(map_from_lrf):
            self._value = beam_geometry(scan, map_from_lrf)
            self._beams, self._pose = beams, map_from_lrf
        return self._value

    def _is_pose(self, pose: Transform) -> bool:
        known = self._pose
        return known is pose or (
            known is not None
            and known.rotation.tobytes() == pose.rotation.tobytes()
            and known.translation.tobytes() == pose.translation.tobytes()
        )
