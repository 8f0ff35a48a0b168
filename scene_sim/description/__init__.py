"""Reads SDF and URDF into a `Scene`: plain data with every pose resolved."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from .resources import ResourceFinder
from .scene import Scene
from .sdf_reader import read_sdf
from .source import DescriptionError, Source, Unsupported
from .urdf_reader import read_urdf
from .xml_node import read_xml

__all__ = [
    "DescriptionError",
    "ResourceFinder",
    "Scene",
    "Source",
    "Unsupported",
    "read_description",
    "read_sdf",
    "read_urdf",
]


def read_description(
    path: Path,
    arguments: Mapping[str, str] | None = None,
    finder: ResourceFinder | None = None,
) -> Scene:
    """Read an SDF world or model, or a URDF robot (with xacro `arguments`), by its root element.

    Raises DescriptionError, naming file and line, where that is impossible.
    """
    root = read_xml(path)
    if root.tag != "sdf":
        return read_urdf(path, arguments, finder)
    if arguments:
        raise root.error(f"SDF takes no xacro arguments ({', '.join(arguments)})")
    return read_sdf(path, finder)
