"""Writes a URDF robot as an SDF model, for worlds that show the whole scene by themselves.

Poses and masses are those that our reader finds; sensors and plugins are copied as they are. A link
without mass becomes a frame: in SDF it would weigh a kilogram. Unlike libsdformat's own conversion
this one merges no links.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable, Iterator
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement

import numpy as np
from numpy.typing import NDArray

from spatial_types.transforms import Transform

from .scene import Joint, JointAxis, Link, Model
from .shapes import Box, Collision, Cylinder, Geometry, Inertial, Mesh, Sphere, Visual
from .urdf_reader import read_urdf
from .xacro_source import expanded_text

WORLD = "world"
#: Meshes are named from the folder of the world's file.
PACKAGE = ("package://truthbed/", "../")
LINE = 140


def model_text(file: Path, name: str, pose: tuple[float, float, float]) -> str:
    """Return a URDF or xacro file as the text of an SDF <model> that stands at x, y, yaw."""
    model = read_urdf(file).model
    tags = ElementTree.fromstring(expanded_text(file)).findall("gazebo")
    root = Element("model", name=name)
    x, y, yaw = pose
    SubElement(root, "pose").text = _numbers((x, y, 0.0, 0.0, 0.0, yaw))
    holders = _holders(model)
    for link in model.links:
        if link.name in holders:
            root.append(_frame(link, holders[link.name], model))
        elif link.name != WORLD:
            root.append(_link(link, _referred(tags, link.name)))
    for joint in model.joints:
        parent = holders.get(joint.parent, joint.parent)
        if joint.child not in (parent, *holders):
            root.append(_joint(joint, parent))
    for tag in tags:
        if "reference" not in tag.attrib:
            root.extend(tag.findall("plugin"))
    return "\n".join(_lines(root, "    ")) + "\n"


def _lines(element: Element, indent: str) -> Iterator[str]:
    """Yield an element's lines: one where it fits, else its tags about its children's."""
    for inner in element.iter():
        inner.text, inner.tail = (inner.text or "").strip(), None
    text = ElementTree.tostring(element, encoding="unicode")
    if len(indent) + len(text) <= LINE or not len(element):
        yield indent + text
        return
    yield indent + text[: text.index(">") + 1]
    for child in element:
        yield from _lines(child, indent + "  ")
    yield f"{indent}</{element.tag}>"


def _holders(model: Model) -> dict[str, str]:
    """Return the massive link (or the world) that each link without mass moves with.

    It is the nearest one up the chain of joints, or for links at the root the first one down it.
    """
    parents = {joint.child: joint.parent for joint in model.joints}
    masses = {link.name: link.inertial.mass for link in model.links}
    holders = {}
    for link in model.links:
        if link.inertial.mass > 0.0 or link.name == WORLD:
            continue
        above = parents.get(link.name)
        while above is not None and above != WORLD and masses[above] <= 0.0:
            above = parents.get(above)
        holders[link.name] = above or _first_below(model, link.name, masses)
    return holders


def _first_below(model: Model, name: str, masses: dict[str, float]) -> str:
    for joint in model.joints:
        if joint.parent == name:
            return (
                joint.child
                if masses[joint.child] > 0.0
                else _first_below(model, joint.child, masses)
            )
    raise ValueError(f"link '{name}' has no mass, and nothing hangs on it")


def _referred(tags: Iterable[Element], name: str) -> list[Element]:
    return [inner for tag in tags if tag.get("reference") == name for inner in tag]


def _frame(link: Link, holder: str, model: Model) -> Element:
    element = Element("frame", name=link.name)
    pose = link.pose
    if holder != WORLD:
        element.set("attached_to", holder)
        top = next(other for other in model.links if other.name == holder)
        pose = top.pose.inverse() @ link.pose
    _pose(element, pose)
    return element


def _link(link: Link, extras: list[Element]) -> Element:
    element = Element("link", name=link.name)
    _pose(element, link.pose)
    element.append(_inertial(link.inertial))
    if not link.gravity:
        SubElement(element, "gravity").text = "false"
    if link.enable_wind:
        SubElement(element, "enable_wind").text = "true"
    friction = {extra.tag: extra.text or "" for extra in extras if extra.tag in ("mu1", "mu2")}
    for collision in link.collisions:
        element.append(_collision(collision, friction))
    for visual in link.visuals:
        element.append(_visual(visual))
    element.extend(extra for extra in extras if extra.tag == "sensor")
    return element


def _inertial(inertial: Inertial) -> Element:
    element = Element("inertial")
    _pose(element, inertial.pose)
    SubElement(element, "mass").text = _number(inertial.mass)
    inertia = SubElement(element, "inertia")
    for row, first in enumerate("xyz"):
        for column, second in enumerate("xyz"):
            if column >= row:
                SubElement(inertia, f"i{first}{second}").text = _number(
                    inertial.inertia[row][column]
                )
    return element


def _collision(collision: Collision, friction: dict[str, str]) -> Element:
    element = Element("collision", name=collision.name)
    _pose(element, collision.pose)
    element.append(_geometry(collision.geometry))
    if friction:
        surface = SubElement(SubElement(element, "surface"), "friction")
        ode = SubElement(surface, "ode")
        for tag, name in (("mu1", "mu"), ("mu2", "mu2")):
            SubElement(ode, name).text = friction[tag]
    return element


def _visual(visual: Visual) -> Element:
    element = Element("visual", name=visual.name)
    _pose(element, visual.pose)
    element.append(_geometry(visual.geometry))
    if visual.material is not None:
        material = SubElement(element, "material")
        for kind in ("ambient", "diffuse"):
            SubElement(material, kind).text = _numbers(visual.material.diffuse)
        SubElement(material, "specular").text = "0 0 0 1"
    return element


def _geometry(geometry: Geometry) -> Element:
    element = Element("geometry")
    if isinstance(geometry, Box):
        SubElement(SubElement(element, "box"), "size").text = _numbers(geometry.size)
    elif isinstance(geometry, Cylinder):
        shape = SubElement(element, "cylinder")
        SubElement(shape, "radius").text = _number(geometry.radius)
        SubElement(shape, "length").text = _number(geometry.length)
    elif isinstance(geometry, Sphere):
        SubElement(SubElement(element, "sphere"), "radius").text = _number(geometry.radius)
    elif isinstance(geometry, Mesh):
        mesh = SubElement(element, "mesh")
        SubElement(mesh, "uri").text = geometry.uri.replace(*PACKAGE)
        SubElement(mesh, "scale").text = _numbers(geometry.scale)
    else:
        raise ValueError(f"{type(geometry).__name__}: expected box, cylinder, sphere or mesh")
    return element


def _joint(joint: Joint, parent: str) -> Element:
    # As libsdformat writes it: DART takes SDF's `continuous` joint for a fixed one.
    kind = "revolute" if joint.type == "continuous" else joint.type
    element = Element("joint", name=joint.name, type=kind)
    SubElement(element, "parent").text = parent
    SubElement(element, "child").text = joint.child
    _pose(element, joint.pose)
    if joint.axis is not None:
        element.append(_axis(joint.axis))
    return element


def _axis(axis: JointAxis) -> Element:
    element = Element("axis")
    SubElement(element, "xyz").text = _numbers(axis.xyz)
    limit = SubElement(element, "limit")
    for name in ("lower", "upper", "effort", "velocity"):
        value = getattr(axis, name)
        if math.isfinite(value):
            SubElement(limit, name).text = _number(value)
    dynamics = SubElement(element, "dynamics")
    for name in ("damping", "friction"):
        SubElement(dynamics, name).text = _number(getattr(axis, name))
    return element


def _pose(element: Element, pose: Transform) -> None:
    """Add a <pose>, unless it is nothing."""
    if np.allclose(pose.rotation, np.eye(3), atol=1e-12) and not pose.translation.any():
        return
    SubElement(element, "pose").text = _numbers((*pose.translation, *_rpy(pose.rotation)))


def _rpy(rotation: NDArray[np.float64]) -> tuple[float, float, float]:
    """Return roll, pitch and yaw about fixed axes of a rotation matrix (SDF, URDF)."""
    pitch = math.asin(max(-1.0, min(1.0, -rotation[2, 0])))
    if abs(rotation[2, 0]) > 1.0 - 1e-12:  # looking straight up or down: roll may be zero
        return 0.0, pitch, math.atan2(-rotation[0, 1], rotation[1, 1])
    roll = math.atan2(rotation[2, 1], rotation[2, 2])
    return roll, pitch, math.atan2(rotation[1, 0], rotation[0, 0])


def _numbers(values: Iterable[float]) -> str:
    return " ".join(_number(value) for value in values)


def _number(value: float) -> str:
    # Adding zero turns -0 into 0.
    return f"{round(float(value), 15) + 0.0:.12g}"
