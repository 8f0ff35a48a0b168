"""`python -m scene_sim.description FILE [name:=value ...]`: what was read, and what is not used."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from spatial_types.transforms import Transform

from . import DescriptionError, ResourceFinder, Scene, read_description
from .scene import Model


def main(arguments: list[str] | None = None) -> int:
    """Print a summary of a description; 0, or 1 where it cannot be read."""
    parser = argparse.ArgumentParser(prog="scene_sim.description", description=__doc__)
    parser.add_argument("file", type=Path, help="SDF, URDF or xacro file")
    parser.add_argument("xacro_arguments", nargs="*", metavar="name:=value")
    parser.add_argument("--model-path", type=Path, action="append", default=[])
    parser.add_argument("--strict", action="store_true", help="fail where anything is not used")
    options = parser.parse_args(arguments)
    for text in options.xacro_arguments:
        if ":=" not in text:
            parser.error(f"'{text}': expected name:=value")
    mappings = dict(text.split(":=", 1) for text in options.xacro_arguments)
    try:
        scene = read_description(options.file, mappings, ResourceFinder(options.model_path))
    except DescriptionError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print("\n".join(summary(scene)))
    for item in scene.unsupported:
        print(f"warning: {item}", file=sys.stderr)
    return 1 if options.strict and scene.unsupported else 0


def summary(scene: Scene) -> Iterator[str]:
    """Yield the lines that describe a scene."""
    world = scene.world
    kind = f"world '{world.name}'" if scene.has_world else "no world"
    yield f"{scene.source}: {scene.version}, {kind}"
    for light in world.lights:
        yield f"  light {light.name} ({light.type}) {_place(light.pose)}"
    for frame in world.frames:
        yield f"  frame {frame.name} on {frame.attached_to} {_place(frame.pose)}"
    for model in world.models:
        yield from _model(model)


def _model(model: Model) -> Iterator[str]:
    static = ", static" if model.static else ""
    yield f"  model {model.name}{static} {_place(model.pose)}"
    for link in model.links:
        parts = f"{len(link.visuals)} visuals, {len(link.collisions)} collisions"
        yield f"    link {link.name} {_place(link.pose)} {link.inertial.mass:g} kg, {parts}"
        for sensor in link.sensors:
            rate = f"{sensor.update_rate:g} Hz"
            yield f"      sensor {sensor.name} ({sensor.type}) {rate} '{sensor.topic}'"
    for joint in model.joints:
        yield f"    joint {joint.name} ({joint.type}) {joint.parent} -> {joint.child}"
    for plugin in model.plugins:
        yield f"    plugin {plugin.name or plugin.filename}"


def _place(pose: Transform) -> str:
    numbers = " ".join(f"{value:g}" for value in np.round(pose.translation, 4) + 0.0)
    return f"at ({numbers})"


if __name__ == "__main__":
    sys.exit(main())
