"""The station's calibration from sights: what it finds, how sure it is, and what it refuses."""

import dataclasses

import numpy as np
import pytest
from calibration_bench import PIXEL, RADIUS, TRUE, over_the_room, sights
from hypothesis import given, settings
from hypothesis import strategies as st

from ground_truth_localizer.station_calibration import (
    NAMES,
    CalibrationError,
    CalibrationParameters,
    Linear,
    Problem,
    calibrate,
    residuals,
)

EXACT = {"laser_sigma": (1e-9, 1e-9), "camera_sigma": (1e-9, 1e-9)}
PATIENT = CalibrationParameters(bias_limit=0.05)
EVEN = dataclasses.replace(PATIENT, bearing_drift=0.0, width_drift=0.0)
OFFSET = st.floats(-0.1, 0.1)


def drifting(seen, random):
    """Let bearings and widths go with azimuth and nearness, as much as told."""
    by_place = np.stack([np.unwrap(seen.camera[:, 0]), 1.0 / seen.laser[:, 0]], axis=1)
    by_place = (by_place - by_place.mean(axis=0)) / by_place.std(axis=0)
    sizes = PIXEL * np.array([PATIENT.bearing_drift, PATIENT.width_drift])
    drift = by_place @ random.normal(size=(2, 2)) * sizes
    return dataclasses.replace(seen, camera=seen.camera + drift)


def errors(count, seeds, spoil=lambda seen, random: seen, parameters=EVEN):
    found, spreads = [], []
    for seed in range(seeds):
        random = np.random.default_rng(seed)
        places = over_the_room(count, random)
        seen = sights(places, random, edge=0.09 * PIXEL * random.normal())
        seen = spoil(seen, random)
        result = calibrate(seen, PIXEL, parameters)
        found.append(result.values - TRUE)
        spreads.append(result.covariance)
    return np.array(found), np.array(spreads)


def nees(error, covariance):
    """Mean normalised error squared of each parameter, expected to be 1."""
    return np.mean(error**2 / np.einsum("nii->ni", covariance), axis=0)


@settings(max_examples=25, deadline=None)
@given(x=OFFSET, y=OFFSET, angle=st.floats(-0.3, 0.3), bias=OFFSET, seed=st.integers(0, 99))
def test_exact_sights_give_the_exact_station(x, y, angle, bias, seed):
    true = np.array([x, y, angle, bias])
    random = np.random.default_rng(seed)
    places = random.uniform((-3.0, 0.9), (3.0, 3.6), (40, 2))
    seen = sights(places, random, true, **EXACT)
    assert np.abs(residuals(seen, np.append(true, (0.0, 0.0)), RADIUS)).max() < 1e-7
    seen = dataclasses.replace(
        seen, **{n: getattr(seen, n) + np.eye(2) * 1e-7 for n in ("camera_covariance",)}
    )
    assert calibrate(seen, PIXEL).values == pytest.approx(true, abs=1e-5)


@settings(max_examples=25, deadline=None)
@given(x=OFFSET, y=OFFSET, angle=st.floats(-0.3, 0.3), bias=OFFSET, edge=st.floats(-1e-3, 1e-3))
def test_the_jacobian_is_that_of_the_residuals(x, y, angle, bias, edge):
    state = np.array([x, y, angle, bias, edge, 10.0 * edge])
    random = np.random.default_rng(1)
    seen = sights(random.uniform((-3.0, 0.9), (3.0, 3.6), (5, 2)), random)
    white = dataclasses.replace(
        seen,
        laser_covariance=np.zeros((5, 2, 2)),
        camera_covariance=np.tile(np.eye(2), (5, 1, 1)),
    )
    told = Linear(Problem(white, CalibrationParameters(), np.ones(2)), state).jacobian
    for k in range(6):
        step = 1e-6 * np.eye(6)[k]
        slope = residuals(seen, state + step, RADIUS) - residuals(seen, state - step, RADIUS)
        assert told[:, :, k] == pytest.approx(slope / 2e-6, abs=1e-6)


