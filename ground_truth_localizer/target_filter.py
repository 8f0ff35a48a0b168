"""From single scans to a steady state: a target either stands or drives, and we say which.

Two hypotheses run side by side. *Driving* is a constant-velocity Kalman filter on the single-scan
estimates. *Standing* pools the readings of the same beams over the last scans and integrates them
as one (`target_fit`): the ranges average out, but hit and miss do not, because a standing target is
hit by the same beams again. Their probabilities follow Bayes' rule scan by scan; the state given
out is the mixture's mean and covariance (an interacting-multiple-model filter whose states do not
mix: a start is recognised sooner when the driving filter keeps its own past).
"""

from __future__ import annotations

from collections import deque
from math import exp, sqrt

import numpy as np
from numpy.typing import NDArray

from ground_truth_localizer.beam_geometry import BeamGeometry
from ground_truth_localizer.candidates import Candidate, ScanView
from ground_truth_localizer.driving_filter import Course, log_density
from ground_truth_localizer.laser_parameters import LaserParameters
from ground_truth_localizer.posterior_grid import (
    WIDE_BEARING,
    WIDE_DISTANCE,
    Box,
    Grid,
    Place,
    Posterior,
    posterior,
)
from ground_truth_localizer.target_state import TargetState

Array = NDArray[np.float64]

RECENT = 4  # scans that a standing hypothesis looks back on while the target drives
STANDING = 0.5  # probability above which the readings are pooled
SURE = 0.9  # probability above which a target is reported as stationary


