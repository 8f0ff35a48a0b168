"""The joints of a URDF and the pose that each gives its child link. No ROS here.

Only links, joints and their geometry are read; everything else in a URDF (visuals, `<gazebo>`
tags) is none of this module's business.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from xml.etree import ElementTree

from tf2_py.rigid import Quaternion, Rigid, Vector, compose, multiply

MOVING_TYPES = ("revolute", "continuous", "prismatic")
RIGID_TYPES = ("fixed", "planar")
"""As in the real one, whose kinematics library knows no planar joints."""
UNPLACED_TYPES = ("floating",)
"""Six degrees of freedom do not fit into a joint's position: someone else publishes those."""


class UrdfError(ValueError):
    """A URDF that cannot be one robot's tree; the text names the element."""


@dataclass(frozen=True)
class Mimic:
    """A joint that follows another: multiplier * position + offset."""

    joint: str
    multiplier: float
    offset: float


@dataclass(frozen=True)
class Joint:
    """What connects a child link to its parent link."""

    name: str
    type: str
    parent: str
    child: str
    origin: Rigid
    """parent_from_joint"""
    axis: Vector
    """unit vector, in the joint's frame"""
    mimic: Mimic | None

    @property
    def moving(self) -> bool:
        """Whether its pose depends on a position."""
        return self.type in MOVING_TYPES

    def pose(self, position: float = 0.0) -> Rigid:
        """parent_from_child at a position in radians or metres."""
        x, y, z = self.axis
        if self.type == "prismatic":
            motion = Rigid((x * position, y * position, z * position), (0.0, 0.0, 0.0, 1.0))
        elif self.moving:
            sine = math.sin(position / 2.0)
            rotation = (x * sine, y * sine, z * sine, math.cos(position / 2.0))
            motion = Rigid((0.0, 0.0, 0.0), rotation)
        else:
            return self.origin
        return compose(self.origin, motion)


def joints_from_urdf(text: str) -> dict[str, Joint]:
    """All joints by name.

    Raises:
        UrdfError: not XML, not a robot, or not one tree of links.
    """
    try:
        robot = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise UrdfError(f"robot_description is not XML: {error}") from None
    if robot.tag != "robot":
        raise UrdfError(f"the root element of robot_description is <{robot.tag}>, not <robot>")
    links = [required(link, "name") for link in robot.findall("link")]
    joints: dict[str, Joint] = {}
    for element in robot.findall("joint"):
        joint = read_joint(element)
        if joint.name in joints:
            raise UrdfError(f"joint '{joint.name}' is there twice")
        joints[joint.name] = joint
    check_tree(links, joints)
    return joints


def read_joint(element: ElementTree.Element) -> Joint:
    """A <joint> of a URDF."""
    name = required(element, "name")
    kind = required(element, "type", f"joint '{name}'")
    if kind not in MOVING_TYPES + RIGID_TYPES + UNPLACED_TYPES:
        raise UrdfError(f"joint '{name}' has the unknown type '{kind}'")
    ends = {}
    for tag in ("parent", "child"):
        end = element.find(tag)
        if end is None:
            raise UrdfError(f"joint '{name}' has no <{tag}>")
        ends[tag] = required(end, "link", f"<{tag}> of joint '{name}'")
    return Joint(
        name=name,
        type=kind,
        parent=ends["parent"],
        child=ends["child"],
        origin=read_origin(element.find("origin"), name),
        axis=read_axis(element.find("axis"), name),
        mimic=read_mimic(element.find("mimic"), name),
    )


def read_origin(element: ElementTree.Element | None, joint: str) -> Rigid:
    """parent_from_joint of an <origin>, identity where it is absent."""
    return Rigid(
        vector(element, "xyz", (0.0, 0.0, 0.0), joint),
        quaternion_from_rpy(vector(element, "rpy", (0.0, 0.0, 0.0), joint)),
    )


def read_axis(element: ElementTree.Element | None, joint: str) -> Vector:
    """The unit vector of an <axis>, x where it is absent."""
    x, y, z = vector(element, "xyz", (1.0, 0.0, 0.0), joint)
    length = math.sqrt(x * x + y * y + z * z)
    if length == 0.0:
        raise UrdfError(f"joint '{joint}' has an axis of length zero")
    return (x / length, y / length, z / length)


def read_mimic(element: ElementTree.Element | None, joint: str) -> Mimic | None:
    """What a <mimic> says."""
    if element is None:
        return None
    return Mimic(
        required(element, "joint", f"<mimic> of joint '{joint}'"),
        number(element.get("multiplier", "1"), f"multiplier of joint '{joint}'"),
        number(element.get("offset", "0"), f"offset of joint '{joint}'"),
    )


def check_tree(links: list[str], joints: dict[str, Joint]) -> None:
    """Every link once and with one parent, but for one root."""
    if not links:
        raise UrdfError("robot_description has no links")
    parents: dict[str, str] = {}
    for joint in joints.values():
        for link in (joint.parent, joint.child):
            if link not in links:
                raise UrdfError(f"joint '{joint.name}' names the link '{link}', which is not there")
        if joint.child in parents:
            raise UrdfError(f"link '{joint.child}' is the child of two joints")
        parents[joint.child] = joint.parent
    roots = [link for link in links if link not in parents]
    if len(roots) != 1:
        raise UrdfError(f"robot_description must have one root link, but has {roots or 'a loop'}")
    for link in links:
        check_reaches_root(link, parents)


def check_reaches_root(link: str, parents: dict[str, str]) -> None:
    """Follow the parents of a link to the root."""
    seen = {link}
    while link in parents:
        link = parents[link]
        if link in seen:
            raise UrdfError(f"link '{link}' is its own ancestor")
        seen.add(link)


def with_mimics(joints: dict[str, Joint], positions: dict[str, float]) -> dict[str, float]:
    """The positions, and those of the joints that mimic them, also at second hand."""
    known = dict(positions)
    waiting = [joint for joint in joints.values() if joint.mimic and joint.name not in known]
    progress = True
    while progress:
        progress = False
        for joint in waiting:
            mimic = joint.mimic
            if mimic and joint.name not in known and mimic.joint in known:
                known[joint.name] = mimic.multiplier * known[mimic.joint] + mimic.offset
                progress = True
    return known


def quaternion_from_rpy(rpy: Vector) -> Quaternion:
    """Of a turn about the fixed axes x, then y, then z."""
    (sx, cx), (sy, cy), (sz, cz) = ((math.sin(a / 2.0), math.cos(a / 2.0)) for a in rpy)
    return multiply((0.0, 0.0, sz, cz), multiply((0.0, sy, 0.0, cy), (sx, 0.0, 0.0, cx)))


def vector(element: ElementTree.Element | None, name: str, default: Vector, joint: str) -> Vector:
    """Three numbers of an attribute, or the default."""
    text = None if element is None else element.get(name)
    if text is None:
        return default
    numbers = [number(part, f"{name} of joint '{joint}'") for part in text.split()]
    if len(numbers) != 3:
        raise UrdfError(f"{name} of joint '{joint}' must be three numbers, not '{text}'")
    return (numbers[0], numbers[1], numbers[2])


def number(text: str, place: str) -> float:
    """A finite number."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise UrdfError(f"{place} must be a number, not '{text}'")
    return value


def required(element: ElementTree.Element, name: str, place: str = "") -> str:
    """An attribute that must be there."""
    value = element.get(name)
    if not value:
        raise UrdfError(f"{place or f'<{element.tag}>'} has no attribute '{name}'")
    return value
