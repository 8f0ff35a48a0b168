"""Builds a MuJoCo model from a described world and the models that stand in it.

Every link becomes a body `model::link`, every moving joint `model::joint`; a model that is neither
static nor bolted to the world gets a free joint `model::`. What cannot be built is named in
`Built.warnings` with its place, never dropped silently.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import mujoco
import numpy as np

from scene_sim.actuators import ARMATURE, add_servo, driven_joints
from scene_sim.description.scene import Joint, Link, Model, World
from scene_sim.description.sensors import Camera, Imu, Lidar, Sensor
from scene_sim.dynamics import dynamics_of
from scene_sim.gauges import watch_motion, watch_range
from scene_sim.hands import add_hands
from scene_sim.lidar import FEW, directions_of, ray_name
from scene_sim.mjcf_geometry import (
    ShapeError,
    add_collision,
    add_light,
    add_visual,
    place,
    rotation_from_z,
    shadow_reach,
    wxyz,
)
from scene_sim.publishers import truth_frames
from scene_sim.unplayed import unplayed
from spatial_types.transforms import Transform

# A camera sensor looks along +x with z up; MuJoCo's looks along -z with y up.
SENSOR_FROM_MUJOCO_CAMERA = Transform(
    np.array([[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
)
WORLD_LINK = "world"


@dataclass(frozen=True)
class RenderQuality:
    """How finely the scene is drawn.

    `slices` facets per turn of what MuJoCo draws itself (the rest: drawn_shapes);
    `shadow_map` texels (0: no shadows); `samples` per pixel asked of the renderer.
    """

    slices: int = 32
    shadow_map: int = 1024
    samples: int = 4
    supersampling: int = 2


@dataclass
class Built:
    """A compiled scene: `world` and `models` as built, and what could not be built.

    `dynamics` is what physics steps, with the same state as `model`.
    """

    model: mujoco.MjModel
    dynamics: mujoco.MjModel
    world: World
    models: tuple[Model, ...]
    warnings: list[str] = field(default_factory=list)


def body_name(model: str, link: str) -> str:
    """Return the name of a link's body."""
    return f"{model}::{link}"


def free_joint_name(model: str) -> str:
    """Return the name of the free joint of a model that moves."""
    return f"{model}::"


def build(
    world: World, models: Sequence[Model], quality: RenderQuality, hands: bool = False
) -> Built:
    """Compile `world` with its own models and the spawned `models`; see scene_sim.hands.

    Raises ValueError (with the model's place) where two models share a name or MuJoCo refuses.
    """
    builder = _Builder(world, quality)
    everything = (*world.models, *models)
    for model in everything:
        builder.add_model(model)
    if hands:
        add_hands(builder.spec)
    try:
        compiled = builder.compile()
    except ValueError as error:
        raise ValueError(f"{world.source}: MuJoCo refuses the scene: {error}") from None
    dynamics = dynamics_of(builder.spec, compiled)
    return Built(compiled, dynamics, world, everything, builder.warnings)


