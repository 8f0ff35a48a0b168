"""Reads SDF models: their frame graphs first, then links and joints with every pose resolved."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from spatial_types.transforms import Transform

from .frames import MODEL, Entry, Scope
from .poses import RawPose, take_pose
from .reading import Reading
from .scene import Frame, Joint, Link, Model
from .sdf_include import expand_includes
from .sdf_joint import read_joint
from .sdf_parts import check_unique, read_collision, read_light, read_plugins, read_visual
from .sdf_sensors import read_sensor
from .sdf_shapes import read_inertial
from .xml_node import Node


@dataclass
class ModelTree:
    """A model before its poses are resolved, and its nested models."""

    node: Node
    name: str
    scope: Scope
    entry: Entry
    nested: list[ModelTree] = field(default_factory=list)

    @property
    def static(self) -> bool:
        """What <static> says."""
        return self.node.flag("static", False)


def read_model_tree(node: Node, reading: Reading) -> ModelTree:
    """Register all names of a model and of the models nested in it.

    Raises DescriptionError for missing, reserved and duplicate names.
    """
    node.taken = True
    name = node.required_attribute("name")
    expand_includes(node, reading)
    scope = Scope(
        MODEL, name, node.source, node.attribute("canonical_link"), node.flag("static", False)
    )
    entry = Entry(
        name, "model", take_pose(node), node.source, placement=node.attribute("placement_frame")
    )
    tree = ModelTree(node, name, scope, entry)
    for child in node.children:
        if child.tag == "model":
            nested = read_model_tree(child, reading)
            scope.children[nested.name] = nested.scope
            scope.add(nested.entry)
            tree.nested.append(nested)
        elif child.tag in ("link", "frame", "joint"):
            scope.add(_entry(child), lenient=child.version < (1, 7))
    return tree


def _entry(node: Node) -> Entry:
    anchor = node.attribute("attached_to") if node.tag == "frame" else ""
    if node.tag == "joint":
        anchor = node.required("child").text
    name = node.required_attribute("name")
    return Entry(name, node.tag, take_pose(node), node.source, anchor)


def build_model(tree: ModelTree, pose: Transform, reading: Reading) -> Model:
    """Resolve and flatten one top-level model; `pose` is world_from_model.

    Raises DescriptionError for unknown frames, circles, and impossible values.
    """
    parts = _Parts()
    canonical = tree.scope.link_of(MODEL, tree.node.source)
    _gather(tree, "", Transform(), parts, reading)
    node = tree.node
    return Model(
        name=tree.name,
        pose=pose,
        static=tree.static,
        self_collide=node.flag("self_collide", False),
        allow_auto_disable=node.flag("allow_auto_disable", True),
        enable_wind=node.flag("enable_wind", False),
        canonical_link=canonical,
        links=tuple(parts.links),
        joints=tuple(parts.joints),
        frames=tuple(parts.frames),
        plugins=tuple(parts.plugins),
        source=node.source,
    )


@dataclass
class _Parts:
    links: list[Link] = field(default_factory=list)
    joints: list[Joint] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    plugins: list[Any] = field(default_factory=list)


def _gather(
    tree: ModelTree, scope_name: str, top_from_scope: Transform, parts: _Parts, reading: Reading
) -> None:
    """Append what a model holds to `parts`, names and poses in terms of the top model."""
    scope, prefix = tree.scope, f"{scope_name}::" if scope_name else ""
    for node in tree.node.all("link"):
        parts.links.append(_read_link(node, scope_name, scope, top_from_scope, reading))
    for node in tree.node.all("joint"):
        joint = read_joint(node, scope_name, scope, top_from_scope)
        if joint is not None:
            parts.joints.append(joint)
    for node in tree.node.all("frame"):
        entry = scope.entries[node.attribute("name")]
        pose = top_from_scope @ scope.pose_of(entry)
        link = prefix + scope.link_of(entry.name, entry.source)
        parts.frames.append(Frame(prefix + entry.name, pose, link, node.source))
    parts.plugins += read_plugins(tree.node, scope_name)
    tree.node.all("model")
    for nested in tree.nested:
        pose = top_from_scope @ scope.pose_of(nested.entry)
        name = prefix + nested.name
        link = nested.scope.link_of(MODEL, nested.node.source)
        link = f"{name}::{link}" if link else ""
        parts.frames.append(Frame(name, pose, link, nested.node.source))
        _gather(nested, name, pose, parts, reading)
        _check_nested(nested, tree, reading)


def _check_nested(nested: ModelTree, parent: ModelTree, reading: Reading) -> None:
    """Name the settings that a nested model has of its own: the flattened model has one each."""
    if nested.static and not parent.static:
        reading.warn(nested.node, "a static model nested in one that moves is read as moving")
    for tag in ("self_collide", "allow_auto_disable", "enable_wind"):
        given = nested.node.child(tag)
        if given is not None:
            reading.warn(given, "of a nested model is not used: the top model's stands")


def _read_link(
    node: Node, scope_name: str, scope: Scope, top_from_scope: Transform, reading: Reading
) -> Link:
    name = node.required_attribute("name")
    scope_from_link = scope.pose_of(scope.entries[name])
    link_from_scope = scope_from_link.inverse()

    def locate(raw: RawPose) -> Transform:
        if not raw.relative_to:
            return raw.transform
        return link_from_scope @ scope.locate_raw(raw)

    decay = node.child("velocity_decay")
    link = Link(
        name=f"{scope_name}::{name}" if scope_name else name,
        pose=top_from_scope @ scope_from_link,
        inertial=read_inertial(node.child("inertial"), reading),
        collisions=_some(read_collision(c, reading, locate) for c in node.all("collision")),
        visuals=_some(read_visual(c, reading, locate) for c in node.all("visual")),
        sensors=_some(read_sensor(c, reading, locate) for c in node.all("sensor")),
        lights=tuple(read_light(c, reading, locate) for c in node.all("light")),
        gravity=node.flag("gravity", True),
        kinematic=node.flag("kinematic", False),
        self_collide=node.flag("self_collide", False),
        enable_wind=node.flag("enable_wind", False),
        velocity_decay=_decay(decay),
        scope=scope_name,
        source=node.source,
    )
    for kind in ("collisions", "visuals", "sensors", "lights"):
        check_unique(getattr(link, kind), kind[:-1], node)
    return link


def _decay(node: Node | None) -> tuple[float, float]:
    if node is None:
        return (0.0, 0.0)
    return (node.number("linear", 0.0, minimum=0.0), node.number("angular", 0.0, minimum=0.0))


def _some(items: Any) -> tuple[Any, ...]:
    return tuple(item for item in items if item is not None)
