"""The drone in the scene: its body goes where its autopilot flies, and the bridge tells where."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from evaluation.drone_flight import DroneFlight
from mavlink_bridge.files.trajectory_file import TrajectoryPoint
from mavlink_bridge.simulated_autopilot.geodesy import GlobalPoint, LocalOrigin
from scene_sim.description import read_sdf
from scene_sim.options import ModelSpec, SimulatorOptions
from scene_sim.simulator import Simulator
from spatial_types.transforms import Transform

ROOT = Path(__file__).parents[2]


def flight(tmp_path, x=-2.5, y=1.0, yaw=0.0, world="ground_truth_room", seed=0, **options):
    drone = ModelSpec(ROOT / "urdf/drone.urdf.xacro", pose=Transform.planar(x, y, yaw))
    file = ROOT / f"worlds/{world}.sdf"
    simulator = Simulator.load(file, [drone], SimulatorOptions(seed=seed))
    made = DroneFlight(simulator, tmp_path, **options)
    state = made.bridge.state
    assert made.run(15.0, lambda: bool(made.poses and state.global_position))
    return made


def up(made):
    commander = made.bridge.commander
    assert made.ask(lambda now, done: commander.arm(True, now, done))[0]
    assert made.ask(commander.take_off) == (True, "done")


@pytest.mark.parametrize("flavour", ["px4", "ardupilot"])
def test_a_square_over_the_room(tmp_path, flavour):
    made = flight(tmp_path, flavour=flavour)
    up(made)
    corners = [(0.0, 0.0), (2.0, 0.0), (2.0, 1.5), (0.0, 1.5), (0.0, 0.0)]
    points = [
        TrajectoryPoint((x, y, 1.5), 0.5, 5.0 * index, 1.0) for index, (x, y) in enumerate(corners)
    ]
    assert made.fly(points)
    truth = made.simulator.truth("drone")[0]
    assert truth.translation == pytest.approx([-2.5, 1.0, 1.5], abs=0.15)
    assert truth.yaw == pytest.approx(0.5, abs=0.1)
    stamp, told = made.poses[-1]
    assert made.simulator.time - stamp < 0.2e9
    here = made.map_from_home.apply(told.position)
    assert here == pytest.approx(truth.translation, abs=0.1)
    assert made.ask(made.bridge.commander.land) == (True, "done")
    assert made.simulator.truth("drone")[0].translation[2] == pytest.approx(0.0, abs=0.03)


def test_a_wall_is_told_to_the_autopilot(tmp_path):
    made = flight(tmp_path, x=0.0, y=3.0, yaw=math.pi / 2)
    up(made)
    points = [
        TrajectoryPoint((0.0, 0.0, 1.5), None, 0.0, 0.0),
        TrajectoryPoint((0.0, 3.0, 1.5), None, 6.0, 0.0),
    ]
    made.fly(points)
    truth = made.simulator.truth("drone")[0].translation
    assert 3.5 < truth[1] < 3.85  # the wall is at 4 m, not at 6
    here = made.map_from_home.apply(np.array(made.vehicle.body.position))
    assert here == pytest.approx(truth, abs=0.3)


@pytest.mark.parametrize("seed", [1, 2])
def test_it_holds_its_place_in_the_wind_of_the_town(tmp_path, seed):
    made = flight(tmp_path, world="town", seed=seed)
    up(made)
    made.run(5.0)
    wanted = made.map_from_home.apply(np.array(made.vehicle.body.position))
    places = []

    def look():
        places.append(made.simulator.truth("drone")[0].translation)
        return False

    made.run(30.0, look)
    off = np.linalg.norm(np.array(places) - wanted, axis=1)
    assert off.max() < 0.06
    assert off.mean() < 0.03
    assert off.max() > 0.005  # there is a wind
    assert made.ask(made.bridge.commander.land) == (True, "done")
    at = made.simulator.truth("drone")[0].translation
    assert at == pytest.approx([-2.5, 1.0, 0.0], abs=0.1)  # in the rim of the pad


def test_the_landing_pad_is_the_home_of_the_autopilot(tmp_path):
    made = flight(tmp_path, world="town")
    place = read_sdf(ROOT / "worlds/town.sdf").world.spherical_coordinates
    home = made.vehicle.origin.origin
    origin = LocalOrigin(GlobalPoint(place.latitude_deg, place.longitude_deg, place.elevation))
    assert origin.local(home) == pytest.approx([-2.5, 1.0, 0.0], abs=0.02)
