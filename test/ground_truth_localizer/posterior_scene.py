"""Beams about one target, what they read, and the posterior of its place on a fine grid."""

import numpy as np

from ground_truth_localizer.beam_geometry import seen_from
from ground_truth_localizer.laser_parameters import LaserParameters
from ground_truth_localizer.posterior_grid import Box, posterior
from ground_truth_localizer.target_fit import BeamModel

RADIUS, SIGMA, STEP = 0.1, 0.03, float(np.radians(0.5))


class Scene:
    """Beams about a target at a distance and bearing, and what they read."""

    def __init__(self, distance, bearing, seed):
        half = np.arcsin(RADIUS / distance) + 2.5 * STEP
        numbers = np.arange(np.ceil((bearing - half) / STEP), np.floor((bearing + half) / STEP) + 1)
        self.distance, self.bearing, self.bearings = distance, bearing, numbers * STEP
        across = distance * np.sin(self.bearings - bearing)
        root = RADIUS**2 - across**2
        true = distance * np.cos(self.bearings - bearing) - np.sqrt(np.maximum(root, 0.0))
        self.hit = root > 0.0
        noise = np.random.default_rng(seed).normal(0.0, SIGMA, len(numbers))
        self.read = np.where(self.hit, true, distance + 2.0) + noise
        many = np.ones(len(numbers))
        sensor = LaserParameters().sensor
        wall = (distance + 2.0) * many
        self.model = BeamModel(SIGMA * many, wall, SIGMA * many, 0.5 * many, sensor)
        self.box = Box(distance, bearing, 5.4 * SIGMA / np.sqrt(self.hit.sum()), STEP)

    def terms(self, near):
        across, expected = seen_from(self.bearings, near.distance, near.bearing)
        expected -= np.sqrt(np.maximum(RADIUS**2 - across**2, 0.0))
        beams, front = self.model.beams(slice(None)), near.distance - RADIUS
        return self.model.terms(beams, self.read.tolist(), expected.tolist(), front)

    def posterior(self, box=None):
        return posterior(self.bearings, self.terms, RADIUS, box or self.box)

    def exact(self):
        """Mean and covariance of (distance, bearing) on a fine grid, told which beams hit."""
        d = self.distance + np.linspace(-1.2, 1.2, 61) * self.box.half_distance
        b = self.bearing + np.linspace(-1.0, 1.0, 401) * STEP
        weight = np.tile(np.log(d)[:, None], (1, len(b)))
        for bearing, hit, read in zip(self.bearings, self.hit, self.read, strict=True):
            across = d[:, None] * np.sin(bearing - b)
            root = RADIUS**2 - across**2
            reading = d[:, None] * np.cos(bearing - b) - np.sqrt(np.maximum(root, 0.0))
            fit = -0.5 * ((read - reading) / SIGMA) ** 2
            weight += np.where((root > 0.0) == hit, np.where(hit, fit, 0.0), -1e3)
        weight = np.exp(weight - weight.max())
        cells = np.stack([grid.ravel() for grid in np.meshgrid(d, b, indexing="ij")])
        mean = np.average(cells, axis=1, weights=weight.ravel())
        return mean, np.cov(cells, aweights=weight.ravel(), ddof=0)


def disagreement(pairs):
    """Root mean square of how far posteriors are from exact ones, in standard deviations (2,)."""
    offs = []
    for found, (mean, covariance) in pairs:
        off = np.array([found.distance, found.bearing]) - mean
        offs.append(off / np.sqrt(np.diag(covariance)))
    return np.sqrt(np.mean(np.square(offs), axis=0))


def scenes(distance, count=40):
    rng = np.random.default_rng(round(10 * distance))
    return [Scene(distance, rng.uniform(0.5, 2.5), seed) for seed in range(count)]
