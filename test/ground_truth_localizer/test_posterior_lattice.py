"""The integral over the shared lattice beside a far finer one, and what it leaves to others."""

from math import ceil, floor

import numpy as np
import pytest
from posterior_scene import RADIUS, SIGMA, STEP, Scene, disagreement, scenes

from ground_truth_localizer import candidates, posterior_lattice
from ground_truth_localizer.acceptance_zone import RectangleZone
from ground_truth_localizer.laser_localizer import LaserLocalizer
from ground_truth_localizer.laser_parameters import LaserParameters
from ground_truth_localizer.posterior_grid import Posterior
from ground_truth_localizer.posterior_lattice import Lattice
from ground_truth_localizer.synthetic_scans import SyntheticLaser, standing
from spatial_types.scan import Scan
from spatial_types.transforms import Transform


def fitted(lattice, scene, off=0.0, doubt=1.0, turned=1):
    """The posterior in the scene's terms, from a guess that is `off` metres, or None."""
    number = (scene.bearing - scene.bearings[0]) / STEP
    terms, last = scene.terms(scene.box), len(scene.bearings) - 1
    if turned < 0:
        terms, number = terms[::-1].copy(), last - number
    span = floor(number - doubt), ceil(number + doubt)
    fit = lattice.fit(terms, scene.distance + off, *span)
    if fit is None:
        return None
    number = fit.number if turned > 0 else last - fit.number
    return Posterior(
        fit.distance,
        scene.bearings[0] + STEP * number,
        fit.variance_distance,
        STEP**2 * fit.variance_number,
        turned * STEP * fit.covariance,
    )


@pytest.mark.parametrize("distance", [0.4, 1.0, 2.0, 3.5])
def test_mean_and_covariance_are_those_of_a_fine_grid(distance):
    lattice = Lattice(STEP, RADIUS, SIGMA)
    tried = [(fitted(lattice, scene), scene) for scene in scenes(distance)]
    pairs = [(found, scene.exact()) for found, scene in tried if found is not None]
    assert len(pairs) > 0.75 * len(tried)
    assert np.all(disagreement(pairs) < 0.1)
    sizes = [found.variance_distance / exact[1][0, 0] for found, exact in pairs]
    assert np.mean(sizes) == pytest.approx(1.0, abs=0.05)
    sizes = [found.variance_bearing / exact[1][1, 1] for found, exact in pairs]
    assert np.mean(sizes) == pytest.approx(1.0, abs=0.1)
    mixed = [found.covariance - exact[1][0, 1] for found, exact in pairs]
    assert np.std(mixed) < 0.1 * np.mean([np.sqrt(np.prod(np.diag(e[1]))) for _, e in pairs])


def test_a_poor_guess_is_made_good():
    lattice = Lattice(STEP, RADIUS, SIGMA)
    scene = Scene(2.0, 1.3, 3)
    good, poor = fitted(lattice, scene), fitted(lattice, scene, off=0.08, doubt=0.3)
    assert poor == pytest.approx(good, rel=0.02)


def test_beams_may_run_either_way():
    lattice = Lattice(STEP, RADIUS, SIGMA)
    for seed in range(20):
        scene = Scene(1.5, 0.7 + 0.1 * seed, seed)
        one, other = fitted(lattice, scene), fitted(lattice, scene, turned=-1)
        assert one == other or one == pytest.approx(other, rel=1e-6, abs=1e-9)


def test_a_posterior_too_narrow_or_too_wide_is_left_to_others():
    lattice = Lattice(STEP, RADIUS, SIGMA)
    scene = Scene(2.0, 1.3, 3)
    terms = scene.terms(scene.box)
    assert fitted(lattice, scene) is not None
    # A hundred scans of one place: the ranges leave next to no doubt.
    assert lattice.fit(100.0 * terms, 2.0, 0, 20) is None
    assert lattice.fit(np.zeros_like(terms), 2.0, 0, 4) is None


