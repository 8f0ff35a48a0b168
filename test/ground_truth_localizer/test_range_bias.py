"""Ranges that are all read too long: told so, the localizer takes it off again."""

from dataclasses import replace

import numpy as np

from ground_truth_localizer.acceptance_zone import RectangleZone
from ground_truth_localizer.laser_localizer import LaserLocalizer
from ground_truth_localizer.laser_parameters import LaserParameters, SensorParameters
from ground_truth_localizer.synthetic_scans import SyntheticLaser, standing
from ground_truth_localizer.zone_learning import ZoneLearner

BIAS = 0.05
TARGET = (1.0, 2.5)


def biased_scans(count, targets=()):
    laser = SyntheticLaser(seed=3)
    for k in range(count):
        scan = laser.scan(0.1 * k, targets)
        yield replace(scan, ranges=scan.ranges + BIAS), laser.map_from_lrf


def located(parameters):
    localizer = LaserLocalizer(parameters, RectangleZone((-4.0, 0.0, 4.0, 4.0)))
    for scan, pose in biased_scans(50, [(standing(*TARGET), 0.10)]):
        result = localizer.update(scan, pose)
    return result.primary.position


def test_a_told_bias_is_taken_off():
    away = np.array(TARGET) / np.hypot(*TARGET)
    too_far = located(LaserParameters()) - TARGET
    assert abs(too_far @ away - BIAS) < 0.006
    told = located(LaserParameters(sensor=SensorParameters(range_bias=BIAS)))
    assert np.hypot(*(told - TARGET)) < 0.006


def test_a_learnt_zone_knows_of_it():
    wrong, right = ZoneLearner(), ZoneLearner(range_bias=BIAS)
    for scan, _ in biased_scans(20):
        wrong.add(scan)
        right.add(scan)
    assert np.allclose(wrong.zone().background - right.zone().background, BIAS)