class _Builder:
    def __init__(self, world: World, quality: RenderQuality) -> None:
        self.spec = mujoco.MjSpec()
        self.warnings: list[str] = []
        self._names: set[str] = set()
        self._families = 0
        self._quality = quality
        self._world = world
        self._cameras: list[Camera] = []
        self._configure(world)
        for light in world.lights:
            add_light(self.spec.worldbody, light, light.name, light.pose)
            if light.cast_shadows and light.type == "point":
                self._warn(light.source, "a point light casts no shadow in the embedded simulator")

    def _configure(self, world: World) -> None:
        spec = self.spec
        spec.option.timestep = world.physics.max_step_size
        spec.option.gravity = world.gravity
        spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
        spec.option.impratio = 10.0
        spec.compiler.degree = False
        spec.compiler.balanceinertia = False
        spec.compiler.inertiafromgeom = mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_FALSE
        self._add_sky(world)

    def compile(self) -> mujoco.MjModel:
        """Compile, and set how the model is drawn (there, for the spec's names vary)."""
        model = self.spec.compile()
        quality, visual = self._quality, model.vis
        model.stat.extent = 1.0  # so that znear and zfar below are metres
        model.stat.center[:] = 0.0
        visual.quality.numslices = quality.slices
        visual.quality.numstacks = 8
        visual.quality.numquads = 4
        visual.quality.offsamples = quality.samples
        visual.quality.shadowsize = max(quality.shadow_map, 1)
        visual.headlight.active = 1
        visual.headlight.ambient[:] = self._world.appearance.ambient[:3]
        visual.headlight.diffuse[:] = 0.0
        visual.headlight.specular[:] = 0.0
        visual.map.shadowscale = 1.0
        visual.map.shadowclip = shadow_reach(model)
        visual.map.znear = min([0.05, *(camera.near for camera in self._cameras)])
        visual.map.zfar = 50.0
        factor = quality.supersampling
        visual.global_.offwidth = factor * max([1, *(camera.width for camera in self._cameras)])
        visual.global_.offheight = max([1, *(camera.height for camera in self._cameras)])
        return model

    def _add_sky(self, world: World) -> None:
        background = world.appearance.background[:3]
        self.spec.add_texture(
            name="background",
            type=mujoco.mjtTexture.mjTEXTURE_SKYBOX,
            builtin=mujoco.mjtBuiltin.mjBUILTIN_FLAT,
            rgb1=background,
            rgb2=background,
            width=8,
            height=48,
        )

    def _warn(self, source: object, text: str) -> None:
        self.warnings.append(f"{source}: {text}")

    def add_model(self, model: Model) -> None:
        if model.name in self._names:
            raise ValueError(f"{model.source}: a model named '{model.name}' stands there already")
        self._names.add(model.name)
        self.warnings.extend(unplayed(model))
        if not model.static:
            self._families += 1
        by_child: dict[str, Joint] = {}
        for joint in model.joints:
            if joint.child in by_child:
                self._warn(joint.source, f"joint '{joint.name}' closes a loop: left out")
            else:
                by_child[joint.child] = joint
        bodies: dict[str, mujoco.MjsBody] = {}
        for link in model.links:
            self._add_link(model, link, by_child, bodies)
        self._add_servos(model)

    def _add_servos(self, model: Model) -> None:
        for name, kind in driven_joints(model).items():
            joint = model.joint(name)
            if joint.axis is None:
                raise ValueError(f"{joint.source}: joint '{name}' has no axis to drive")
            made = self.spec.joint(body_name(model.name, name))
            made.armature = ARMATURE[kind]
            add_servo(self.spec, made.name, kind, joint.axis.effort)

    def _add_link(
        self,
        model: Model,
        link: Link,
        by_child: dict[str, Joint],
        bodies: dict[str, mujoco.MjsBody],
    ) -> mujoco.MjsBody:
        """Add a link below its parent (adding that first)."""
        if link.name in bodies:
            return bodies[link.name]
        joint = by_child.get(link.name)
        if joint is None or (joint.parent == WORLD_LINK and WORLD_LINK not in _link_names(model)):
            parent, parent_pose = self.spec.worldbody, model.pose.inverse()
        else:
            parent_link = model.link(joint.parent)
            parent = self._add_link(model, parent_link, by_child, bodies)
            parent_pose = parent_link.pose
        body = parent.add_body(name=body_name(model.name, link.name))
        place(body, parent_pose.inverse() @ link.pose)
        body.gravcomp = 0.0 if link.gravity else 1.0
        bodies[link.name] = body
        self._add_mobility(model, link, joint, body)
        self._fill(model, link, body)
        return body

    def _add_mobility(
        self, model: Model, link: Link, joint: Joint | None, body: mujoco.MjsBody
    ) -> None:
        if model.static:
            return
        if joint is None:
            if link.name != WORLD_LINK:
                body.add_freejoint(name=free_joint_name(model.name))
        elif joint.type != "fixed":
            self._add_joint(model, joint, body)

    def _add_joint(self, model: Model, joint: Joint, body: mujoco.MjsBody) -> None:
        kinds = {
            "revolute": mujoco.mjtJoint.mjJNT_HINGE,
            "continuous": mujoco.mjtJoint.mjJNT_HINGE,
            "prismatic": mujoco.mjtJoint.mjJNT_SLIDE,
            "ball": mujoco.mjtJoint.mjJNT_BALL,
        }
        if joint.type not in kinds:
            self._warn(joint.source, f"joint '{joint.name}' of type {joint.type} is held fast")
            return
        made = body.add_joint(
            name=body_name(model.name, joint.name),
            type=kinds[joint.type],
            pos=joint.pose.translation,
        )
        if joint.axis is None:
            return
        made.axis = joint.pose.rotate(joint.axis.xyz)
        _set_damping(made, joint.axis.damping)
        made.frictionloss = joint.axis.friction
        if math.isfinite(joint.axis.lower) and math.isfinite(joint.axis.upper):
            made.limited = mujoco.mjtLimited.mjLIMITED_TRUE
            made.range = [joint.axis.lower, joint.axis.upper]
        else:
            made.limited = mujoco.mjtLimited.mjLIMITED_FALSE

    def _fill(self, model: Model, link: Link, body: mujoco.MjsBody) -> None:
        family = 0 if model.static else min(self._families, 30)
        name = body_name(model.name, link.name)
        if not model.static:
            _set_inertia(body, link)
        for index, visual in enumerate(link.visuals):
            try:
                add_visual(self.spec, body, visual, f"{name}/visual/{index}")
            except ShapeError as error:
                self._warn(visual.source, str(error))
        for index, collision in enumerate(link.collisions):
            try:
                add_collision(self.spec, body, collision, f"{name}/collision/{index}", family)
            except ShapeError as error:
                self._warn(collision.source, str(error))
        for light in link.lights:
            add_light(body, light, f"{name}/{light.name}", light.pose)
        for sensor in link.sensors:
            self._add_sensor(model, link, sensor, body)
        if link.name == model.canonical_link:
            for site, pose in truth_frames(model).items():
                _add_site(body, site, pose)
                watch_motion(self.spec, site)

    def _add_sensor(self, model: Model, link: Link, sensor: Sensor, body: mujoco.MjsBody) -> None:
        name = sensor_name(model, link, sensor)
        if isinstance(sensor.spec, Camera):
            _add_camera(body, sensor, sensor.spec, name)
            self._cameras.append(sensor.spec)
        else:
            _add_site(body, name, sensor.pose)
            if isinstance(sensor.spec, Imu):
                watch_motion(self.spec, name)
            elif isinstance(sensor.spec, Lidar) and sensor.spec.horizontal.count <= FEW:
                for ray, direction in enumerate(directions_of(sensor.spec)):
                    along = Transform(rotation_from_z(direction))
                    _add_site(body, ray_name(name, ray), sensor.pose @ along)
                    watch_range(self.spec, ray_name(name, ray))


