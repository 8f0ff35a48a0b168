"""Several targets at once: which candidate belongs to which track, and when a track ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import cos, sin
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ground_truth_localizer.candidates import Candidate, Refusal, ScanView
from ground_truth_localizer.laser_parameters import LaserParameters
from ground_truth_localizer.target_filter import TargetFilter

Array = NDArray[np.float64]

LONGEST_STEP = 2.0  # metres that no target comes between two scans
START_ROOM = 0.02  # metres added to the gate, so that a sudden start does not leave it


@dataclass
class Track:
    """One followed target; `track_id` is 0 until it is confirmed."""

    filter: TargetFilter
    candidate: Candidate
    first: Array
    track_id: int = 0
    seen: int = 1
    missed: int = 0

    @property
    def confirmed(self) -> bool:
        """True once enough scans have shown the target."""
        return self.track_id > 0


@dataclass(frozen=True)
class _Lost:
    track_id: int
    position: Array
    stamp: int


class _Place(NamedTuple):
    """A candidate's position and covariance in plain numbers, faster than NumPy's for so few."""

    stamp: int
    x: float
    y: float
    xx: float
    xy: float
    yy: float

    @staticmethod
    def of(candidate: Candidate) -> _Place:
        x, y = candidate.position.tolist()
        (xx, xy), (_, yy) = candidate.covariance.tolist()
        return _Place(candidate.stamp, x, y, xx, xy, yy)


class TargetTracks:
    """Associate candidates with tracks, begin tracks, and give them up."""

    def __init__(self, parameters: LaserParameters) -> None:
        self._parameters = parameters
        self._lost: list[_Lost] = []
        self._next_id = 1
        self.tracks: list[Track] = []

    def update(self, view: ScanView, candidates: Sequence[Candidate]) -> list[Refusal]:
        """Take in one scan; returns candidates that may not (yet) be targets, with reasons."""
        pairs = self._pairs(candidates)
        taken = {id(candidate) for _, candidate in pairs}
        for track, candidate in pairs:
            track.filter.update(view, candidate)
            track.candidate = candidate
            track.seen += 1
            track.missed = 0
        self._age(view.stamp)
        refused = self._begin(view, [c for c in candidates if id(c) not in taken])
        refused += self._confirm()
        return refused

    def miss(self, stamp: int) -> None:
        """Take in a scan at `stamp` that shows nothing."""
        self._age(stamp)

    def motion(self, view: ScanView, distance: float, bearing: float) -> tuple[float, float]:
        """Velocity along and across the line of sight of the track nearest to a place, m/s."""
        c, s = cos(bearing), sin(bearing)
        place = view.beams.origin[:2] + distance * np.array([c, s])
        best, velocity = 0.5, (0.0, 0.0)
        for track in self.tracks:
            away = float(np.linalg.norm(track.filter.predict(view.stamp)[0] - place))
            if away < best:
                vx, vy = track.filter.velocity().tolist()
                best, velocity = away, (vx * c + vy * s, vy * c - vx * s)
        return velocity

    def visible(self) -> list[Track]:
        """Confirmed tracks seen in the last scan, oldest first."""
        return [track for track in self.tracks if track.confirmed and track.missed == 0]

    def confirmed(self) -> list[Track]:
        """Confirmed tracks, seen or for a few scans not."""
        return [track for track in self.tracks if track.confirmed]

    def _pairs(self, candidates: Sequence[Candidate]) -> list[tuple[Track, Candidate]]:
        """Nearest pairs first, each track and candidate once, within the gate."""
        options = []
        places = [_Place.of(candidate) for candidate in candidates]
        for i, track in enumerate(self.tracks):
            for k, distance in self._near(track, places):
                options.append((not track.confirmed, distance, i, k))
        pairs: list[tuple[Track, Candidate]] = []
        tracks, taken = set(), set()
        for _, _, i, k in sorted(options):
            if i not in tracks and k not in taken:
                tracks.add(i)
                taken.add(k)
                pairs.append((self.tracks[i], candidates[k]))
        return pairs

    def _near(self, track: Track, places: Sequence[_Place]) -> Iterator[tuple[int, float]]:
        """Yield the numbers and squared Mahalanobis distances of the places inside the gate."""
        gate = self._parameters.track.gate_sigmas**2
        stamp: int | None = None
        for k, place in enumerate(places):
            if place.stamp != stamp:
                stamp = place.stamp
                mean, covariance = track.filter.predict(stamp)
                mx, my = mean.tolist()
                (xx, xy), (_, yy) = covariance.tolist()
            x, y = place.x - mx, place.y - my
            a, b, d = xx + place.xx + START_ROOM**2, xy + place.xy, yy + place.yy + START_ROOM**2
            apart = x * x + y * y
            if apart > LONGEST_STEP**2 or apart > gate * (a + d):
                continue
            squared = (d * x * x - 2.0 * b * x * y + a * y * y) / (a * d - b * b)
            if squared <= gate:
                yield k, squared

    def _age(self, stamp: int) -> None:
        """Count misses and drop the tracks that have too many."""
        limit = self._parameters.track.lost_scans
        kept = []
        for track in self.tracks:
            if track.candidate.stamp < stamp:
                track.missed += 1
            if track.missed >= limit and track.confirmed:
                position = track.candidate.position
                self._lost.append(_Lost(track.track_id, position, track.candidate.stamp))
            if track.missed < (limit if track.confirmed else 2):
                kept.append(track)
        self.tracks = kept

    def _begin(self, view: ScanView, free: Sequence[Candidate]) -> list[Refusal]:
        refused = []
        for candidate in free:
            if len(self.tracks) >= self._parameters.track.max_targets:
                limit = self._parameters.track.max_targets
                refused.append(Refusal(candidate.position, f"more than {limit} targets"))
                continue
            state = TargetFilter(view, candidate, self._parameters)
            self.tracks.append(Track(state, candidate, candidate.position))
        return refused

    def _confirm(self) -> list[Refusal]:
        options = self._parameters.track
        waiting = []
        for track in self.tracks:
            if track.confirmed or track.missed:
                continue
            position = track.candidate.position
            if track.seen < options.confirm_scans:
                waiting.append(
                    Refusal(position, f"seen in {track.seen} of {options.confirm_scans} scans")
                )
            elif np.linalg.norm(position - track.first) < options.require_motion:
                waiting.append(Refusal(position, "has not moved yet"))
            else:
                track.track_id = self._identity(track)
        self.tracks.sort(key=lambda track: (not track.confirmed, track.track_id))
        return waiting

    def _identity(self, track: Track) -> int:
        """Give back the id of a target lost nearby, or a new one."""
        now, options = track.candidate.stamp, self._parameters
        self._lost = [
            lost for lost in self._lost if now - lost.stamp < options.track.remember * 1e9
        ]
        best: _Lost | None = None
        reach = np.inf
        for lost in self._lost:
            distance = float(np.linalg.norm(track.candidate.position - lost.position))
            allowed = 0.3 + options.filter.speed_limit * (now - lost.stamp) * 1e-9
            if distance < min(reach, allowed):
                best, reach = lost, distance
        if best is not None:
            self._lost.remove(best)
            return best.track_id
        self._next_id += 1
        return self._next_id - 1
