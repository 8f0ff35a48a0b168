"""From a recording to the figures that go into the JSON and the report."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.alignment import fit_alignment, frame_warnings, time_offset
from evaluation.estimator_chain import without_numbers
from evaluation.metrics import (
    ErrorSeries,
    along_across,
    by_speed,
    errors_of,
    figures,
    outages,
    pick,
    require_same_frame,
)
from evaluation.recording import Recording, Samples, Track
from evaluation.series import PoseSeries, Reference, require_overlap

GRACE_SCANS = 5
FALSE_DISTANCE = 0.3


@dataclass(frozen=True)
class ScoredTrack:
    """A track with its errors: of the samples, and of every estimate it gave."""

    track: Track
    errors: ErrorSeries
    all_errors: ErrorSeries
    alignment: dict[str, float] | None


@dataclass(frozen=True)
class Score:
    """The figures of a recording, and the error series behind them for the plots."""

    figures: dict[str, Any]
    tracks: tuple[ScoredTrack, ...]
    recording: Recording


def score(recording: Recording, align: bool = False, apply_time_offset: bool = False) -> Score:
    """Score every track; alignment and time shift happen only where asked for.

    Raises FrameError and NoOverlapError where the first track and the reference cannot be compared.
    """
    if recording.reference is None:
        return Score(_without_reference(recording), (), recording)
    reference = recording.reference
    samples = recording.samples.select(_present(recording))
    recording = replace(recording, samples=samples)
    scored = [
        _score_track(track, recording, align, apply_time_offset) for track in recording.tracks
    ]
    main = scored[0]
    result = _head(recording, main.track)
    whole, points = _figure_tables(main.errors, samples)
    result.update(whole)
    result["whole"] = whole
    result["points"] = points
    result["variants"] = {
        item.track.name: _variant(item, samples, reference) for item in scored[1:]
    }
    result.update(_details(main, reference))
    result["absences"] = absences(recording, main.track)
    result["tracks"] = list(main.track.targets)
    result["false_targets"] = false_targets(main.track, reference)
    result["warnings"] = list(recording.notes) + frame_warnings(main.errors)
    return Score(result, tuple(scored), recording)


def _present(recording: Recording) -> NDArray[np.bool_]:
    """Samples at which the target could be seen, leaving five scans to find it again."""
    stamps = recording.samples.scan_stamps
    keep = np.ones(len(stamps), dtype=bool)
    for start, end in recording.absent:
        returned = np.flatnonzero(stamps > end)[:GRACE_SCANS]
        keep &= ~((stamps > start) & (stamps <= end))
        keep[returned] = False
    return keep


def false_targets(track: Track, reference: Reference) -> int:
    """Count reported targets that are nowhere near the true one."""
    reported = track.all_targets
    if reported is None or not len(reported):
        return 0
    truth, _, _, covered = reference.at(reported.stamps)
    off = np.hypot(reported.x - truth.x, reported.y - truth.y)
    return int(np.count_nonzero(covered & (off > FALSE_DISTANCE)))


def absences(recording: Recording, track: Track) -> list[dict[str, Any]]:
    """Tell of each span without a target how many scans it took to say so, and to find it again.

    A scan at the very stamp of a change was taken before it.
    """
    rows = []
    scans = recording.all_scans
    estimates = track.laser_stamps
    for start, end in recording.absent:
        reported = [c.stamp for c in track.states if c.state == "lost" and start <= c.stamp <= end]
        found = estimates[estimates > end]
        lost = int(np.sum((scans > start) & (scans <= reported[0]))) if reported else None
        again = int(np.sum((scans > end) & (scans <= found[0]))) if len(found) else None
        false = estimates[(estimates > start) & (estimates <= end)]
        rows.append(
            {
                "from_s": start * 1e-9,
                "to_s": end * 1e-9,
                "lost_after_scans": lost,
                "found_after_scans": again,
                "estimates_while_absent": len(false),
            }
        )
    return rows


def _score_track(
    track: Track, recording: Recording, align: bool, apply_time_offset: bool
) -> ScoredTrack:
    reference = recording.reference
    assert reference is not None
    poses, _ = track.poses.in_order()
    if not align and len(poses):
        require_same_frame(poses, reference.poses)
    stamps = recording.samples.stamps(track.estimate)
    if len(poses):
        require_overlap(poses, reference.poses)
    chosen = pick(poses, stamps)
    if apply_time_offset:
        late = time_offset(poses, reference) or 0.0
        chosen, poses = (series.shifted(-round(late * 1e9)) for series in (chosen, poses))
    applied = None
    if align:
        fit = fit_alignment(poses, reference)
        chosen, poses = fit.apply(chosen), fit.apply(poses)
        applied = {
            "yaw_deg": float(np.degrees(fit.yaw)),
            "x_m": float(fit.translation[0]),
            "y_m": float(fit.translation[1]),
        }
    errors, all_errors = errors_of(chosen, reference), errors_of(poses, reference)
    return ScoredTrack(track, errors, all_errors, applied)


def _head(recording: Recording, main: Track) -> dict[str, Any]:
    losses = [change for change in main.states if change.state == "lost"]
    reasons = Counter(without_numbers(item.reason) for item in main.refused)
    return {
        "trial": recording.trial,
        "description": recording.description,
        "method": main.method,
        "estimate": main.estimate,
        "seed": recording.seed,
        "lost": len(losses),
        "lost_events": [{"at_s": item.stamp * 1e-9, "reason": item.reason} for item in losses],
        "refused": len(main.refused),
        "refused_reasons": dict(reasons.most_common()),
        "unusable_images": main.unusable,
    }


def _figure_tables(errors: ErrorSeries, samples: Samples) -> tuple[dict[str, Any], dict[str, Any]]:
    points = {
        name: figures(errors.select(samples.point == k))
        for k, name in enumerate(samples.point_names)
    }
    return figures(errors), points


def _variant(item: ScoredTrack, samples: Samples, reference: Reference) -> dict[str, Any]:
    whole, points = _figure_tables(item.errors, samples)
    head = {"estimate": item.track.estimate, "method": item.track.method}
    lost = sum(change.state == "lost" for change in item.track.states)
    return {**head, "lost": lost, **whole, "points": points}


def _details(main: ScoredTrack, reference: Reference) -> dict[str, Any]:
    offset = time_offset(main.track.poses, reference)
    return {
        "sight": along_across(main.errors),
        "every_estimate": figures(main.all_errors),
        "binned": by_speed(main.errors),
        "outages": outages(main.errors),
        "time_offset_s": offset,
        "alignment": main.alignment,
    }


def _without_reference(recording: Recording) -> dict[str, Any]:
    """What can be said without a reference: how often there was an estimate, and where."""
    main = recording.tracks[0]
    poses, _ = main.poses.in_order()
    chosen = pick(poses, recording.samples.stamps(main.estimate))
    result = _head(recording, main)
    result["samples"] = len(chosen)
    found = np.isfinite(chosen.x)
    result["availability"] = float(found.mean()) if len(chosen) else None
    if found.any():
        result["mean_position_m"] = [float(chosen.x[found].mean()), float(chosen.y[found].mean())]
        result["std_position_m"] = [float(chosen.x[found].std()), float(chosen.y[found].std())]
    result["tracks"] = list(main.targets)
    result["points"] = {}
    result["variants"] = {}
    result["warnings"] = [*recording.notes, "no reference: errors cannot be stated"]
    return result


def empty_poses(frame: str = "map") -> PoseSeries:
    """Return a series without poses."""
    return PoseSeries.build([], [], [], frame=frame)
