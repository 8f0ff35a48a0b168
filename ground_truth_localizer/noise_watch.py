"""How much a mounted sensor's readings scatter, measured from scan to scan.

Nearly all beams of a fixed sensor read the same thing twice. So the median of how much a beam
differs from itself one scan before tells the noise whatever the room looks like, with people
walking about in it as well.
"""

from __future__ import annotations

from math import isnan, nan, sqrt

import numpy as np

from ground_truth_localizer.beam_geometry import BeamGeometry
from spatial_types.scan import Scan

# Median of |a - b| of two Gaussians of one sigma, in sigmas.
MEDIAN_DIFFERENCE = 0.6745 * sqrt(2.0)
FEWEST_BEAMS = 30
# The first scans are all compared, later ones now and then: that takes no time worth telling.
AT_FIRST, EVERY = 5, 10
SHARE = 0.3


class NoiseWatch:
    """Feed it scans in order; `sigma` (m) is NaN until two were seen from one pose."""

    def __init__(self) -> None:
        self.sigma = nan
        self._last: Scan | None = None
        self._beams: BeamGeometry | None = None
        self._count = 0

    def update(self, scan: Scan, beams: BeamGeometry) -> float:
        """Take in one scan; `beams` is the same object as long as the sensor stays in place."""
        before = self._last if beams is self._beams else None
        if before is None:
            self._count, self.sigma = 0, nan
        elif self._count <= AT_FIRST or self._count % EVERY == 0:
            self._compare(before, scan)
        self._count += 1
        self._last, self._beams = scan, beams
        return self.sigma

    def _compare(self, before: Scan, after: Scan) -> None:
        both = before.hits & after.hits
        if np.count_nonzero(both) < FEWEST_BEAMS:
            return
        difference = after.ranges[both] - before.ranges[both]
        found = float(np.median(np.abs(difference))) / MEDIAN_DIFFERENCE
        self.sigma = found if isnan(self.sigma) else self.sigma + SHARE * (found - self.sigma)
