"""What is told of a running graph, from stamps and times of arrival."""

import pytest

from evaluation.graph_log import Arrivals, GraphLog

SECOND = 10**9


def arrivals(stamps: list[float], times: list[float]) -> Arrivals:
    found = Arrivals()
    for stamp, time in zip(stamps, times, strict=True):
        found.add(round(stamp * SECOND), round(time * SECOND), b"")
    return found


def test_a_scene_that_cannot_keep_up_is_told_by_its_factor():
    log = GraphLog(scans=arrivals([1.0, 1.1, 1.2, 1.3], [50.0, 50.1, 50.3, 50.5]))
    assert log.health()["real_time_factor"] == pytest.approx(0.6)


@pytest.mark.parametrize("count", [0, 1])
def test_too_few_scans_have_no_factor(count):
    log = GraphLog(scans=arrivals([1.0] * count, [50.0] * count))
    assert log.health()["real_time_factor"] is None


def test_a_gap_between_stamps_is_a_loss_and_late_arrival_is_none():
    stamps = [0.1 * k for k in range(10) if k not in (4, 7)]
    assert arrivals(stamps, [2.0 * stamp for stamp in stamps]).lost() == 2


def test_delays_go_from_the_arrival_of_data_to_that_of_its_pose():
    log = GraphLog(
        images=arrivals([1.0, 2.0], [50.0, 51.0]), poses=arrivals([1.0, 2.0], [50.01, 51.03])
    )
    delays = log.health()["pose_delay_ms"]
    assert delays["max"] == pytest.approx(30.0)
    assert delays["share_within_20_ms"] == 0.5
