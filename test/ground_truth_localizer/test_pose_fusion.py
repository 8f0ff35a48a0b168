import dataclasses

import numpy as np
import pytest

from ground_truth_localizer.orientation_result import OrientationResult
from ground_truth_localizer.pose_fusion import FusionParameters, PoseFusion
from ground_truth_localizer.target_state import TargetState
from ground_truth_localizer.yaw_filter import YawFilter
from spatial_types.angles import wrap_scalar

MS = 1_000_000
FRAME = 33_333_333
ORIGIN = np.array([0.0, 0.1])


def laser(position, stamp=0, velocity=(0.0, 0.0), sigma=0.006):
    still = not np.any(velocity)
    covariance = np.diag([sigma**2, sigma**2, 0.0, 0.0])
    if not still:
        covariance[2:, 2:] = np.eye(2) * 0.02**2
    return TargetState(stamp, np.asarray(position, float), np.array(velocity), covariance, still)


def seen(position, yaw, stamp=0, bearing_sigma=2e-4, distance_sigma=0.02, yaw_sigma=0.005):
    dx, dy = np.asarray(position) - ORIGIN
    return OrientationResult(
        stamp=stamp,
        good=True,
        reason="",
        yaw=yaw,
        yaw_variance=yaw_sigma**2,
        origin=ORIGIN,
        bearing=float(np.arctan2(dy, dx)),
        distance=float(np.hypot(dx, dy)),
        sight=np.diag([bearing_sigma**2, distance_sigma**2]),
        yaw_by_bearing=3.0,
    )


def test_bearing_sharpens_across_the_view_only():
    truth = np.array([0.0, 2.1])
    state = PoseFusion(FusionParameters(use_distance=False)).update(
        seen(truth, 0.3), laser(truth + np.array([0.008, 0.005]))
    )
    assert state is not None
    assert abs(state.position[0]) < 2e-4
    assert state.position[1] == pytest.approx(2.105, abs=1e-4)
    sigma = np.sqrt(np.diag(state.pose_covariance))
    assert sigma[0] < 5e-4
    assert sigma[1] == pytest.approx(0.006, rel=0.01)
    assert np.all(np.linalg.eigvalsh(state.pose_covariance) > 0)


def test_laser_is_carried_to_the_images_stamp():
    state = PoseFusion().update(
        seen((0.05, 2.1), 0.0, stamp=100 * MS), laser((0.0, 2.1), velocity=(0.5, 0.0))
    )
    assert state is not None
    assert state.stamp == 100 * MS
    assert state.position[0] == pytest.approx(0.05, abs=1e-3)
    assert state.velocity[0] == 0.5


def test_nothing_stale_lost_or_doubtful_is_told():
    fusion = PoseFusion()
    assert fusion.update(seen((0, 2), 0.0), None) is None
    assert fusion.update(seen((0, 2), 0.0, stamp=500 * MS), laser((0, 2))) is None
    assert "older" in fusion.reason
    # The clock was set back, and the laser has not spoken since.
    assert fusion.update(seen((0, 2), 0.0), laser((0, 2), stamp=60_000 * MS)) is None
    assert "newer" in fusion.reason
    doubtful = dataclasses.replace(seen((0, 2), 0.0), good=False, reason="markers hidden")
    assert fusion.update(doubtful, laser((0, 2))) is None
    assert fusion.reason == "markers hidden"


def test_silhouette_far_from_the_laser_is_not_used():
    state = PoseFusion().update(seen((0.4, 2.1), 0.0), laser((0.0, 2.1)))
    assert state is not None
    assert state.position.tolist() == [0.0, 2.1]