def _add_site(body: mujoco.MjsBody, name: str, pose: Transform) -> None:
    place(body.add_site(name=name), pose)


def _set_damping(joint: mujoco.MjsJoint, damping: float) -> None:
    """Newer releases of MuJoCo take three coefficients, the first being the linear one."""
    try:
        joint.damping = damping
    except TypeError:
        joint.damping = [damping, 0.0, 0.0]


def _link_names(model: Model) -> set[str]:
    return {link.name for link in model.links}


def sensor_name(model: Model, link: Link, sensor: Sensor) -> str:
    """Return the sensor's name in the MuJoCo model, and of its random stream."""
    return f"{model.name}::{link.name}::{sensor.name}"


def _set_inertia(body: mujoco.MjsBody, link: Link) -> None:
    inertial = link.inertial
    body.explicitinertial = True
    if not inertial.given and not (link.collisions or link.visuals):
        body.mass = 0.0
        body.inertia = [0.0, 0.0, 0.0]
        return
    moments, axes = np.linalg.eigh(np.asarray(inertial.inertia, dtype=float))
    if np.linalg.det(axes) < 0.0:
        axes[:, 0] = -axes[:, 0]
    body.mass = inertial.mass
    body.ipos = inertial.pose.translation
    body.iquat = wxyz(inertial.pose @ Transform(axes))
    body.inertia = moments


def _add_camera(body: mujoco.MjsBody, sensor: Sensor, camera: Camera, name: str) -> None:
    pose = sensor.pose @ camera.pose @ SENSOR_FROM_MUJOCO_CAMERA
    focal = camera.width / (2.0 * math.tan(camera.horizontal_fov / 2.0))
    body.add_camera(
        name=name,
        pos=pose.translation,
        quat=wxyz(pose),
        fovy=math.degrees(2.0 * math.atan(camera.height / (2.0 * focal))),
    )
