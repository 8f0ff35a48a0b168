"""Several targets at once: which candidate belongs to which track, and when a track ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import cos, hypot, inf, sin

from ground_truth_localizer.candidates import Candidate, Refusal, ScanView
from ground_truth_localizer.laser_parameters import LaserParameters
from ground_truth_localizer.posterior_grid import Place
from ground_truth_localizer.target_filter import TargetFilter

LONGEST_STEP = 2.0  # metres that no target comes between two scans
SURELY = 4.0  # times its size, the gate surely holds what it grows by within one scan
START_ROOM = 0.02  # metres added to the gate, so that a sudden start does not leave it


@dataclass
class Track:
    """One followed target; `track_id` is 0 until it is confirmed."""

    filter: TargetFilter
    candidate: Candidate
    first: Place
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
    place: Place
    stamp: int


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
        x, y = view.beams.place
        x, y = x + distance * c, y + distance * s
        best, velocity = 0.5, (0.0, 0.0)
        for track in self.tracks:
            expected = track.filter.predict(view.stamp)
            away = hypot(expected.x - x, expected.y - y)
            if away < best:
                vx, vy = track.filter.velocity()
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
        for i, track in enumerate(self.tracks if candidates else ()):
            for k, distance in self._near(track, candidates):
                options.append((not track.confirmed, distance, i, k))
        pairs: list[tuple[Track, Candidate]] = []
        tracks, taken = set(), set()
        for _, _, i, k in sorted(options):
            if i not in tracks and k not in taken:
                tracks.add(i)
                taken.add(k)
                pairs.append((self.tracks[i], candidates[k]))
        return pairs

    def _near(self, track: Track, candidates: Sequence[Candidate]) -> Iterator[tuple[int, float]]:
        """Yield the numbers and squared Mahalanobis distances of candidates inside the gate."""
        gate = self._parameters.track.gate_sigmas**2
        start = candidates[0].stamp
        about = track.filter.predict(start)
        size = about.xx + about.yy + 2.0 * START_ROOM**2
        for k, candidate in enumerate(candidates):
            px, py, xx, xy, yy = candidate.place
            t = (candidate.stamp - start) * 1e-9
            x, y = px - about.x - t * about.u, py - about.y - t * about.v
            apart = x * x + y * y
            if apart > LONGEST_STEP**2 or apart > SURELY * gate * (size + xx + yy):
                continue
            expected = track.filter.predict(candidate.stamp)
            a, d = expected.xx + xx + START_ROOM**2, expected.yy + yy + START_ROOM**2
            b = expected.xy + xy
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
                last = track.candidate
                self._lost.append(_Lost(track.track_id, last.place, last.stamp))
            if track.missed < (limit if track.confirmed else 2):
                kept.append(track)
        self.tracks = kept

    def _begin(self, view: ScanView, free: Sequence[Candidate]) -> list[Refusal]:
        refused = []
        for candidate in free:
            if len(self.tracks) >= self._parameters.track.max_targets:
                limit = self._parameters.track.max_targets
                refused.append(Refusal(candidate.place.position, f"more than {limit} targets"))
                continue
            state = TargetFilter(view, candidate, self._parameters)
            self.tracks.append(Track(state, candidate, candidate.place))
        return refused

    def _confirm(self) -> list[Refusal]:
        options = self._parameters.track
        waiting = []
        for track in self.tracks:
            if track.confirmed or track.missed:
                continue
            place = track.candidate.place
            if track.seen < options.confirm_scans:
                reason = f"seen in {track.seen} of {options.confirm_scans} scans"
                waiting.append(Refusal(place.position, reason))
            elif _apart(place, track.first) < options.require_motion:
                waiting.append(Refusal(place.position, "has not moved yet"))
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
        reach = inf
        for lost in self._lost:
            distance = _apart(track.candidate.place, lost.place)
            allowed = 0.3 + options.filter.speed_limit * (now - lost.stamp) * 1e-9
            if distance < min(reach, allowed):
                best, reach = lost, distance
        if best is not None:
            self._lost.remove(best)
            return best.track_id
        self._next_id += 1
        return self._next_id - 1


def _apart(one: Place, other: Place) -> float:
    return hypot(one.x - other.x, one.y - other.y)
