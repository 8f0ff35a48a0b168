"""VelocityControl: the drone goes as it is told, in its own axes, and nothing pulls it down."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from scene_sim.options import ModelSpec, SimulatorOptions
from scene_sim.simulator import Simulator
from spatial_types.transforms import Transform

ROOT = Path(__file__).parents[2]
SECOND = 1_000_000_000


def scene(*models, pose=None):
    drone = ModelSpec(
        file=ROOT / "urdf/drone.urdf.xacro", pose=pose or Transform.planar(0.0, 2.0, math.pi / 2)
    )
    world = ROOT / "worlds/ground_truth_room.sdf"
    return Simulator.load(world, [drone, *models], SimulatorOptions(seed=1))


def run(simulator, seconds):
    return list(simulator.advance(simulator.time + round(seconds * SECOND)))


def test_it_is_all_played():
    simulator = scene()
    assert simulator.warnings == []
    assert {"drone/body/odometry", "reference/drone"} <= simulator.topics


def test_velocities_are_in_its_own_axes_and_hold():
    simulator = scene()
    simulator.set_body_velocity("drone", (0.5, 0.0, 0.4), (0.0, 0.0, 0.0))
    run(simulator, 2.0)
    pose, linear, _ = simulator.truth("drone")
    assert pose.translation == pytest.approx([0.0, 3.0, 0.8], abs=0.01)  # forward is +y
    assert linear == pytest.approx([0.0, 0.5, 0.4], abs=1e-6)
    simulator.set_body_velocity("drone", (0.0, 0.0, 0.0), (0.0, 0.0, 0.5))
    run(simulator, 2.0)
    pose, _, angular = simulator.truth("drone")
    assert pose.translation == pytest.approx([0.0, 3.0, 0.8], abs=0.02)  # it does not sink
    assert pose.yaw == pytest.approx(math.pi / 2 + 1.0, abs=0.01)
    assert angular == pytest.approx([0.0, 0.0, 0.5], abs=1e-6)


def test_a_circle_stays_a_circle():
    simulator = scene()
    simulator.set_body_velocity("drone", (0.0, 0.0, 1.0), (0.0, 0.0, 0.0))
    run(simulator, 1.0)
    simulator.set_body_velocity("drone", (0.5, 0.0, 0.0), (0.0, 0.0, 1.0))
    run(simulator, 2 * math.pi)
    pose, _, _ = simulator.truth("drone")
    assert pose.translation == pytest.approx([0.0, 2.0, 1.0], abs=0.03)


def test_a_wall_stops_it():
    simulator = scene(pose=Transform.planar(0.0, 3.0, math.pi / 2))
    simulator.set_body_velocity("drone", (0.0, 0.0, 1.0), (0.0, 0.0, 0.0))
    run(simulator, 1.0)
    simulator.set_body_velocity("drone", (1.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    run(simulator, 3.0)
    pose, _, _ = simulator.truth("drone")
    assert 3.6 < pose.translation[1] < 3.85  # the wall is at 4.0, it reaches 0.22 m


def test_put_elsewhere_it_stands_still():
    simulator = scene()
    simulator.set_body_velocity("drone", (1.0, 0.0, 1.0), (0.0, 0.0, 0.0))
    run(simulator, 0.5)
    simulator.set_model_pose("drone", Transform(np.eye(3), np.array([1.0, 1.0, 1.0])))
    run(simulator, 0.5)
    pose, _, _ = simulator.truth("drone")
    assert pose.translation == pytest.approx([1.0, 1.0, 1.0], abs=1e-3)


def test_two_drones_by_name():
    second = ModelSpec(
        file=ROOT / "urdf/drone.urdf.xacro",
        name="drone_2",
        pose=Transform.planar(2.0, 2.0, 0.0),
        arguments={"prefix": "drone_2/", "namespace": "drone_2"},
    )
    simulator = scene(second)
    simulator.set_body_velocity("drone_2", (0.0, 0.0, 0.5), (0.0, 0.0, 0.0))
    run(simulator, 1.0)
    assert simulator.truth("drone_2")[0].translation[2] == pytest.approx(0.5, abs=0.01)
    assert simulator.truth("drone")[0].translation[2] == pytest.approx(0.0, abs=0.01)
