"""Scans and images brought to the same instants."""

import numpy as np
import pytest

from ground_truth_localizer.acceptance_zone import RectangleZone
from ground_truth_localizer.calibration_sights import (
    CameraSight,
    LaserPlace,
    laser_place,
    shared_sights,
    state_between,
)
from ground_truth_localizer.laser_localizer import LaserLocalizer
from ground_truth_localizer.laser_parameters import LaserParameters, SensorParameters
from ground_truth_localizer.station_calibration import CalibrationParameters, calibrate
from ground_truth_localizer.synthetic_scans import SyntheticLaser, standing
from ground_truth_localizer.target_state import TargetState
from spatial_types.transforms import Transform

RADIUS = 0.10
PIXEL = 2 * np.tan(np.radians(22.5)) / 320
TOLD = np.array([0.0, 0.10])
TRUE = np.array([-0.03, 0.03, np.radians(-3.0), 0.03])
CAMERA_SIGMA = 0.1 * PIXEL
FLOOR = Transform.planar(0.0, 0.0, 0.0)
# These images drift with nothing.
EVEN = CalibrationParameters(bearing_drift=0.0, width_drift=0.0)


def curve(t, phase=0.0):
    """A drive (N, 2) at about 0.6 m/s through the whole room."""
    t = np.asarray(t)
    x = 3.0 * np.sin(0.17 * t + phase)
    return np.stack([x, 2.2 + 1.2 * np.sin(0.43 * t + 2 * phase)], axis=-1)


def image(stamp, place, random=None, true=TRUE):
    away = np.asarray(place) - TOLD - true[:2]
    seen = np.array([np.arctan2(away[1], away[0]) - true[2], np.arcsin(RADIUS / np.hypot(*away))])
    if random is not None:
        seen = seen + CAMERA_SIGMA * random.normal(size=2)
    return CameraSight(stamp, seen, CAMERA_SIGMA**2 * np.eye(2), seen[0], TOLD)


def place(stamp, where):
    polar = np.array([np.hypot(*where), np.arctan2(where[1], where[0])])
    state = TargetState(stamp, np.asarray(where), np.zeros(2), 1e-6 * np.eye(4))
    return LaserPlace(stamp, polar, np.diag([1e-4, 1e-6]), state)


def stamps(seconds):
    return np.round(np.asarray(seconds) * 1e9).astype(np.int64).tolist()


@pytest.mark.parametrize(
    ("scan_rate", "image_rate", "offset"),
    [(10.0, 30.0, 0.0), (10.0, 30.0, 0.013), (10.0, 10.0, 0.05), (10.0, 5.0, 0.03)],
)
def test_both_are_brought_to_the_same_instant(scan_rate, image_rate, offset):
    scans, images = np.arange(0.0, 5.0, 1 / scan_rate), np.arange(offset, 5.0, 1 / image_rate)
    places = [place(t, curve(t * 1e-9)) for t in stamps(scans)]
    seen = shared_sights(places, [image(t, curve(t * 1e-9)) for t in stamps(images)], FLOOR)
    assert len(seen) > 0.9 * min(len(scans), len(images)) - 2
    for k, stamp in enumerate(seen.stamps):
        exact = image(stamp, curve(stamp * 1e-9)).seen
        assert seen.camera[k] == pytest.approx(exact, abs=0.0015)
        assert seen.laser[k] == pytest.approx(place(stamp, curve(stamp * 1e-9)).polar, abs=0.003)


def test_what_lies_too_far_apart_is_not_joined():
    places = [place(t, (0.0, 2.0)) for t in stamps([0.0, 1.0, 2.0])]
    images = [image(t, (0.0, 2.0)) for t in stamps([0.4, 1.5])]
    assert len(shared_sights(places, images, FLOOR)) == 0
    assert state_between(places, 1, stamps([0.5])[0]) is None
    assert len(shared_sights([], [], FLOOR)) == 0


def test_a_standing_target_is_one_sight():
    times = stamps(np.arange(0.0, 10.0, 0.1))
    where = [(0.0, 2.0)] * 60 + [(1.0, 2.0)] * 40
    places = [place(t, w) for t, w in zip(times, where, strict=True)]
    images = [image(t, w) for t, w in zip(times, where, strict=True)]
    seen = shared_sights(places, images, FLOOR)
    assert seen.count.tolist() == [60, 40]
    assert seen.laser_covariance[0] == pytest.approx(np.diag([1e-4 / 60, 1e-6]))


def test_a_turned_and_shifted_laser_speaks_in_its_own_axes():
    pose = Transform.planar(1.0, -2.0, 0.7)
    times = stamps(np.arange(0.0, 3.0, 0.1))
    places = [place(t, curve(t * 1e-9)) for t in times]
    turn = pose.rotation[:2, :2]
    told = pose.apply((*TOLD, 0.0))[:2]
    images = [
        CameraSight(i.stamp, i.seen + np.array([0.7, 0.0]), i.covariance, i.pan + 0.7, told)
        for i in (image(t, curve(t * 1e-9)) for t in times)
    ]
    seen = shared_sights(places, images, pose)
    plain = shared_sights(places, [image(t, curve(t * 1e-9)) for t in times], FLOOR)
    assert seen.camera == pytest.approx(plain.camera)
    assert seen.origin == pytest.approx(plain.origin)
    assert turn @ seen.origin[0] + pose.translation[:2] == pytest.approx(told)


def located(motion, seconds, seed, told=0.0):
    """Places by the real localizer, from scans that are all read too long."""
    laser = SyntheticLaser(seed=seed)
    parameters = LaserParameters(sensor=SensorParameters(range_bias=told))
    localizer = LaserLocalizer(parameters, RectangleZone((-4.0, 0.0, 4.0, 4.0)))
    places = []
    for k in range(int(10 * seconds)):
        scan = laser.scan(0.1 * k, [(motion, RADIUS)])
        scan = type(scan)(**{**vars(scan), "ranges": scan.ranges + TRUE[3]})
        found = laser_place(localizer.update(scan, laser.map_from_lrf), laser.map_from_lrf)
        if found is not None:
            places.append(found)
    return places


def test_a_driven_target_gives_the_station_with_honest_deviations():
    scores = []
    for seed in range(10):
        random = np.random.default_rng(seed)
        phase = float(random.uniform(0, 6))
        near = TRUE[3] - 0.003  # as after a first round
        places = located(lambda t, phase=phase: curve(t, phase), 45.0, seed, near)
        times = stamps(np.arange(0.0, 45.0, 1 / 30))
        images = [image(t, curve(t * 1e-9, phase), random) for t in times]
        result = calibrate(shared_sights(places, images, FLOOR), PIXEL, EVEN)
        error = result.values - (TRUE - np.array([0.0, 0.0, 0.0, near]))
        assert np.abs(error[:2]).max() < 0.002
        assert abs(np.degrees(error[2])) < 0.05
        scores.append(error**2 / np.diag(result.covariance))
    # 40 squares with one degree of freedom each.
    assert 0.4 < np.mean(scores) < 1.6


def test_many_scans_of_one_place_are_no_more_than_one():
    places = located(standing(0.5, 2.0), 30.0, 3)
    images = [image(t, (0.5, 2.0)) for t in stamps(np.arange(0.0, 30.0, 1 / 30))]
    seen = shared_sights(places, images, FLOOR)
    assert len(places) > 250
    assert len(seen) < 10
    assert seen.count.max() > 100
