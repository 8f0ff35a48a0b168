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

import numpy as np
from numpy.typing import NDArray

from ground_truth_localizer.candidates import Candidate, ScanView
from ground_truth_localizer.laser_parameters import LaserParameters
from ground_truth_localizer.target_fit import Box, Posterior, beam_terms, posterior
from ground_truth_localizer.target_state import TargetState

Array = NDArray[np.float64]

RECENT = 4  # scans that a standing hypothesis looks back on while the target drives
STANDING = 0.5  # probability above which the readings are pooled
SURE = 0.9  # probability above which a target is reported as stationary


class BeamPool:
    """Readings of one window of beams, added up over scans of a standing target."""

    def __init__(self, view: ScanView, candidate: Candidate, parameters: LaserParameters) -> None:
        pad = 3 + candidate.run.width // 8
        self._parameters = parameters
        self._start = candidate.run.start - pad
        self._count = candidate.run.width + 2 * pad
        self._index = view.beams.window(self._start, self._count)
        self._bearings = view.readings(self._index).bearings
        self._reference = candidate.fit.distance
        self._memory = parameters.filter.memory_scans
        self._terms: deque[Array] = deque()
        self._total = np.zeros((6, len(self._index)))
        self.scans = 0
        self.fit: Posterior = candidate.fit

    def holds(self, candidate: Candidate) -> bool:
        """Tell whether a candidate's beams still lie inside the window."""
        run = candidate.run
        return self._start < run.start and run.stop < self._start + self._count - 1

    def add(self, view: ScanView) -> None:
        """Add one scan, forgetting the oldest beyond `memory_scans`."""
        terms = beam_terms(
            view.readings(self._index),
            self._reference,
            self._parameters.target.radius,
            self._parameters.sensor,
        )
        self._total += terms
        self.scans += 1
        if self._memory:
            self._terms.append(terms)
            if len(self._terms) > self._memory:
                self._total -= self._terms.popleft()
                self.scans -= 1

    def solve(self, near: Posterior) -> Posterior:
        """Integrate the pooled readings, starting around an estimate."""
        spot = self._parameters.sensor.spot_radius
        box = Box(
            near.distance,
            near.bearing,
            5.0 * np.sqrt(near.variance_distance),
            4.0 * np.sqrt(near.variance_bearing) + 0.1 * abs(self._bearings[1] - self._bearings[0]),
        )
        radius = self._parameters.target.radius
        self.fit = posterior(self._bearings, self._total, self._reference, radius, box, spot)
        return self.fit


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
        self._recent: deque[tuple[ScanView, Candidate]] = deque([(view, candidate)], maxlen=RECENT)
        self._pool: BeamPool | None = None
        self._rest = (candidate.position, candidate.covariance)

    def predict(self, stamp: int) -> tuple[Array, Array]:
        """Position (2,) and covariance (2, 2) expected at a time by the driving hypothesis."""
        step, noise = _motion(stamp - self.stamp, self._parameters.filter.acceleration_density)
        mean = step @ self._mean
        covariance = step @ self._covariance @ step.T + noise
        return mean[:2], covariance[:2, :2]

    def velocity(self) -> Array:
        """Best velocity (2,) in map, m/s."""
        return (1.0 - self.standing) * self._mean[2:]

    def update(self, view: ScanView, candidate: Candidate) -> None:
        """Take in this scan's estimate of the target."""
        driving = self._drive(candidate)
        resting = _density(candidate.position - self._rest[0], candidate.covariance + self._rest[1])
        self._weigh(driving, resting)
        self._recent.append((view, candidate))
        self._rest = (
            self._pooled(view, candidate) if self.standing > STANDING else self._mean_of_recent()
        )

    def state(self) -> TargetState:
        """Return the mixture of both hypotheses."""
        p = self.standing
        rest, spread = self._rest
        position = p * rest + (1.0 - p) * self._mean[:2]
        apart = rest - self._mean[:2]
        covariance = (1.0 - p) * self._covariance
        covariance[:2, :2] += p * spread + p * (1.0 - p) * np.outer(apart, apart)
        velocity = self.velocity()
        covariance[2:, 2:] += p * (1.0 - p) * np.outer(self._mean[2:], self._mean[2:])
        floor = self._parameters.filter.position_floor**2
        covariance[0, 0] += floor
        covariance[1, 1] += floor
        stationary = p > SURE
        if stationary:
            velocity = np.zeros(2)
            covariance[2:, :] = covariance[:, 2:] = 0.0
        return TargetState(self.stamp, position, velocity, covariance, stationary)

    def _drive(self, candidate: Candidate) -> float:
        """Kalman prediction and update; returns the log density of the measurement."""
        step, noise = _motion(
            candidate.stamp - self.stamp, self._parameters.filter.acceleration_density
        )
        mean = step @ self._mean
        covariance = step @ self._covariance @ step.T + noise
        innovation = candidate.position - mean[:2]
        total = covariance[:2, :2] + candidate.covariance
        gain = covariance[:, :2] @ np.linalg.inv(total)
        self._mean = mean + gain @ innovation
        covariance = covariance - gain @ covariance[:2]
        self._covariance = 0.5 * (covariance + covariance.T)
        self.stamp = candidate.stamp
        return _density(innovation, total)

    def _weigh(self, driving: float, resting: float) -> None:
        """Carry the standing probability over one scan and weigh it with the new evidence."""
        options = self._parameters.filter
        prior = self.standing * (1.0 - options.start_probability)
        prior += (1.0 - self.standing) * options.stop_probability
        odds = prior / (1.0 - prior) * np.exp(np.clip(resting - driving, -50.0, 50.0))
        self.standing = float(np.clip(odds / (1.0 + odds), 1e-6, 1.0 - 1e-6))

    def _pooled(self, view: ScanView, candidate: Candidate) -> tuple[Array, Array]:
        """Pool this scan, or begin a pool with the recent ones, and integrate."""
        if self._pool is None or not self._pool.holds(candidate):
            self._pool = BeamPool(view, candidate, self._parameters)
            for past, _ in self._recent:
                self._pool.add(past)
            near = candidate.fit
        else:
            self._pool.add(view)
            near = self._pool.fit
        fit = self._pool.solve(near)
        return fit.position(view.beams.origin), fit.position_covariance()

    def _mean_of_recent(self) -> tuple[Array, Array]:
        """Where the target would stand, were it standing for the last few scans."""
        self._pool = None
        weights = [np.linalg.inv(candidate.covariance) for _, candidate in self._recent]
        covariance = np.linalg.inv(np.sum(weights, axis=0))
        pulls = [w @ c.position for w, (_, c) in zip(weights, self._recent, strict=True)]
        return covariance @ np.sum(pulls, axis=0), covariance


def _motion(nanoseconds: int, density: float) -> tuple[Array, Array]:
    """Transition (4, 4) and noise (4, 4) of constant velocity under white acceleration."""
    dt = nanoseconds * 1e-9
    step = np.eye(4)
    step[0, 2] = step[1, 3] = dt
    span = abs(dt)
    a, b, c = density * span**3 / 3.0, density * dt * span / 2.0, density * span
    noise = np.array([[a, 0, b, 0], [0, a, 0, b], [b, 0, c, 0], [0, b, 0, c]])
    return step, noise


def _density(innovation: Array, covariance: Array) -> float:
    """Log density of a two-dimensional Gaussian, less the constant."""
    (a, b), (_, d) = covariance
    determinant = a * d - b * b
    x, y = innovation
    squared = (d * x * x - 2.0 * b * x * y + a * y * y) / determinant
    return float(-0.5 * (squared + np.log(determinant)))
