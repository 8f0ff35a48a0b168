"""Draw `town.png`: `PYTHONPATH=. python3 docs/images/draw_town.py` from the repository's root.

The town with station, phone-robot and the drone, which holds its place in the wind.
"""

import tempfile
from pathlib import Path

import cv2
import mujoco

from evaluation.drone_flight import DroneFlight
from scene_sim.camera import Painter
from scene_sim.simulator import ModelSpec, Simulator, SimulatorOptions
from spatial_types.transforms import Transform

ROOT = Path(__file__).resolve().parents[2]
WIDTH, HEIGHT, FACTOR = 960, 540, 2

models = [
    ModelSpec(ROOT / "urdf/station.urdf.xacro"),
    ModelSpec(ROOT / "urdf/phone_robot.urdf.xacro", pose=Transform.planar(0.4, 2.0, 2.6)),
    ModelSpec(ROOT / "urdf/drone.urdf.xacro", pose=Transform.planar(-2.5, 1.0, 0.0)),
]
simulator = Simulator.load(ROOT / "worlds/town.sdf", models, SimulatorOptions(shadow_map=4096))
simulator.camera_mode("on_demand")
flight = DroneFlight(simulator, Path(tempfile.mkdtemp()))
flight.run(10.0, lambda: bool(flight.poses and flight.bridge.state.global_position))
commander = flight.bridge.commander
flight.ask(lambda now, done: commander.arm(True, now, done))
flight.ask(commander.take_off)

buffer = simulator.physics.model.vis.global_
buffer.offwidth, buffer.offheight = WIDTH * FACTOR, HEIGHT * FACTOR
view = mujoco.MjvCamera()
view.lookat[:] = (-0.2, 4.4, 1.3)
view.distance, view.azimuth, view.elevation = 10.5, 76.0, -19.0
painter = Painter(simulator.physics.model, shadows=True, supersampling=FACTOR)
picture = painter.draw_from(view, simulator.snapshot(), WIDTH, HEIGHT)
cv2.imwrite(str(Path(__file__).with_name("town.png")), picture[:, :, ::-1])
