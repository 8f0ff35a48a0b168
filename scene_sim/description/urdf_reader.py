"""Reads a URDF robot, with xacro and <gazebo> tags, into a Scene of one model.

All links are kept: libsdformat, and so Gazebo, lumps what fixed joints hold into their parent
(`lumping.lump_fixed_joints` gives that view). A root link named "world" is the ground.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from spatial_types.transforms import Transform

from .lumping import gazebo_view
from .reading import Reading
from .resources import ResourceFinder
from .scene import Joint, Link, Model, Scene, World
from .shapes import Material
from .source import Source
from .urdf_gazebo import extend_axis, extend_link, gazebo_tags, read_model_extension
from .urdf_links import (
    UrdfJoint,
    read_collisions,
    read_inertial,
    read_joint,
    read_materials,
    read_visuals,
)
from .xacro_source import read_robot_xml
from .xml_node import Node

WORLD = "world"


def read_urdf(
    path: Path,
    arguments: Mapping[str, str] | None = None,
    finder: ResourceFinder | None = None,
) -> Scene:
    """Read a robot from a .urdf or .xacro file; `arguments` are xacro's.

    Raises DescriptionError, naming file and line, for everything that cannot be read as meant.
    What is merely not used is listed in `Scene.unsupported`.
    """
    reading = Reading(finder or ResourceFinder(), files=[str(path)])
    root = read_robot_xml(path, arguments or {}, reading.finder)
    if root.tag != "robot":
        raise root.error("is the root element: expected <robot>")
    root.taken = True
    root.attribute("version")
    model = _read_robot(root, reading)
    _warn_of_gazebo(model, reading)
    reading.collect_leftovers(root)
    unsupported = tuple(sorted(reading.unsupported, key=lambda item: item.source))
    world = World(models=(model,), source=root.source)
    return Scene(world, False, "urdf", unsupported, Source(str(path)))


def _read_robot(root: Node, reading: Reading) -> Model:
    root.all("material")
    nodes = _by_name(root.all("link"))
    joint_nodes = _by_name(root.all("joint"))
    joints = [read_joint(node) for node in joint_nodes.values()]
    poses, base = _place(nodes, joints, root)
    tags = gazebo_tags(root, [*nodes, *joint_nodes])
    frames = {**{joint.name: poses[joint.child] for joint in joints}, **poses}
    materials = read_materials(root, reading)
    links = []
    for name, node in nodes.items():
        link = _read_link(node, poses[name], materials, reading)
        if name == base == WORLD:
            _check_ground(link, node)
        else:
            links.append(extend_link(link, tags.get(name, []), frames, reading))
    extension = read_model_extension(tags.get("", []))
    made = [_joint(joint, poses, tags.get(joint.name, []), reading) for joint in joints]
    return Model(
        name=root.required_attribute("name"),
        static=extension.static,
        self_collide=extension.self_collide,
        canonical_link=base if base != WORLD else links[0].name,
        links=tuple(links),
        joints=tuple(joint for joint in made if joint is not None),
        plugins=extension.plugins,
        source=root.source,
    )


def _read_link(
    node: Node, pose: Transform, materials: dict[str, Material], reading: Reading
) -> Link:
    node.attribute("type")
    return Link(
        name=node.attribute("name"),
        pose=pose,
        inertial=read_inertial(node.child("inertial")),
        collisions=read_collisions(node, reading),
        visuals=read_visuals(node, materials, reading),
        source=node.source,
    )


def _warn_of_gazebo(model: Model, reading: Reading) -> None:
    """Name what we keep and Gazebo does not, so that one description works in both."""
    for link in gazebo_view(model).dropped:
        sensors = f" with its {len(link.sensors)} sensors" if link.sensors else ""
        reason = f"has no mass: Gazebo drops it{sensors} (give it an <inertial>)"
        reading.warn_at(link.source, f"link {link.name}", reason)


def _by_name(nodes: list[Node]) -> dict[str, Node]:
    named: dict[str, Node] = {}
    for node in nodes:
        name = node.required_attribute("name")
        if name in named:
            raise node.error(f"'{name}' has the name of that at {named[name].source}")
        named[name] = node
    return named


def _check_ground(link: Link, node: Node) -> None:
    if link.visuals or link.collisions:
        raise node.error("the root link 'world' is the ground: it can have no shapes")


def _place(
    links: dict[str, Node], joints: list[UrdfJoint], root: Node
) -> tuple[dict[str, Transform], str]:
    """Return model_from_link of every link, and the root link's name.

    Raises DescriptionError where the joints do not make one tree of all links.
    """
    if not links:
        raise root.error("has no <link>")
    parent_joint: dict[str, UrdfJoint] = {}
    for joint in joints:
        for end, name in (("parent", joint.parent), ("child", joint.child)):
            if name not in links:
                known = ", ".join(links)
                raise joint.node.error(f"{end} '{name}' is no link; known: {known}")
        if joint.child in parent_joint:
            other = parent_joint[joint.child].name
            raise joint.node.error(f"link '{joint.child}' is also the child of joint '{other}'")
        parent_joint[joint.child] = joint
    bases = [name for name in links if name not in parent_joint]
    if len(bases) > 1:
        raise links[bases[1]].error(f"the robot has several root links: {', '.join(bases)}")
    poses = {base: Transform() for base in bases}
    for name in links:
        chain = []
        while name not in poses:
            joint = parent_joint[name]
            if joint in chain:
                raise joint.node.error(f"joint '{joint.name}' is part of a circle")
            chain.append(joint)
            name = joint.parent
        for joint in reversed(chain):
            poses[joint.child] = poses[joint.parent] @ joint.parent_from_joint
    return poses, bases[0]


def _joint(
    joint: UrdfJoint, poses: dict[str, Transform], tags: list[Node], reading: Reading
) -> Joint | None:
    axis, preserved = extend_axis(joint.axis, tags)
    if joint.type == "planar":
        raise joint.node.error("planar joints are not supported")
    if joint.type == "floating":
        reading.warn(joint.node, f"floating joint '{joint.name}' leaves its child free")
        return None
    return Joint(
        name=joint.name,
        type=joint.type,
        parent=joint.parent,
        child=joint.child,
        pose=Transform(),
        model_from_joint=poses[joint.child],
        axis=axis,
        mimic=joint.mimic,
        preserved=preserved,
        source=joint.node.source,
    )
