"""Gazebo's publishing plugins: JointStatePublisher, and OdometryPublisher for the truth."""

from __future__ import annotations

import mujoco

from scene_sim.actuators import scoped
from scene_sim.description.plugin import Plugin
from scene_sim.description.scene import Model
from scene_sim.physics import Array, Physics, cross
from scene_sim.readings import JointStates, Odometry
from spatial_types.transforms import Transform

JOINT_STATE_RATE = 50.0
ONE_AXIS = ("revolute", "continuous", "prismatic")


class JointStatePublisher:
    """Positions and velocities of a model's joints: those named, or all that move."""

    def __init__(self, plugin: Plugin, model: Model, compiled: mujoco.MjModel) -> None:
        named = [scoped(plugin, name) for name in plugin.element.strings("joint_name")]
        moving = [joint.name for joint in model.joints if joint.type in ONE_AXIS]
        self.names = tuple(named or moving)
        self.topic = plugin.element.string("topic", f"world/default/model/{model.name}/joint_state")
        self.rate = plugin.element.number("update_rate", JOINT_STATE_RATE)
        joints = [compiled.joint(f"{model.name}::{name}").id for name in self.names]
        self._positions = compiled.jnt_qposadr[joints]
        self._velocities = compiled.jnt_dofadr[joints]

    def read(self, physics: Physics, stamp: int) -> JointStates:
        """Return the joints' states at `stamp`."""
        positions = physics.look_at(stamp).qpos[self._positions]
        return JointStates(stamp, self.names, positions, physics.data.qvel[self._velocities])


class OdometryPublisher:
    """The true pose of a model (or of a frame fixed to it by an offset) in the world."""

    def __init__(self, plugin: Plugin, model: Model, compiled: mujoco.MjModel, body: int) -> None:
        element = plugin.element
        self.topic = element.string("odom_topic", f"model/{model.name}/odometry")
        self.rate = element.number("odom_publish_frequency", 50.0)
        self._frame = element.string("odom_frame", f"{model.name}/odom")
        self._child = element.string("robot_base_frame", f"{model.name}/base_footprint")
        self._body = body
        self._body_from_frame, self._has_offset = _offset(plugin)

    @property
    def name(self) -> str:
        """Last part of the topic: what `Simulator.truth` calls it."""
        return self.topic.rpartition("/")[2]

    def truth(self, physics: Physics, stamp: int) -> tuple[Transform, Array, Array]:
        """Return world_from_frame, and its linear and angular velocity (3,) in world axes."""
        body = physics.body_pose(self._body, stamp)
        linear, angular = physics.body_velocity(self._body, stamp)
        if not self._has_offset:
            return body, linear, angular
        pose = body @ self._body_from_frame
        return pose, linear + cross(angular, pose.translation - body.translation), angular

    def read(self, physics: Physics, stamp: int) -> Odometry:
        """Return the truth as odometry: the twist is in the frame's own axes."""
        pose = physics.body_pose(self._body, stamp)
        linear, angular = physics.body_velocity(self._body, stamp, own_axes=True)
        if self._has_offset:
            offset = self._body_from_frame
            linear = (linear + cross(angular, offset.translation)) @ offset.rotation
            pose, angular = pose @ offset, angular @ offset.rotation
        return Odometry(stamp, self._frame, self._child, pose, linear, angular)


def _offset(plugin: Plugin) -> tuple[Transform, bool]:
    parts: list[tuple[float, ...]] = []
    for tag in ("xyz_offset", "rpy_offset"):
        child = plugin.element.find(tag)
        parts.append(child.floats(3) if child is not None else (0.0, 0.0, 0.0))
    return Transform.from_rpy(parts[0], parts[1]), any(parts[0]) or any(parts[1])