def test_a_soft_edge_leaves_more_doubt():
    scene = Scene(2.0, 1.3, 3)
    sharp, soft = (fitted(Lattice(STEP, RADIUS, SIGMA, spot), scene) for spot in (0.0, 0.02))
    assert soft.variance_bearing > sharp.variance_bearing
    assert soft.bearing == pytest.approx(sharp.bearing, abs=0.5 * STEP)


def test_a_target_that_drives_needs_few_blocks(monkeypatch):
    made, anew = [], []
    block, posterior = posterior_lattice._Block, candidates.posterior

    def counted(bearings, *rest):
        anew.append(bearings)
        return posterior(bearings, *rest)

    monkeypatch.setattr(posterior_lattice, "_Block", lambda *a: made.append(a) or block(*a))
    monkeypatch.setattr(candidates, "posterior", counted)
    laser = SyntheticLaser(seed=2)
    localizer = LaserLocalizer(LaserParameters(), RectangleZone((-4.0, 0.0, 4.0, 4.0)))
    for k in range(200):

        def driving(seconds):
            return np.stack([-2.0 + 0.2 * seconds, 1.0 + 0.1 * seconds], axis=1)

        result = localizer.update(laser.scan(0.1 * k, [(driving, RADIUS)]), laser.map_from_lrf)
    assert len(result.targets) == 1
    assert len(made) < 20
    assert len(anew) < 20


def test_an_aim_serves_again_only_where_the_readings_are_near():
    """A target that jumps to and fro on much the same beams is looked for anew each time."""
    laser = SyntheticLaser(seed=4)
    localizer = LaserLocalizer(LaserParameters(), RectangleZone((-4.0, 0.0, 4.0, 4.0)))
    refused = []
    for k in range(120):
        place = standing(0.02 * (k % 5), 3.3 - 0.25 * (k // 6 % 2))
        result = localizer.update(laser.scan(0.1 * k, [(place, RADIUS)]), laser.map_from_lrf)
        refused += [item.reason for item in result.refused]
    # What is refused are single odd readings, and the target until it is confirmed anew.
    assert all("1 of 3" in reason or "seen in" in reason for reason in refused)


def test_a_tilted_sensor_does_without_the_lattice():
    """Its beams are not evenly spaced on the floor."""
    scene = Scene(2.0, 1.3, 3)
    lattice, terms = Lattice(STEP, RADIUS, SIGMA), scene.terms(scene.box)
    even = candidates._fit_on_lattice(lattice, scene.bearings, terms, scene.box)
    wider = scene.bearings[0] + 1.01 * (scene.bearings - scene.bearings[0])
    assert even is not None
    assert candidates._fit_on_lattice(lattice, wider, terms, scene.box) is None


@pytest.mark.parametrize(
    ("step", "sigma"), [(1e-6, 0.03), (1e-4, 0.03), (STEP, 1e-9)], ids=["beams", "more", "rows"]
)
def test_what_would_take_a_huge_lattice_is_left_to_others(step, sigma):
    lattice = Lattice(step, RADIUS, sigma)
    assert lattice.fit(np.zeros((3, 3)), 2.0, 0, 2) is None
    assert not lattice._blocks
    assert Lattice(STEP, RADIUS, SIGMA).fit(np.zeros((3, 3)), 2.0, 0, 10**6) is None


def test_a_scan_of_beams_next_to_each_other_takes_no_lattice_and_harms_nothing():
    localizer = LaserLocalizer(LaserParameters(), RectangleZone((-4.0, 0.0, 4.0, 4.0)))
    for k in range(3):
        scan = Scan(k * 10**8, "lrf_link", 1.57, 1e-6, 0.0, 0.1, 0.05, 20.0, np.full(3, 1.9))
        localizer.update(scan, Transform())


def test_blocks_are_dropped_before_they_fill_the_memory(monkeypatch):
    monkeypatch.setattr(posterior_lattice, "MOST_HELD", 50_000)
    lattice = Lattice(STEP, RADIUS, SIGMA)
    for distance in (1.0, 1.5, 2.0, 2.5, 3.0):
        fitted(lattice, Scene(distance, 1.3, 3))
        assert len(lattice._blocks) == 1 or lattice._held <= 50_000
