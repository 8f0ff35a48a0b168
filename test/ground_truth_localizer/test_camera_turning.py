"""A camera that turns is known less well, and the estimates say so."""

import dataclasses

import numpy as np
import pytest
from synthetic_camera import Scene, looking, render, thesis_camera

from ground_truth_localizer.camera_turning import CameraTurning
from ground_truth_localizer.orientation_estimator import OrientationEstimator
from ground_truth_localizer.target_state import TargetState

FRAME = 33_333_333


def at(azimuth):
    return looking((0.0, 0.1, 0.37), azimuth)


def test_rate_is_the_largest_of_the_last_images():
    turning = CameraTurning(span=0.12)
    azimuths = [0.0, 0.0, 0.01, 0.01, 0.01, 0.01, 0.01]
    rates = [turning.update(k * FRAME, at(azimuth)) for k, azimuth in enumerate(azimuths)]
    assert rates[1] == 0.0
    assert rates[2:6] == pytest.approx([0.3] * 4, rel=1e-3)
    assert rates[6] == 0.0


@pytest.mark.parametrize("stamp", [-FRAME, 0, 5_000_000_000])
def test_clock_set_back_or_a_gap_starts_anew(stamp):
    turning = CameraTurning()
    turning.update(0, at(0.0))
    assert turning.update(stamp, at(0.5)) == 0.0


def test_bearing_and_yaw_lose_certainty_with_the_turning():
    camera, estimator = thesis_camera(), OrientationEstimator()
    covariance = np.diag([0.01**2, 0.003**2, 0.0, 0.0])
    state = TargetState(0, np.array([0.0, 2.1]), np.zeros(2), covariance, True)
    frame = render(Scene(position=(0.0, 2.1)), camera, at(np.pi / 2), np.random.default_rng(3))
    first = estimator.update(frame, camera, at(np.pi / 2 - 0.02), state)
    frame = dataclasses.replace(frame, stamp=FRAME)
    second = estimator.update(frame, camera, at(np.pi / 2), state)
    still = OrientationEstimator().update(frame, camera, at(np.pi / 2), state)
    assert np.isfinite(first.bearing)
    added = (0.02 * 30.0 * estimator.parameters.model.pose_time_error) ** 2
    assert second.bearing_variance - still.bearing_variance == pytest.approx(added, rel=1e-2)
    assert second.yaw_variance - still.yaw_variance == pytest.approx(added, rel=1e-2)
    assert second.yaw == still.yaw
