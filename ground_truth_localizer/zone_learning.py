"""Learn the background of a room, beam by beam, from scans without the target.

A beam at the edge of furniture returns now one range, now another; its mean is neither and its
spread covers the free space between. So each beam's readings are split at wide gaps, and one group
is the background: the nearest that is no accident, or, in a busy room where people stand and walk,
the farthest that is seen often. People hide the room; they never show what is behind it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ground_truth_localizer.acceptance_zone import LearntZone, ZoneError
from spatial_types.scan import Scan

Array = NDArray[np.float64]

GAP_SIGMAS = 6.0  # readings this far apart belong to different things
PART = 0.02  # a group with a smaller part of the scans is an accident
BUSY_PART = 0.2  # what a beam sees this often, and nothing behind it, is the room
PRIOR_SCANS = 20  # weight of the typical spread in that of one beam
LEAST_SPREAD = 0.002


class ZoneLearner:
    """Collect scans of the empty room, then make the zone."""

    def __init__(self, sigma: float = 0.03, busy: bool = False, range_bias: float = 0.0) -> None:
        """Prepare; `sigma` is the expected range noise (m), `busy` tells that people pass by.

        `range_bias` (m) is subtracted from each range.
        """
        self._sigma = sigma
        self._busy = busy
        self._range_bias = range_bias
        self._first: Scan | None = None
        self._ranges: list[Array] = []

    @property
    def scans(self) -> int:
        """Number of scans taken in."""
        return len(self._ranges)

    def add(self, scan: Scan) -> None:
        """Take in one scan; ZoneError where its beams are not those of the first."""
        first = self._first or scan
        same = len(scan.ranges) == len(first.ranges) > 0
        same = same and abs(scan.angle_min - first.angle_min) < 1e-6
        if not (same and abs(scan.angle_increment - first.angle_increment) < 1e-9):
            raise ZoneError(
                f"learning: scan of {len(scan.ranges)} beams from {scan.angle_min:.4f} rad after "
                f"scans of {len(first.ranges)} from {first.angle_min:.4f}: expected the same beams"
            )
        self._first = first
        self._ranges.append(np.where(scan.hits, scan.ranges - self._range_bias, np.nan))

    def zone(self, k: float = 3.0, source: str = "learnt zone") -> LearntZone:
        """Make the zone, `k` times the spread before the background; ZoneError without scans."""
        if self._first is None or self.scans < 2:
            raise ZoneError(f"learning: {self.scans} scans: expected at least 2")
        readings = np.array(self._ranges)
        groups = [self._background(readings[:, i]) for i in range(readings.shape[1])]
        background = np.array([group.mean() if len(group) else np.inf for group in groups])
        returns = np.isfinite(readings).mean(axis=0)
        return LearntZone(
            self._first.angle_min,
            self._first.angle_increment,
            background,
            _spreads(groups, self._sigma),
            returns,
            k,
            source,
        )

    def _background(self, readings: Array) -> Array:
        """The readings of one beam that are its background; none for an open beam."""
        found = np.sort(readings[np.isfinite(readings)])
        if len(found) == 0:
            return found
        cuts = np.flatnonzero(np.diff(found) > GAP_SIGMAS * self._sigma) + 1
        groups = np.split(found, cuts)
        least = max(2, PART * len(readings))
        groups = [group for group in groups if len(group) >= least]
        if not groups:
            return np.empty(0)
        if not self._busy:
            return groups[0]
        lasting = [group for group in groups if len(group) >= BUSY_PART * len(found)]
        return lasting[-1] if lasting else max(groups, key=len)


def _spreads(groups: list[Array], sigma: float) -> Array:
    """Standard deviation of each beam, drawn toward the typical one by `PRIOR_SCANS` scans.

    A few dozen readings give a spread that is a tenth wrong; three of a spread that came out too
    small would let one reading in a hundred through.
    """
    counts = np.array([len(group) for group in groups])
    variances = np.array([group.var(ddof=1) if len(group) > 1 else np.nan for group in groups])
    known = np.isfinite(variances)
    typical = float(np.median(variances[known])) if known.any() else sigma**2
    own = np.where(known, variances, 0.0) * np.maximum(counts - 1, 0)
    pooled = (own + PRIOR_SCANS * typical) / (np.maximum(counts - 1, 0) + PRIOR_SCANS)
    return np.maximum(np.sqrt(pooled), LEAST_SPREAD)
