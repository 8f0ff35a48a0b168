"""Figures of the laser localizer on exact synthetic scans; seeds are never those of tuning."""

import numpy as np
import pytest

from ground_truth_localizer.acceptance_zone import RectangleZone
from ground_truth_localizer.laser_localizer import LaserLocalizer
from ground_truth_localizer.laser_parameters import FilterParameters, LaserParameters
from ground_truth_localizer.synthetic_scans import SyntheticLaser, standing

ROOM = (-4.0, 0.0, 4.0, 4.0)
POINTS = {
    "A": (0, 1),
    "B": (0, 2),
    "C": (0, 3),
    "D": (-3, 3),
    "E": (-3, 1),
    "F": (3, 1),
    "G": (3, 3),
}


def static_errors(parameters, point, scans, seed):
    laser = SyntheticLaser(seed=seed)
    localizer = LaserLocalizer(parameters, RectangleZone(ROOM))
    errors, nees = [], []
    for i in range(scans + 10):
        result = localizer.update(
            laser.scan(0.1 * i, [(standing(*point), 0.1)]), laser.map_from_lrf
        )
        if i >= 10:
            assert result.primary is not None
            error = result.primary.position - point
            errors.append(error)
            nees.append(error @ np.linalg.solve(result.primary.covariance[:2, :2], error))
    return np.array(errors), np.array(nees)


def test_static_points_with_five_scans_of_memory():
    parameters = LaserParameters(filter=FilterParameters(memory_scans=5))
    runs = [static_errors(parameters, p, 60, 900 + i) for i, p in enumerate(POINTS.values())]
    mae = np.mean([np.abs(errors).mean(axis=0) for errors, _ in runs], axis=0)
    assert mae[0] < 3.3e-3
    assert mae[1] < 4.0e-3
    assert 0.5 < np.mean([nees.mean() for _, nees in runs]) < 3.5


def test_unlimited_memory_beats_five_scans():
    short = LaserParameters(filter=FilterParameters(memory_scans=5))
    endless = LaserParameters()
    errors = {}
    for name, parameters in (("short", short), ("endless", endless)):
        runs = [static_errors(parameters, POINTS[p], 100, 70)[0][50:] for p in "BG"]
        errors[name] = np.mean([np.abs(run).mean() for run in runs])
    assert errors["endless"] < 0.7 * errors["short"]


@pytest.mark.parametrize("method", ["model", "thesis"])
def test_methods_find_the_target(method):
    errors, _ = static_errors(LaserParameters(method=method), (0.5, 2.0), 20, 3)
    assert np.abs(errors).max() < 0.06
