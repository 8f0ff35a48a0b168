"""Draw `scene.png`: `PYTHONPATH=. python3 docs/images/draw_scene.py` from the repository's root."""

from pathlib import Path

import cv2
import mujoco
import numpy as np

from scene_sim.camera import Painter
from scene_sim.simulator import ModelSpec, Simulator, SimulatorOptions
from spatial_types.transforms import Transform

ROOT = Path(__file__).resolve().parents[2]
WIDTH, HEIGHT, FACTOR = 960, 600, 2

robot = Transform.planar(0.45, 1.35, 2.6)
models = [
    ModelSpec(ROOT / "urdf/station.urdf.xacro"),
    ModelSpec(ROOT / "urdf/phone_robot.urdf.xacro", pose=robot),
]
simulator = Simulator.load(
    ROOT / "worlds/ground_truth_room.sdf", models, SimulatorOptions(shadow_map=2048)
)
simulator.camera_mode("on_demand")
simulator.set_joint_target("camera_pan_joint", -np.arctan2(0.45, 1.25))
for _ in simulator.advance(1_000_000_000):
    pass
buffer = simulator.physics.model.vis.global_
buffer.offwidth, buffer.offheight = WIDTH * FACTOR, HEIGHT * FACTOR
view = mujoco.MjvCamera()
view.lookat[:] = (0.1, 0.85, 0.3)
view.distance, view.azimuth, view.elevation = 1.9, 156.0, -18.0
painter = Painter(simulator.physics.model, shadows=True, supersampling=FACTOR)
picture = painter.draw_from(view, simulator.snapshot(), WIDTH, HEIGHT)
cv2.imwrite(str(Path(__file__).with_name("scene.png")), picture[:, :, ::-1])
