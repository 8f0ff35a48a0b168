"""Speed of the embedded simulator in process, as multiples of real time."""

from __future__ import annotations

import statistics
import time
from typing import Any

from evaluation.lockstep import CAMERA_TOPIC, ROBOT
from evaluation.resources import share_folders
from scene_sim.simulator import ModelSpec, Simulator, SimulatorOptions
from spatial_types.transforms import Transform

SECOND = 10**9


def simulator(shadows: bool, supersampling: int = 1) -> Simulator:
    root = share_folders()[0]
    models = [
        ModelSpec(root / "urdf/station.urdf.xacro", "station"),
        ModelSpec(root / "urdf/phone_robot.urdf.xacro", ROBOT, Transform.planar(-1.0, 1.5, 0.0)),
    ]
    world = root / "worlds/ground_truth_room.sdf"
    options = SimulatorOptions(seed=1, shadows=shadows, supersampling=supersampling)
    return Simulator.load(world, models, options)


def speed(sim: Simulator, mode: str, seconds: float) -> float:
    """Simulated seconds for each second of the wall clock, while the robot drives a circle."""
    sim.camera_mode(mode)
    sim.set_velocity(ROBOT, 0.3, 0.3)
    for _ in sim.advance(sim.time + SECOND // 2):
        pass
    begin = time.perf_counter()
    for _ in sim.advance(sim.time + round(seconds * SECOND)):
        pass
    return seconds / (time.perf_counter() - begin)


def run(quick: bool) -> list[dict[str, Any]]:
    rows = []
    repeats = 3 if quick else 5
    for name, mode, shadows, seconds, required in (
        ("no camera", "on_demand", True, 10.0, 50.0),
        ("camera without shadows", "rate", False, 2.0, 3.0),
        ("camera with shadows", "rate", True, 2.0, 1.5),
    ):
        sim = simulator(shadows)
        value = statistics.median(speed(sim, mode, seconds) for _ in range(repeats))
        label = f"simulator, {name}"
        if mode == "rate":
            sim.render(CAMERA_TOPIC)
            label += f", {sim.painter.samples} samples"
        if mode == "rate" and shadows:
            label += f", shadow map {sim.options.shadow_map}"
        rows.append({"name": label, "value": value, "unit": "x real", "required": required})
    return rows
