"""Sights that a laser and a camera share, for the calibration of a station.

The laser's places come from single scans: those of a filter hold all scans before them, and so
their errors would last. What the camera saw before and after a scan is brought to the scan's stamp,
since a silhouette's bearing is known many times better than the laser's. As long as the target
stands, the same beams hit it and the same pixels show it: such sights become one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import asin, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ground_truth_localizer.laser_result import LaserResult
from ground_truth_localizer.orientation_result import OrientationResult
from ground_truth_localizer.target_state import TargetState
from spatial_types.transforms import Transform

Array = NDArray[np.float64]

SECOND = 1e9
LARGEST_GAP = 0.2  # s, between what is joined
ACCELERATION = 1.0  # m/s^2, what a driven target may do between two images
STANDING = 0.010  # m; sights of a target that has come less far than this are one
SPAN = 0.06  # s before and after a scan, in which images are joined by a line


@dataclass(frozen=True)
class LaserPlace:
    """Where one scan shows the target, in the laser's axes.

    `polar` (2,) is distance (m) and bearing (rad) with `covariance` (2, 2), at `stamp` (ns);
    `state` is what the laser's filter says then, in `map`.
    """

    stamp: int
    polar: Array
    covariance: Array
    state: TargetState


@dataclass(frozen=True)
class CameraSight:
    """What one image says: azimuth of the axis and half width of the silhouette (rad), `map` axes.

    `seen` (2,) and its `covariance` (2, 2), at `stamp` (ns); `pan` is the camera's direction and
    `origin` (2,) its place as told.
    """

    stamp: int
    seen: Array
    covariance: Array
    pan: float
    origin: Array


@dataclass(frozen=True)
class Sights:
    """N sights by laser and camera at once; angles in the laser's axes, rad.

    `laser` (N, 2) distance and bearing, `camera` (N, 2) azimuth and half width as told by the
    camera's told direction, with covariances (N, 2, 2); `origin` (N, 2) and `pan` (N,) are the
    camera's place and direction as told, `slip` (N,) by how much faster (rad/s) it turns than the
    target's bearing does, `stamps` (N,) ns, `count` (N,) how many scans each was made of.
    """

    stamps: NDArray[np.int64]
    laser: Array
    laser_covariance: Array
    camera: Array
    camera_covariance: Array
    origin: Array
    pan: Array
    slip: Array
    count: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.stamps)


def laser_place(result: LaserResult, map_from_lrf: Transform) -> LaserPlace | None:
    """Take the oldest target's place from one scan; None where it was not seen in it."""
    if result.primary is None or not result.targets or result.targets[0].candidate is None:
        return None
    candidate = result.targets[0].candidate
    fit = candidate.fit
    mixed = fit.covariance
    covariance = np.array([[fit.variance_distance, mixed], [mixed, fit.variance_bearing]])
    bearing = fit.bearing - map_from_lrf.yaw
    return LaserPlace(
        candidate.stamp, np.array([fit.distance, bearing]), covariance, result.primary
    )


def camera_sight(
    result: OrientationResult, radius: float, told: Transform, turned: float = 0.0
) -> CameraSight | None:
    """Take bearing and half width from one image; None where the image was refused.

    `told` is the camera's pose as told; `turned` (rad) is how much its direction was corrected for
    the image, which is taken off again.
    """
    if not result.good or result.sight is None:
        return None
    ratio = radius / result.distance
    if not 0.0 < ratio < 0.9:
        return None
    # The result tells a distance; its width is what has an even error.
    slope = -ratio / (result.distance * sqrt(1.0 - ratio**2))
    turn = np.array([[1.0, 0.0], [0.0, slope]])
    axis = told.rotation[:, 2]
    return CameraSight(
        result.stamp,
        np.array([result.bearing - turned, asin(ratio)]),
        turn @ result.sight @ turn,
        float(np.arctan2(axis[1], axis[0])),
        told.translation[:2].copy(),
    )


def state_between(places: Sequence[LaserPlace], number: int, stamp: int) -> TargetState | None:
    """Where to look in an image: the filter's state before it and after it, joined.

    `number` is that of the first place after `stamp`; None where there is none near enough.
    """
    if not 0 < number < len(places):
        return None
    before, after = places[number - 1].state, places[number].state
    span = (after.stamp - before.stamp) / SECOND
    if not 0.0 < span <= LARGEST_GAP + 0.1:
        return None
    part = (stamp - before.stamp) / (after.stamp - before.stamp)
    position = before.position + part * (after.position - before.position)
    covariance = np.maximum(before.covariance, after.covariance)
    return TargetState(stamp, position, (after.position - before.position) / span, covariance)


def shared_sights(
    places: Sequence[LaserPlace], images: Sequence[CameraSight], map_from_lrf: Transform
) -> Sights:
    """Join what scans and images say of the same instants, in order of stamps.

    Where scans come more often than images, it is the laser's places that are brought to the
    images' stamps.
    """
    if _interval([p.stamp for p in places]) >= 0.9 * _interval([i.stamp for i in images]):
        rows = _at_scans(places, images)
    else:
        rows = _at_images(places, images)
    rows = _one_for_each_stand(rows)
    yaw = map_from_lrf.yaw
    c, s = np.cos(yaw), np.sin(yaw)
    origin = _stack([row.origin for row in rows], 2) - map_from_lrf.translation[:2]
    return Sights(
        np.array([row.stamp for row in rows], dtype=np.int64),
        _stack([row.laser for row in rows], 2),
        _stack([row.laser_covariance for row in rows], 2, 2),
        _stack([row.camera for row in rows], 2) - np.array([yaw, 0.0]),
        _stack([row.camera_covariance for row in rows], 2, 2),
        origin @ np.array([[c, -s], [s, c]]),
        np.array([row.pan - yaw for row in rows], dtype=float),
        np.array([row.slip for row in rows], dtype=float),
        np.array([row.scans for row in rows], dtype=np.int64),
    )


