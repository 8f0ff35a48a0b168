"""Scans against exact geometry: all angles, shallow ones too."""

import mujoco
import numpy as np
import pytest
from scenes import SECOND, readings, room, small_world

BACK = -0.08


def wall_range(angle, east, north, back=BACK):
    """Range from the origin to the walls x = +-east, y = north, y = back along a beam."""
    c, s = np.cos(angle), np.sin(angle)
    with np.errstate(divide="ignore"):
        to_x = np.where(np.abs(c) > 1e-12, east / np.abs(c), np.inf)
        to_y = np.where(s > 1e-12, north / s, np.where(s < -1e-12, back / s, np.inf))
    return np.minimum(to_x, to_y)


def circle_range(angle, x, y, radius):
    """Range to a circle along a beam; inf where it misses."""
    along = x * np.cos(angle) + y * np.sin(angle)
    across = y * np.cos(angle) - x * np.sin(angle)
    with np.errstate(invalid="ignore"):
        near = along - np.sqrt(radius**2 - across**2)
    return np.where((np.abs(across) < radius) & (along > 0), near, np.inf)


@pytest.mark.parametrize(("x", "y"), [(0.0, 1.0), (-3.0, 1.0), (3.0, 3.0), (0.37, 3.6)])
def test_every_beam_is_exact(x, y):
    simulator = room(x, y, lidar_noise=False)
    (scan,) = readings(simulator, "lrf/scan", 0)
    truth = simulator.truth("target")[0].translation
    expected = np.minimum(
        wall_range(scan.angles, 4.0, 4.0), circle_range(scan.angles, truth[0], truth[1], 0.1)
    )
    assert len(scan.ranges) == 360
    assert np.degrees(scan.angles[[0, 180, 359]]) == pytest.approx([0.0, 90.0, 179.5])
    assert scan.ranges == pytest.approx(expected, abs=1e-6)


def test_grazing_beams_in_a_corridor_are_exact_and_far_ones_return_nothing():
    simulator = room(0.0, 3.0, world="long_corridor", lidar_noise=False)
    (scan,) = readings(simulator, "lrf/scan", 0)
    expected = np.minimum(
        wall_range(scan.angles, 1.2, 18.0), circle_range(scan.angles, 0.0, 3.0, 0.1)
    )
    pilasters = (np.abs(np.cos(scan.angles) * expected) > 1.1) & (expected > 3.9)
    clear = ~pilasters | (expected > 10.0)
    assert np.isinf(scan.ranges[clear & (expected > 10.0)]).all()
    assert (clear & (expected > 10.0)).sum() >= 15
    near = clear & (expected <= 10.0)
    assert scan.ranges[near] == pytest.approx(expected[near], abs=1e-6)


def test_noise_is_white_gaussian_of_30_mm():
    simulator = room()
    simulator.listen_to(["lrf/scan"])
    scans = np.array([scan.ranges for scan in readings(simulator, "lrf/scan", 20 * SECOND)])
    silent = room(lidar_noise=False)
    (truth,) = readings(silent, "lrf/scan", 0)
    noise = scans - truth.ranges
    count = noise.size
    assert abs(noise.mean()) < 4 * 0.03 / np.sqrt(count)
    assert noise.std() == pytest.approx(0.03, rel=0.02)
    assert abs(np.corrcoef(noise[:-1].ravel(), noise[1:].ravel())[0, 1]) < 4 / np.sqrt(count)
    assert abs(np.corrcoef(noise[:, :-1].ravel(), noise[:, 1:].ravel())[0, 1]) < 4 / np.sqrt(count)
    assert (np.abs(noise) > 0.09).mean() == pytest.approx(0.0027, abs=0.0008)


LIDAR = """<model name="post"><static>{static}</static><pose>{pose}</pose><link name="link">
<visual name="v"><geometry><sphere><radius>0.2</radius></sphere></geometry></visual>
<collision name="c"><geometry><sphere><radius>0.1</radius></sphere></geometry></collision>
</link></model>
<model name="scanner"><static>true</static><link name="link">
<visual name="own"><geometry><sphere><radius>0.05</radius></sphere></geometry></visual>
<sensor name="scanner" type="{type}"><update_rate>10</update_rate><topic>scan</topic>
<lidar><scan><horizontal><samples>{samples}</samples><min_angle>-0.1</min_angle>
<max_angle>0.1</max_angle></horizontal></scan><range><min>0.5</min><max>3</max></range></lidar>
</sensor></link></model>"""


