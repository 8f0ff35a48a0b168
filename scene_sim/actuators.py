"""Actuators behind Gazebo's plugins: DiffDrive and JointPositionController.

Each driven joint has a servo in MuJoCo whose set point is a state of the actuator, moved at a
commanded pace: so a ramp is exact at every physics step though commands come at CONTROL_RATE.
As in Gazebo, a DiffDrive keeps its last command for ever; who wants a stop sends one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import mujoco
import numpy as np

from scene_sim.description.plugin import Plugin
from scene_sim.description.scene import Model
from scene_sim.physics import Array, Physics
from scene_sim.readings import Odometry
from spatial_types.transforms import Transform

CONTROL_RATE = 100.0
CONTROL_PERIOD = 1.0 / CONTROL_RATE
ARRIVED = 1e-12  # rad: a set point moves by its pace, so it is off by rounding

# Servo gains, and the inertia of motor and gear seen at the joint. A speed servo much stiffer than
# armature / step makes the implicit integrator and the contact solver disagree: wheels slip.
SPEED_GAIN, SPEED_ARMATURE = 0.6, 0.003  # N m s / rad, kg m2
ANGLE_GAIN, ANGLE_DAMPING, ANGLE_ARMATURE = 10.0, 0.2, 0.001  # critically damped at 100 rad/s
ARMATURE = {"speed": SPEED_ARMATURE, "angle": ANGLE_ARMATURE}


def plugin_kind(plugin: Plugin) -> str:
    """Return the class name of a plugin, whatever its namespace: `DiffDrive`."""
    return plugin.name.rpartition("::")[2]


def scoped(plugin: Plugin, name: str) -> str:
    """Return a joint or link name as the top model knows it."""
    return f"{plugin.scope}::{name}" if plugin.scope else name


def driven_joints(model: Model) -> dict[str, str]:
    """Return the joints that plugins of `model` drive: name to `speed` or `angle`."""
    joints: dict[str, str] = {}
    for plugin in model.plugins:
        if plugin_kind(plugin) == "DiffDrive":
            for tag in ("left_joint", "right_joint"):
                joints |= {scoped(plugin, name): "speed" for name in plugin.element.strings(tag)}
        elif plugin_kind(plugin) == "JointPositionController":
            joints[scoped(plugin, plugin.element.string("joint_name"))] = "angle"
    return joints


def add_servo(spec: mujoco.MjSpec, joint: str, kind: str, effort: float) -> None:
    """Add the servo of one joint to the MuJoCo model, of the joint's name."""
    servo = spec.add_actuator(name=joint, target=joint, trntype=mujoco.mjtTrn.mjTRN_JOINT)
    servo.dyntype = mujoco.mjtDyn.mjDYN_INTEGRATOR
    servo.gaintype = mujoco.mjtGain.mjGAIN_FIXED
    servo.biastype = mujoco.mjtBias.mjBIAS_AFFINE
    gain, stiffness, damping = (
        (SPEED_GAIN, 0.0, SPEED_GAIN)
        if kind == "speed"
        else (ANGLE_GAIN, ANGLE_GAIN, ANGLE_DAMPING)
    )
    servo.gainprm[0] = gain
    servo.biasprm[:3] = [0.0, -stiffness, -damping]
    if np.isfinite(effort):
        servo.forcelimited = mujoco.mjtLimited.mjLIMITED_TRUE
        servo.forcerange = [-effort, effort]


def _held(value: float, low: float, high: float) -> float:
    return low if value < low else high if value > high else value


class Servo:
    """Moves the set point of one servo."""

    def __init__(self, model: mujoco.MjModel, joint: str) -> None:
        self._control = model.actuator(joint).id
        self._state = int(model.actuator_actadr[self._control])
        self._position = int(model.jnt_qposadr[model.joint(joint).id])

    def go(self, physics: Physics, set_point: float) -> None:
        """Reach `set_point` (rad or rad/s) at the end of this control period, at a steady pace."""
        physics.ctrl[self._control] = (set_point - self.set_point(physics)) / CONTROL_PERIOD

    def put(self, physics: Physics, set_point: float) -> None:
        """Have `set_point` at once."""
        physics.act[self._state] = set_point
        physics.ctrl[self._control] = 0.0

    def set_point(self, physics: Physics) -> float:
        """Return the present set point."""
        return float(physics.act[self._state])

    def position(self, qpos: Array) -> float:
        """Return the joint's position in the state `qpos`."""
        return float(qpos[self._position])


@dataclass(frozen=True)
class SpeedLimits:
    """Largest speed and acceleration, forward and backward (the latter negative)."""

    speed: tuple[float, float]
    acceleration: tuple[float, float]

    @staticmethod
    def of(plugin: Plugin, axis: str) -> SpeedLimits:
        """Read DiffDrive's limits of `axis`: linear or angular."""
        element = plugin.element
        pairs = []
        for quantity in ("velocity", "acceleration"):
            either = abs(element.number(f"max_{quantity}", np.inf))
            high = element.number(f"max_{axis}_{quantity}", either)
            pairs.append((element.number(f"min_{axis}_{quantity}", -high), high))
        return SpeedLimits(pairs[0], pairs[1])

    def towards(self, now: float, wanted: float) -> float:
        """Return the speed one control period on."""
        wanted = _held(wanted, *self.speed)
        low, high = self.acceleration
        return now + _held(wanted - now, low * CONTROL_PERIOD, high * CONTROL_PERIOD)


