"""Reads SDF and URDF into a `Scene`: plain data with every pose resolved."""

from .scene import Scene
from .source import DescriptionError, Source, Unsupported

__all__ = ["DescriptionError", "Scene", "Source", "Unsupported"]
