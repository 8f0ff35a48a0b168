"""What the laser localizer says after each scan, whatever its method."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ground_truth_localizer.candidates import Candidate, Refusal
from ground_truth_localizer.target_state import TargetState, TrackingState

UNKNOWN = 2.0  # m/s, the spread of a velocity of which nothing is known


@dataclass(frozen=True)
class TrackedTarget:
    """One target seen in this scan.

    `track_id` from 1, `radius` m, `beams` readings on it, `standing` the probability that it stands
    still, `candidate` what this scan alone says, None for `thesis`.
    """

    track_id: int
    state: TargetState
    radius: float
    beams: int
    standing: float = 0.0
    candidate: Candidate | None = None

    @property
    def single_scan(self) -> TargetState | None:
        """The state from this scan alone, its velocity unknown."""
        if self.candidate is None:
            return None
        _, _, xx, xy, yy = self.candidate.place
        covariance = np.diag([xx, yy, UNKNOWN**2, UNKNOWN**2])
        covariance[0, 1] = covariance[1, 0] = xy
        place = self.candidate.place.position
        return TargetState(self.candidate.stamp, place, np.zeros(2), covariance)


@dataclass(frozen=True)
class LaserResult:
    """Outcome of one scan.

    `stamp` of the scan (ns), `state` and a `reason` for it in words, `targets` seen in this scan by
    track, `refused` runs of beams with where and why, `primary` the oldest track's state, None
    where it was not seen in this scan.
    """

    stamp: int
    state: TrackingState
    reason: str
    targets: tuple[TrackedTarget, ...] = ()
    refused: tuple[Refusal, ...] = ()
    primary: TargetState | None = None
