"""The posterior of a target beside the exact one, its bias, and its covariance."""

from dataclasses import replace

import numpy as np
import pytest

from ground_truth_localizer.acceptance_zone import RectangleZone
from ground_truth_localizer.laser_localizer import LaserLocalizer
from ground_truth_localizer.laser_parameters import LaserParameters, TrackParameters
from ground_truth_localizer.synthetic_scans import SyntheticLaser, standing

RADIUS = 0.1
WALLS = (-6.0, 0.0, 6.0, 6.0)


def exact(scan, hit, distance, bearing):
    """Mean of the posterior on a fine grid, told which beams hit: (distance, bearing)."""
    near = np.abs(scan.angles - bearing) < np.arcsin(RADIUS / distance) + 0.03
    angles, ranges, hit = scan.angles[near], scan.ranges[near], hit[near]
    d = distance + np.linspace(-0.06, 0.06, 49)
    b = bearing + np.linspace(-0.012, 0.012, 161)
    delta = angles[:, None] - b
    across = d[:, None, None] * np.sin(delta)
    inside = across**2 < RADIUS**2
    reading = d[:, None, None] * np.cos(delta)
    reading = reading - np.sqrt(np.maximum(RADIUS**2 - across**2, 0.0))
    fit = -0.5 * ((ranges[:, None] - reading) / 0.03) ** 2
    impossible = -1e3
    log = np.where(hit[:, None] == inside, np.where(inside, fit, 0.0), impossible).sum(axis=1)
    weight = np.exp(log - log.max()) * d[:, None]
    weight /= weight.sum()
    return weight.sum(axis=1) @ d, weight.sum(axis=0) @ b


def single_scans(distances, count, seed):
    """Errors along and across (n, 2), ours and the exact one's, and normalised squares of ours."""
    rng = np.random.default_rng(seed)
    parameters = LaserParameters(track=TrackParameters(confirm_scans=1))
    outline = [[-6, 0], [6, 0], [6, 6], [-6, 6]]
    ours, bayes, squares = [], [], []
    for _ in range(count):
        d, b = rng.uniform(*distances), rng.uniform(0.3, np.pi - 0.3)
        place = d * np.cos(b), d * np.sin(b)
        laser = SyntheticLaser(outlines=[outline], seed=int(rng.integers(1 << 31)))
        scan = laser.scan(0.0, [(standing(*place), RADIUS)])
        localizer = LaserLocalizer(parameters, RectangleZone(WALLS))
        state = localizer.update(scan, laser.map_from_lrf).targets[0].single_scan
        error = state.position - place
        squares.append(error @ np.linalg.solve(state.covariance[:2, :2], error))
        turn = np.array([[np.cos(b), np.sin(b)], [-np.sin(b), np.cos(b)]])
        ours.append(turn @ error)
        hit = np.abs(d * np.sin(scan.angles - b)) < RADIUS
        best = exact(scan, hit & (np.abs(scan.angles - b) < 1.0), d, b)
        bayes.append((best[0] - d, d * (best[1] - b)))
    return np.array(ours), np.array(bayes), np.array(squares)


@pytest.mark.parametrize("distances", [(0.9, 1.1), (1.9, 2.1), (2.9, 3.1), (3.7, 3.9)])
def test_single_scan_is_as_good_as_the_exact_posterior(distances):
    ours, bayes, squares = single_scans(distances, 120, 2024)
    ratio = np.abs(ours).mean(axis=0) / np.abs(bayes).mean(axis=0)
    assert np.all(ratio < 1.08)
    assert np.abs(ours.mean(axis=0) - bayes.mean(axis=0)).max() < 1e-3
    assert 1.5 < squares.mean() < 2.6


def test_no_bias_toward_the_sensor():
    laser = SyntheticLaser(seed=77, count=180, angle_increment=float(np.radians(1.0)))
    parameters = LaserParameters(track=TrackParameters(confirm_scans=1))
    localizer = LaserLocalizer(parameters, RectangleZone((-4.0, 0.0, 4.0, 4.0)))
    along = []
    for i in range(400):
        x = -0.5 + i / 400.0
        scan = laser.scan(0.1 * i, [(standing(x, 1.5), RADIUS)])
        result = localizer.update(scan, laser.map_from_lrf)
        place = np.array([x, 1.5])
        error = result.targets[0].single_scan.position - place
        along.append(error @ place / np.linalg.norm(place))
    assert abs(np.mean(along)) < 0.0015


def test_soft_edges_are_told_apart_from_hard_ones():
    hard = LaserParameters(track=TrackParameters(confirm_scans=1))
    soft = replace(hard, sensor=replace(hard.sensor, spot_radius=0.02))
    laser = SyntheticLaser(seed=3)
    scan = laser.scan(0.0, [(standing(0.3, 2.0), RADIUS)])
    spreads = []
    for parameters in (hard, soft):
        localizer = LaserLocalizer(parameters, RectangleZone((-4.0, 0.0, 4.0, 4.0)))
        state = localizer.update(scan, laser.map_from_lrf).targets[0].single_scan
        assert np.abs(state.position - [0.3, 2.0]).max() < 0.03
        spreads.append(np.sqrt(state.covariance[0, 0]))
    assert spreads[1] > 1.15 * spreads[0]
