"""The laser localizer's behaviour: any sensor, several targets, loss, furniture, bad input."""

from dataclasses import replace

import numpy as np
import pytest

from ground_truth_localizer.acceptance_zone import LearntZone, OpenZone, RectangleZone
from ground_truth_localizer.laser_localizer import LaserLocalizer
from ground_truth_localizer.laser_parameters import (
    FilterParameters,
    LaserParameters,
    TargetParameters,
    TrackParameters,
)
from ground_truth_localizer.synthetic_scans import SyntheticLaser, standing
from ground_truth_localizer.target_state import TrackingState
from ground_truth_localizer.zone_learning import ZoneLearner
from spatial_types.transforms import Transform

BOX = (-4.0, 0.0, 4.0, 4.0)
PARAMETERS = LaserParameters()


def learnt(laser):
    learner = ZoneLearner()
    for i in range(40):
        learner.add(laser.scan(-100.0 + 0.1 * i))
    return learner.zone()


def run(localizer, laser, scans, targets, start=0):
    return [
        localizer.update(laser.scan(0.1 * i, targets), laser.map_from_lrf)
        for i in range(start, start + scans)
    ]


def errors(results, motion):
    return np.array(
        [
            result.primary.position - motion(np.array([result.primary.stamp * 1e-9]))[0]
            for result in results
            if result.primary is not None
        ]
    )


def line(x, y, vx, vy=0.0):
    return lambda t: np.stack([x + vx * t, y + vy * t], axis=-1)


SENSORS = {
    "thesis": {},
    "fine": {"count": 1080, "angle_min": -0.3, "angle_increment": 0.0035},
    "clockwise": {"count": 400, "angle_min": 3.3, "angle_increment": -0.00875},
    "upside down": {
        "map_from_lrf": Transform.from_rpy((0, 0, 0.5), (np.pi, 0, 0)),
        "angle_min": -3.1,
    },
    "tilted": {
        "map_from_lrf": Transform.from_rpy((0, 0, 0.42), (0.02, -0.03, 0.1)),
        "angle_min": -0.2,
        "count": 400,
    },
    "elsewhere": {"map_from_lrf": Transform.planar(-3.5, 0.5, -0.4, 0.5), "angle_min": 0.0},
    "full turn, seam on the target": {"count": 720, "angle_min": np.pi / 2},
    "full turn, clockwise": {"count": 720, "angle_min": np.pi / 2, "angle_increment": -np.pi / 360},
}


@pytest.mark.parametrize("sensor", SENSORS)
def test_any_mounting_finds_the_target(sensor):
    laser = SyntheticLaser(seed=7, **SENSORS[sensor])
    localizer = LaserLocalizer(PARAMETERS, RectangleZone(BOX))
    results = run(localizer, laser, 30, [(standing(0.0, 2.2), 0.1)])
    found = errors(results, standing(0.0, 2.2))
    assert len(found) == 29
    assert np.abs(found[10:]).max() < 0.02
    assert all(len(result.targets) <= 1 for result in results)


@pytest.mark.parametrize("sweep", [0.0, 0.1])
def test_driving_target_is_not_lagged_behind(sweep):
    motion = line(-3.0, 2.0, 0.5)
    laser = SyntheticLaser(seed=11, sweep=sweep)
    localizer = LaserLocalizer(PARAMETERS, RectangleZone(BOX))
    results = run(localizer, laser, 120, [(motion, 0.1)])
    found = errors(results, motion)[10:]
    assert np.sqrt((found**2).sum(axis=1).mean()) < 0.013
    assert np.abs(found.mean(axis=0)).max() < 0.004
    assert not any(result.primary.stationary for result in results[10:])
    velocity = np.mean([result.primary.velocity for result in results[20:]], axis=0)
    assert velocity == pytest.approx([0.5, 0.0], abs=0.03)


def test_stop_and_start_are_recognised():
    def motion(t):
        since = np.clip(t - 4.0, 0.0, None)
        moved = np.where(since < 1.0, 0.25 * since**2, 0.5 * since - 0.25)
        return np.stack([-1.0 + moved, 2.0 + 0.0 * t], axis=-1)

    laser = SyntheticLaser(seed=3)
    localizer = LaserLocalizer(PARAMETERS, RectangleZone(BOX))
    results = run(localizer, laser, 80, [(motion, 0.1)])
    assert results[35].primary.stationary
    assert results[35].targets[0].standing > 0.95
    assert not any(result.primary.stationary for result in results[50:])
    assert np.linalg.norm(errors(results, motion), axis=1)[5:].max() < 0.05


