"""The sensor's noise, measured while people walk, the room is cluttered or the sensor is moved."""

from dataclasses import replace

import numpy as np
import pytest

from ground_truth_localizer.acceptance_zone import RectangleZone
from ground_truth_localizer.beam_geometry import BeamGeometryCache
from ground_truth_localizer.laser_localizer import LaserLocalizer
from ground_truth_localizer.laser_parameters import LaserParameters, SensorParameters
from ground_truth_localizer.noise_watch import NoiseWatch
from ground_truth_localizer.synthetic_scans import SyntheticLaser, standing
from spatial_types.transforms import Transform

TARGET = [(standing(0.5, 2.0), 0.1)]
BOX = (-4.0, 0.0, 4.0, 4.0)


def watched(laser, scans=60, targets=TARGET):
    watch, beams = NoiseWatch(), BeamGeometryCache()
    for k in range(scans):
        scan = laser.scan(0.1 * k, targets)
        watch.update(scan, beams.get(scan, laser.map_from_lrf))
    return watch.sigma


@pytest.mark.parametrize("sigma", [0.003, 0.03, 0.3])
def test_the_noise_is_measured(sigma):
    assert watched(SyntheticLaser(sigma=sigma, seed=1)) == pytest.approx(sigma, rel=0.15)


def test_neither_walkers_nor_a_cluttered_room_count_as_noise():
    random = np.random.default_rng(2)
    clutter = [(*random.uniform((-4, 0.5), (4, 4)), 0.05) for _ in range(60)]
    walkers = [(lambda t, x=x: np.stack([x + 1.5 * t, 2.0 + 0 * t], -1), 0.2) for x in (-9, -5, -3)]
    laser = SyntheticLaser(pillars=clutter, sigma=0.01, seed=3)
    assert watched(laser, 60, walkers) == pytest.approx(0.01, rel=0.4)


def test_a_moved_sensor_is_not_compared_with_itself_before():
    laser = SyntheticLaser(sigma=0.01, seed=4)
    watch, beams = NoiseWatch(), BeamGeometryCache()
    for k in range(10):
        laser = replace(laser, map_from_lrf=Transform.planar(0.2 * k, 1.0, 0.3 * k, 0.5), seed=k)
        scan = laser.scan(0.1 * k)
        assert np.isnan(watch.update(scan, beams.get(scan, laser.map_from_lrf)))


def test_too_few_returns_tell_nothing():
    laser = SyntheticLaser(seed=5)
    watch, beams = NoiseWatch(), BeamGeometryCache()
    for k in range(10):
        scan = replace(laser.scan(0.1 * k), range_max=0.05)
        assert np.isnan(watch.update(scan, beams.get(scan, laser.map_from_lrf)))


@pytest.mark.parametrize("seed", range(3))
def test_noise_far_beyond_the_parameter_makes_no_targets(seed):
    """Readings of walls come into the zone by chance then, and look like targets."""
    localizer = LaserLocalizer(LaserParameters(), RectangleZone(BOX))
    laser = SyntheticLaser(sigma=0.3, seed=seed)
    results = [
        localizer.update(laser.scan(0.1 * k, TARGET), laser.map_from_lrf) for k in range(100)
    ]
    assert not any(result.targets for result in results)
    assert "sensor.sigma is 0.030 m" in results[-1].reason
    assert localizer.counts["too noisy"] > 90
    rough = LaserParameters(sensor=SensorParameters(sigma=0.3))
    told = LaserLocalizer(rough, RectangleZone(BOX))
    results = [told.update(laser.scan(0.1 * k, TARGET), laser.map_from_lrf) for k in range(20)]
    assert "scatter" not in results[-1].reason
