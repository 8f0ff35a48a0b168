"""Reads an SDF file into a Scene."""

from __future__ import annotations

from pathlib import Path

from .frames import WORLD, Scope
from .reading import Reading
from .resources import ResourceFinder
from .scene import Scene, World
from .sdf_include import expand_includes, read_sdf_root
from .sdf_model import build_model, read_model_tree
from .sdf_parts import read_light
from .sdf_world import read_world
from .source import Source
from .xml_node import Node


def read_sdf(path: Path, finder: ResourceFinder | None = None) -> Scene:
    """Read a world or model file of SDF 1.6 to 1.9 (newer: with a warning).

    Raises DescriptionError, naming file and line, for everything that cannot be read as meant.
    What is merely not used is listed in `Scene.unsupported`.
    """
    reading = Reading(finder or ResourceFinder(), files=[str(path.resolve())])
    root = read_sdf_root(path, reading)
    root.taken = True
    worlds = root.all("world")
    if worlds:
        for other in worlds[1:]:
            other.take_whole()
            reading.warn(other, "is not the first world of the file: not used")
        world = read_world(worlds[0], reading)
    else:
        world = _bare_world(root, reading)
    reading.collect_leftovers(root)
    unsupported = tuple(sorted(reading.unsupported, key=lambda item: item.source))
    version = root.attribute("version")
    return Scene(world, bool(worlds), version, unsupported, Source(str(path)))


def _bare_world(root: Node, reading: Reading) -> World:
    """Return a default world around the models and lights of a file that has no world."""
    expand_includes(root, reading)
    nodes = root.all("model")
    if len(nodes) > 1:
        raise nodes[1].error("is a second model: a file without a <world> holds one")
    trees = [read_model_tree(node, reading) for node in nodes]
    scope = Scope(WORLD, "the file", root.source)
    for tree in trees:
        scope.add(tree.entry)
        scope.children[tree.name] = tree.scope
    lights = [read_light(node, reading, scope.locate_raw) for node in root.all("light")]
    if not trees and not lights:
        raise root.error("holds no <world>, <model> or <light>")
    models = [build_model(tree, scope.pose_of(tree.entry), reading) for tree in trees]
    return World(models=tuple(models), lights=tuple(lights), source=root.source)
