"""The embedded simulator: a described world, run step by step in this process.

    simulator = Simulator.load(world, [ModelSpec(robot_file, pose=...)], SimulatorOptions(seed=1))
    for reading in simulator.advance(until_ns):
        ...

Readings come in the order in which they are complete: an instantaneous one at its stamp, a swept
scan after its last beam (its stamp is that of the first). The same files, options and commands
give the same readings to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import mujoco
import numpy as np

from scene_sim.actuators import DiffDrive, PositionServo
from scene_sim.camera import CameraSensor, Painter
from scene_sim.description.scene import Model
from scene_sim.devices import Devices
from scene_sim.hands import RATE as HAND_RATE
from scene_sim.hands import Hands
from scene_sim.kinematics import Kinematics
from scene_sim.mjcf_builder import RenderQuality, body_name, build, free_joint_name
from scene_sim.options import ModelSpec, SimulatorOptions
from scene_sim.physics import Array, Physics, Snapshot
from scene_sim.readings import Reading
from scene_sim.scene_files import read_model, read_world
from scene_sim.schedule import Periodic, Schedule
from scene_sim.velocity_control import VelocityControl
from spatial_types.camera import CameraFrame, CameraModel
from spatial_types.transforms import Transform

CAMERA_MODES = ("rate", "on_demand", "deferred")
LIGHT_FIELDS = (
    "light_pos",
    "light_pos0",
    "light_dir",
    "light_dir0",
    "light_diffuse",
    "light_active",
)
BROKEN = (
    int(mujoco.mjtWarning.mjWARN_BADQPOS),
    int(mujoco.mjtWarning.mjWARN_BADQVEL),
    int(mujoco.mjtWarning.mjWARN_BADQACC),
)


class Simulator:
    """A running scene. Times are integer nanoseconds since the start (or the last reset)."""

    def __init__(self, world: Path, models: Sequence[ModelSpec], options: SimulatorOptions) -> None:
        """Read and build the scene; see `load`."""
        self.options = options
        quality = RenderQuality(
            shadow_map=options.shadow_map if options.shadows else 0,
            samples=options.samples,
            supersampling=options.supersampling,
        )
        world_scene = read_world(world)
        scenes = [read_model(model) for model in models]
        built = build(world_scene.world, [scene.model for scene in scenes], quality, options.hands)
        self.models = {model.name: model for model in built.models}
        self.warnings = [
            *(str(item) for scene in (world_scene, *scenes) for item in scene.unsupported),
            *built.warnings,
        ]
        self._world = built.world
        self.physics = Physics(built.model, built.dynamics)
        self._painter: Painter | None = None
        self._camera_mode = "rate"
        self._topics: frozenset[str] | None = None
        self._lights = {name: getattr(built.model, name).copy() for name in LIGHT_FIELDS}
        self._start(options.seed)
        self.warnings += self._devices.warnings

    @staticmethod
    def load(
        world: Path, models: Sequence[ModelSpec] = (), options: SimulatorOptions | None = None
    ) -> Simulator:
        """Read `world` (SDF) and the models that stand in it (URDF, xacro or SDF).

        Raises DescriptionError (file and line) for malformed files, ValueError for a scene that
        cannot be built. What is not supported is named in `warnings`.
        """
        return Simulator(world, models, options or SimulatorOptions())

    def _start(self, seed: int) -> None:
        self._time, self._seed = 0, seed
        self._devices = Devices(self._world, self.models.values(), self.physics, seed, self.options)
        self._schedule = Schedule()
        self.hands: Hands | None = None
        if self.options.hands:
            flown = frozenset(flyer.model for flyer in self._devices.flyers)
            self.hands = Hands(self.physics, flown)
            self._schedule.add(Periodic(HAND_RATE, self.hands.control))
        for task in self._devices.tasks(self._photograph, self._topics):
            self._schedule.add(task)

    def reset(self, seed: int | None = None) -> None:
        """Go back to time zero, with the seed of the options or another; lights as described."""
        for name, described in self._lights.items():
            getattr(self.physics.model, name)[:] = described
        self.physics.reset()
        self._start(self.options.seed if seed is None else seed)

    # Time

    @property
    def time(self) -> int:
        """Simulated time, ns."""
        return self._time

    def advance(self, until_ns: int) -> Iterator[Reading]:
        """Run to `until_ns` (inclusive) and yield what the sensors say on the way."""
        for stamp, task in self._schedule.take(until_ns):
            if stamp > self._time:
                self._time = stamp
            yield from task.run(stamp)
        self.physics.advance_to(until_ns)
        self._time = max(self._time, until_ns)

    def listen_to(self, topics: Iterable[str] | None) -> None:
        """Let only these topics (None: all) be measured from now on, as unheard sensors cost time.

        Call it before the first `advance`; later, it starts the run anew as `reset` does.
        """
        self._topics = None if topics is None else frozenset(name.lstrip("/") for name in topics)
        if self._topics is not None:
            unknown = self._topics - self.topics
            if unknown:
                known = ", ".join(sorted(self.topics))
                raise KeyError(f"no topic {', '.join(sorted(unknown))}; known: {known}")
        if self._time > 0:
            self.physics.reset()
        self._start(self._seed)

    @property
    def topics(self) -> frozenset[str]:
        """Every topic that the scene's sensors and plugins can publish."""
        return self._devices.topics

    @property
    def drives(self) -> Sequence[DiffDrive]:
        """The DiffDrives of all models."""
        return self._devices.drives

    @property
    def flyers(self) -> Sequence[VelocityControl]:
        """The VelocityControls of all models."""
        return self._devices.flyers

    @property
    def servos(self) -> Sequence[PositionServo]:
        """The JointPositionControllers of all models."""
        return self._devices.servos

    @property
    def movable_models(self) -> list[str]:
        """Names of the models that `set_model_pose` can move."""
        compiled = self.physics.model
        names = [compiled.joint(index).name for index in range(compiled.njnt)]
        return [name for name in self.models if free_joint_name(name) in names]

    # Cameras

    def camera_mode(self, mode: str) -> None:
        """Choose what cameras do at their rate: `rate` draws each image, `on_demand` none.

        `deferred` yields CameraShot readings, for a thread that draws them with its own Painter.
        """
        if mode not in CAMERA_MODES:
            raise ValueError(f"camera mode '{mode}': expected one of {', '.join(CAMERA_MODES)}")
        self._camera_mode = mode

    @property
    def cameras(self) -> dict[str, CameraSensor]:
        """The cameras by topic."""
        return self._devices.cameras

    def camera_model(self, topic: str) -> CameraModel:
        """Return the intrinsics of the camera on a topic."""
        return self._camera(topic).model

    def render(self, topic: str) -> CameraFrame:
        """Draw the camera's image of this moment, with noise."""
        camera = self._camera(topic)
        return camera.develop(self.painter, camera.shot(self.snapshot()))

    def _photograph(self, camera: CameraSensor, stamp: int) -> list[Reading]:
        if self._camera_mode == "on_demand":
            return []
        shot = camera.shot(self.physics.snapshot(stamp))
        data = shot if self._camera_mode == "deferred" else camera.develop(self.painter, shot)
        return [Reading(camera.name, camera.topic, stamp, data)]

    def _camera(self, topic: str) -> CameraSensor:
        try:
            return self._devices.cameras[topic.lstrip("/")]
        except KeyError:
            known = ", ".join(self._devices.cameras) or "none"
            raise KeyError(f"no camera on topic '{topic}'; known: {known}") from None

    @property
    def painter(self) -> Painter:
        """This thread's painter, made when first needed."""
        if self._painter is None:
            self._painter = self.new_painter()
        return self._painter

    def new_painter(self) -> Painter:
        """Make a painter for the calling thread; RenderingError where nothing can draw."""
        options = self.options
        return Painter(self.physics.model, options.shadows, options.supersampling)

    @property
    def has_broken_down(self) -> bool:
        """Whether forces beyond all bounds made MuJoCo put the scene back since the last reset."""
        return any(self.physics.data.warning[kind].number for kind in BROKEN)

    def snapshot(self) -> Snapshot:
        """Return where everything is now."""
        return self.physics.snapshot(self._time)

    # Commands

    def set_velocity(self, model: str, linear: float, angular: float) -> None:
        """Command a model's DiffDrive: m/s forward, rad/s counter-clockwise."""
        self._devices.drive(model).command(linear, angular)

    def set_body_velocity(
        self, model: str, linear: Sequence[float], angular: Sequence[float]
    ) -> None:
        """Command a model's VelocityControl: m/s and rad/s in the model's axes."""
        self._devices.flyer(model).command(linear, angular)

    def set_joint_target(self, joint: str, target: float) -> None:
        """Command a JointPositionController (rad), held within the joint's limits."""
        self._devices.servo(joint).command(target)

    def set_model_pose(self, model: str, world_from_model: Transform) -> None:
        """Put a movable model at a pose, at rest, its command forgotten."""
        address = self._free_joint(model)
        if self.hands is not None:
            self.hands.let_go(model)
        x, y, z, w = world_from_model.quaternion
        data = self.physics.data
        data.qpos[address : address + 7] = [*world_from_model.translation, w, x, y, z]
        compiled = self.physics.model
        for body in self._bodies(model):
            for joint in range(compiled.body_jntadr[body], _joint_end(compiled, body)):
                first = compiled.jnt_dofadr[joint]
                last = first + (6 if compiled.jnt_type[joint] == 0 else 1)
                data.qvel[first:last] = 0.0
        data.qacc_warmstart[:] = 0.0
        self._devices.put_down(model, self.physics)
        self.physics.touch()

    def _free_joint(self, model: str) -> int:
        self._known(model)
        name = free_joint_name(model)
        joint = mujoco.mj_name2id(self.physics.model, mujoco.mjtObj.mjOBJ_JOINT, name)
        if joint < 0:
            raise ValueError(f"model '{model}' cannot be moved: it is static or bolted down")
        return int(self.physics.model.jnt_qposadr[joint])

    def _bodies(self, model: str) -> list[int]:
        compiled = self.physics.model
        return [compiled.body(body_name(model, link.name)).id for link in self._known(model).links]

    def _known(self, model: str) -> Model:
        if model not in self.models:
            raise KeyError(f"no model '{model}'; known: {', '.join(self.models)}")
        return self.models[model]

    def set_light(
        self,
        name: str,
        position: Sequence[float] | None = None,
        direction: Sequence[float] | None = None,
        diffuse: Sequence[float] | float | None = None,
        on: bool | None = None,
    ) -> None:
        """Move, turn, dim or switch a light of the world (metres, unit vector, 0 to 1)."""
        compiled = self.physics.model
        light = mujoco.mj_name2id(compiled, mujoco.mjtObj.mjOBJ_LIGHT, name)
        if light < 0:
            known = ", ".join(compiled.light(k).name for k in range(compiled.nlight))
            raise KeyError(f"no light '{name}'; known: {known}")
        if position is not None:
            compiled.light_pos[light] = compiled.light_pos0[light] = position
        if direction is not None:
            unit = np.asarray(direction, dtype=float)
            unit /= np.linalg.norm(unit)
            compiled.light_dir[light] = compiled.light_dir0[light] = unit
        if diffuse is not None:
            compiled.light_diffuse[light] = diffuse
        if on is not None:
            compiled.light_active[light] = on

    # What is so

    def joint_positions(self) -> dict[str, float]:
        """Return the angle (rad) or way (m) of every one-axis joint that moves, by name."""
        return self._devices.joint_positions(self._time)

    def link_pose(self, model: str, link: str) -> Transform:
        """Return world_from_link, the truth: for references and evaluation only."""
        known = self._known(model).link(link)
        body = self.physics.model.body(body_name(model, known.name)).id
        return self.physics.body_pose(body, self._time)

    def truth(self, name: str) -> tuple[Transform, Array, Array]:
        """Return world_from_frame, linear and angular velocity (3,) in world axes.

        `name` is what stands after `reference/` in the topic: target, phone_robot.
        """
        return self._devices.publisher(name).truth(self.physics, self._time)

    def kinematics(self, model: str) -> Kinematics:
        """Return the model's forward kinematics: link poses from joint readings, as tf has them."""
        return Kinematics(self._known(model))


def _joint_end(compiled: mujoco.MjModel, body: int) -> int:
    return int(compiled.body_jntadr[body] + compiled.body_jntnum[body])


__all__ = ["ModelSpec", "Simulator", "SimulatorOptions"]
