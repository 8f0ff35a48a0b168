"""Reads SDF and URDF into a `Scene`: plain data with every pose resolved."""

from .resources import ResourceFinder
from .scene import Scene
from .sdf_reader import read_sdf
from .source import DescriptionError, Source, Unsupported

__all__ = [
    "DescriptionError",
    "ResourceFinder",
    "Scene",
    "Source",
    "Unsupported",
    "read_sdf",
]
