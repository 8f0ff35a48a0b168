"""Reads the geometry, material, surface and inertia of SDF links."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import numpy as np

from spatial_types.suggestions import closest

from .gazebo_materials import GAZEBO_MATERIALS
from .poses import take_pose
from .reading import Reading, take_colour
from .shapes import (
    Box,
    Capsule,
    Cylinder,
    Ellipsoid,
    Geometry,
    Inertial,
    Material,
    Matrix3,
    Mesh,
    Plane,
    Sphere,
    Surface,
    Vector3,
)
from .xml_node import Node


def read_geometry(node: Node, reading: Reading) -> Geometry | None:
    """Read <geometry>; None (and a warning) for shapes that are known but not supported.

    Raises DescriptionError for an unknown or missing shape and for sizes not above zero.
    """
    for tag, read in _SHAPES.items():
        shape = node.child(tag)
        if shape is not None:
            return read(shape, reading)
    for tag in ("polyline", "heightmap", "image", "cone", "empty"):
        shape = node.child(tag)
        if shape is not None:
            shape.take_whole()
            if tag != "empty":
                reading.warn(shape, "this shape is not supported: left out")
            return None
    found = node.children[0] if node.children else None
    if found is None:
        raise node.error(f"is empty: expected one of {', '.join(_SHAPES)}")
    close = closest(found.tag, _SHAPES)
    hint = f"did you mean <{close}>?" if close else f"expected one of {', '.join(_SHAPES)}"
    raise found.error(f"is no shape; {hint}")


def _box(node: Node, reading: Reading) -> Geometry:
    return Box(_sizes(node, "size", (1.0, 1.0, 1.0)))


def _cylinder(node: Node, reading: Reading) -> Geometry:
    return Cylinder(node.positive("radius", 1.0), node.positive("length", 1.0))


def _capsule(node: Node, reading: Reading) -> Geometry:
    return Capsule(node.positive("radius", 0.5), node.positive("length", 1.0))


def _sphere(node: Node, reading: Reading) -> Geometry:
    return Sphere(node.positive("radius", 1.0))


def _ellipsoid(node: Node, reading: Reading) -> Geometry:
    return Ellipsoid(_sizes(node, "radii", (1.0, 1.0, 1.0)))


def _plane(node: Node, reading: Reading) -> Geometry:
    normal = unit_vector(node, "normal", (0.0, 0.0, 1.0))
    size = cast(tuple[float, float], node.vector("size", (1.0, 1.0)))
    if min(size) <= 0.0:
        raise node.required("size").error("expected numbers above 0")
    return Plane(normal, size)


def _mesh(node: Node, reading: Reading) -> Geometry:
    uri = node.required("uri")
    scale = cast(Vector3, node.vector("scale", (1.0, 1.0, 1.0)))
    if 0.0 in scale:
        raise node.required("scale").error("expected numbers other than 0")
    submesh = node.child("submesh")
    return Mesh(
        uri=uri.text,
        file=reading.finder.resolve(uri.text, uri.source),
        scale=scale,
        submesh="" if submesh is None else submesh.required("name").text,
        center_submesh=submesh is not None and submesh.flag("center", False),
    )


_SHAPES: dict[str, Callable[[Node, Reading], Geometry]] = {
    "box": _box,
    "cylinder": _cylinder,
    "capsule": _capsule,
    "sphere": _sphere,
    "ellipsoid": _ellipsoid,
    "plane": _plane,
    "mesh": _mesh,
}


def _sizes(node: Node, tag: str, default: Vector3) -> Vector3:
    values = cast(Vector3, node.vector(tag, default))
    if min(values) <= 0.0:
        raise node.required(tag).error(f"is '{node.string(tag)}': expected numbers above 0")
    return values


def unit_vector(node: Node, tag: str, default: Vector3) -> Vector3:
    """Take a direction and normalise it; DescriptionError where it is zero."""
    vector = np.array(node.vector(tag, default))
    length = float(np.linalg.norm(vector))
    if length < 1e-12:
        raise node.required(tag).error("has length 0: expected a direction")
    x, y, z = (float(value) for value in vector / length)
    return (x, y, z)


def read_material(node: Node, reading: Reading) -> Material:
    """Read <material>: its colours, a Gazebo script's colours where none are given, a texture."""
    base = Material()
    script = node.child("script")
    if script is not None:
        base = _script_material(script, reading)
    texture = None
    pbr = node.child("pbr")
    metal = pbr.child("metal") if pbr is not None else None
    albedo = metal.child("albedo_map") if metal is not None else None
    if albedo is not None and albedo.text:
        texture = reading.finder.resolve(albedo.text, albedo.source)
    return Material(
        ambient=take_colour(node, "ambient", base.ambient, reading),
        diffuse=take_colour(node, "diffuse", base.diffuse, reading),
        specular=take_colour(node, "specular", base.specular, reading),
        emissive=take_colour(node, "emissive", base.emissive, reading),
        shininess=node.number("shininess", 0.0, minimum=0.0),
        lighting=node.flag("lighting", True),
        double_sided=node.flag("double_sided", False),
        texture=texture,
    )


