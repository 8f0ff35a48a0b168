"""Reads URDF's links and joints; the extensions in <gazebo> tags are in `urdf_gazebo`."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import cast

from spatial_types.transforms import Transform

from .reading import Reading
from .scene import JointAxis, Mimic
from .sdf_shapes import inertia_matrix
from .shapes import (
    Box,
    Capsule,
    Collision,
    Colour,
    Cylinder,
    Geometry,
    Inertial,
    Material,
    Mesh,
    Sphere,
    Vector3,
    Visual,
)
from .xml_node import Node

MASSLESS = Inertial(mass=0.0, inertia=((0.0,) * 3,) * 3)  # type: ignore[arg-type]
JOINT_TYPES = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")


@dataclass(frozen=True)
class UrdfJoint:
    """A joint as written: `parent_from_joint` is also where the child link stands at rest."""

    name: str
    type: str
    parent: str
    child: str
    parent_from_joint: Transform
    axis: JointAxis | None
    mimic: Mimic | None
    node: Node


def read_origin(node: Node) -> Transform:
    """Read <origin xyz rpy>; identity where there is none."""
    origin = node.child("origin")
    if origin is None:
        return Transform()
    zero = (0.0, 0.0, 0.0)
    return Transform.from_rpy(
        origin.vector_attribute("xyz", zero), origin.vector_attribute("rpy", zero)
    )


def read_inertial(node: Node | None) -> Inertial:
    """Read <inertial>; a massless body where there is none or where all is zero."""
    if node is None:
        return MASSLESS
    pose = read_origin(node)
    mass_node, inertia = node.required("mass"), node.required("inertia")
    mass = mass_node.number_attribute("value")
    names = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    moments = {name: inertia.number_attribute(name, 0.0) for name in names}
    if mass == 0.0 and not any(moments.values()):
        return replace(MASSLESS, source=node.source)
    if mass <= 0.0:
        raise mass_node.error(f"is {mass:g}: expected more than 0")
    return Inertial(mass, pose, inertia_matrix(inertia, moments), True, node.source)


def read_geometry(node: Node, reading: Reading) -> Geometry:
    """Read <geometry>: box, cylinder, sphere, capsule or mesh; DescriptionError otherwise."""
    for child in node.children:
        child.taken = True
        if child.tag == "box":
            size = cast(Vector3, child.required_vector_attribute("size", 3))
            if min(size) <= 0.0:
                raise child.error("size: expected numbers above 0")
            return Box(size)
        if child.tag == "sphere":
            return Sphere(_positive(child, "radius"))
        if child.tag in ("cylinder", "capsule"):
            shape = Cylinder if child.tag == "cylinder" else Capsule
            return shape(_positive(child, "radius"), _positive(child, "length"))
        if child.tag == "mesh":
            return _mesh(child, reading)
        raise child.error("is no shape: expected box, cylinder, sphere, capsule or mesh")
    raise node.error("is empty: expected box, cylinder, sphere, capsule or mesh")


def _positive(node: Node, name: str) -> float:
    value = node.number_attribute(name)
    if value <= 0.0:
        raise node.error(f"attribute '{name}' is {value:g}: expected more than 0")
    return value


def _mesh(node: Node, reading: Reading) -> Mesh:
    uri = node.required_attribute("filename")
    scale = cast(Vector3, node.vector_attribute("scale", (1.0, 1.0, 1.0)))
    if 0.0 in scale:
        raise node.error("attribute 'scale': expected numbers other than 0")
    return Mesh(uri, reading.finder.resolve(uri, node.source), scale)


def read_materials(robot: Node, reading: Reading) -> dict[str, Material]:
    """Return every material that has a colour or texture, by name, wherever it is defined.

    Raises DescriptionError where one name has two different definitions.
    """
    materials: dict[str, Material] = {}
    for node in [n for n in robot.walk() if n.tag == "material" and n.children]:
        name = node.attribute("name")
        if not name:
            continue
        material = _material(node, reading)
        if materials.setdefault(name, material) != material:
            raise node.error(f"'{name}' was defined with another colour before")
    return materials


def _material(node: Node, reading: Reading) -> Material:
    colour: Colour = (1.0, 1.0, 1.0, 1.0)
    given, texture = node.child("color"), node.child("texture")
    if given is not None:
        colour = cast(Colour, given.required_vector_attribute("rgba", 4))
        if min(colour) < 0.0 or max(colour) > 1.0:
            raise given.error(f"rgba is {colour}: expected numbers from 0 to 1")
    file = None
    if texture is not None:
        uri = texture.required_attribute("filename")
        file = reading.finder.resolve(uri, texture.source)
    return Material(ambient=colour, diffuse=colour, texture=file)


def read_visuals(
    link: Node, materials: dict[str, Material], reading: Reading
) -> tuple[Visual, ...]:
    """Read the <visual> children of a link."""
    visuals = []
    for index, node in enumerate(link.all("visual")):
        material = node.child("material")
        colours = None
        if material is not None:
            colours = _visual_material(material, materials, reading)
        visuals.append(
            Visual(
                name=_part_name(node, link, index),
                pose=read_origin(node),
                geometry=read_geometry(node.required("geometry"), reading),
                material=colours,
                transparency=0.0 if colours is None else 1.0 - colours.diffuse[3],
                source=node.source,
            )
        )
    return tuple(visuals)


def _visual_material(node: Node, materials: dict[str, Material], reading: Reading) -> Material:
    if node.children:
        return _material(node, reading)
    name = node.required_attribute("name")
    if name not in materials:
        raise node.error(f"'{name}' is defined nowhere; known: {', '.join(materials) or 'none'}")
    return materials[name]


def read_collisions(link: Node, reading: Reading) -> tuple[Collision, ...]:
    """Read the <collision> children of a link."""
    return tuple(
        Collision(
            name=_part_name(node, link, index),
            pose=read_origin(node),
            geometry=read_geometry(node.required("geometry"), reading),
            source=node.source,
        )
        for index, node in enumerate(link.all("collision"))
    )


def _part_name(node: Node, link: Node, index: int) -> str:
    """Return the name given, or libsdformat's: LINK_visual, LINK_visual_1, ..."""
    default = f"{link.attribute('name')}_{node.tag}" + (f"_{index}" if index else "")
    return node.attribute("name") or default


