"""`method: model`: every beam, hit and miss, a known radius, one filter for each target."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from ground_truth_localizer.acceptance_zone import ZoneProfile
from ground_truth_localizer.beam_geometry import BeamGeometry
from ground_truth_localizer.candidates import (
    Aim,
    Refusal,
    ScanView,
    beam_model,
    find_candidates,
    lattice,
)
from ground_truth_localizer.laser_parameters import LaserParameters
from ground_truth_localizer.laser_result import LaserResult, TrackedTarget
from ground_truth_localizer.posterior_lattice import Lattice
from ground_truth_localizer.target_fit import BeamModel
from ground_truth_localizer.target_state import TrackingState
from ground_truth_localizer.target_tracks import TargetTracks, Track
from spatial_types.scan import Scan

Array = NDArray[np.float64]


class ModelEstimator:
    """Segment, fit, associate, filter."""

    def __init__(self, parameters: LaserParameters) -> None:
        self._parameters = parameters
        self._tracks = TargetTracks(parameters)
        self._model: tuple[ZoneProfile, BeamModel, dict[tuple[int, int], Aim]] | None = None
        self._lattice: Lattice | None = None
        self._ever = False

    def update(
        self, scan: Scan, distances: Array, beams: BeamGeometry, zone: ZoneProfile
    ) -> LaserResult:
        """Segment, fit, associate, filter."""
        if self._model is None or self._model[0] is not zone:
            self._model = (zone, beam_model(beams, zone, self._parameters), {})
        if self._lattice is None or self._lattice.step != beams.step:
            self._lattice = lattice(beams, self._parameters)
        known = (*self._model, self._lattice)
        span = scan.range_min, scan.range_max
        view = ScanView(scan.stamp, scan.time_increment, span, beams, distances, *known)
        candidates, refused = find_candidates(view, self._parameters, self._tracks.motion)
        refused += self._tracks.update(view, candidates)
        return self._result(scan, refused, "")

    def miss(self, scan: Scan, reason: str) -> LaserResult:
        """Age the tracks by a scan that shows nothing."""
        self._tracks.miss(scan.stamp)
        return self._result(scan, [], reason)

    def _result(self, scan: Scan, refused: list[Refusal], reason: str) -> LaserResult:
        known = self._tracks.confirmed()
        visible = self._tracks.visible()
        self._ever |= bool(known)
        if known:
            state = TrackingState.TRACKING
            missed = known[0].missed
            words = f"{len(visible)} seen" if not missed else f"not seen for {missed} scans"
        else:
            state = TrackingState.LOST if self._ever else TrackingState.SEARCHING
            words = _why_none(refused)
        targets = tuple(self._told(track) for track in visible)
        primary = targets[0].state if visible and visible[0] is known[0] else None
        return LaserResult(scan.stamp, state, reason or words, targets, tuple(refused), primary)

    def _told(self, track: Track) -> TrackedTarget:
        candidate = track.candidate
        return TrackedTarget(
            track.track_id,
            track.filter.state(),
            self._parameters.target.radius,
            candidate.beams,
            track.filter.standing,
            candidate,
        )


def _why_none(refused: list[Refusal]) -> str:
    if not refused:
        return "nothing inside the acceptance zone"
    common = Counter(item.reason.split(":")[0] for item in refused).most_common(3)
    return "no target; refused: " + ", ".join(f"{count} {reason}" for reason, count in common)
