"""The integral over a grid beside a far finer one, and when a grid may be kept."""

import numpy as np
import pytest
from posterior_scene import RADIUS, Scene, disagreement, scenes

from ground_truth_localizer import candidates, posterior_grid
from ground_truth_localizer.acceptance_zone import RectangleZone
from ground_truth_localizer.laser_localizer import LaserLocalizer
from ground_truth_localizer.laser_parameters import LaserParameters, TrackParameters
from ground_truth_localizer.posterior_grid import Grid
from ground_truth_localizer.synthetic_scans import SyntheticLaser, standing


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
        kept = grid.integrate(scene.terms(moved))
        if kept.keeps:
            pairs.append((kept.posterior, scene.exact()))
    assert len(pairs) > 60
    assert np.all(disagreement(pairs) < 0.2)


def test_a_grid_elsewhere_or_too_coarse_is_not_kept():
    scene = Scene(2.0, 1.3, 3)
    found, _, grid = scene.posterior()
    about = posterior_grid.box_about(found.posterior, grid.box)

    def keeps(**changes):
        box = about._replace(**changes)
        return Grid(scene.bearings, RADIUS, box).integrate(scene.terms(box)).keeps

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
