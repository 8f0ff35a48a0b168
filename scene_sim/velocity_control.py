"""Gazebo's VelocityControl: a model that moves freely at commanded velocities.

Velocities are in the model's own axes and hold until the next command, as in Gazebo. What the model
bumps into stops it until the next control period. Gazebo's physics pulls the model down between two
commands unless its links have no gravity, and so does this. Wind carries it along a
little (wind.py).
"""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np

from scene_sim.description.plugin import Plugin
from scene_sim.description.scene import Model
from scene_sim.physics import Array, Physics
from scene_sim.wind import Wind
from spatial_types.transforms import matrix_from_quaternion


class VelocityControl:
    """The plugin of one model, which must move freely."""

    def __init__(self, plugin: Plugin, model: Model, compiled: mujoco.MjModel) -> None:
        joint = mujoco.mj_name2id(compiled, mujoco.mjtObj.mjOBJ_JOINT, f"{model.name}::")
        if joint < 0:
            raise ValueError(f"{plugin.source}: VelocityControl of a model that cannot move")
        element = plugin.element
        self.model = model.name
        self.topic = element.string("topic", f"model/{model.name}/cmd_vel").lstrip("/")
        self._position = int(compiled.jnt_qposadr[joint])
        self._velocity = int(compiled.jnt_dofadr[joint])
        self._initial = tuple(
            np.array(child.floats(3) if (child := element.find(tag)) else (0.0, 0.0, 0.0))
            for tag in ("initial_linear", "initial_angular")
        )
        self._linear, self._angular = self._initial

    def command(self, linear: Sequence[float] | Array, angular: Sequence[float] | Array) -> None:
        """Take new velocities, m/s and rad/s in the model's axes."""
        self._linear, self._angular = np.array(linear, float), np.array(angular, float)

    def control(self, physics: Physics, wind: Wind | None = None) -> None:
        """Have the model move so from now on, carried along by the wind as much as that does."""
        quaternion = physics.data.qpos[self._position + 3 : self._position + 7]
        turn = matrix_from_quaternion(np.roll(quaternion, -1))
        velocities = physics.velocities
        linear = turn @ self._linear
        if wind is not None:
            linear += wind.drift(self.model, linear)
        velocities[self._velocity : self._velocity + 3] = linear
        velocities[self._velocity + 3 : self._velocity + 6] = self._angular
        physics.touch()

    def halt(self) -> None:
        """Forget the command and stand still (the model was lifted and put down)."""
        self.command(np.zeros(3), np.zeros(3))
