"""What the pictures of the drone begin with: a world, its robots, the drone in the air."""

import tempfile
from pathlib import Path

import mujoco

from evaluation.drone_flight import DroneFlight
from scene_sim.camera import Painter
from scene_sim.simulator import ModelSpec, Simulator, SimulatorOptions
from spatial_types.transforms import Transform

ROOT = Path(__file__).resolve().parents[2]
FACTOR = 2  # drawn larger, then made smaller, for smooth edges


def flying(world, start, shadow_map):
    """Return the simulator of a world and the flight of a drone that has taken off at (x, y)."""
    models = [
        ModelSpec(ROOT / "urdf/station.urdf.xacro"),
        ModelSpec(ROOT / "urdf/phone_robot.urdf.xacro", pose=Transform.planar(0.4, 2.0, 2.6)),
        ModelSpec(ROOT / "urdf/drone.urdf.xacro", pose=Transform.planar(*start, 0.0)),
    ]
    options = SimulatorOptions(shadow_map=shadow_map)
    simulator = Simulator.load(ROOT / f"worlds/{world}.sdf", models, options)
    simulator.camera_mode("on_demand")
    flight = DroneFlight(simulator, Path(tempfile.mkdtemp()))
    flight.run(10.0, lambda: bool(flight.poses and flight.bridge.state.global_position))
    commander = flight.bridge.commander
    flight.ask(lambda now, done: commander.arm(True, now, done))
    flight.ask(commander.take_off)
    return simulator, flight


def painting(simulator, size, lookat, distance, azimuth, elevation):
    """Return what draws the scene of now, (H, W, 3) RGB, from a place about `lookat` (m, deg)."""
    buffer = simulator.physics.model.vis.global_
    buffer.offwidth, buffer.offheight = size[0] * FACTOR, size[1] * FACTOR
    view = mujoco.MjvCamera()
    view.lookat[:] = lookat
    view.distance, view.azimuth, view.elevation = distance, azimuth, elevation
    painter = Painter(simulator.physics.model, shadows=True, supersampling=FACTOR)
    return lambda: painter.draw_from(view, simulator.snapshot(), *size)
