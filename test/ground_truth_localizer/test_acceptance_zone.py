"""Zones of every kind, seen from every pose, and their files."""

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from ground_truth_localizer.acceptance_zone import (
    LearntZone,
    OpenZone,
    PolygonZone,
    RectangleZone,
    ZoneError,
)
from ground_truth_localizer.beam_geometry import beam_geometry
from ground_truth_localizer.laser_parameters import LaserParameters, ZoneParameters
from ground_truth_localizer.synthetic_scans import SyntheticLaser
from ground_truth_localizer.zone_files import load_zone, save_zone, zone_from_parameters
from ground_truth_localizer.zone_learning import ZoneLearner
from spatial_types.transforms import Transform

BOX = (-4.0, 0.0, 4.0, 4.0)


def seen(zone, **laser):
    laser = SyntheticLaser(**laser)
    scan = laser.scan(0.0)
    beams = beam_geometry(scan, laser.map_from_lrf)
    return scan, beams, zone.profile(scan, beams)


def test_rectangle_is_the_formula_of_the_thesis():
    _, _, profile = seen(RectangleZone(BOX))
    theta = np.radians(0.5 * np.arange(360))
    allowed = np.where(
        theta < np.pi / 4, 3.91 / np.cos(theta), 3.91 / np.sin(np.maximum(theta, 1e-9))
    )
    allowed = np.where(theta >= 3 * np.pi / 4, -3.91 / np.cos(theta), allowed)
    assert profile.limits[:, 1] == pytest.approx(allowed, abs=1e-9)
    assert np.all(profile.limits[:, 0] == 0.0)


def test_walls_are_refused_but_for_a_few_in_a_thousand():
    zone = RectangleZone(BOX)
    laser = SyntheticLaser(seed=5)
    beams = beam_geometry(laser.scan(0.0), laser.map_from_lrf)
    profile = zone.profile(laser.scan(0.0), beams)
    accepted = [profile.accepts(laser.scan(0.1 * i).ranges).mean() for i in range(50)]
    assert np.mean(accepted) < 0.002


@given(
    x=st.floats(-3.5, 3.5),
    y=st.floats(0.3, 3.7),
    yaw=st.floats(-3.1, 3.1),
    roll=st.sampled_from([0.0, np.pi]),
    share=st.floats(0.0, 1.5),
)
def test_accepted_points_are_those_inside(x, y, yaw, roll, share):
    outline = [[-4, 0], [4, 0], [4, 4], [0.5, 4], [0.5, 2.9], [-0.5, 2.9], [-0.5, 4], [-4, 4]]
    hole = [[1, 1], [1.5, 1], [1.5, 1.5], [1, 1.5]]
    inside_hole = 1 <= x <= 1.5 and 1 <= y <= 1.5
    if inside_hole or (abs(x) <= 0.5 and y >= 2.9):
        return
    zone = PolygonZone(outline, [hole], margin=0.0)
    pose = Transform.from_rpy((x, y, 0.5), (roll, 0.0, yaw))
    _, beams, profile = seen(zone, map_from_lrf=pose, count=90, angle_increment=0.0611)
    far = share * 6.0
    points = beams.origin[:2] + far * np.stack([beams.cosines, beams.sines], axis=1)
    px, py = points.T
    inside = (np.abs(px) < 4) & (py > 0) & (py < 4) & ~((np.abs(px) < 0.5) & (py > 2.9))
    inside &= ~((px > 1) & (px < 1.5) & (py > 1) & (py < 1.5))
    walls = [np.abs(px) - 4, py, py - 4, np.abs(px) - 0.5, py - 2.9]
    walls += [px - 1, px - 1.5, py - 1, py - 1.5]
    edges = np.min(np.abs(walls), axis=0)
    clear = edges > 1e-6
    assert np.array_equal(profile.accepts(np.full(90, far))[clear], inside[clear])


def test_margin_leaves_no_room_in_a_narrow_gap():
    outline = [[-1, 0], [1, 0], [1, 3], [0.05, 3], [0.05, 1], [-0.05, 1], [-0.05, 3], [-1, 3]]
    zone = PolygonZone(outline, margin=0.09)
    _, _, profile = seen(zone, outlines=[outline])
    straight = profile.limits[180]
    assert straight[0] == 0.0
    assert straight[1] == pytest.approx(0.91)


def test_learnt_zone_leaves_pillars_out_and_open_beams_open():
    laser = SyntheticLaser(pillars=[(0.0, 2.0, 0.1)], outlines=[], range_max=8.0, seed=1)
    learner = ZoneLearner()
    for i in range(50):
        learner.add(laser.scan(0.1 * i))
    zone = learner.zone()
    scan = laser.scan(9.0)
    profile = zone.profile(scan, beam_geometry(scan, laser.map_from_lrf))
    assert profile.background[180] == pytest.approx(1.9, abs=0.03)
    assert profile.limits[180, 1] == pytest.approx(1.81, abs=0.04)
    assert np.isinf(profile.background[0])
    assert profile.accepts(np.full(360, 7.99))[0]
    assert not profile.accepts(np.full(360, 8.1))[0]
    assert not profile.accepts(np.full(360, np.nan)).any()
    assert profile.returns[180] == 1.0
    assert profile.returns[0] == 0.0