def lidar_world(folder, pose, kind="gpu_lidar", samples=3):
    body = LIDAR.format(static="true", pose=f"{pose} 0 0 0 0 0", type=kind, samples=samples)
    return small_world(folder, body)


def test_rendered_lidar_sees_visuals_and_ray_lidar_collisions(tmp_path):
    for kind, expected in (("gpu_lidar", 1.8), ("lidar", 1.9)):
        (scan,) = readings(lidar_world(tmp_path, 2.0, kind), "scan", 0)
        assert scan.ranges[1] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("distance", "expected"), [(0.6, -np.inf), (3.3, np.inf), (9.0, np.inf)])
def test_out_of_range_reads_as_rep_117(tmp_path, distance, expected):
    (scan,) = readings(lidar_world(tmp_path, distance), "scan", 0)
    assert scan.ranges[1] == expected
    assert not scan.hits[1]


def test_several_layers_or_resolution_are_refused_by_name(tmp_path):
    body = LIDAR.format(static="true", pose="2 0 0 0 0 0", type="gpu_lidar", samples=3)
    body = body.replace("<samples>3</samples>", "<samples>3</samples><resolution>0.5</resolution>")
    simulator = small_world(tmp_path, body)
    assert any("world.sdf:" in text and "resolution" in text for text in simulator.warnings)


def test_older_argument_list_of_mj_multiray(monkeypatch, tmp_path):
    new = mujoco.mj_multiRay

    def old(m, d, pnt, vec, geomgroup, flg_static, bodyexclude, geomid, dist, nray, cutoff):
        """Without what the newer one returns beside the ranges."""
        taken = (None,) if "normal" in (new.__doc__ or "") else ()
        head = (m, d, pnt, vec, geomgroup, flg_static, bodyexclude, geomid, dist)
        new(*head, *taken, nray, cutoff)

    monkeypatch.setattr(mujoco, "mj_multiRay", old)
    (scan,) = readings(lidar_world(tmp_path, 2.0), "scan", 0)
    assert scan.ranges[1] == pytest.approx(1.8)


def test_swept_scan_says_when_each_beam_was_and_sees_the_world_then():
    simulator = room(-0.8, 2.0, scan_mode="swept", lidar_noise=False)
    simulator.listen_to(["lrf/scan"])
    simulator.set_velocity("phone_robot", 0.5, 0.0)
    readings(simulator, "lrf/scan", 1_500_000_000)
    before = simulator.truth("target")
    scans = readings(simulator, "lrf/scan", 1_700_000_000)
    scan = scans[-1]
    assert scan.scan_time == pytest.approx(0.1)
    assert scan.time_increment == pytest.approx(0.1 * 0.5 / 360.0)
    assert scan.stamp % 100_000_000 == 0
    beams = np.arange(360)
    when = scan.stamp + beams * scan.time_increment * 1e9
    moved = before[0].translation[0] + before[1][0] * (when - 1.5e9) * 1e-9
    expected = circle_range(scan.angles, moved, 2.0, 0.1)
    inner = circle_range(scan.angles, moved, 2.0, 0.095) < 9.0
    assert inner.sum() >= 8
    assert scan.ranges[inner] == pytest.approx(expected[inner], abs=0.002)
    # An instantaneous scan would be off by the way of 12 to 25 ms:
    frozen = circle_range(scan.angles, moved[0], 2.0, 0.1)
    assert np.nanmax(np.abs(scan.ranges[inner] - frozen[inner])) > 0.01


def test_a_still_world_looks_the_same_swept_or_not():
    swept, instant = (room(scan_mode=mode, seed=5) for mode in ("swept", "instant"))
    a, b = (readings(item, "lrf/scan", 300_000_000) for item in (swept, instant))
    assert a[1].stamp == b[1].stamp
    assert a[1].ranges == pytest.approx(b[1].ranges, abs=1e-5)
