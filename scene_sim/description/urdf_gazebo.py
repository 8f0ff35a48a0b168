"""Applies URDF's <gazebo> tags, Gazebo's extension, to the links and joints they refer to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from spatial_types.suggestions import closest
from spatial_types.transforms import Transform

from .plugin import Plugin
from .poses import RawPose
from .reading import Reading
from .scene import JointAxis, Link
from .sdf_parts import check_unique, read_light, read_plugins
from .sdf_sensors import read_sensor
from .sdf_shapes import gazebo_material, read_material, read_surface
from .shapes import Material, Surface, Vector3
from .source import DescriptionError
from .xml_node import Node

_SURFACE_TAGS = {
    "mu1": "mu",
    "mu2": "mu2",
    "kp": "kp",
    "kd": "kd",
    "minDepth": "min_depth",
    "maxVel": "max_velocity",
}


@dataclass(frozen=True)
class ModelExtension:
    """What <gazebo> tags without a reference say about the model."""

    static: bool = False
    self_collide: bool = False
    plugins: tuple[Plugin, ...] = ()


def gazebo_tags(robot: Node, known: Sequence[str]) -> dict[str, list[Node]]:
    """Take all <gazebo> tags, by what they refer to ("" for the model).

    Raises DescriptionError where a reference is none of the `known` links and joints.
    """
    tags: dict[str, list[Node]] = {}
    for node in robot.all("gazebo"):
        for inner in node.walk():
            inner.version = (1, 9)
        reference = node.attribute("reference")
        if reference and reference not in known:
            close = closest(reference, known)
            hint = f"; did you mean '{close}'?" if close else ""
            raise node.error(f"refers to '{reference}', which is no link or joint{hint}")
        tags.setdefault(reference, []).append(node)
    return tags


def read_model_extension(nodes: Sequence[Node]) -> ModelExtension:
    """Read the tags without a reference."""
    extension = ModelExtension()
    for node in nodes:
        extension = ModelExtension(
            static=node.flag("static", extension.static),
            self_collide=node.flag("self_collide", extension.self_collide),
            plugins=extension.plugins + read_plugins(node),
        )
    return extension


def extend_link(
    link: Link, nodes: Sequence[Node], model_from_frame: dict[str, Transform], reading: Reading
) -> Link:
    """Return the link with sensors, lights, surface and material of its <gazebo> tags."""

    def locate(raw: RawPose) -> Transform:
        if not raw.relative_to:
            return raw.transform
        if raw.relative_to not in model_from_frame:
            message = f"'{raw.relative_to}' is no link or joint of this robot"
            raise DescriptionError(raw.source, message)
        return link.pose.inverse() @ model_from_frame[raw.relative_to] @ raw.transform

    for node in nodes:
        link = _extended(link, node, locate, reading)
    for kind in ("sensors", "lights"):
        if nodes:
            check_unique(getattr(link, kind), kind[:-1], nodes[0])
    return link


def _extended(
    link: Link, node: Node, locate: Callable[[RawPose], Transform], reading: Reading
) -> Link:
    sensors = [read_sensor(child, reading, locate) for child in node.all("sensor")]
    lights = [read_light(child, reading, locate) for child in node.all("light")]
    self_collide = node.flag("selfCollide", node.flag("self_collide", link.self_collide))
    material = _material(node, reading)
    if material is not None:
        visuals = tuple(replace(visual, material=material) for visual in link.visuals)
        link = replace(link, visuals=visuals)
    return replace(
        link,
        sensors=link.sensors + tuple(sensor for sensor in sensors if sensor is not None),
        lights=link.lights + tuple(lights),
        collisions=tuple(
            replace(item, surface=surface)
            for item, surface in zip(link.collisions, _surfaces(link, node), strict=True)
        ),
        gravity=node.flag("gravity", not node.flag("turnGravityOff", not link.gravity)),
        self_collide=self_collide,
        kinematic=node.flag("kinematic", link.kinematic),
        enable_wind=node.flag("enable_wind", link.enable_wind),
    )


def _surfaces(link: Link, node: Node) -> list[Surface]:
    """Return the surface of each collision, changed by what the tag gives."""
    changes: dict[str, Any] = {
        field: node.number(tag, 0.0, minimum=0.0)
        for tag, field in _SURFACE_TAGS.items()
        if node.peek(tag) is not None
    }
    surfaces = [item.surface for item in link.collisions]
    collision = node.child("collision")
    surface = collision.child("surface") if collision is not None else None
    if surface is not None:
        surfaces = [read_surface(surface)] * len(surfaces)
    fdir1 = node.child("fdir1")
    if fdir1 is not None:
        direction = cast(Vector3, fdir1.values(3))
        surfaces = [replace(surface, fdir1=direction) for surface in surfaces]
    return [replace(surface, **changes) for surface in surfaces]


def _material(node: Node, reading: Reading) -> Material | None:
    """Return the material that a tag sets: a name of Gazebo's, or <visual><material>."""
    named, visual = node.child("material"), node.child("visual")
    inner = visual.child("material") if visual is not None else None
    if inner is not None:
        return read_material(inner, reading)
    if named is None:
        return None
    return read_material(named, reading) if named.children else gazebo_material(named, reading)


def extend_axis(axis: JointAxis | None, nodes: Sequence[Node]) -> tuple[JointAxis | None, bool]:
    """Return the axis with a joint's <gazebo> tags applied, and whether a fixed joint is kept.

    `preserveFixedJoint` and `disableFixedJointLumping` only matter to readers that lump.
    """
    preserved = False
    for node in nodes:
        preserved |= node.flag("preserveFixedJoint", False)
        preserved |= node.flag("disableFixedJointLumping", False)
        node.ignore("provideFeedback", "implicitSpringDamper")
        reference, stiffness = node.child("springReference"), node.child("springStiffness")
        if axis is not None and reference is not None:
            axis = replace(axis, spring_reference=reference.value())
        if axis is not None and stiffness is not None:
            axis = replace(axis, spring_stiffness=stiffness.value())
    return axis, preserved
