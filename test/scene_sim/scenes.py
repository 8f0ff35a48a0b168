"""Scenes that several tests run: the thesis's room, and small worlds written on the spot."""

from __future__ import annotations

from pathlib import Path

from scene_sim.simulator import ModelSpec, Simulator, SimulatorOptions
from spatial_types.transforms import Transform

ROOT = Path(__file__).resolve().parents[2]
CAMERA = "station/camera/image_raw"
SECOND = 1_000_000_000
WORLDS = ("ground_truth_room", "l_shaped_room", "long_corridor", "hall_with_pillars")


def room(x=0.0, y=2.0, yaw=0.0, world="ground_truth_room", **options) -> Simulator:
    """Station and robot in one of the shipped worlds; cameras on demand."""
    models = [
        ModelSpec(ROOT / "urdf/station.urdf.xacro"),
        ModelSpec(ROOT / "urdf/phone_robot.urdf.xacro", pose=Transform.planar(x, y, yaw)),
    ]
    simulator = Simulator.load(ROOT / f"worlds/{world}.sdf", models, SimulatorOptions(**options))
    simulator.camera_mode("on_demand")
    return simulator


def readings(simulator: Simulator, topic: str, until: int) -> list:
    """What one topic says up to `until` (ns)."""
    return [item.data for item in simulator.advance(until) if item.topic == topic]


def small_world(folder: Path, body: str, **options) -> Simulator:
    """A world of the given SDF elements and a light, without gravity's pull on anything."""
    file = folder / "world.sdf"
    file.write_text(
        f"""<sdf version="1.7"><world name="small">
        <physics type="ode"><max_step_size>0.0025</max_step_size></physics>
        <scene><ambient>0.6 0.6 0.6 1</ambient><background>0 0 0 1</background></scene>
        {body}</world></sdf>"""
    )
    simulator = Simulator.load(file, [], SimulatorOptions(**options))
    simulator.camera_mode("on_demand")
    return simulator
