"""Hands in the scene: they come where they are wished, stop at walls, and hold what they grip."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scenes import SECOND, room, small_world
from scipy.spatial.transform import Rotation

from scene_sim.hands import RADIUS, _between, _turned
from spatial_types.transforms import Transform

WALL = """<model name="wall"><static>true</static><pose>1 0 1 0 0 0</pose><link name="l">
  <collision name="c"><geometry><box><size>0.05 4 2</size></box></geometry></collision>
  </link></model>"""
FLOOR = """<model name="floor"><static>true</static><link name="l"><collision name="c"><geometry>
  <plane><normal>0 0 1</normal><size>10 10</size></plane></geometry></collision></link></model>"""
CRATE = """<model name="crate"><pose>0.4 0 0.1 0 0 0</pose><link name="l">
  <inertial><mass>{mass}</mass><inertia><ixx>{i}</ixx><iyy>{i}</iyy><izz>{i}</izz></inertia></inertial>
  <collision name="c"><geometry><box><size>0.2 0.2 0.2</size></box></geometry></collision>
  </link></model>"""
WALL_FACE = 1.0 - 0.025
GIVE = 0.005  # m that a contact gives way under the hand's whole force


def at(x, y, z, yaw=0.0):
    return Transform.planar(x, y, yaw, z)


def world(folder, crate_mass=1.0):
    crate = CRATE.format(mass=crate_mass, i=crate_mass * 0.2**2 / 6.0)
    return small_world(folder, WALL + FLOOR + crate, hands=True)


def run(simulator, seconds):
    for _ in simulator.advance(simulator.time + round(seconds * SECOND)):
        pass


def move(simulator, side, start, end, seconds, closed=False, watch=lambda: None):
    """Lead a hand on a straight line, a target every 10 ms as a viewpoint does."""
    steps = max(round(seconds * 100), 1)
    for step in range(1, steps + 1):
        place = start.translation + (end.translation - start.translation) * step / steps
        simulator.hands.command(side, Transform(end.rotation, place), closed)
        run(simulator, 0.01)
        watch()


def place(simulator, side="left"):
    return simulator.hands.state(side).pose.translation


def crate_place(simulator):
    return simulator.link_pose("crate", "l").translation


def test_a_free_hand_goes_where_it_is_wished(tmp_path):
    simulator = world(tmp_path)
    wish = at(0.0, 1.0, 1.2, 0.8)
    assert simulator.hands.state("left") is None
    move(simulator, "left", at(0.0, 0.7, 1.0), wish, 0.5)
    run(simulator, 0.3)
    state = simulator.hands.state("left")
    np.testing.assert_allclose(state.pose.translation, wish.translation, atol=1e-4)
    np.testing.assert_allclose(state.pose.rotation, wish.rotation, atol=1e-3)
    assert state.apart < 1e-4
    assert simulator.hands.state("right") is None


@pytest.mark.parametrize("seconds", [0.3, 0.04])  # a hand moved quickly, and one flung
def test_a_wall_stops_the_hand(tmp_path, seconds):
    simulator = world(tmp_path)
    simulator.hands.command("left", at(0.6, 0.0, 1.0), False)
    run(simulator, 0.2)
    farthest = []
    move(
        simulator,
        "left",
        at(0.6, 0.0, 1.0),
        at(1.9, 0.0, 1.0),
        seconds,
        watch=lambda: farthest.append(place(simulator)[0]),
    )
    for _ in range(30):
        run(simulator, 0.05)
        farthest.append(place(simulator)[0])
    assert max(farthest) < WALL_FACE - RADIUS / 2.0  # a blow gives way for a moment
    assert place(simulator)[0] == pytest.approx(WALL_FACE - RADIUS, abs=GIVE)
    assert simulator.hands.state("left").apart == pytest.approx(1.9 - WALL_FACE + RADIUS, abs=GIVE)
    move(simulator, "left", at(1.9, 0.0, 1.0), at(0.5, 0.0, 1.0), 0.4)
    run(simulator, 0.3)
    np.testing.assert_allclose(place(simulator), [0.5, 0.0, 1.0], atol=1e-3)


def test_the_floor_stops_the_hand(tmp_path):
    simulator = world(tmp_path)
    move(simulator, "right", at(-1.0, 1.0, 0.4), at(-1.0, 1.0, -0.4), 0.3)
    run(simulator, 0.5)
    assert place(simulator, "right")[2] == pytest.approx(RADIUS, abs=GIVE)


def test_an_open_hand_pushes(tmp_path):
    simulator = world(tmp_path)
    move(simulator, "left", at(0.4, -0.5, 0.1), at(0.4, 0.2, 0.1), 1.0)
    assert crate_place(simulator)[1] > 0.25


def gripped(simulator, side="left"):
    """Lay a hand on top of the crate and close it."""
    on_top = at(0.4, 0.0, 0.2 + RADIUS + 0.005)
    move(simulator, side, at(0.4, 0.0, 0.5), on_top, 0.4)
    move(simulator, side, on_top, on_top, 0.1, closed=True)
    assert simulator.hands.state(side).held == "crate"
    return on_top


def test_grip_lifts_carries_and_lets_go(tmp_path):
    simulator = world(tmp_path)
    on_top = gripped(simulator)
    between = crate_place(simulator) - place(simulator)
    aloft = at(0.2, 0.8, 1.0, 0.5)
    move(simulator, "left", on_top, aloft, 1.5, closed=True)
    run(simulator, 0.5)
    pose = simulator.link_pose("crate", "l")
    np.testing.assert_allclose(pose.translation, aloft.translation + between, atol=0.01)
    assert pose.yaw == pytest.approx(0.5, abs=0.05)
    assert simulator.hands.state("left").held == "crate"
    simulator.hands.command("left", aloft, False)
    run(simulator, 1.0)
    assert simulator.hands.state("left").held == ""
    assert crate_place(simulator)[2] == pytest.approx(0.1, abs=0.01)
    np.testing.assert_allclose(place(simulator), aloft.translation, atol=1e-3)


@pytest.mark.parametrize("seconds", [1.0, 0.1])
def test_what_is_held_cannot_pass_through_a_wall(tmp_path, seconds):
    simulator = world(tmp_path)
    on_top = gripped(simulator)
    before = at(0.4, 0.0, 1.0)
    move(simulator, "left", on_top, before, 1.0, closed=True)
    beyond, seen = at(2.0, 0.0, 1.0), []
    watch = lambda: seen.append((place(simulator)[0], crate_place(simulator)[0]))  # noqa: E731
    move(simulator, "left", before, beyond, seconds, closed=True, watch=watch)
    for _ in range(30):
        run(simulator, 0.05)
        watch()
    hand, crate = np.max(seen, axis=0)
    assert hand < WALL_FACE - RADIUS / 2.0
    assert crate < WALL_FACE - 0.05  # its middle stays outside however it turns
    # and the force that holds it there does not shake it
    assert np.ptp([item[1] for item in seen[-10:]]) < 0.01


def test_what_is_too_heavy_stays(tmp_path):
    simulator = world(tmp_path, crate_mass=60.0)
    on_top = gripped(simulator)
    move(simulator, "left", on_top, at(0.4, 0.6, 0.24), 1.0, closed=True)
    assert np.abs(crate_place(simulator) - [0.4, 0.0, 0.1]).max() < 0.1


def test_a_grip_in_the_air_holds_nothing(tmp_path):
    simulator = world(tmp_path)
    move(simulator, "left", at(0.4, 0.0, 1.0), at(0.4, 0.0, 0.6), 0.3, closed=True)
    assert simulator.hands.state("left").held == ""


def test_a_hand_taken_away_lets_go(tmp_path):
    simulator = world(tmp_path)
    on_top = gripped(simulator)
    move(simulator, "left", on_top, at(0.4, 0.0, 0.8), 0.5, closed=True)
    simulator.hands.command("left", None, True)
    run(simulator, 1.0)
    assert simulator.hands.state("left") is None
    assert crate_place(simulator)[2] == pytest.approx(0.1, abs=0.01)


def test_a_target_that_jumps_beyond_the_wall_does_not_take_the_hand_along(tmp_path):
    simulator = world(tmp_path)
    gripped(simulator)
    simulator.hands.command("left", at(3.0, 0.0, 1.0), True)
    run(simulator, 1.5)
    assert place(simulator)[0] < WALL_FACE
    assert crate_place(simulator)[0] < WALL_FACE
    assert simulator.hands.state("left").held == "crate"


def test_a_hand_taken_away_appears_elsewhere_without_its_load(tmp_path):
    simulator = world(tmp_path)
    gripped(simulator)
    there = at(3.0, 1.0, 1.0)
    simulator.hands.command("left", None, True)
    simulator.hands.command("left", there, True)
    run(simulator, 0.1)
    np.testing.assert_allclose(place(simulator), there.translation, atol=1e-3)
    assert simulator.hands.state("left").held == ""
    assert crate_place(simulator)[0] < WALL_FACE


def test_a_hand_does_not_appear_within_a_wall(tmp_path):
    simulator = world(tmp_path)
    simulator.hands.command("left", at(1.0, 0.0, 1.0), False)
    run(simulator, 0.2)
    assert simulator.hands.state("left") is None
    simulator.hands.command("left", at(0.8, 0.0, 1.0), False)
    run(simulator, 0.2)
    np.testing.assert_allclose(place(simulator), [0.8, 0.0, 1.0], atol=1e-3)


def test_reset_parks_the_hands_and_forgets_the_load(tmp_path):
    simulator = world(tmp_path)
    gripped(simulator)
    simulator.reset()
    assert simulator.hands.state("left") is None
    run(simulator, 0.5)
    np.testing.assert_allclose(crate_place(simulator), [0.4, 0.0, 0.1], atol=1e-3)
    gripped(simulator, "right")


def test_a_model_that_is_put_elsewhere_is_let_go(tmp_path):
    simulator = world(tmp_path)
    gripped(simulator)
    simulator.set_model_pose("crate", at(-1.0, 0.0, 0.1))
    run(simulator, 0.2)
    assert simulator.hands.state("left").held == ""
    np.testing.assert_allclose(crate_place(simulator), [-1.0, 0.0, 0.1], atol=1e-3)


def test_the_robot_can_be_carried():
    simulator = room(x=0.0, y=2.0, hands=True)
    above, robot = at(0.0, 2.0, 0.8), simulator.link_pose("phone_robot", "phone_robot/base_link")
    on_top = at(0.0, 2.0, 0.55 + RADIUS + 0.01)
    move(simulator, "right", above, on_top, 0.3)
    move(simulator, "right", on_top, on_top, 0.1, closed=True)
    assert simulator.hands.state("right").held == "phone_robot"
    move(simulator, "right", on_top, at(0.5, 2.5, 1.2), 1.0, closed=True)
    run(simulator, 1.0)
    moved = (
        simulator.link_pose("phone_robot", "phone_robot/base_link").translation - robot.translation
    )
    np.testing.assert_allclose(moved, [0.5, 0.5, 0.6], atol=0.05)


def test_sensors_do_not_see_a_hand():
    simulator = room(seed=3, hands=True, lidar_noise=False)
    plain = room(seed=3, lidar_noise=False)
    simulator.hands.command("left", at(0.3, 1.0, 0.5), False)
    run(simulator, 0.15)
    run(plain, 0.15)
    assert simulator.hands.state("left") is not None
    scans = [
        next(
            item.data for item in each.advance(each.time + SECOND // 5) if item.topic == "lrf/scan"
        )
        for each in (simulator, plain)
    ]
    np.testing.assert_array_equal(scans[0].ranges, scans[1].ranges)


def test_the_same_wishes_give_the_same_motion(tmp_path):
    courses = []
    for _ in range(2):
        simulator = world(tmp_path)
        on_top = gripped(simulator)
        move(simulator, "left", on_top, at(1.6, 0.3, 0.7), 0.7, closed=True)
        courses.append((*place(simulator), *crate_place(simulator)))
    assert courses[0] == courses[1]


@settings(max_examples=8, deadline=None)
@given(
    st.lists(
        st.tuples(st.floats(0.2, 2.5), st.floats(-1.5, 1.5), st.floats(0.0, 1.8), st.booleans()),
        min_size=2,
        max_size=6,
    )
)
def test_no_course_leads_through_the_wall(tmp_path_factory, points):
    simulator = world(tmp_path_factory.mktemp("wall"))
    here = at(0.4, 0.0, 0.5)
    simulator.hands.command("left", here, False)
    run(simulator, 0.1)
    for x, y, z, closed in points:
        there = at(x, y, z)
        way = float(np.linalg.norm(there.translation - here.translation))
        move(simulator, "left", here, there, max(way / 10.0, 0.05), closed)
        here = there
        assert place(simulator)[0] < WALL_FACE - RADIUS / 2.0


angles = st.floats(-3.1, 3.1)


@given(st.tuples(angles, angles, angles), st.tuples(angles, angles, angles))
def test_quaternions_by_hand(first, second):
    start, end = (Transform.from_rpy(rpy=each) for each in (first, second))
    a, b = (np.roll(each.quaternion, 1).tolist() for each in (start, end))
    np.testing.assert_allclose(
        _turned(a, [0.3, -0.5, 0.8]), start.rotate([0.3, -0.5, 0.8]), atol=1e-12
    )
    way = np.array(_between(a, b))
    expected = Rotation.from_matrix(end.rotation @ start.rotation.T).as_rotvec()
    if np.linalg.norm(expected) < np.pi - 1e-6:  # half a turn may go either way round
        np.testing.assert_allclose(way, expected, atol=1e-6)
