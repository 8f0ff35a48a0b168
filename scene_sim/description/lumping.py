"""How libsdformat, and so Gazebo, sees a URDF: fixed joints lumped, massless links dropped.

Our own simulator keeps every link. This view tells where the two differ, and lets a test compare
them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from spatial_types.transforms import Transform

from .scene import Frame, Joint, Light, Link, Model
from .sensors import Sensor
from .shapes import Collision, Inertial, Matrix3, Visual

WORLD = "world"

Placed = TypeVar("Placed", Visual, Collision, Sensor, Light)


@dataclass(frozen=True)
class GazeboView:
    """The lumped model, and the links (with all they carry) that Gazebo leaves out."""

    model: Model
    dropped: tuple[Link, ...]


def gazebo_view(model: Model) -> GazeboView:
    """Return what Gazebo makes of a URDF robot: lumped, without massless links and their children.

    A massless link whose fixed joint is preserved is dropped together with its sensors.
    """
    lumped = lump_fixed_joints(model)
    dropped = {link.name for link in lumped.links if link.inertial.mass <= 0.0}
    while True:
        below = {joint.child for joint in lumped.joints if joint.parent in dropped} - dropped
        if not below:
            break
        dropped |= below
    kept = tuple(link for link in lumped.links if link.name not in dropped)
    joints = tuple(joint for joint in lumped.joints if joint.child not in dropped)
    gone = tuple(link for link in lumped.links if link.name in dropped)
    return GazeboView(replace(lumped, links=kept, joints=joints), gone)


def lump_fixed_joints(model: Model) -> Model:
    """Return the model with every link behind a fixed joint merged into its parent.

    Masses add up, shapes and sensors move with their poses, and a frame keeps each merged link's
    name. Joints that are `preserved` or hold a link to the world stay.
    """
    holders = {joint.child: joint.parent for joint in model.joints if _is_lumped(joint)}
    tops = {link.name: _top(link.name, holders) for link in model.links}
    groups: dict[str, list[Link]] = {}
    for link in model.links:
        groups.setdefault(tops[link.name], []).append(link)
    by_name = {link.name: link for link in model.links}
    links = tuple(
        _merged(link, groups[link.name]) for link in model.links if tops[link.name] == link.name
    )
    joints = tuple(
        replace(joint, parent=tops.get(joint.parent, joint.parent))
        for joint in model.joints
        if not _is_lumped(joint)
    )
    frames = tuple(
        Frame(name, by_name[name].pose, top, by_name[name].source)
        for name, top in tops.items()
        if name != top
    )
    canonical = tops.get(model.canonical_link, model.canonical_link)
    frames = model.frames + frames
    return replace(model, links=links, joints=joints, frames=frames, canonical_link=canonical)


def _is_lumped(joint: Joint) -> bool:
    return joint.type == "fixed" and not joint.preserved and joint.parent != WORLD


def _top(name: str, holders: dict[str, str]) -> str:
    while name in holders:
        name = holders[name]
    return name


def _merged(top: Link, members: Sequence[Link]) -> Link:
    if len(members) == 1:
        return top
    places = [(top.pose.inverse() @ link.pose, link) for link in members]
    return replace(
        top,
        inertial=combine_inertials([(pose, link.inertial) for pose, link in places]),
        visuals=tuple(_moved(item, pose) for pose, link in places for item in link.visuals),
        collisions=tuple(_moved(item, pose) for pose, link in places for item in link.collisions),
        sensors=tuple(_moved(item, pose) for pose, link in places for item in link.sensors),
        lights=tuple(_moved(item, pose) for pose, link in places for item in link.lights),
    )


def _moved(item: Placed, top_from_link: Transform) -> Placed:
    return replace(item, pose=top_from_link @ item.pose)


def combine_inertials(parts: Sequence[tuple[Transform, Inertial]]) -> Inertial:
    """Return the inertial of rigidly joined bodies, each given with body_from_link.

    The result's frame has the axes of the body's frame (parallel axis theorem).
    """
    massive = [(pose @ item.pose, item) for pose, item in parts if item.mass > 0.0]
    mass = sum(item.mass for _, item in massive)
    if mass <= 0.0:
        return parts[0][1]
    moments = [item.mass * pose.translation for pose, item in massive]
    centre = np.sum(moments, axis=0) / mass
    total: NDArray[np.float64] = np.zeros((3, 3))
    for pose, item in massive:
        turned = pose.rotation @ np.array(item.inertia) @ pose.rotation.T
        arm = pose.translation - centre
        total += turned + item.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    inertia = cast(Matrix3, tuple(tuple(float(value) for value in row) for row in total))
    return Inertial(mass, Transform(np.eye(3), centre), inertia, True, parts[0][1].source)