def read_joint(node: Node) -> UrdfJoint:
    """Read one <joint>; DescriptionError for unknown types, missing limits and zero axes."""
    name, kind = node.required_attribute("name"), node.required_attribute("type")
    if kind not in JOINT_TYPES:
        raise node.error(f"type is '{kind}': expected one of {', '.join(JOINT_TYPES)}")
    node.ignore("safety_controller", "calibration")
    moves = kind in ("revolute", "continuous", "prismatic")
    axis = _axis(node, kind) if moves else None
    if not moves:
        node.ignore("axis", "limit", "dynamics")
    return UrdfJoint(
        name=name,
        type=kind,
        parent=node.required("parent").required_attribute("link"),
        child=node.required("child").required_attribute("link"),
        parent_from_joint=read_origin(node),
        axis=axis,
        mimic=_mimic(node.child("mimic")),
        node=node,
    )


def _axis(node: Node, kind: str) -> JointAxis:
    child, dynamics = node.child("axis"), node.child("dynamics")
    xyz = (1.0, 0.0, 0.0) if child is None else child.vector_attribute("xyz", (1.0, 0.0, 0.0))
    length = math.sqrt(sum(value * value for value in xyz))
    if child is not None and length < 1e-12:
        raise child.error("xyz has length 0: expected a direction")
    x, y, z = (value / length for value in xyz)
    axis = JointAxis(xyz=(x, y, z))
    if dynamics is not None:
        axis = replace(
            axis,
            damping=dynamics.number_attribute("damping", 0.0),
            friction=dynamics.number_attribute("friction", 0.0),
        )
    if kind != "continuous":
        return _limited(axis, node.required("limit"), bounded=True)
    limit = node.child("limit")
    return axis if limit is None else _limited(axis, limit, bounded=False)


def _limited(axis: JointAxis, limit: Node, bounded: bool) -> JointAxis:
    lower, upper = (limit.number_attribute(name, 0.0) for name in ("lower", "upper"))
    if bounded and lower > upper:
        raise limit.error(f"lower {lower:g} is above upper {upper:g}")
    return replace(
        axis,
        lower=lower if bounded else -math.inf,
        upper=upper if bounded else math.inf,
        effort=limit.number_attribute("effort"),
        velocity=limit.number_attribute("velocity"),
    )


def _mimic(node: Node | None) -> Mimic | None:
    if node is None:
        return None
    return Mimic(
        joint=node.required_attribute("joint"),
        multiplier=node.number_attribute("multiplier", 1.0),
        offset=node.number_attribute("offset", 0.0),
    )
