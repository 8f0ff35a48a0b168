"""Reads the files of a scene and stands the models where they are wanted."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from scene_sim.description import DescriptionError, Scene, read_description
from scene_sim.options import ModelSpec


def read_world(file: Path) -> Scene:
    """Return the described world; DescriptionError where the file holds none."""
    scene = read_description(file)
    if not scene.has_world:
        raise DescriptionError(scene.source, "holds no <world>")
    return scene


def read_model(spec: ModelSpec) -> Scene:
    """Return the described model, of the wished name and at the wished pose in the world."""
    scene = read_description(spec.file, spec.arguments)
    if scene.has_world or not scene.world.models:
        raise DescriptionError(scene.source, "expected a model (URDF, xacro or SDF), not a world")
    model = dataclasses.replace(
        scene.model, name=spec.name or scene.model.name, pose=spec.pose @ scene.model.pose
    )
    return dataclasses.replace(scene, world=dataclasses.replace(scene.world, models=(model,)))