class PositionServo:
    """JointPositionController: turns to the commanded angle at up to the joint's speed."""

    def __init__(self, plugin: Plugin, model: Model, compiled: mujoco.MjModel) -> None:
        name = scoped(plugin, plugin.element.string("joint_name"))
        axis = model.joint(name).axis
        assert axis is not None
        self.joint = name
        self.topic = plugin.element.string("topic")
        self.target = plugin.element.number("initial_position", 0.0)
        self._speed = min(axis.velocity, abs(plugin.element.number("cmd_max", np.inf)))
        self._range = (axis.lower, axis.upper)
        self._servo = Servo(compiled, f"{model.name}::{name}")

        self._arrived = False

    def command(self, target: float) -> None:
        """Take a new angle (rad), held within the joint's limits."""
        self.target = _held(target, *self._range)
        self._arrived = False

    def control(self, physics: Physics) -> None:
        """Move the set point for one control period."""
        if self._arrived:
            return
        now = self._servo.set_point(physics)
        reach = self._speed * CONTROL_PERIOD
        self._arrived = abs(self.target - now) < ARRIVED
        if self._arrived:
            self._servo.put(physics, self.target)
        else:
            self._servo.go(physics, now + _held(self.target - now, -reach, reach))


class DiffDrive:
    """A pair of wheels that follows speed commands, with the odometry of its wheels."""

    def __init__(self, plugin: Plugin, model: Model, compiled: mujoco.MjModel) -> None:
        element = plugin.element
        self.model = model.name
        self.topic = element.string("topic", f"model/{model.name}/cmd_vel")
        self.odometry_topic = element.string("odom_topic", f"model/{model.name}/odometry")
        self.rate = element.number("odom_publish_frequency", 50.0)
        self._frames = (
            element.string("frame_id", f"{model.name}/odom"),
            element.string("child_frame_id", f"{model.name}/{model.canonical_link}"),
        )
        self._track = element.number("wheel_separation", 1.0)
        self._radius = element.number("wheel_radius", 0.2)
        self._linear = SpeedLimits.of(plugin, "linear")
        self._angular = SpeedLimits.of(plugin, "angular")
        sides = [
            [f"{model.name}::{scoped(plugin, name)}" for name in element.strings(tag)]
            for tag in ("left_joint", "right_joint")
        ]
        self._left, self._right = ([Servo(compiled, name) for name in names] for names in sides)
        self._odometer = WheelOdometry(self._track)
        self.halt()

    def command(self, linear: float, angular: float) -> None:
        """Take new speeds: m/s forward, rad/s counter-clockwise."""
        self._wanted = (linear, angular)
        self._steady = False

    def halt(self) -> None:
        """Forget the command and stand still at once (the robot was lifted and put down)."""
        self._now = (0.0, 0.0)
        self.command(0.0, 0.0)

    def control(self, physics: Physics) -> None:
        """Move the wheels' set points for one control period."""
        if self._steady:
            return
        before = self._now
        self._now = (
            self._linear.towards(before[0], self._wanted[0]),
            self._angular.towards(before[1], self._wanted[1]),
        )
        self._steady = self._now == before
        linear, angular = self._now
        for servos, sign in ((self._left, -1.0), (self._right, 1.0)):
            speed = (linear + sign * angular * self._track / 2.0) / self._radius
            for servo in servos:
                if self._steady:
                    servo.put(physics, speed)
                else:
                    servo.go(physics, speed)

    def put_down(self, physics: Physics) -> None:
        """Stop the wheels at once."""
        self.halt()
        for servo in (*self._left, *self._right):
            servo.put(physics, 0.0)

    def odometry(self, physics: Physics, stamp: int) -> Odometry:
        """Return where the wheels say the robot is at `stamp`."""
        physics.look_at(stamp)
        left, right = (self._way(servos, physics.positions) for servos in (self._left, self._right))
        linear, angular = self._odometer.update(left, right, stamp)
        return Odometry(
            stamp,
            *self._frames,
            Transform.planar(*self._odometer.pose),
            np.array([linear, 0.0, 0.0]),
            np.array([0.0, 0.0, angular]),
        )

    def _way(self, servos: list[Servo], positions: Array) -> float:
        return self._radius * sum([servo.position(positions) for servo in servos]) / len(servos)

    def restart(self) -> None:
        """Start the odometry anew at zero."""
        self._odometer = WheelOdometry(self._track)
        self.halt()


class WheelOdometry:
    """Dead reckoning from the ways of two wheels, along circular arcs."""

    def __init__(self, track: float) -> None:
        self._track = track
        self.pose = (0.0, 0.0, 0.0)
        self._last: tuple[float, float, int] | None = None

    def update(self, left: float, right: float, stamp: int) -> tuple[float, float]:
        """Take the wheels' ways so far (m); return forward (m/s) and turning speed (rad/s)."""
        if self._last is None or stamp <= self._last[2]:
            self._last = (left, right, stamp)
            return 0.0, 0.0
        period = (stamp - self._last[2]) * 1e-9
        way_left, way_right = left - self._last[0], right - self._last[1]
        self._last = (left, right, stamp)
        way, turn = (way_left + way_right) / 2.0, (way_right - way_left) / self._track
        x, y, yaw = self.pose
        half = turn / 2.0
        chord = way * math.sin(half) / half if abs(half) > 1e-9 else way
        middle = yaw + half
        self.pose = (x + chord * math.cos(middle), y + chord * math.sin(middle), yaw + turn)
        return way / period, turn / period