def test_learning_ignores_passers_by_and_keeps_the_near_side_of_edges():
    laser = SyntheticLaser(seed=1)
    scans = [laser.scan(0.1 * i) for i in range(100)]
    for scan in scans[:60]:
        scan.ranges[180] = 1.0
    for scan in scans[:40]:
        scan.ranges[90] = 2.0
    busy, empty = ZoneLearner(busy=True), ZoneLearner()
    for scan in scans:
        busy.add(scan)
        empty.add(scan)
    assert busy.zone().background[180] == pytest.approx(4.0, abs=0.03)
    assert empty.zone().background[90] == pytest.approx(2.0)
    assert empty.zone().spread[90] < 0.05


def test_learnt_zone_refuses_other_scans_by_name():
    zone = LearntZone(0.0, 0.01, np.ones(100), np.ones(100), np.ones(100), source="room.yaml")
    laser = SyntheticLaser()
    scan = laser.scan(0.0)
    with pytest.raises(ZoneError, match=r"room\.yaml: learnt for 100 beams.*360"):
        zone.profile(scan, beam_geometry(scan, laser.map_from_lrf))


def test_learner_refuses_too_few_and_mixed_scans():
    with pytest.raises(ZoneError, match="0 scans"):
        ZoneLearner().zone()
    learner = ZoneLearner()
    learner.add(SyntheticLaser().scan(0.0))
    with pytest.raises(ZoneError, match="720"):
        learner.add(SyntheticLaser(count=720).scan(0.1))


def test_zone_file_round_trip(tmp_path):
    learner = ZoneLearner()
    laser = SyntheticLaser(outlines=[[[-2, 1], [3, 2], [0, 3]]], seed=3)
    for i in range(20):
        learner.add(laser.scan(0.1 * i))
    zone = learner.zone()
    path = tmp_path / "zone.yaml"
    save_zone(path, zone, "lrf_link")
    back = load_zone(path)
    assert isinstance(back, LearntZone)
    assert back.background == pytest.approx(zone.background, abs=6e-5)
    assert back.spread == pytest.approx(zone.spread, abs=6e-5)
    assert back.angle_increment == zone.angle_increment


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("kind: circle", "kind = circle: expected one of rectangle, polygon, learnt"),
        ("kind: rectangel", "kind = rectangel: did you mean 'rectangle'"),
        ("[1, 2]", "mapping"),
        ("kind: rectangle\nbox: [1, 2, 3]", "box"),
        ("kind: rectangle", "'box' is missing"),
        ("kind: polygon\noutline: [[0, 0], [1, 1]]", "at least three"),
        ("kind: polygon\noutline: [[0, 0], [1, 1], [2, 2]]", "no area"),
        (
            "kind: polygon\noutline: [[0, 0], [1, 0], [1, 1]]\nhole: []",
            "unknown key 'hole'; did you mean 'holes'",
        ),
        ("kind: rectangle\nboxx: [0, 0, 1, 1]", "unknown key 'boxx'; did you mean 'box'"),
        ("kind: polygon\noutline: [[0, 0], [1, 0], [1, x]]", "outline"),
        ("kind: polygon\noutline: [[0, 0], [1, 0], [1, 1]]\nholes: [[[0, 0]]]", r"holes\[0\]"),
        ("kind: learnt\nangle_min: 0", "missing"),
        ("a: [1\nb: 2", "line"),
    ],
)
def test_wrong_zone_files_are_named(tmp_path, text, words):
    path = tmp_path / "bad.yaml"
    path.write_text(text)
    with pytest.raises(ZoneError, match=words) as error:
        load_zone(path)
    assert str(path) in str(error.value)


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("background", [1.0, "far"], r"background\[1\]"),
        ("background", [1.0], "1, 2, 2"),
        ("background", [1.0, -1.0], "positive"),
        ("returns", [0.5, 1.5], "0 to 1"),
        ("angle_increment", 0, "angle_increment"),
        ("angle_min", "left", "angle_min"),
    ],
)
def test_wrong_learnt_zones_are_named(tmp_path, key, value, words):
    values = {"kind": "learnt", "angle_min": 0.0, "angle_increment": 0.1}
    values |= {"background": [1.0, None], "spread": [0.1, 0.1], "returns": [1.0, 0.0]}
    path = tmp_path / "bad.yaml"
    path.write_text(yaml.safe_dump(values))
    assert np.isinf(load_zone(path).background[1])
    path.write_text(yaml.safe_dump({**values, key: value}))
    with pytest.raises(ZoneError, match=words):
        load_zone(path)


def test_missing_zone_file_is_named():
    with pytest.raises(ZoneError, match=r"/nowhere/z\.yaml"):
        load_zone("/nowhere/z.yaml")


@pytest.mark.parametrize(
    ("kind", "cls"), [("open", OpenZone), ("rectangle", RectangleZone), ("polygon", PolygonZone)]
)
def test_zone_from_parameters(kind, cls):
    assert isinstance(zone_from_parameters(LaserParameters(zone=ZoneParameters(kind=kind))), cls)
