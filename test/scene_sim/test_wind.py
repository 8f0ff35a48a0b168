"""WindEffects: the wind varies as Gazebo's does, pushes what has it enabled, and nothing else."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from scene_sim.description import DescriptionError
from scene_sim.options import ModelSpec, SimulatorOptions
from scene_sim.simulator import Simulator

ROOT = Path(__file__).parents[2]
SECOND = 1_000_000_000
FACTOR = "<force_approximation_scaling_factor>0.5</force_approximation_scaling_factor>"
QUICK = "<time_for_rise>0.0025</time_for_rise>"


def world(tmp_path, plugin=FACTOR, *, wind="3 0 0", enable="true", floor="") -> Path:
    file = tmp_path / "windy.sdf"
    ball = """<inertial><mass>2</mass></inertial>
      <collision name="c"><geometry><sphere><radius>0.1</radius></sphere></geometry></collision>"""
    element = f"""<plugin filename="gz-sim-wind-effects-system"
      name="gz::sim::systems::WindEffects">{plugin}</plugin>"""
    file.write_text(f"""<sdf version="1.7"><world name="windy">
    <physics name="p" type="ode"><max_step_size>0.0025</max_step_size></physics>
    <gravity>0 0 0</gravity>
    {element if plugin is not None else ""}
    <wind><linear_velocity>{wind}</linear_velocity></wind>{floor}
    <model name="ball"><link name="ball">{ball}<enable_wind>{enable}</enable_wind></link></model>
    <model name="stone"><pose>0 5 0 0 0 0</pose><link name="stone">{ball}</link></model>
    </world></sdf>""")
    return file


def load(file, *models, seed=1):
    return Simulator.load(file, models, SimulatorOptions(seed=seed))


def where(simulator, model, seconds):
    for _ in simulator.advance(simulator.time + round(seconds * SECOND)):
        pass
    return simulator.link_pose(model, model).translation


def rising(seconds, lag):
    """Way of a body at rest that 0.5 (w - v) pushes, w rising to 3 m/s with this lag."""
    dt, size, speed, way = 0.0025, 0.0, 0.0, 0.0
    for _ in range(round(seconds / dt)):
        size += dt / lag * (3.0 - size)
        speed += 0.5 * (size - speed) * dt
        way += speed * dt
    return way


@pytest.mark.parametrize("lag", [0.0025, 2.0])
def test_a_free_body_is_carried_along(tmp_path, lag) -> None:
    rise = f"<magnitude><time_for_rise>{lag}</time_for_rise></magnitude>"
    simulator = load(world(tmp_path, f"{FACTOR}<horizontal>{rise}</horizontal>"))
    assert simulator.warnings == []
    assert where(simulator, "ball", 3.0) == pytest.approx([rising(3.0, lag), 0.0, 0.0], abs=0.02)
    assert where(simulator, "stone", 0.0) == pytest.approx([0.0, 5.0, 0.0], abs=1e-9)


def test_links_without_wind_stay(tmp_path) -> None:
    assert where(load(world(tmp_path, enable="false")), "ball", 2.0) == pytest.approx([0, 0, 0])


def test_direction_and_height(tmp_path) -> None:
    vertical = (
        f"<horizontal><magnitude>{QUICK}</magnitude></horizontal><vertical>{QUICK}</vertical>"
    )
    x, y, z = where(load(world(tmp_path, FACTOR + vertical, wind="0 2 1")), "ball", 2.0)
    assert x == pytest.approx(0.0, abs=1e-9)
    assert y == pytest.approx(2.0 * z, rel=1e-6)
    assert z > 0.5


def gusts(noise="", sine="", seed=1, tmp_path=None):
    """Return the way of the ball, once a second."""
    parts = f"<horizontal><magnitude>{QUICK}{sine}{noise}</magnitude></horizontal>"
    simulator = load(world(tmp_path, FACTOR + parts), seed=seed)
    return np.array([where(simulator, "ball", 1.0) for _ in range(8)])


def test_a_sine_of_the_magnitude(tmp_path) -> None:
    sine = "<sin><amplitude_percent>0.5</amplitude_percent><period>4</period></sin>"
    steady, waving = gusts(tmp_path=tmp_path), gusts(sine=sine, tmp_path=tmp_path)
    more = np.diff(waving[:, 0] - steady[:, 0])
    assert more.max() > 0.1
    assert more.min() < -0.1


def test_noise_is_the_seeds(tmp_path) -> None:
    noise = '<noise type="gaussian"><mean>0</mean><stddev>4</stddev></noise>'
    first, again, other = (gusts(noise, seed=s, tmp_path=tmp_path) for s in (1, 1, 2))
    assert np.array_equal(first, again)
    assert np.abs(first - other).max() > 0.01


def test_what_is_not_played_is_named(tmp_path) -> None:
    more = """<horizontal><magnitude><noise type="gaussian"><bias_mean>1</bias_mean></noise>
      </magnitude></horizontal><drag>2</drag>"""
    warnings = load(world(tmp_path, FACTOR + more)).warnings
    assert [line.split("WindEffects: ")[1].split(":")[0] for line in warnings] == [
        "<bias_mean>",
        "<drag>",
    ]
    assert all("windy.sdf:" in line for line in warnings)


def test_wind_without_the_plugin_is_named(tmp_path) -> None:
    warnings = load(world(tmp_path, None)).warnings
    assert len(warnings) == 1
    assert "WindEffects" in warnings[0]


@pytest.mark.parametrize(
    ("plugin", "words"),
    [
        (FACTOR.replace("0.5", "0"), "more than 0"),
        ("<vertical><time_for_rise>0</time_for_rise></vertical>", "more than 0"),
        (
            "<horizontal><magnitude><sin><period>-1</period></sin></magnitude></horizontal>",
            "more than 0",
        ),
        ("<vertical><noise><stddev>-0.1</stddev></noise></vertical>", "0 or more"),
    ],
)
def test_numbers_that_mean_nothing_are_refused(tmp_path, plugin, words) -> None:
    with pytest.raises(DescriptionError, match=rf"windy\.sdf.*expected {words}"):
        load(world(tmp_path, plugin))


def test_a_velocity_controlled_body_keeps_a_step_of_it(tmp_path) -> None:
    plugin = FACTOR.replace("0.5", "20")
    plugin += f"<horizontal><magnitude>{QUICK}</magnitude></horizontal>"
    drone = ModelSpec(ROOT / "urdf/drone.urdf.xacro")
    simulator = load(world(tmp_path, plugin), drone)
    simulator.set_body_velocity("drone", (0.0, 0.0, 0.5), (0.0, 0.0, 0.0))
    for _ in simulator.advance(2 * SECOND):
        pass
    pose, linear, _ = simulator.truth("drone")
    share = 0.05 / 1.05  # of 20 / s times 2.5 ms
    assert linear == pytest.approx([3.0 * share, 0.0, 0.5 * (1.0 - share)], abs=1e-3)
    assert math.hypot(*pose.translation[:2]) == pytest.approx(6.0 * share, rel=0.02)