def _script_material(script: Node, reading: Reading) -> Material:
    script.ignore("uri")
    name = script.required("name")
    return gazebo_material(name, reading)


def gazebo_material(node: Node, reading: Reading) -> Material:
    """Return the colours of a material name of Gazebo, the element's text; a warning if unknown."""
    colours = GAZEBO_MATERIALS.get(node.text)
    if colours is None:
        reading.warn(node, f"material '{node.text}' is not one of those built in: default colours")
        return Material()
    return colours


def read_inertial(node: Node | None, reading: Reading) -> Inertial:
    """Read <inertial>; the specification's default where there is none.

    Raises DescriptionError where the mass is not above zero or the inertia is not that of any
    body (not positive definite, or against the triangle inequality).
    """
    if node is None:
        return Inertial()
    raw = take_pose(node)
    if raw.relative_to:
        raise node.required("pose").error("relative_to is not allowed in <inertial>")
    inertia = read_inertia(node.child("inertia"))
    return Inertial(node.positive("mass", 1.0), raw.transform, inertia, True, node.source)


def read_inertia(node: Node | None) -> Matrix3:
    """Read <inertia> with its six child elements; see `read_inertial` for errors."""
    if node is None:
        return Inertial().inertia
    names = {"ixx": 1.0, "ixy": 0.0, "ixz": 0.0, "iyy": 1.0, "iyz": 0.0, "izz": 1.0}
    return inertia_matrix(node, {name: node.number(name, value) for name, value in names.items()})


def inertia_matrix(node: Node, moments: dict[str, float]) -> Matrix3:
    """Return the symmetric matrix of six named moments; DescriptionError where impossible."""
    ixx, ixy, ixz, iyy, iyz, izz = (
        moments[name] for name in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    )
    matrix: Matrix3 = ((ixx, ixy, ixz), (ixy, iyy, iyz), (ixz, iyz, izz))
    principal = np.linalg.eigvalsh(np.array(matrix))
    if principal[0] <= 0.0:
        raise node.error("is not positive definite: no body has these moments")
    if principal[0] + principal[1] < principal[2] * (1.0 - 1e-6):
        raise node.error("is impossible: its largest principal moment exceeds the other two's sum")
    return matrix


def read_surface(node: Node | None) -> Surface:
    """Read <surface>: friction, slip, contact stiffness, restitution, bit mask."""
    if node is None:
        return Surface()
    ode = _path(node, "friction", "ode")
    contact = _path(node, "contact", "ode")
    bounce = _path(node, "bounce")
    torsional = _path(node, "friction", "torsional")
    contacts = _path(node, "contact")
    fdir1 = _path(node, "friction", "ode", "fdir1")
    return Surface(
        mu=_optional(ode, "mu"),
        mu2=_optional(ode, "mu2"),
        slip1=_optional(ode, "slip1"),
        slip2=_optional(ode, "slip2"),
        fdir1=None if fdir1 is None else cast(Vector3, fdir1.values(3)),
        kp=_optional(contact, "kp"),
        kd=_optional(contact, "kd"),
        min_depth=_optional(contact, "min_depth"),
        max_velocity=_optional(contact, "max_vel"),
        restitution=_optional(bounce, "restitution_coefficient"),
        torsional=_optional(torsional, "coefficient"),
        collide_bitmask=0xFFFF if contacts is None else contacts.integer("collide_bitmask", 0xFFFF),
    )


def _path(node: Node, *tags: str) -> Node | None:
    found: Node | None = node
    for tag in tags:
        found = found.child(tag) if found is not None else None
    return found


def _optional(node: Node | None, tag: str) -> float | None:
    if node is None or node.peek(tag) is None:
        return None
    return node.number(tag, 0.0, minimum=0.0)