def test_covariance_is_honest_while_driving():
    values = []
    for seed in range(6):
        motion = line(-3.0, 1.5 + 0.3 * seed, 0.5)
        laser = SyntheticLaser(seed=40 + seed)
        localizer = LaserLocalizer(PARAMETERS, RectangleZone(BOX))
        results = run(localizer, laser, 100, [(motion, 0.1)])
        for result, error in zip(results[11:], errors(results, motion)[10:], strict=True):
            block = result.primary.covariance[:2, :2]
            values.append(error @ np.linalg.solve(block, error))
    assert 1.0 < np.mean(values) < 3.0


def test_several_targets_keep_their_ids():
    motions = [line(-3.0, 1.5, 0.4), line(3.0, 2.5, -0.4), standing(0.0, 3.5)]
    laser = SyntheticLaser(seed=5)
    localizer = LaserLocalizer(PARAMETERS, RectangleZone(BOX))
    results = run(localizer, laser, 130, [(motion, 0.1) for motion in motions])
    owner = {}
    for result in results[5:]:
        for target in result.targets:
            truth = [m(np.array([target.state.stamp * 1e-9]))[0] for m in motions]
            away = np.linalg.norm(np.array(truth) - target.state.position, axis=1)
            assert away.min() < 0.08
            owner.setdefault(target.track_id, set()).add(int(away.argmin()))
    assert len(owner) == 3
    assert all(len(who) == 1 for who in owner.values())
    order = [target.track_id for target in results[-1].targets]
    assert order == sorted(order)


def test_taken_away_is_lost_within_three_scans_and_found_within_five():
    laser = SyntheticLaser(seed=6)
    localizer = LaserLocalizer(PARAMETERS, RectangleZone(BOX))
    assert run(localizer, laser, 1, [])[0].state is TrackingState.SEARCHING
    target = [(standing(1.0, 2.0), 0.1)]
    before = run(localizer, laser, 20, target, 1)
    away = run(localizer, laser, 10, [], 21)
    assert away[2].state is TrackingState.LOST
    assert all(result.primary is None and not result.targets for result in away)
    again = run(localizer, laser, 5, target, 31)
    assert again[-1].state is TrackingState.TRACKING
    assert again[-1].targets[0].track_id == before[-1].targets[0].track_id


def test_pillars_of_its_size_are_never_the_target():
    pillars = [(-2.0, 1.5, 0.1), (2.0, 1.5, 0.1), (-1.0, 3.0, 0.1), (1.0, 3.0, 0.1)]
    laser = SyntheticLaser(pillars=pillars, seed=8)
    localizer = LaserLocalizer(PARAMETERS, learnt(laser))
    assert not any(result.targets for result in run(localizer, laser, 100, []))
    motion = line(-3.0, 2.6, 0.4)
    localizer.reset()
    results = run(localizer, laser, 130, [(motion, 0.1)])
    found = errors(results, motion)
    assert len(found) == 129
    assert np.linalg.norm(found, axis=1).max() < 0.05


def test_hidden_behind_a_pillar_is_lost_and_found():
    laser = SyntheticLaser(pillars=[(0.0, 2.0, 0.25)], seed=8)
    localizer = LaserLocalizer(PARAMETERS, learnt(laser))
    motion = line(-2.0, 3.3, 0.4)
    results = run(localizer, laser, 100, [(motion, 0.1)])
    seen = np.array([bool(result.targets) for result in results])
    hidden = np.flatnonzero(~seen[5:]) + 5
    assert len(hidden) > 5
    assert results[hidden[0] + 2].state is TrackingState.LOST
    assert results[-1].state is TrackingState.TRACKING
    assert np.linalg.norm(errors(results, motion), axis=1).max() < 0.08


@pytest.mark.parametrize("place", [(0.0, 3.88), (2.0, 3.88), (-3.88, 2.0)])
def test_target_at_the_wall_is_not_pulled_off_it(place):
    laser = SyntheticLaser(seed=12)
    localizer = LaserLocalizer(LaserParameters(), learnt(laser))
    results = run(localizer, laser, 150, [(standing(*place), 0.1)])
    found = errors(results, standing(*place))
    assert len(found) > 140
    assert np.abs(found[50:].mean(axis=0)).max() < 0.006


@pytest.mark.parametrize(
    ("radius", "place", "words"),
    [(0.25, (0.0, 2.0), "too wide"), (0.03, (0.0, 1.0), "too narrow")],
)
def test_wrong_sizes_are_refused_with_a_reason(radius, place, words):
    laser = SyntheticLaser(seed=2)
    localizer = LaserLocalizer(PARAMETERS, RectangleZone(BOX))
    results = run(localizer, laser, 10, [(standing(*place), radius)])
    assert not any(result.targets for result in results)
    reasons = [refusal.reason for result in results for refusal in result.refused]
    assert any(words in reason for reason in reasons)
    assert np.linalg.norm(results[-1].refused[0].position - place) < 0.4