def test_fused_covariance_is_honest():
    rng = np.random.default_rng(5)
    truth, nees = np.array([1.0, 2.0]), []
    for _ in range(400):
        bearing_error = rng.normal(0, 3e-4)
        result = seen(truth, 0.5, bearing_sigma=3e-4, yaw_sigma=0.006)
        yaw = 0.5 + 3.0 * bearing_error + rng.normal(0, np.sqrt(0.006**2 - 9e-4**2))
        result = dataclasses.replace(
            result,
            bearing=result.bearing + bearing_error,
            yaw=yaw,
            distance=result.distance + rng.normal(0, 0.02),
        )
        state = PoseFusion().update(result, laser(truth + rng.normal(0, 0.006, 2)))
        assert state is not None
        error = np.array([*(state.position - truth), wrap_scalar(state.yaw - 0.5)])
        nees.append(error @ np.linalg.solve(state.pose_covariance, error))
    assert 2.5 < np.mean(nees) < 3.5


def track(yaw_of, frames, sigma=0.004, seed=0, period=FRAME):
    rng = np.random.default_rng(seed)
    made, errors, states = YawFilter(), [], []
    for k in range(frames):
        stamp = k * period
        true = yaw_of(stamp * 1e-9)
        state = made.update(stamp, wrap_scalar(true + rng.normal(0, sigma)), sigma**2)
        errors.append(wrap_scalar(state.yaw - true))
        states.append(state)
    return np.array(errors), states


def test_turning_target_is_followed_without_lag():
    errors, states = track(lambda t: np.radians(90.0) * t, 120)
    assert abs(np.mean(errors[10:])) < 0.001
    assert np.max(np.abs(errors)) < 0.02
    assert states[-1].rate == pytest.approx(np.radians(90.0), abs=0.1)
    assert not states[-1].standing


@pytest.mark.parametrize("period", [FRAME, 3 * FRAME])
def test_start_stop_and_reversal_do_not_hurt(period):
    def yaw(t):
        if t < 1.0:
            return 0.0
        if t < 2.0:
            return 1.57 * (t - 1.0)
        if t < 3.0:
            return 1.57
        return 1.57 - 1.57 * (t - 3.0)

    errors, _ = track(yaw, int(4.0 / (period * 1e-9)), period=period)
    assert np.max(np.abs(errors)) < np.radians(1.5)


def test_standing_target_is_averaged_and_said_to_stand():
    errors, states = track(lambda t: 3.13, 90)
    assert np.mean([state.standing for state in states[10:]]) > 0.9
    assert np.std(errors[10:]) < 0.004
    assert states[-1].rate == pytest.approx(0.0, abs=0.05)


def test_slow_turn_is_not_taken_for_standing():
    errors, _ = track(lambda t: np.radians(3.0) * t, 150, sigma=0.002)
    assert np.max(np.abs(errors[10:])) < np.radians(0.6)


def test_gap_or_jump_starts_anew():
    made = YawFilter()
    for k in range(10):
        made.update(k * FRAME, 0.0, 1e-5)
    assert made.update(10 * FRAME, 2.0, 1e-5).yaw == pytest.approx(2.0)
    assert made.predict(10 * FRAME + 5_000 * MS) is None


def test_start_that_the_laser_has_not_noticed_is_not_averaged_away():
    fusion = PoseFusion()
    for k in range(5):
        fusion.update(seen((0.0, 2.1), 0.3, k * FRAME), laser((0.0, 2.1), k * FRAME))
    moved = (0.006, 2.1)  # 3 mrad: 15 sigma of the silhouette, one of the laser
    fused = fusion.update(seen(moved, 0.3, 5 * FRAME), laser((0.0, 2.1), 5 * FRAME))
    assert fused.position[0] == pytest.approx(0.006, abs=5e-4)


def test_yaw_and_position_are_tied_but_loosely():
    result = dataclasses.replace(seen((0.0, 2.1), 0.3), yaw_by_bearing=10.0)
    covariance = PoseFusion().update(result, laser((0.0, 2.1))).pose_covariance
    correlation = covariance[0, 2] / np.sqrt(covariance[0, 0] * covariance[2, 2])
    assert 0.2 < abs(correlation) < 0.31
