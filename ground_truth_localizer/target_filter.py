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
from math import exp, log, sqrt

import numpy as np
from numpy.typing import NDArray

from ground_truth_localizer.beam_geometry import BeamGeometry
from ground_truth_localizer.candidates import Candidate, ScanView
from ground_truth_localizer.laser_parameters import LaserParameters
from ground_truth_localizer.target_fit import Box, Posterior, posterior
from ground_truth_localizer.target_state import TargetState, constant_velocity

Array = NDArray[np.float64]

RECENT = 4  # scans that a standing hypothesis looks back on while the target drives
STANDING = 0.5  # probability above which the readings are pooled
SURE = 0.9  # probability above which a target is reported as stationary


class BeamPool:
    """Readings of one window of beams, added up over scans of a standing target."""

    def __init__(self, beams: BeamGeometry, seed: Candidate, parameters: LaserParameters) -> None:
        pad = 4 + seed.run.width // 8
        window = beams.window(seed.first - pad, seed.terms.shape[1] + 2 * pad)
        self._first = window.first
        self._period = beams.count if beams.closed else 0
        self._bearings = window.bearings
        self._step = beams.step
        self._radius = parameters.target.radius
        self._spot = parameters.sensor.spot_radius
        self._memory = parameters.filter.memory_scans
        self._kept: deque[tuple[int, Array]] = deque()
        self._total = np.zeros((4, len(window.bearings)))
        self._used = slice(len(window.bearings), 0)  # the part of the window that was ever read
        self.fit: Posterior = seed.fit

    def holds(self, candidate: Candidate) -> bool:
        """Tell whether a candidate's beams lie inside the window."""
        offset = self._offset(candidate)
        return offset >= 0 and offset + candidate.terms.shape[1] <= len(self._bearings)

    def add(self, candidate: Candidate) -> None:
        """Add the beams of one scan, forgetting the oldest beyond `memory_scans`."""
        offset, terms = self._offset(candidate), candidate.terms
        end = offset + terms.shape[1]
        self._total[:, offset:end] += terms
        self._used = slice(min(self._used.start, offset), max(self._used.stop, end))
        if self._memory:
            self._kept.append((offset, terms))
            if len(self._kept) > self._memory:
                offset, terms = self._kept.popleft()
                self._total[:, offset : offset + terms.shape[1]] -= terms

    def solve(self, near: Posterior) -> Posterior:
        """Integrate the pooled readings, starting around an estimate."""
        box = Box(
            near.distance,
            near.bearing,
            3.9 * sqrt(near.variance_distance),
            2.7 * sqrt(near.variance_bearing) + 0.02 * self._step,
        )
        bearings, terms = self._bearings[self._used], self._total[:, self._used]
        self.fit = posterior(bearings, terms, self._radius, box, self._spot)
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
        self._mean = np.concatenate([candidate.position, np.zeros(2)])
        self._covariance = np.zeros((4, 4))
        self._covariance[:2, :2] = candidate.covariance
        self._covariance[2, 2] = self._covariance[3, 3] = (0.5 * parameters.filter.speed_limit) ** 2
        self._recent: deque[Candidate] = deque([candidate], maxlen=RECENT)
        self._pool: BeamPool | None = None
        self._floor = np.eye(2) * parameters.filter.position_floor**2
        self._ahead: tuple[int, Array, Array] | None = None
        self._beams = view.beams
        self._rest = (candidate.position, candidate.covariance)

    def predict(self, stamp: int) -> tuple[Array, Array]:
        """Position (2,) and covariance (2, 2) expected at a time by the driving hypothesis."""
        mean, covariance = self._carried(stamp)
        return mean[:2], covariance[:2, :2]

    def velocity(self) -> Array:
        """Best velocity (2,) in map, m/s."""
        return (1.0 - self.standing) * self._mean[2:]

    def update(self, view: ScanView, candidate: Candidate) -> None:
        """Take in this scan's estimate of the target."""
        driving = self._drive(candidate)
        resting = _density(candidate.position - self._rest[0], candidate.covariance + self._rest[1])
        self._weigh(driving, resting)
        self._recent.append(candidate)
        # Readings are pooled beam by beam, which a sensor that was moved since does not allow.
        moved, self._beams = view.beams is not self._beams, view.beams
        poolable = self.standing > STANDING and not moved
        self._rest = self._pooled(view, candidate) if poolable else self._mean_of_recent()

    def state(self) -> TargetState:
        """Return the mixture of both hypotheses."""
        p, q = self.standing, 1.0 - self.standing
        rest, spread = self._rest
        apart = rest - self._mean[:2]
        covariance = q * self._covariance
        covariance[:2, :2] += p * spread + self._floor + p * q * _square(apart)
        position = self._mean[:2] + p * apart
        if p > SURE:
            covariance[2:, :] = covariance[:, 2:] = 0.0
            return TargetState(self.stamp, position, np.zeros(2), covariance, True)
        velocity = self._mean[2:]
        covariance[2:, 2:] += p * q * _square(velocity)
        return TargetState(self.stamp, position, q * velocity, covariance, False)

    def _carried(self, stamp: int) -> tuple[Array, Array]:
        """The driving hypothesis at a time, remembered for the next question about that time."""
        if self._ahead is None or self._ahead[0] != stamp:
            density = self._parameters.filter.acceleration_density
            step, noise = constant_velocity(stamp - self.stamp, density)
            covariance = step @ self._covariance @ step.T + noise
            self._ahead = (stamp, step @ self._mean, covariance)
        return self._ahead[1], self._ahead[2]

    def _drive(self, candidate: Candidate) -> float:
        """Kalman prediction and update; returns the log density of the measurement."""
        mean, covariance = self._carried(candidate.stamp)
        innovation = candidate.position - mean[:2]
        seen = covariance[:2]
        total = seen[:, :2] + candidate.covariance
        gain = seen.T @ _inverse(total)
        self._mean = mean + gain @ innovation
        covariance = covariance - gain @ seen
        self._covariance = 0.5 * (covariance + covariance.T)
        self.stamp = candidate.stamp
        self._ahead = None
        return _density(innovation, total)

    def _weigh(self, driving: float, resting: float) -> None:
        """Carry the standing probability over one scan and weigh it with the new evidence."""
        options = self._parameters.filter
        prior = self.standing * (1.0 - options.start_probability)
        prior += (1.0 - self.standing) * options.stop_probability
        odds = prior / (1.0 - prior) * exp(min(max(resting - driving, -50.0), 50.0))
        self.standing = min(max(odds / (1.0 + odds), 1e-6), 1.0 - 1e-6)

    def _pooled(self, view: ScanView, candidate: Candidate) -> tuple[Array, Array]:
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
        fit = self._pool.solve(near)
        return fit.position(view.beams.origin), fit.position_covariance()

    def _mean_of_recent(self) -> tuple[Array, Array]:
        """Where the target would stand, were it standing for the last few scans."""
        self._pool = None
        a = b = d = u = v = 0.0  # information matrix and vector, in plain numbers for speed
        for candidate in self._recent:
            (xx, xy), (_, yy) = candidate.covariance.tolist()
            x, y = candidate.position.tolist()
            weight = 1.0 / (xx * yy - xy * xy)
            a, b, d = a + weight * yy, b - weight * xy, d + weight * xx
            u, v = u + weight * (yy * x - xy * y), v + weight * (xx * y - xy * x)
        scale = 1.0 / (a * d - b * b)
        mean = np.array([scale * (d * u - b * v), scale * (a * v - b * u)])
        return mean, scale * np.array([[d, -b], [-b, a]])


def _square(vector: Array) -> Array:
    """Outer product (2, 2) of a vector (2,) with itself."""
    x, y = vector.tolist()
    return np.array([[x * x, x * y], [x * y, y * y]])


def _inverse(matrix: Array) -> Array:
    """Inverse of a symmetric (2, 2) matrix, several times faster than numpy.linalg's."""
    (a, b), (_, d) = matrix.tolist()
    scale = 1.0 / (a * d - b * b)
    return np.array([[scale * d, -scale * b], [-scale * b, scale * a]])


def _density(innovation: Array, covariance: Array) -> float:
    """Log density of a two-dimensional Gaussian, less the constant."""
    (a, b), (_, d) = covariance.tolist()
    determinant = a * d - b * b
    x, y = innovation.tolist()
    squared = (d * x * x - 2.0 * b * x * y + a * y * y) / determinant
    return -0.5 * (squared + log(determinant))