def test_flat_board_is_not_round():
    board = [[-0.12, 1.5], [0.12, 1.5], [0.12, 1.52], [-0.12, 1.52]]
    laser = SyntheticLaser(outlines=[board], sigma=0.005, seed=2, range_max=10.0)
    parameters = replace(PARAMETERS, sensor=replace(PARAMETERS.sensor, sigma=0.005))
    localizer = LaserLocalizer(parameters, OpenZone())
    results = run(localizer, laser, 5, [])
    assert not any(result.targets for result in results)
    assert any("round" in r.reason or "wide" in r.reason for r in results[-1].refused)


def test_walls_without_a_zone_are_no_targets():
    laser = SyntheticLaser(seed=2)
    localizer = LaserLocalizer(PARAMETERS, OpenZone())
    results = run(localizer, laser, 20, [(standing(0.5, 2.0), 0.1)])
    assert all(len(result.targets) == 1 for result in results[3:])
    assert np.abs(errors(results, standing(0.5, 2.0))).max() < 0.04


def test_require_motion_waits_for_the_target_to_move():
    laser = SyntheticLaser(pillars=[(-1.0, 2.0, 0.1)], seed=2)
    parameters = replace(PARAMETERS, track=TrackParameters(require_motion=0.3))
    localizer = LaserLocalizer(parameters, RectangleZone(BOX))
    results = run(localizer, laser, 60, [(line(0.0, 2.0, 0.4), 0.1)])
    assert any("not moved" in refusal.reason for refusal in results[5].refused)
    assert [len(result.targets) for result in results[15:]] == [1] * 45


def test_outliers_neither_split_nor_shift_the_target():
    laser = SyntheticLaser(seed=2, outlier_ratio=0.02)
    localizer = LaserLocalizer(
        LaserParameters(filter=FilterParameters(memory_scans=5)), RectangleZone(BOX)
    )
    results = run(localizer, laser, 300, [(standing(1.0, 2.5), 0.1)])
    found = errors(results, standing(1.0, 2.5))
    assert len(found) > 280
    assert np.sqrt((found**2).sum(axis=1).mean()) < 0.012
    assert max(len(result.targets) for result in results) == 1


def test_lost_returns_inside_the_target_are_bridged():
    laser = SyntheticLaser(seed=2)
    localizer = LaserLocalizer(PARAMETERS, RectangleZone(BOX))
    for i in range(20):
        scan = laser.scan(0.1 * i, [(standing(0.0, 1.5), 0.1)])
        for beam, value in ((180, np.nan), (177, 0.0), (183, np.inf), (100, -1.0), (50, 1e9)):
            scan.ranges[beam] = value
        result = localizer.update(scan, laser.map_from_lrf)
    assert len(result.targets) == 1
    assert np.abs(result.primary.position - [0.0, 1.5]).max() < 0.015


def test_time_going_back_resets_and_frozen_time_is_ignored():
    laser = SyntheticLaser(seed=2)
    target = [(standing(0.5, 2.0), 0.1)]
    localizer = LaserLocalizer(PARAMETERS, RectangleZone(BOX))
    run(localizer, laser, 10, target, 100)
    frozen = localizer.update(laser.scan(10.9, target), laser.map_from_lrf)
    assert frozen.targets == ()
    assert frozen.state is TrackingState.TRACKING
    assert localizer.counts["repeated stamps"] == 1
    looped = run(localizer, laser, 5, target, 0)
    assert localizer.counts["time jumps back"] == 1
    assert looped[-1].state is TrackingState.TRACKING


def test_frozen_scans_lose_the_target_and_the_first_fresh_one_finds_it():
    laser = SyntheticLaser(seed=2)
    target = [(standing(0.5, 2.0), 0.1)]
    localizer = LaserLocalizer(PARAMETERS, RectangleZone(BOX))
    run(localizer, laser, 10, target, 100)
    frozen = [localizer.update(laser.scan(10.9, target), laser.map_from_lrf) for _ in range(4)]
    assert [r.state is TrackingState.LOST for r in frozen] == [False, False, True, True]
    assert all(not r.targets and "repeats" in r.reason for r in frozen)
    assert len(localizer.update(laser.scan(11.0, target), laser.map_from_lrf).targets) == 1


