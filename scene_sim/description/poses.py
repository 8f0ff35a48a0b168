"""Reads <pose> elements: six numbers, degrees, quaternions, and the frame they refer to."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from spatial_types.transforms import Transform

from .source import Source
from .xml_node import Node


@dataclass(frozen=True)
class RawPose:
    """A pose as written: `transform` in the frame named `relative_to` (empty: the default)."""

    transform: Transform = field(default_factory=Transform)
    relative_to: str = ""
    source: Source = field(default_factory=Source)


def take_pose(node: Node, tag: str = "pose") -> RawPose:
    """Take the <pose> child; identity where there is none.

    Raises DescriptionError for a wrong count of numbers, an unknown rotation format, a zero
    quaternion, or degrees together with a quaternion.
    """
    child = node.child(tag)
    return RawPose(source=node.source) if child is None else read_pose(child)


def read_pose(node: Node) -> RawPose:
    """Read one <pose> element; see `take_pose`."""
    degrees = node.flag_attribute("degrees")
    rotation_format = node.attribute("rotation_format", "euler_rpy")
    relative_to = node.attribute("relative_to")
    if node.version and node.version < (1, 7):
        relative_to = node.attribute("frame") or relative_to
    if rotation_format == "quat_xyzw":
        if degrees:
            raise node.error("has degrees='true' with a quaternion, which has no degrees")
        transform = _quaternion_pose(node)
    elif rotation_format == "euler_rpy":
        numbers = node.values(6) if node.text else (0.0,) * 6
        angles = np.radians(numbers[3:]) if degrees else numbers[3:]
        transform = Transform.from_rpy(numbers[:3], angles)
    else:
        expected = "expected euler_rpy or quat_xyzw"
        raise node.error(f"rotation_format is '{rotation_format}': {expected}")
    return RawPose(transform, relative_to, node.source)


def _quaternion_pose(node: Node) -> Transform:
    numbers = node.values(7) if node.text else (0.0,) * 6 + (1.0,)
    try:
        return Transform.from_quaternion(numbers[:3], numbers[3:])
    except ValueError as error:
        raise node.error(str(error)) from None