class BeamPool:
    """Readings of one window of beams, added up over scans of a standing target."""

    def __init__(self, beams: BeamGeometry, seed: Candidate, parameters: LaserParameters) -> None:
        pad = 4 + seed.run.width // 8
        window = beams.window(seed.first - pad, len(seed.terms) + 2 * pad)
        self._first = window.first
        self._period = beams.count if beams.closed else 0
        self._bearings = window.bearings
        self._step = beams.step
        self._radius = parameters.target.radius
        self._spot = parameters.sensor.spot_radius
        self._memory = parameters.filter.memory_scans
        self._kept: deque[tuple[int, Array]] = deque()
        self._total = np.zeros((len(window.bearings), 3))
        self._used = slice(len(window.bearings), 0)  # the part of the window that was ever read
        self._grid: tuple[slice, Grid] | None = None
        self.fit: Posterior = seed.fit

    def holds(self, candidate: Candidate) -> bool:
        """Tell whether a candidate's beams lie inside the window."""
        offset = self._offset(candidate)
        return offset >= 0 and offset + len(candidate.terms) <= len(self._bearings)

    def add(self, candidate: Candidate) -> None:
        """Add the beams of one scan, forgetting the oldest beyond `memory_scans`."""
        offset, terms = self._offset(candidate), candidate.terms
        end = offset + len(terms)
        part = self._total[offset:end]
        np.add(part, terms, out=part)
        if offset < self._used.start or end > self._used.stop:
            self._used = slice(min(self._used.start, offset), max(self._used.stop, end))
        if self._memory:
            self._kept.append((offset, terms))
            if len(self._kept) > self._memory:
                offset, terms = self._kept.popleft()
                part = self._total[offset : offset + len(terms)]
                np.subtract(part, terms, out=part)

    def solve(self, near: Posterior) -> Posterior:
        """Integrate the pooled readings, on the grid of last time or anew around an estimate."""
        terms = self._total[self._used]
        if self._grid is not None and self._grid[0] == self._used:
            result = self._grid[1].integrate(terms)
            if result.keeps:
                self.fit = result.posterior
                return self.fit
            near = result.posterior if result.fits else near
        box = Box(
            near.distance,
            near.bearing,
            WIDE_DISTANCE * sqrt(near.variance_distance),
            WIDE_BEARING * sqrt(near.variance_bearing) + 0.02 * self._step,
        )
        bearings = self._bearings[self._used]
        result, _, grid = posterior(bearings, lambda _: terms, self._radius, box, self._spot)
        self._grid = (self._used, grid)
        self.fit = result.posterior
        return self.fit

    def _offset(self, candidate: Candidate) -> int:
        offset = candidate.first - self._first
        if self._period:
            offset = (offset + self._period // 2) % self._period - self._period // 2
        return offset


class TargetFilter:
    """Position, velocity and the standing probability of one target."""

    def __init__(self, view: ScanView, candidate: Candidate, parameters: LaserParameters) -> None:
        self._parameters = parameters
        self.stamp = candidate.stamp
        self.standing = 0.5
        x, y, xx, xy, yy = candidate.place
        speed = (0.5 * parameters.filter.speed_limit) ** 2
        self._course = Course(x, y, 0, 0, xx, xy, 0, 0, yy, 0, 0, speed, 0, speed)
        self._ahead: tuple[int, Course] | None = None
        self._recent: deque[Candidate] = deque([candidate], maxlen=RECENT)
        self._pool: BeamPool | None = None
        self._beams = view.beams
        self._rest = candidate.place

    def predict(self, stamp: int) -> Course:
        """What the driving hypothesis expects at a time, remembered for the next question."""
        if self._ahead is None or self._ahead[0] != stamp:
            density = self._parameters.filter.acceleration_density
            self._ahead = (stamp, self._course.after(stamp - self.stamp, density))
        return self._ahead[1]

    def velocity(self) -> tuple[float, float]:
        """Best velocity in map, m/s."""
        driving = 1.0 - self.standing
        return driving * self._course.u, driving * self._course.v

    def update(self, view: ScanView, candidate: Candidate) -> None:
        """Take in this scan's estimate of the target."""
        place, rest = candidate.place, self._rest
        self._course, driving = self.predict(candidate.stamp).seen_at(place)
        self.stamp, self._ahead = candidate.stamp, None
        resting, *_ = log_density(
            place.x - rest.x,
            place.y - rest.y,
            place.xx + rest.xx,
            place.xy + rest.xy,
            place.yy + rest.yy,
        )
        self._weigh(driving, resting)
        self._recent.append(candidate)
        # Readings are pooled beam by beam, which a sensor that was moved since does not allow.
        moved, self._beams = view.beams is not self._beams, view.beams
        poolable = self.standing > STANDING and not moved
        self._rest = self._pooled(view, candidate) if poolable else self._mean_of_recent()

    def state(self) -> TargetState:
        """Return the mixture of both hypotheses."""
        p, q, rest, c = self.standing, 1.0 - self.standing, self._rest, self._course
        dx, dy = rest.x - c.x, rest.y - c.y
        floor, pq = self._parameters.filter.position_floor**2, p * q
        xx = q * c.xx + p * rest.xx + floor + pq * dx * dx
        xy = q * c.xy + p * rest.xy + pq * dx * dy
        yy = q * c.yy + p * rest.yy + floor + pq * dy * dy
        position = np.array([c.x + p * dx, c.y + p * dy])
        if p > SURE:
            still = [0.0, 0.0, 0.0, 0.0]
            covariance = np.array([[xx, xy, 0.0, 0.0], [xy, yy, 0.0, 0.0], still, still])
            return TargetState(self.stamp, position, np.zeros(2), covariance, True)
        xu, xv, yu, yv = q * c.xu, q * c.xv, q * c.yu, q * c.yv
        uu, uv, vv = q * c.uu + pq * c.u * c.u, q * c.uv + pq * c.u * c.v, q * c.vv + pq * c.v * c.v
        covariance = np.array(
            [[xx, xy, xu, xv], [xy, yy, yu, yv], [xu, yu, uu, uv], [xv, yv, uv, vv]]
        )
        return TargetState(self.stamp, position, np.array(self.velocity()), covariance, False)

    def _weigh(self, driving: float, resting: float) -> None:
        """Carry the standing probability over one scan and weigh it with the new evidence."""
        options = self._parameters.filter
        prior = self.standing * (1.0 - options.start_probability)
        prior += (1.0 - self.standing) * options.stop_probability
        odds = prior / (1.0 - prior) * exp(min(max(resting - driving, -50.0), 50.0))
        self.standing = min(max(odds / (1.0 + odds), 1e-6), 1.0 - 1e-6)

    def _pooled(self, view: ScanView, candidate: Candidate) -> Place:
        """Pool this scan, or begin a pool with the recent ones, and integrate."""
        if self._pool is None or not self._pool.holds(candidate):
            self._pool = BeamPool(view.beams, candidate, self._parameters)
            for past in self._recent:
                if past.beams_of is view.beams and self._pool.holds(past):
                    self._pool.add(past)
            near = candidate.fit
        else:
            self._pool.add(candidate)
            near = self._pool.fit
        return self._pool.solve(near).place(*view.beams.place)

    def _mean_of_recent(self) -> Place:
        """Where the target would stand, were it standing for the last few scans."""
        self._pool = None
        a = b = d = u = v = 0.0  # information matrix and vector
        for candidate in self._recent:
            x, y, xx, xy, yy = candidate.place
            weight = 1.0 / (xx * yy - xy * xy)
            a, b, d = a + weight * yy, b - weight * xy, d + weight * xx
            u, v = u + weight * (yy * x - xy * y), v + weight * (xx * y - xy * x)
        scale = 1.0 / (a * d - b * b)
        x, y = scale * (d * u - b * v), scale * (a * v - b * u)
        return Place(x, y, scale * d, -scale * b, scale * a)
