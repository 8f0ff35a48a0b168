"""Reads SDF joints: the links they join, their place at rest, their axes."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from spatial_types.suggestions import suggestion
from spatial_types.transforms import Transform

from .frames import MODEL, WORLD, Scope
from .scene import Joint, JointAxis
from .sdf_shapes import unit_vector
from .shapes import Vector3
from .xml_node import Node

JOINT_TYPES = (
    "revolute",
    "continuous",
    "prismatic",
    "fixed",
    "ball",
    "universal",
    "screw",
    "revolute2",
    "gearbox",
)
_WITHOUT_AXIS = ("fixed", "ball")
_TWO_AXES = ("universal", "revolute2", "gearbox")
_UNLIMITED = 1e16


def read_joint(node: Node, scope_name: str, scope: Scope, top_from_scope: Transform) -> Joint:
    """Read one <joint> of the model whose names are in `scope`.

    Raises DescriptionError for an unknown type, parent, child or frame, a joint of a link with
    itself, a missing axis, and impossible limits.
    """
    kind = _joint_type(node)
    name = node.required_attribute("name")
    parent, child = node.required("parent"), node.required("child")
    if child.text == WORLD:
        raise child.error("is 'world', which cannot be a child")
    links = [_link(scope, parent), _link(scope, child)]
    if links[0] == links[1]:
        raise node.error(f"joint '{name}' joins link '{links[0]}' with itself")
    scope_from_joint = scope.pose_of(scope.joints[name])
    scope_from_child = scope.locate(links[1], child.source)
    prefix = f"{scope_name}::" if scope_name else ""
    parent_name = links[0] if links[0] == WORLD else prefix + links[0]
    return Joint(
        name=prefix + name,
        type=kind,
        parent=parent_name,
        child=prefix + links[1],
        pose=scope_from_child.inverse() @ scope_from_joint,
        model_from_joint=top_from_scope @ scope_from_joint,
        axis=None if kind in _WITHOUT_AXIS else _axis(node, "axis", kind, scope, scope_from_joint),
        axis2=_axis(node, "axis2", kind, scope, scope_from_joint) if kind in _TWO_AXES else None,
        thread_pitch=node.number("thread_pitch", 1.0),
        gearbox_ratio=node.number("gearbox_ratio", 1.0),
        gearbox_reference_body=node.string("gearbox_reference_body"),
        scope=scope_name,
        source=node.source,
    )


def _joint_type(node: Node) -> str:
    kind = node.required_attribute("type")
    if kind not in JOINT_TYPES:
        hint = suggestion(kind, JOINT_TYPES, otherwise="expected ")
        raise node.error(f"type '{kind}' is no joint; {hint}")
    return kind


def _link(scope: Scope, node: Node) -> str:
    if not node.text:
        raise node.error("is empty: expected a link or frame")
    return WORLD if node.text == WORLD else scope.link_of(node.text, node.source)


def _axis(
    node: Node, tag: str, kind: str, scope: Scope, scope_from_joint: Transform
) -> JointAxis | None:
    child = node.child(tag)
    if child is None:
        if tag == "axis2" and kind == "gearbox":
            return None
        raise node.error(f"of type '{kind}' needs <{tag}>")
    dynamics, limit = child.child("dynamics"), child.child("limit")
    axis = JointAxis(xyz=_direction(child, scope, scope_from_joint))
    if dynamics is not None:
        axis = replace(
            axis,
            damping=dynamics.number("damping", 0.0, minimum=0.0),
            friction=dynamics.number("friction", 0.0, minimum=0.0),
            spring_reference=dynamics.number("spring_reference", 0.0),
            spring_stiffness=dynamics.number("spring_stiffness", 0.0, minimum=0.0),
        )
    return axis if limit is None else _limited(axis, limit, kind)


def _limited(axis: JointAxis, limit: Node, kind: str) -> JointAxis:
    lower = _bound(limit.child("lower"), -math.inf)
    upper = _bound(limit.child("upper"), math.inf)
    if kind == "continuous":
        lower, upper = -math.inf, math.inf
    if lower > upper:
        raise limit.error(f"lower {lower:g} is above upper {upper:g}")
    effort, velocity = (_bound(limit.child(tag), -1.0) for tag in ("effort", "velocity"))
    return replace(
        axis,
        lower=lower,
        upper=upper,
        effort=math.inf if effort < 0.0 else effort,
        velocity=math.inf if velocity < 0.0 else velocity,
        stiffness=limit.number("stiffness", 1e8),
        dissipation=limit.number("dissipation", 1.0),
    )


def _bound(node: Node | None, default: float) -> float:
    """Return a limit; 1e16 and beyond, and the word inf, mean none."""
    if node is None:
        return default
    if node.text.lower().lstrip("+-") in ("inf", "infinity"):
        return -math.inf if node.text.startswith("-") else math.inf
    value = node.value()
    return value if abs(value) < _UNLIMITED else math.copysign(math.inf, value)


def _direction(axis: Node, scope: Scope, scope_from_joint: Transform) -> Vector3:
    """Return the axis as a unit vector in the joint's frame."""
    xyz = axis.child("xyz")
    expressed_in = xyz.attribute("expressed_in") if xyz is not None else ""
    if axis.version < (1, 7) and axis.flag("use_parent_model_frame", False):
        expressed_in = MODEL
    direction = np.array(unit_vector(axis, "xyz", (0.0, 0.0, 1.0)))
    if expressed_in:
        scope_from_frame = scope.locate(expressed_in, axis.source)
        direction = scope_from_joint.inverse().rotate(scope_from_frame.rotate(direction))
    x, y, z = (float(value) for value in direction)
    return (x, y, z)