def test_offsets_are_found_and_the_deviations_are_honest():
    error, covariance = errors(1000, 60)
    rms = np.sqrt(np.mean(error**2, axis=0))
    assert rms[0] < 0.0006
    assert rms[1] < 0.0006
    assert np.degrees(rms[2]) < 0.015
    assert rms[3] < 0.002
    # 60 trials: 95 % of such means lie between 0.67 and 1.39.
    assert np.all(nees(error, covariance) > 0.55)
    assert np.all(nees(error, covariance) < 1.4)


def test_errors_that_go_with_the_place_are_in_the_deviations():
    error, covariance = errors(1000, 60, drifting, PATIENT)
    assert np.all(nees(error, covariance) > 0.55)
    assert np.all(nees(error, covariance) < 1.4)


def test_errors_that_last_raise_the_deviations():
    def lasting(seen, random):
        slow = random.normal(size=(len(seen) // 15 + 1, 2)).repeat(15, axis=0)[: len(seen)]
        return dataclasses.replace(seen, camera=seen.camera + slow * 0.0005)

    error, covariance = errors(1000, 40, lasting)
    print(nees(error, covariance))
    assert np.all(nees(error, covariance) < 1.8)


def test_outliers_are_left_out():
    def spoilt(seen, random):
        camera = seen.camera.copy()
        bad = random.random(len(seen)) < 0.2
        camera[bad] += random.uniform(-0.15, 0.15, (int(bad.sum()), 2))
        return dataclasses.replace(seen, camera=camera)

    error, covariance = errors(600, 15, spoilt)
    assert np.abs(error[:, :2]).max() < 0.004
    assert np.degrees(np.abs(error[:, 2])).max() < 0.06
    assert np.all(nees(error, covariance) < 2.2)


def test_late_images_are_noticed_and_allowed_for():
    for seed in range(5):
        random = np.random.default_rng(seed)
        result = calibrate(sights(over_the_room(1000, random), random, delay=0.04), PIXEL)
        assert result.delay == pytest.approx(0.04, abs=4 * result.delay_sigma)
        assert result.delay_sigma < 0.004
        assert np.all(np.abs(result.values - TRUE) < 4 * result.sigmas)
        assert np.all(result.sigmas[:2] < 0.001)


def refused(places, **more):
    random = np.random.default_rng(5)
    with pytest.raises(CalibrationError) as caught:
        calibrate(sights(np.array(places), random, **more), PIXEL)
    for name in caught.value.parameters:
        assert name in str(caught.value)
    return set(caught.value.parameters)


def test_one_place_determines_nothing():
    assert refused([[0.5, 2.0]] * 4) == set(NAMES)


def test_a_target_straight_ahead_leaves_depth_open():
    ahead = [[0.03, y] for y in np.linspace(1.0, 3.5, 300)]
    open_names = refused(ahead)
    assert open_names >= {"camera_y", "range_bias"}
    assert "angle" not in open_names


def test_a_circle_about_the_camera_leaves_the_bias_open():
    turn = np.linspace(0.3, 2.8, 300)
    places = np.array([0.03, 0.13]) + 2.5 * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    assert refused(places) == {"range_bias"}


def test_no_sights_and_senseless_ones():
    assert refused(np.zeros((0, 2))) == set(NAMES)
    random = np.random.default_rng(2)
    seen = sights(over_the_room(500, random), random)
    shuffled = dataclasses.replace(seen, camera=random.permutation(seen.camera))
    with pytest.raises(CalibrationError):
        calibrate(shuffled, PIXEL)


def test_a_wrong_radius_is_noticed():
    random = np.random.default_rng(2)
    seen = sights(over_the_room(1000, random), random)
    with pytest.raises(CalibrationError, match="radius"):
        calibrate(seen, PIXEL, CalibrationParameters(radius=0.13, edge_sigma=0.02))
