"""Reads SDF's smaller parts: plugins, lights, visuals, collisions and whole links."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from spatial_types.transforms import Transform

from .plugin import Plugin
from .poses import RawPose, take_pose
from .reading import Reading, take_colour
from .scene import Attenuation, Light, Spot
from .sdf_shapes import read_geometry, read_material, read_surface, unit_vector
from .shapes import Collision, Vector3, Visual
from .xml_node import Node

Locate = Callable[[RawPose], Transform]

LIGHT_TYPES = ("directional", "point", "spot")


def read_plugins(node: Node, scope: str = "") -> tuple[Plugin, ...]:
    """Read the <plugin> children; their parameters are kept as they stand."""
    return tuple(read_plugin(child, scope) for child in node.all("plugin"))


def read_plugin(node: Node, scope: str = "") -> Plugin:
    """Read one <plugin>; `filename` is required, `name` may be empty."""
    filename = node.required_attribute("filename")
    return Plugin(filename, node.attribute("name"), node.element(), scope, node.source)


def check_unique(items: Sequence[Any], what: str, node: Node) -> None:
    """Raise DescriptionError where two items of one element share a name."""
    seen: dict[str, Any] = {}
    for item in items:
        if item.name in seen:
            first = seen[item.name].source
            raise node.error(f"{item.source}: {what} '{item.name}' has the name of that at {first}")
        seen[item.name] = item


def read_visual(node: Node, reading: Reading, locate: Locate) -> Visual | None:
    """Read <visual>; None where its shape is not supported. `locate` gives link_from_visual."""
    geometry = read_geometry(node.required("geometry"), reading)
    if geometry is None:
        node.take_whole()
        return None
    material = node.child("material")
    transparency = node.number("transparency", 0.0, minimum=0.0)
    if transparency > 1.0:
        raise node.required("transparency").error("expected a number from 0 to 1")
    return Visual(
        name=node.required_attribute("name"),
        pose=locate(take_pose(node)),
        geometry=geometry,
        material=None if material is None else read_material(material, reading),
        transparency=transparency,
        cast_shadows=node.flag("cast_shadows", True),
        visibility_flags=node.integer("visibility_flags", 0xFFFFFFFF),
        source=node.source,
    )


def read_collision(node: Node, reading: Reading, locate: Locate) -> Collision | None:
    """Read <collision>; None where its shape is not supported."""
    geometry = read_geometry(node.required("geometry"), reading)
    if geometry is None:
        node.take_whole()
        return None
    name = node.required_attribute("name")
    pose = locate(take_pose(node))
    return Collision(name, pose, geometry, read_surface(node.child("surface")), node.source)


def read_light(node: Node, reading: Reading, locate: Locate) -> Light:
    """Read <light>; `locate` gives its pose in the world or on its link."""
    kind = node.required_attribute("type")
    if kind not in LIGHT_TYPES:
        raise node.error(f"type is '{kind}': expected one of {', '.join(LIGHT_TYPES)}")
    return Light(
        name=node.required_attribute("name"),
        type=kind,
        pose=locate(take_pose(node)),
        diffuse=take_colour(node, "diffuse", (1.0, 1.0, 1.0, 1.0), reading),
        specular=take_colour(node, "specular", (0.1, 0.1, 0.1, 1.0), reading),
        intensity=node.number("intensity", 1.0, minimum=0.0),
        direction=unit_vector(node, "direction", (0.0, 0.0, -1.0)),
        cast_shadows=node.flag("cast_shadows", False),
        is_on=node.flag("light_on", True),
        attenuation=_attenuation(node.child("attenuation")),
        spot=_spot(node.child("spot")),
        source=node.source,
    )


def _attenuation(node: Node | None) -> Attenuation:
    if node is None:
        return Attenuation()
    return Attenuation(
        range=node.number("range", 10.0, minimum=0.0),
        constant=node.number("constant", 1.0, minimum=0.0),
        linear=node.number("linear", 1.0, minimum=0.0),
        quadratic=node.number("quadratic", 0.0, minimum=0.0),
    )


def _spot(node: Node | None) -> Spot:
    if node is None:
        return Spot()
    spot = Spot(
        inner_angle=node.number("inner_angle", 0.0, minimum=0.0),
        outer_angle=node.number("outer_angle", 0.0, minimum=0.0),
        falloff=node.number("falloff", 0.0, minimum=0.0),
    )
    if spot.inner_angle > spot.outer_angle:
        raise node.error("inner_angle is above outer_angle")
    return spot


def take_vector(node: Node, tag: str, default: Vector3) -> Vector3:
    """Take three finite numbers."""
    return cast(Vector3, node.vector(tag, default))
