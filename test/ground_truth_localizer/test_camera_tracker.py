import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ground_truth_localizer.camera_tracker import (
    CameraTracker,
    PanMode,
    TrackerParameters,
    pan_angle,
)
from ground_truth_localizer.target_state import TargetState
from spatial_types.parameters import ParameterError, from_mapping
from spatial_types.transforms import Transform

BASE = Transform.from_rpy((0.0, 0.1, 0.32), (0.0, 0.0, np.pi / 2))
SECOND = 10**9


def target(x, y, stamp=0, velocity=(0.0, 0.0)):
    still = not np.any(velocity)
    return TargetState(stamp, np.array([x, y]), np.array(velocity, float), np.eye(4) * 1e-6, still)


@given(st.floats(-4, 4), st.floats(0.2, 4))
def test_pan_angle_is_the_thesis_beta(x, y):
    """Beta counts from x, the joint from y: they differ by a quarter turn."""
    beta = np.arctan2(y - 0.1, x)
    assert pan_angle(BASE, np.array([x, y])) == pytest.approx(beta - np.pi / 2, abs=1e-9)


def test_dead_zone_holds_within_one_degree():
    tracker = CameraTracker()
    first = tracker.update(0, 0.0, BASE, target(0.0, 2.1))
    assert first.angle == pytest.approx(0.0)
    near = tracker.update(1, 0.0, BASE, target(2.0 * np.tan(np.radians(0.9)), 2.1))
    assert near.mode is PanMode.HOLDING
    assert near.angle == pytest.approx(0.0)
    far = tracker.update(2, 0.0, BASE, target(2.0 * np.tan(np.radians(1.1)), 2.1))
    assert far.angle == pytest.approx(-np.radians(1.1))


def test_target_behind_goes_to_the_nearer_limit():
    tracker = CameraTracker()
    right = tracker.update(0, 0.0, BASE, target(2.0, -0.9))
    assert right.mode is PanMode.BLOCKED
    assert np.degrees(right.angle) == pytest.approx(-95.0)
    assert np.degrees(tracker.update(1, 0.0, BASE, target(-2.0, -0.9)).angle) == pytest.approx(95)


def test_full_turn_joint_takes_the_short_way():
    parameters = TrackerParameters(lower_limit=-400.0, upper_limit=400.0)
    tracker = CameraTracker(parameters)
    tracker.update(0, 0.0, BASE, target(-0.1, -2.0))
    before = tracker.update(1, 0.0, BASE, target(-0.1, -2.0)).angle
    after = tracker.update(2, 0.0, BASE, target(0.1, -2.0)).angle
    assert abs(after - before) < np.radians(10.0)


def test_moving_target_is_led():
    tracker = CameraTracker(TrackerParameters(lead=0.2))
    seen = target(0.0, 2.1, stamp=0, velocity=(0.5, 0.0))
    command = tracker.update(100_000_000, 0.0, BASE, seen)
    assert command.angle == pytest.approx(-np.arctan2(0.15, 2.0), abs=1e-6)


def test_lost_target_is_searched_between_the_limits_and_found_again():
    tracker = CameraTracker(TrackerParameters(search_speed=60.0))
    tracker.update(0, 0.0, BASE, target(-1.0, 1.1))
    angles = [tracker.update(k * SECOND // 10, 0.0, BASE, None).angle for k in range(1, 100)]
    assert max(angles) == pytest.approx(np.radians(95.0))
    assert min(angles) == pytest.approx(np.radians(-95.0))
    assert max(abs(np.diff(angles))) <= np.radians(6.0) + 1e-9
    again = tracker.update(10 * SECOND, 0.0, BASE, target(0.0, 2.1, stamp=10 * SECOND))
    assert again.mode is PanMode.FOLLOWING


def test_stale_position_counts_as_lost():
    tracker = CameraTracker()
    command = tracker.update(2 * SECOND, 0.3, BASE, target(0.0, 2.1, stamp=0))
    assert command.mode is PanMode.SEARCHING


def test_position_from_before_the_clock_was_set_back_counts_as_lost():
    tracker = CameraTracker()
    future = target(1.0, 1.1, stamp=60 * 10**9, velocity=(0.5, 0.0))
    assert tracker.update(0, 0.0, BASE, future).mode is PanMode.SEARCHING


def test_limits_in_the_wrong_order_are_refused():
    with pytest.raises(ParameterError, match="lower_limit"):
        from_mapping(TrackerParameters, {"lower_limit": 10.0, "upper_limit": -10.0})
