import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.alignment import fit_alignment, frame_warnings, time_offset
from evaluation.consistency import consistency, independent_samples
from evaluation.errors import FrameError, NoOverlapError, StampError
from evaluation.metrics import along_across, by_speed, figures, match, outages
from evaluation.series import PoseSeries, Reference, write_tum

SECOND = 10**9


def circle(count=400, rate=50.0, radius=1.0, speed=0.5, start=0):
    """A drive around a circle about (0, 2)."""
    time = np.arange(count) / rate
    angle = speed / radius * time
    x, y = radius * np.cos(angle), 2.0 + radius * np.sin(angle)
    stamps = start + np.round(time * SECOND).astype(np.int64)
    return PoseSeries.build(stamps, x, y, angle + np.pi / 2, frame="map")


def offset(series, dx=0.0, dy=0.0, dyaw=0.0):
    yaw = series.yaw + dyaw
    return PoseSeries.build(series.stamps, series.x + dx, series.y + dy, yaw, frame=series.frame)


def test_a_perfect_estimate_has_no_error():
    truth = circle()
    result = figures(match(truth, Reference.build(truth)))
    assert result["position_max_m"] == 0.0
    assert result["angle_max_deg"] == pytest.approx(0.0, abs=1e-9)
    assert result["availability"] == 1.0


def test_bias_and_spread_are_told_apart():
    truth = circle()
    wobble = 0.01 * np.where(np.arange(len(truth)) % 2, 1.0, -1.0)
    estimate = offset(truth, dx=0.02 + wobble, dy=-0.03)
    result = figures(match(estimate, Reference.build(truth)))
    assert result["x_bias_m"] == pytest.approx(0.02)
    assert result["x_std_m"] == pytest.approx(0.01)
    assert result["x_mae_m"] == pytest.approx(0.02)
    assert result["y_bias_m"] == pytest.approx(-0.03)
    assert result["y_std_m"] == pytest.approx(0.0, abs=1e-12)


@given(st.floats(-3.0, 3.0), st.integers(-3, 3))
def test_yaw_errors_are_wrapped(error, turns):
    truth = circle(60)
    estimate = offset(truth, dyaw=error + 2 * np.pi * turns)
    result = figures(match(estimate, Reference.build(truth)))
    assert result["angle_bias_deg"] == pytest.approx(np.degrees(error), abs=1e-6)


def test_the_reference_is_interpolated_to_the_estimates_stamps():
    truth = circle(rate=50.0)
    between = circle(count=390, rate=50.0)
    time = between.stamps * 1e-9 + 0.007
    estimate = PoseSeries.build(
        between.stamps + 7_000_000,
        np.cos(0.5 * time),
        2 + np.sin(0.5 * time),
        0.5 * time + np.pi / 2,
    )
    result = figures(match(estimate, Reference.build(truth)))
    assert result["position_max_m"] < 2e-5
    assert result["angle_max_deg"] < 1e-3


