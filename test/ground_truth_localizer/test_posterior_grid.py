"""The integral over a grid beside a far finer one, and when a grid may be kept."""

import numpy as np
import pytest

from ground_truth_localizer import candidates, posterior_grid
from ground_truth_localizer.acceptance_zone import RectangleZone
from ground_truth_localizer.laser_localizer import LaserLocalizer
from ground_truth_localizer.laser_parameters import LaserParameters, TrackParameters
from ground_truth_localizer.posterior_grid import Box, Grid, posterior
from ground_truth_localizer.synthetic_scans import SyntheticLaser, standing
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

    def terms(self, grid):
        beams = self.model.beams(slice(None))
        return self.model.terms(beams, self.read.tolist(), grid.expected, grid.front)

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


@pytest.mark.parametrize("distance", [0.4, 1.0, 2.0, 3.5])
def test_mean_and_covariance_are_those_of_a_fine_grid(distance):
    pairs = [(scene.posterior()[0].posterior, scene.exact()) for scene in scenes(distance)]
    assert np.all(disagreement(pairs) < 0.2)
    sizes = [found.variance_distance / exact[1][0, 0] for found, exact in pairs]
    assert np.mean(sizes) == pytest.approx(1.0, abs=0.05)
    sizes = [found.variance_bearing / exact[1][1, 1] for found, exact in pairs]
    assert np.mean(sizes) == pytest.approx(1.0, abs=0.2)


@pytest.mark.parametrize("distance", [0.4, 1.0, 2.0, 3.5])
def test_a_grid_that_keeps_is_as_good_as_one_of_its_own(distance):
    rng = np.random.default_rng(8)
    pairs = []
    for scene in scenes(distance, 120):
        found, _, grid = scene.posterior()
        about = posterior_grid.box_about(found.posterior, grid.box)
        along, across = rng.uniform(-0.4, 0.4, 2)
        moved = about._replace(
            distance=about.distance + along * about.half_distance,
            bearing=about.bearing + across * about.half_bearing,
        )
        grid = Grid(scene.bearings, RADIUS, moved)
        kept = grid.integrate(scene.terms(grid))
        if kept.keeps:
            pairs.append((kept.posterior, scene.exact()))
    assert len(pairs) > 60
    assert np.all(disagreement(pairs) < 0.2)


def test_a_grid_elsewhere_or_too_coarse_is_not_kept():
    scene = Scene(2.0, 1.3, 3)
    found, _, grid = scene.posterior()
    about = posterior_grid.box_about(found.posterior, grid.box)

    def keeps(**changes):
        other = Grid(scene.bearings, RADIUS, about._replace(**changes))
        return other.integrate(scene.terms(other)).keeps

    assert keeps()
    assert not keeps(distance=about.distance + about.half_distance)
    assert not keeps(bearing=about.bearing + about.half_bearing)
    assert not keeps(half_distance=3.0 * about.half_distance)
    assert not keeps(half_bearing=4.0 * about.half_bearing)


def test_one_odd_reading_moves_nothing():
    scene = Scene(2.0, 1.3, 5)
    before = scene.posterior()[0].posterior
    scene.read[len(scene.read) // 2] -= 0.4
    after = scene.posterior()[0].posterior
    assert abs(after.distance - before.distance) < 0.01
    assert after.variance_distance > before.variance_distance


@pytest.fixture
def built(monkeypatch):
    """The boxes of all grids that are built."""
    boxes = []

    class Counted(Grid):
        def __init__(self, bearings, radius, box, spot=0.0):
            boxes.append(box)
            super().__init__(bearings, radius, box, spot)

    monkeypatch.setattr(posterior_grid, "Grid", Counted)
    monkeypatch.setattr(candidates, "Grid", Counted)
    return boxes


def follow(motion, scans, **options):
    laser = SyntheticLaser(seed=2, **options)
    parameters = LaserParameters(track=TrackParameters(confirm_scans=1))
    localizer = LaserLocalizer(parameters, RectangleZone((-4.0, 0.0, 4.0, 4.0)))
    for i in range(scans):
        yield localizer.update(laser.scan(0.1 * i, [(motion, RADIUS)]), laser.map_from_lrf)


@pytest.mark.parametrize("sweep", [0.0, 0.07])
def test_a_standing_target_keeps_its_grids(built, sweep):
    for _ in follow(standing(0.5, 2.0), 100, sweep=sweep):
        pass
    assert len(built) < 40  # of 200 integrals


def test_a_target_that_comes_nearer_on_the_same_beams_is_not_held_back():
    def jumping(seconds):
        y = 2.0 - 0.2 * (seconds > 0.95)
        return np.stack([np.zeros_like(seconds), y], axis=1)

    for i, result in enumerate(follow(jumping, 20)):
        seen = result.targets[0].single_scan.position
        assert seen == pytest.approx([0.0, 2.0 if i < 10 else 1.8], abs=0.04)
