"""`method: thesis`: the localizer of the source thesis, step by step, to compare with.

Readings outside the zone become zero. The first change from zero to non-zero that is not followed
by zero at once is the target's start, the next change to zero its end; the middle beam k gives
(V(k) + r) along its bearing (formula 4.3), and the last five results are averaged. Nothing in it
knows how wrong it may be; the covariance told is that of five ranges, as the thesis assumes.
"""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray

from ground_truth_localizer.acceptance_zone import ZoneProfile
from ground_truth_localizer.beam_geometry import BeamGeometry
from ground_truth_localizer.laser_parameters import LaserParameters
from ground_truth_localizer.laser_result import LaserResult, TrackedTarget
from ground_truth_localizer.target_state import TargetState, TrackingState
from spatial_types.scan import Scan

Array = NDArray[np.float64]
AVERAGED = 5


class ThesisEstimator:
    """One target, no memory but the moving average."""

    def __init__(self, parameters: LaserParameters) -> None:
        self._parameters = parameters
        self._last: deque[Array] = deque(maxlen=AVERAGED)
        self._missed = 0
        self._track_id = 0

    def update(
        self, scan: Scan, distances: Array, beams: BeamGeometry, zone: ZoneProfile
    ) -> LaserResult:
        """Find the edges, take the central beam, average."""
        values = np.where(zone.accepts(distances), distances, 0.0)
        edges = find_edges(values)
        if edges is None:
            return self.miss(scan, "no edge: nothing but single readings inside the zone")
        if self._missed >= self._parameters.track.lost_scans or not self._track_id:
            self._last.clear()
            self._track_id = 1
        self._missed = 0
        k = (edges[0] + edges[1]) // 2
        reach = values[k] + self._parameters.target.radius
        ray = np.array([beams.cosines[k], beams.sines[k]])
        self._last.append(beams.origin[:2] + reach * ray)
        time = scan.stamp + round(k * scan.time_increment * 1e9)
        state = self._state(time)
        found = TrackedTarget(
            self._track_id, state, self._parameters.target.radius, edges[1] - edges[0] + 1
        )
        return LaserResult(scan.stamp, TrackingState.TRACKING, "1 seen", (found,), (), state)

    def miss(self, scan: Scan, reason: str) -> LaserResult:
        """Count a scan without the target."""
        self._missed += 1
        if not self._track_id:
            return LaserResult(scan.stamp, TrackingState.SEARCHING, reason)
        lost = self._missed >= self._parameters.track.lost_scans
        state = TrackingState.LOST if lost else TrackingState.TRACKING
        return LaserResult(scan.stamp, state, reason)

    def _state(self, stamp: int) -> TargetState:
        covariance = np.zeros((4, 4))
        covariance[0, 0] = covariance[1, 1] = self._parameters.sensor.sigma**2 / len(self._last)
        covariance[2, 2] = covariance[3, 3] = self._parameters.filter.speed_limit**2
        return TargetState(stamp, np.mean(self._last, axis=0), np.zeros(2), covariance)


def find_edges(values: Array) -> tuple[int, int] | None:
    """Return the first and last beam of the target in a zone-filtered scan (N,), or None.

    Zeros are no readings. A lone reading between zeros is an outlier. A target that reaches the
    last beam ends there.
    """
    filled = values > 0.0
    before = np.concatenate([[False], filled[:-1]])
    after = np.concatenate([filled[1:], [False]])
    starts = np.flatnonzero(filled & ~before & after)
    if len(starts) == 0:
        return None
    start = int(starts[0])
    ends = np.flatnonzero(filled[start:] & ~after[start:])
    return start, start + int(ends[0])