def test_interpolation_of_yaw_takes_the_shorter_way():
    reference = Reference.build(
        PoseSeries.build([0, SECOND], [0, 0], [0, 0], np.radians([179.0, -179.0]))
    )
    poses, *_ = reference.at(np.array([SECOND // 2]))
    assert abs(np.degrees(poses.yaw[0])) == pytest.approx(180.0)


def test_missing_samples_lower_availability_and_nothing_else():
    truth = circle(100)
    estimate = truth.select(np.arange(100) % 4 != 0)
    errors = match(estimate, Reference.build(truth), truth.stamps)
    result = figures(errors)
    assert result["samples"] == 100
    assert result["availability"] == pytest.approx(0.75)
    assert result["position_rmse_m"] == 0.0


def test_outages_tell_the_time_to_recover():
    truth = circle(100, rate=10.0)
    keep = np.ones(100, dtype=bool)
    keep[20:25] = keep[95:] = False
    result = outages(match(truth.select(keep), Reference.build(truth), truth.stamps))
    assert [gap["samples"] for gap in result["gaps"]] == [5, 5]
    assert result["gaps"][0]["time_to_recover_s"] == pytest.approx(0.5)
    assert result["gaps"][1]["time_to_recover_s"] is None
    assert result["max_time_to_recover_s"] == pytest.approx(0.5)


def test_no_samples_give_null_not_nan():
    truth = circle(50)
    nothing = PoseSeries.build([], [], [], frame="map")
    result = figures(match(nothing, Reference.build(truth), truth.stamps))
    assert result["availability"] == 0.0
    assert result["x_mae_m"] is None
    json.dumps(result, allow_nan=False)


def test_errors_are_binned_by_speed():
    time = np.arange(200) / 10.0
    x = np.where(time < 10, 0.0, 0.5 * (time - 10))
    truth = PoseSeries.build(np.round(time * SECOND), x, np.full(200, 2.0), np.zeros(200))
    estimate = offset(truth, dx=np.where(time < 10, 0.001, 0.02))
    rows = by_speed(match(estimate, Reference.build(truth)))["speed_m_s"]
    assert rows[0]["to"] <= 0.02
    assert rows[0]["position_rmse_m"] == pytest.approx(0.001)
    assert rows[-1]["from"] <= 0.5 < rows[-1]["to"]
    assert rows[-1]["position_rmse_m"] == pytest.approx(0.02)


def test_along_and_across_follow_the_line_of_sight():
    truth = PoseSeries.build(np.arange(5), [3.0] * 5, [3.0] * 5, [0.0] * 5)
    estimate = offset(truth, dx=0.01, dy=0.01)
    result = along_across(match(estimate, Reference.build(truth)))
    assert result["along_bias_m"] == pytest.approx(0.01 * np.sqrt(2))
    assert result["across_mae_m"] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("late", [-0.2, 0.033, 0.1, 0.4])
def test_the_time_offset_is_found(late):
    truth = circle(800)
    estimate = offset(truth, dx=0.05).shifted(round(late * SECOND))
    assert time_offset(estimate, Reference.build(truth)) == pytest.approx(late, abs=1e-3)


def test_no_time_offset_where_nothing_moves():
    still = PoseSeries.build(np.arange(100) * 10**8, np.zeros(100), np.ones(100), np.zeros(100))
    assert time_offset(still, Reference.build(still)) is None


def test_alignment_recovers_a_turn_and_a_shift():
    truth = circle()
    c, s = np.cos(2.0), np.sin(2.0)
    estimate = PoseSeries.build(
        truth.stamps, c * truth.x - s * truth.y + 3, s * truth.x + c * truth.y - 1, truth.yaw + 2
    )
    reference = Reference.build(truth)
    aligned = fit_alignment(estimate, reference).apply(estimate)
    result = figures(match(aligned, reference))
    assert result["position_max_m"] < 1e-9
    assert result["angle_max_deg"] < 1e-6


def test_nees_of_an_honest_covariance_is_consistent():
    rng = np.random.default_rng(3)
    count = 4000
    covariance = np.array([[4e-6, 1e-6, 0], [1e-6, 9e-6, 0], [0, 0, 1e-4]])
    noise = rng.multivariate_normal(np.zeros(3), covariance, count)
    truth = circle(count)
    spread = np.broadcast_to(covariance, (count, 3, 3))
    estimate = PoseSeries.build(
        truth.stamps, truth.x + noise[:, 0], truth.y + noise[:, 1], truth.yaw + noise[:, 2], spread
    )
    result = figures(match(estimate, Reference.build(truth)))
    assert result["nees_dof"] == 3
    assert result["nees"] == pytest.approx(3.0, abs=0.2)
    assert result["nees_consistent"] == "yes"
    bold = PoseSeries.build(estimate.stamps, estimate.x, estimate.y, estimate.yaw, spread / 4)
    assert figures(match(bold, Reference.build(truth)))["nees_consistent"] == "too confident"
    shy = PoseSeries.build(estimate.stamps, estimate.x, estimate.y, estimate.yaw, spread * 4)
    assert figures(match(shy, Reference.build(truth)))["nees_consistent"] == "too cautious"


def test_position_only_covariance_has_two_degrees_of_freedom():
    truth = circle(100)
    spread = np.full((100, 3, 3), np.nan)
    spread[:, :2, :2] = np.eye(2) * 1e-4
    estimate = PoseSeries.build(truth.stamps, truth.x + 0.01, truth.y, None, spread)
    result = figures(match(estimate, Reference.build(truth)))
    assert result["nees_dof"] == 2
    assert result["nees"] == pytest.approx(1.0)
    assert result["angle_mae_deg"] is None


def test_correlated_values_count_for_fewer_samples():
    rng = np.random.default_rng(0)
    white = rng.normal(size=2000)
    slow = np.convolve(white, np.ones(20) / 20, mode="valid")
    assert independent_samples(white) > 1000
    assert independent_samples(slow) < 300
    assert consistency(np.array([]), 2)["nees"] is None


def test_clocks_that_differ_are_named():
    truth = circle(start=0)
    estimate = circle(start=1_700_000_000 * SECOND)
    with pytest.raises(NoOverlapError, match=r"no overlap in time.*wall time.*use_sim_time"):
        match(estimate, Reference.build(truth))


def test_spans_that_do_not_meet_are_named():
    with pytest.raises(
        NoOverlapError, match=r"estimate 100\.000 to .*reference 0\.000 to 7\.980 s"
    ):
        match(circle(start=100 * SECOND), Reference.build(circle()))


def test_unsorted_and_repeated_stamps_are_mended_and_told():
    truth = circle(50)
    order = np.array([0, 2, 1, 3, 3, *range(4, 50)])
    ordered, notes = truth.select(order).in_order()
    assert np.array_equal(ordered.stamps, truth.stamps)
    assert "1 stamps went backwards" in notes[0]
    assert "1 repeated stamps" in notes[1]
    with pytest.raises(StampError, match="not increasing"):
        Reference.build(truth.select(order), np.zeros(51), np.zeros(51))
    with pytest.raises(StampError, match="expected at least 2"):
        Reference.build(truth.select(np.array([0])))


def test_frames_that_are_named_differently_are_refused():
    truth = circle()
    estimate = PoseSeries.build(truth.stamps, truth.x, truth.y, frame="odom")
    with pytest.raises(FrameError, match=r"'odom'.*'map'"):
        match(estimate, Reference.build(truth))


def test_a_half_turn_between_frames_is_pointed_out():
    truth = circle()
    turned = PoseSeries.build(truth.stamps, -truth.x, -truth.y, truth.yaw + np.pi)
    warnings = frame_warnings(match(turned, Reference.build(truth)))
    assert any("every yaw is off by about" in text and "180" in text for text in warnings)
    assert any("a turn of" in text and "180 deg" in text for text in warnings)
    assert frame_warnings(match(truth, Reference.build(truth))) == []


def test_absolute_pose_error_agrees_with_evo(tmp_path):
    ape = pytest.importorskip("evo.main_ape")
    from evo.core import metrics, sync
    from evo.tools import file_interface

    rng = np.random.default_rng(1)
    truth = circle()
    estimate = offset(truth, dx=rng.normal(0, 0.01, 400), dy=rng.normal(0, 0.02, 400), dyaw=0.01)
    write_tum(truth, tmp_path / "truth.tum")
    write_tum(estimate, tmp_path / "estimate.tum")
    pair = sync.associate_trajectories(
        file_interface.read_tum_trajectory_file(str(tmp_path / "truth.tum")),
        file_interface.read_tum_trajectory_file(str(tmp_path / "estimate.tum")),
    )
    ours = figures(match(estimate, Reference.build(truth)))
    theirs = ape.ape(*pair, metrics.PoseRelation.translation_part).stats
    assert ours["position_rmse_m"] == pytest.approx(theirs["rmse"], rel=1e-6)
    assert ours["position_max_m"] == pytest.approx(theirs["max"], rel=1e-6)
    angles = ape.ape(*pair, metrics.PoseRelation.rotation_angle_deg).stats
    assert ours["angle_mae_deg"] == pytest.approx(angles["mean"], rel=1e-6)