def _stack(rows: Sequence[Array], *shape: int) -> Array:
    return np.array(rows, dtype=float).reshape(-1, *shape)


class _Row(NamedTuple):
    """One sight, and where the laser's filter has the target then (`map`)."""

    stamp: int
    laser: Array
    laser_covariance: Array
    camera: Array
    camera_covariance: Array
    origin: Array
    pan: float
    slip: float
    position: Array
    scans: int = 1


def _interval(stamps: Sequence[int]) -> float:
    return float(np.median(np.diff(stamps))) if len(stamps) > 1 else 0.0


def _at_scans(places: Sequence[LaserPlace], images: Sequence[CameraSight]) -> list[_Row]:
    """For each scan, the line through the images about its stamp."""
    stamps = np.array([image.stamp for image in images], dtype=np.int64)
    rows: list[_Row] = []
    for place in places:
        after = int(np.searchsorted(stamps, place.stamp))
        first = int(np.searchsorted(stamps, place.stamp - round(SPAN * SECOND)))
        last = int(np.searchsorted(stamps, place.stamp + round(SPAN * SECOND), "right"))
        near = images[min(first, max(after - 1, 0)) : max(last, after + 1)]
        joined = _line(near, place.stamp, float(place.polar[0]))
        if joined is not None:
            position = place.state.position
            rows.append(_Row(place.stamp, place.polar, place.covariance, *joined, position))
    return rows


def _line(
    images: Sequence[CameraSight], stamp: int, distance: float
) -> tuple[Array, Array, Array, float, float] | None:
    """Values at `stamp` of the lines through what images say; None where they would be guesses."""
    if not images:
        return None
    times = np.array([(image.stamp - stamp) / SECOND for image in images])
    seen = np.array([(*image.seen, image.pan) for image in images])
    seen[:, (0, 2)] = np.unwrap(seen[:, (0, 2)], axis=0)
    # Neighbours share most of what is wrong in them, so more images count no more than one.
    covariance = np.mean([image.covariance for image in images], axis=0)
    origin = np.mean([image.origin for image in images], axis=0)
    if len(images) == 1 or np.ptp(times) < 1e-6:
        at_once = abs(times[0]) < 1e-3
        return (seen[0, :2], covariance, origin, float(seen[0, 2]), 0.0) if at_once else None
    if times[0] > 1e-3 or times[-1] < -1e-3 or np.max(np.diff(times)) > LARGEST_GAP:
        return None
    design = np.column_stack([np.ones_like(times), times])
    value, rate = np.linalg.lstsq(design, seen, rcond=None)[0]
    bend = ACCELERATION * np.ptp(times) ** 2 / 8.0 / distance
    covariance = covariance + np.diag([bend**2, 0.0])
    return value[:2], covariance, origin, float(value[2]), float(rate[2] - rate[0])


def _at_images(places: Sequence[LaserPlace], images: Sequence[CameraSight]) -> list[_Row]:
    """For each image, the laser's places before and after it, joined by a line."""
    stamps = np.array([place.stamp for place in places], dtype=np.int64)
    rows: list[_Row] = []
    for image in images:
        number = int(np.searchsorted(stamps, image.stamp))
        if not 0 < number < len(places):
            continue
        before, after = places[number - 1], places[number]
        span = (after.stamp - before.stamp) / SECOND
        if span > LARGEST_GAP:
            continue
        part = (image.stamp - before.stamp) / (after.stamp - before.stamp)
        polar = before.polar + part * (after.polar - before.polar)
        covariance = (1 - part) ** 2 * before.covariance + part**2 * after.covariance
        bend = ACCELERATION * span**2 / 8.0
        covariance = covariance + np.diag([bend**2, (bend / polar[0]) ** 2])
        position = before.state.position + part * (after.state.position - before.state.position)
        head = (image.stamp, polar, covariance, image.seen, image.covariance)
        turn = np.diff(np.unwrap([float(p.polar[1]) for p in (before, after)]))[0]
        # So seldom, how fast the pan turned cannot be seen: it is taken to have stood.
        rows.append(_Row(*head, image.origin, image.pan, float(-turn / span), position))
    return rows


def _one_for_each_stand(rows: Sequence[_Row]) -> list[_Row]:
    """Join sights in a row that show the target at one place."""
    groups: list[list[_Row]] = []
    for row in rows:
        last = groups[-1] if groups else None
        if last is not None and float(np.hypot(*(row.position - last[0].position))) < STANDING:
            last.append(row)
        else:
            groups.append([row])
    return [_joined(group) for group in groups]


def _joined(group: Sequence[_Row]) -> _Row:
    """One sight of many from one place: only the noise of the ranges is averaged."""
    if len(group) == 1:
        return group[0]
    count = len(group)
    middle = group[count // 2]
    laser_covariance = np.mean([row.laser_covariance for row in group], axis=0)
    laser_covariance[0, 0] /= count
    laser_covariance[0, 1] = laser_covariance[1, 0] = 0.0
    return middle._replace(
        laser=_mean([row.laser for row in group]),
        laser_covariance=laser_covariance,
        camera=_mean([row.camera for row in group]),
        camera_covariance=np.mean([row.camera_covariance for row in group], axis=0),
        slip=0.0,
        scans=count,
    )


def _mean(rows: Sequence[Array]) -> Array:
    values = np.array(rows)
    for column in range(2):
        values[:, column] = np.unwrap(values[:, column])
    return np.asarray(values.mean(axis=0))
