"""Find cylindrical targets of known radius in laser scans: the localizer without ROS."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ground_truth_localizer.acceptance_zone import AcceptanceZone, ZoneError, ZoneProfile
from ground_truth_localizer.beam_geometry import BeamGeometry, BeamGeometryCache
from ground_truth_localizer.laser_parameters import LaserParameters
from ground_truth_localizer.laser_result import LaserResult
from ground_truth_localizer.model_laser import ModelEstimator
from ground_truth_localizer.noise_watch import NoiseWatch
from ground_truth_localizer.target_state import TrackingState
from ground_truth_localizer.thesis_laser import ThesisEstimator
from spatial_types.scan import Scan
from spatial_types.transforms import Transform

Array = NDArray[np.float64]

# A scan older than the last by up to this (ns) came out of order; by more, time began anew.
OUT_OF_ORDER = 300_000_000
# Measured noise, in `sensor.sigma`, with which nothing is to be believed any more.
TOO_NOISY = 4.0


class Estimator(Protocol):
    """One method: turns scans seen through a zone into targets."""

    def update(
        self, scan: Scan, distances: Array, beams: BeamGeometry, zone: ZoneProfile
    ) -> LaserResult:
        """Take in one scan; `distances` (N,) horizontal, m, NaN where a beam returned nothing."""
        ...

    def miss(self, scan: Scan, reason: str) -> LaserResult:
        """Take in a scan that cannot show anything, for a reason."""
        ...


METHODS: dict[str, Callable[[LaserParameters], Estimator]] = {
    "model": ModelEstimator,
    "thesis": ThesisEstimator,
}


class LaserLocalizer:
    """Feed it scans in order of time; it says where the targets are and why others are none."""

    def __init__(self, parameters: LaserParameters, zone: AcceptanceZone) -> None:
        self.parameters = parameters
        self.counts: Counter[str] = Counter()
        self._beams = BeamGeometryCache()
        self.set_zone(zone)
        self.reset()

    def set_zone(self, zone: AcceptanceZone) -> None:
        """Use another acceptance zone from the next scan on."""
        self.zone = zone
        self._profile: tuple[BeamGeometry, float, ZoneProfile] | None = None

    def reset(self) -> None:
        """Forget all targets."""
        self._estimator = METHODS[self.parameters.method](self.parameters)
        self._noise = NoiseWatch()
        self._last_stamp: int | None = None
        self._ignored = 0
        self._last: LaserResult | None = None

    def update(self, scan: Scan, map_from_lrf: Transform) -> LaserResult:
        """Take in one scan from a sensor at `map_from_lrf`.

        A scan that repeats the last stamp, or is a little older, is ignored: no target is seen, the
        last state is told, and after `lost_scans` such scans that the target is lost. A scan from
        long before resets all targets, as when a bag starts again. A zone made for other scans, an
        empty scan and readings that scatter far more than `sensor.sigma` see nothing and say so.
        Each is counted in `counts`.
        """
        self.counts["scans"] += 1
        problem = self._check_time(scan)
        if problem:
            return self._blind(scan, problem)
        if len(scan.ranges) == 0:
            return self._unseen(scan, "empty scan", "empty scans")
        beams = self._beams.get(scan, map_from_lrf)
        reason = self._misses(beams)
        if reason:
            return self._unseen(scan, reason, "wrong height")
        reason = self._scatters(self._noise.update(scan, beams))
        if reason:
            return self._unseen(scan, reason, "too noisy")
        try:
            profile = self._zone_profile(scan, beams)
        except ZoneError as error:
            return self._unseen(scan, str(error), "zone mismatches")
        # Readings that are NaN compare false everywhere, which is meant.
        with np.errstate(invalid="ignore"):
            ranges = scan.ranges - self.parameters.sensor.range_bias
            distances = np.where(scan.hits, ranges * beams.scale, np.nan)
            self._last = self._estimator.update(scan, distances, beams, profile)
        return self._last

    def _misses(self, beams: BeamGeometry) -> str:
        """Say that a level laser looks over or under the target, if it does."""
        target, height = self.parameters.target, float(beams.origin[2])
        if not beams.level or target.bottom <= height <= target.top:
            return ""
        return (
            f"the laser's plane at z = {height:.3f} m misses the target "
            f"({target.bottom:.3f} to {target.top:.3f} m)"
        )

    def _scatters(self, noise: float) -> str:
        """Say that the readings scatter far more than `sensor.sigma`, if they do.

        Then chance makes targets of walls, and the covariance of true ones is nonsense.
        """
        sigma = self.parameters.sensor.sigma
        if not noise > TOO_NOISY * sigma:
            return ""
        return f"the readings scatter by {noise:.3f} m, sensor.sigma is {sigma:.3f} m"

    def zone_outline(self) -> Array | None:
        """Outer limit of the zone along each beam of the last scan (N, 2) in map; None before."""
        if self._profile is None:
            return None
        beams, range_max, profile = self._profile
        far = np.where(np.isfinite(profile.limits), profile.limits, 0.0).max(axis=1)
        far = np.where(np.isinf(profile.limits[:, 1]), range_max * beams.scale, far)
        far = np.where(np.isfinite(far), far, 0.0)  # a sensor without a longest range
        rays = np.stack([beams.cosines, beams.sines], axis=1)
        return np.asarray(beams.origin[:2] + far[:, None] * rays)

    def _check_time(self, scan: Scan) -> str:
        """Say why a scan is to be ignored, if it is; forget everything where time begins anew."""
        age = 0 if self._last_stamp is None else self._last_stamp - scan.stamp
        if age > OUT_OF_ORDER:
            self.counts["time jumps back"] += 1
            self.reset()
        elif age > 0:
            self.counts["late scans"] += 1
            return f"scan ignored: {age * 1e-9:.3f} s older than the one before; two publishers?"
        elif self._last_stamp == scan.stamp:
            self.counts["repeated stamps"] += 1
            return "scan ignored: its stamp repeats the last one's"
        self._last_stamp, self._ignored = scan.stamp, 0
        return ""

    def _zone_profile(self, scan: Scan, beams: BeamGeometry) -> ZoneProfile:
        known = self._profile
        if known is None or known[0] is not beams or known[1] != scan.range_max:
            self._profile = known = (beams, scan.range_max, self.zone.profile(scan, beams))
        return known[2]

    def _blind(self, scan: Scan, reason: str) -> LaserResult:
        """A scan that is ignored; nobody is followed on such scans alone."""
        self._ignored += 1
        state = self._last.state if self._last else TrackingState.SEARCHING
        if state is TrackingState.TRACKING and self._ignored >= self.parameters.track.lost_scans:
            state = TrackingState.LOST
        return LaserResult(scan.stamp, state, reason)

    def _unseen(self, scan: Scan, reason: str, count: str) -> LaserResult:
        """A scan that shows nothing: tracks age as if nothing had been there."""
        self.counts[count] += 1
        self._last = self._estimator.miss(scan, reason)
        return self._last
