"""Draw `eyes.png`: `PYTHONPATH=. python3 docs/images/draw_eyes.py` from the repository's root.

What both eyes see of a hand that lifts the phone-robot.
"""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from scene_sim.eyes import EyePainter, EyeQuality, EyeView
from scene_sim.simulator import ModelSpec, Simulator, SimulatorOptions
from spatial_types.frustum import Frustum
from spatial_types.transforms import Transform

ROOT = Path(__file__).resolve().parents[2]
HEAD = Transform.from_rpy((-1.3, 1.2, 1.25), (0.0, 0.32, 0.55))
LINE = 4  # pixels of white between the eyes
FRUSTA = {0.032: Frustum(0.95, 0.75, 0.65, 0.65), -0.032: Frustum(0.75, 0.95, 0.65, 0.65)}


def lifted() -> Simulator:
    """The room, with the robot held by its target in the right hand."""
    models = [
        ModelSpec(ROOT / "urdf/station.urdf.xacro"),
        ModelSpec(ROOT / "urdf/phone_robot.urdf.xacro", pose=Transform.planar(0.0, 2.0, 2.6)),
    ]
    world = ROOT / "worlds/ground_truth_room.sdf"
    simulator = Simulator.load(world, models, SimulatorOptions(hands=True))
    simulator.camera_mode("on_demand")
    for step in range(250):
        height = (
            max(1.0 - 0.005 * step, 0.6) if step < 120 else min(0.6 + 0.004 * (step - 120), 0.95)
        )
        simulator.hands.command("right", Transform.planar(0.0, 2.0, 0.0, height), step > 100)
        for _ in simulator.advance(simulator.time + 10_000_000):
            pass
    return simulator


def main() -> None:
    """Draw both eyes beside each other."""
    simulator = lifted()
    quality = EyeQuality(width=640, height=480, shadows=True, samples=4)
    painter = EyePainter(simulator.physics.model, quality)
    left, right = (
        EyeView(HEAD @ Transform(translation=np.array([0.0, y, 0.0])), FRUSTA[y]) for y in FRUSTA
    )
    pair = np.hstack(painter.draw_pair(left, right, simulator.snapshot()))
    painter.close()
    middle = pair.shape[1] // 2
    pair[:, middle - LINE // 2 : middle + LINE // 2] = 255
    file = Path(__file__).with_name("eyes.png")
    cv2.imwrite(str(file), cv2.cvtColor(pair, cv2.COLOR_RGB2BGR))


if __name__ == "__main__":
    main()
