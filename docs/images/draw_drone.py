"""Draw `drone.png`: `PYTHONPATH=. python3 docs/images/draw_drone.py` from the repository's root.

One flight around the room, as drone.launch.xml flies it, with the drone at several moments of it.
"""

import tempfile
from pathlib import Path

import cv2
import mujoco
import numpy as np

from evaluation.drone_flight import DroneFlight
from mavlink_bridge.files.trajectory_file import TrajectoryPoint
from scene_sim.camera import Painter
from scene_sim.simulator import ModelSpec, Simulator, SimulatorOptions
from spatial_types.transforms import Transform

ROOT = Path(__file__).resolve().parents[2]
WIDTH, HEIGHT, FACTOR = 960, 600, 2
START = (-2.5, 1.0)
CORNERS = [(0.0, 0.0), (5.0, 0.0), (5.0, 2.2), (0.0, 2.2), (0.0, 0.0)]
YAWS = [0.0, 1.57, 3.14, -1.57, 0.0]
SIDE = 5.0

models = [
    ModelSpec(ROOT / "urdf/station.urdf.xacro"),
    ModelSpec(ROOT / "urdf/phone_robot.urdf.xacro", pose=Transform.planar(0.4, 2.0, 2.6)),
    ModelSpec(ROOT / "urdf/drone.urdf.xacro", pose=Transform.planar(*START, 0.0)),
]
simulator = Simulator.load(
    ROOT / "worlds/ground_truth_room.sdf", models, SimulatorOptions(shadow_map=2048)
)
simulator.camera_mode("on_demand")
flight = DroneFlight(simulator, Path(tempfile.mkdtemp()))
flight.run(10.0, lambda: bool(flight.poses and flight.bridge.state.global_position))
commander = flight.bridge.commander
flight.ask(lambda now, done: commander.arm(True, now, done))
flight.ask(commander.take_off)

buffer = simulator.physics.model.vis.global_
buffer.offwidth, buffer.offheight = WIDTH * FACTOR, HEIGHT * FACTOR
view = mujoco.MjvCamera()
view.lookat[:] = (0.0, 1.9, 0.5)
view.distance, view.azimuth, view.elevation = 7.6, 90.0, -62.0
painter = Painter(simulator.physics.model, shadows=True, supersampling=FACTOR)
moments = []


def look() -> bool:
    """Take a picture twice on each side; never the end of anything."""
    if simulator.time >= len(moments) * SIDE / 2 * 1e9 + begin:
        moments.append(painter.draw_from(view, simulator.snapshot(), WIDTH, HEIGHT))
    return not flight.bridge.setpoints.is_live


points = [
    TrajectoryPoint((x, y, 1.5), yaw, SIDE * index, 0.5)
    for index, ((x, y), yaw) in enumerate(zip(CORNERS, YAWS, strict=True))
]
begin = simulator.time + 2_000_000_000
flight.start(points)
flight.run(60.0, look)

pictures = np.array(moments)
empty = np.median(pictures, axis=0).astype(np.uint8)
result = empty.copy()
for picture in pictures:
    differs = np.abs(picture.astype(int) - empty).sum(axis=2) > 24
    result[differs] = picture[differs]
cv2.imwrite(str(Path(__file__).with_name("drone.png")), result[:, :, ::-1])