def test_scans_out_of_order_are_ignored_not_taken_for_a_new_beginning():
    laser = SyntheticLaser(seed=2)
    target = [(standing(0.5, 2.0), 0.1)]
    localizer = LaserLocalizer(PARAMETERS, RectangleZone(BOX))
    for k in range(10):
        fresh = localizer.update(laser.scan(10.0 + 0.1 * k, target), laser.map_from_lrf)
        late = localizer.update(laser.scan(9.95 + 0.1 * k, target), laser.map_from_lrf)
    assert "older than the one before" in late.reason
    assert (fresh.state, len(fresh.targets)) == (TrackingState.TRACKING, 1)
    assert localizer.counts["late scans"] == 10
    assert localizer.counts["time jumps back"] == 0


def test_readings_from_before_the_sensor_was_moved_are_not_pooled_with_those_after():
    before = SyntheticLaser(seed=5)
    pose = Transform.planar(0.012, 0.048, 0.0, before.map_from_lrf.translation[2])
    after = SyntheticLaser(seed=6, map_from_lrf=pose)
    target = [(standing(0.5, 2.0), 0.1)]
    errors = []
    localizer = LaserLocalizer(PARAMETERS, RectangleZone(BOX))
    for k in range(120):
        laser = after if (k // 30) % 2 else before
        result = localizer.update(laser.scan(0.1 * k, target), laser.map_from_lrf)
        if k > 10 and result.primary:
            errors.append(np.hypot(*(result.primary.position - [0.5, 2.0])))
    assert len(errors) > 100
    assert max(errors) < 0.025


def test_outline_of_a_sensor_without_longest_range_is_finite():
    laser = SyntheticLaser(seed=2)
    localizer = LaserLocalizer(PARAMETERS, OpenZone())
    scan = replace(laser.scan(0.0, [(standing(0.5, 2.0), 0.1)]), range_max=np.inf)
    localizer.update(scan, laser.map_from_lrf)
    assert np.all(np.isfinite(localizer.zone_outline()))


@pytest.mark.parametrize(
    ("span", "place", "words"),
    [
        ((0.1, 3.0), 2.95, "at the end of the sensor's range"),
        ((0.1, 3.0), 2.99, "at the end of the sensor's range"),
        ((1.9, 20.0), 2.03, "nearer than the sensor's range begins"),
    ],
)
def test_a_target_whose_readings_the_range_cuts_off_is_refused(span, place, words):
    """What remains of its readings lies on one side: it would be surely wrong."""
    laser = SyntheticLaser(seed=8)
    localizer = LaserLocalizer(PARAMETERS, RectangleZone(BOX))
    for k in range(20):
        scan = laser.scan(k * 0.1, [(standing(0.3, place), 0.1)])
        scan = replace(scan, range_min=span[0], range_max=span[1])
        result = localizer.update(scan, laser.map_from_lrf)
        assert not result.targets
        assert any(words in item.reason for item in result.refused)


def test_scans_that_show_nothing_say_why():
    laser = SyntheticLaser(seed=2)
    localizer = LaserLocalizer(PARAMETERS, RectangleZone(BOX))
    empty = replace(laser.scan(0.0), ranges=np.empty(0))
    assert "empty" in localizer.update(empty, laser.map_from_lrf).reason
    high = localizer.update(laser.scan(0.1), Transform.planar(0, 0, 0, 0.9))
    assert "0.900 m misses the target" in high.reason
    blind = replace(laser.scan(0.2), ranges=np.full(360, np.nan))
    assert (
        localizer.update(blind, laser.map_from_lrf).reason == "nothing inside the acceptance zone"
    )
    localizer.set_zone(LearntZone(0.0, 0.1, np.ones(5), np.ones(5), np.ones(5)))
    assert "learn it anew" in localizer.update(laser.scan(0.3), laser.map_from_lrf).reason
    assert localizer.counts["zone mismatches"] == 1


def test_length_may_change_in_mid_stream():
    localizer = LaserLocalizer(PARAMETERS, RectangleZone(BOX))
    target = [(standing(0.5, 2.0), 0.1)]
    run(localizer, SyntheticLaser(seed=1), 5, target)
    finer = SyntheticLaser(seed=1, count=720, angle_increment=np.pi / 720)
    assert run(localizer, finer, 5, target, 5)[-1].state is TrackingState.TRACKING


def test_other_radius():
    parameters = LaserParameters(target=TargetParameters(radius=0.3, radius_tolerance=0.03))
    laser = SyntheticLaser(seed=4)
    localizer = LaserLocalizer(parameters, RectangleZone(BOX))
    results = run(localizer, laser, 20, [(standing(-1.0, 2.0), 0.3)])
    assert np.abs(errors(results, standing(-1.0, 2.0))).max() < 0.02
