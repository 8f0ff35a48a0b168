"""What the laser localizer says after each scan, whatever its method."""

from __future__ import annotations

from dataclasses import dataclass, field

from ground_truth_localizer.candidates import Refusal
from ground_truth_localizer.target_state import TargetState, TrackingState


@dataclass(frozen=True)
class TrackedTarget:
    """One target seen in this scan.

    `track_id` from 1, `radius` m, `beams` readings on it, `standing` the probability that it stands
    still, `single_scan` the state from this scan alone (velocity unknown), None for `thesis`.
    """

    track_id: int
    state: TargetState
    radius: float
    beams: int
    standing: float = 0.0
    single_scan: TargetState | None = None


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
    counts: dict[str, int] = field(default_factory=dict)
