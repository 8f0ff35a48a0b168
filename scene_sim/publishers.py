"""Gazebo's publishing plugins: JointStatePublisher, and OdometryPublisher for the truth."""

from __future__ import annotations

import mujoco

from scene_sim.actuators import plugin_kind, scoped
from scene_sim.description.plugin import Plugin
from scene_sim.description.scene import Model
from scene_sim.gauges import MotionGauge
from scene_sim.physics import Array, Physics
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
        physics.look_at(stamp)
        positions = physics.positions[self._positions]
        return JointStates(stamp, self.names, positions, physics.velocities[self._velocities])


class OdometryPublisher:
    """The true pose of a model (or of a frame fixed to it by an offset) in the world."""

    def __init__(self, plugin: Plugin, model: Model, compiled: mujoco.MjModel) -> None:
        element = plugin.element
        self.topic = _topic(model, plugin)
        self.rate = element.number("odom_publish_frequency", 50.0)
        self._frame = element.string("odom_frame", f"{model.name}/odom")
        self._child = element.string("robot_base_frame", f"{model.name}/base_footprint")
        self._gauge = MotionGauge(compiled, _site(model, self.topic))

    @property
    def name(self) -> str:
        """Last part of the topic: what `Simulator.truth` calls it."""
        return self.topic.rpartition("/")[2]

    def truth(self, physics: Physics, stamp: int) -> tuple[Transform, Array, Array]:
        """Return world_from_frame, and its linear and angular velocity (3,) in world axes."""
        reading = self.read(physics, stamp)
        turn = reading.pose.rotation
        return reading.pose, turn @ reading.linear_velocity, turn @ reading.angular_velocity

    def read(self, physics: Physics, stamp: int) -> Odometry:
        """Return the truth as odometry: the twist is in the frame's own axes."""
        sensed, gauge = physics.sensed(stamp), self._gauge
        return Odometry(
            stamp,
            self._frame,
            self._child,
            physics.site_pose(gauge.site, stamp),
            sensed[gauge.own_velocity],
            sensed[gauge.own_spin],
        )


def truth_frames(model: Model) -> dict[str, Transform]:
    """Return the sites whose truth is published: name to pose in the canonical link."""
    return {
        _site(model, _topic(model, plugin)): _offset(plugin)
        for plugin in model.plugins
        if plugin_kind(plugin) == "OdometryPublisher"
    }


def _topic(model: Model, plugin: Plugin) -> str:
    return plugin.element.string("odom_topic", f"model/{model.name}/odometry")


def _site(model: Model, topic: str) -> str:
    return f"{model.name}::/truth/{topic}"


def _offset(plugin: Plugin) -> Transform:
    parts: list[tuple[float, ...]] = []
    for tag in ("xyz_offset", "rpy_offset"):
        child = plugin.element.find(tag)
        parts.append(child.floats(3) if child is not None else (0.0, 0.0, 0.0))
    return Transform.from_rpy(parts[0], parts[1])
