"""The laser_localizer node's services: learning the zone, recording."""

import os

import pytest

os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")

from std_srvs.srv import SetBool, Trigger

from ground_truth_localizer.scan_recording import read_recording
from ground_truth_localizer.synthetic_scans import SyntheticLaser, standing
from ground_truth_localizer.zone_files import load_zone


def test_zone_is_learnt_used_and_saved(bench, tmp_path):
    world = bench(**{"zone.kind": "open", "zone.learn_scans": 12})
    world.laser = SyntheticLaser(pillars=[(-1.0, 2.0, 0.1)], seed=9)
    world.ready()
    response = world.call(Trigger, "learn_zone", Trigger.Request(), world.send)
    assert response.success, response.message
    assert str(tmp_path / "zone.yaml") in response.message
    for _ in range(5):
        world.scan([(standing(0.5, 2.0), 0.1)])
    poses = world.got["targets"][-1].poses
    assert [round(pose.position.x, 1) for pose in poses] == [0.5]
    assert len(load_zone(tmp_path / "zone.yaml").background) == 360


def test_a_target_in_sight_is_learnt_only_when_asked_twice(bench):
    world = bench(**{"zone.learn_scans": 5})
    world.ready()
    target = [(standing(0.5, 2.0), 0.1)]
    for _ in range(3):
        world.scan(target)
    first = world.call(Trigger, "learn_zone", Trigger.Request())
    assert not first.success
    assert "target at (0.5" in first.message
    assert "call again within 60 s" in first.message
    world.scan(target)
    assert len(world.got["targets"][-1].poses) == 1  # nothing was learnt
    second = world.call(Trigger, "learn_zone", Trigger.Request(), lambda: world.send(target))
    assert second.success, second.message
    for _ in range(4):
        world.scan(target)
    assert len(world.got["targets"][-1].poses) == 0
    for _ in range(3):
        world.scan([(standing(-1.0, 2.0), 0.1)])
    assert not world.call(Trigger, "learn_zone", Trigger.Request()).success  # asked anew


@pytest.mark.parametrize("busy", [False, True])
def test_an_emptied_room_and_a_busy_one_are_learnt_at_once(bench, busy):
    world = bench(**{"zone.learn_scans": 5, "zone.learn_busy": busy})
    world.ready()
    target = [(standing(0.5, 2.0), 0.1)]
    for _ in range(3):
        world.scan(target)
    scene = target if busy else []
    world.scan(scene)
    answer = world.call(Trigger, "learn_zone", Trigger.Request(), lambda: world.send(scene))
    assert answer.success, answer.message


def test_recording_holds_every_scan(bench, tmp_path):
    world = bench()
    world.ready()
    assert world.call(SetBool, "record", SetBool.Request(data=True)).success
    assert not world.call(SetBool, "record", SetBool.Request(data=True)).success
    for _ in range(4):
        world.scan()
    answer = world.call(SetBool, "record", SetBool.Request(data=False))
    assert answer.success
    assert "4 scans" in answer.message
    scans = list(read_recording(tmp_path / "scans.csv"))
    assert [scan.stamp for scan in scans] == [100_000_000 * i for i in range(1, 5)]
    assert not world.call(SetBool, "record", SetBool.Request(data=False)).success
