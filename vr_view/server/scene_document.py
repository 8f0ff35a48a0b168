"""The scene as one JSON document for the page, of the same files that the simulators read.

`python -m vr_view.server.scene_document WORLD --model "FILE [x y yaw] [argument:=value ...]"`
prints it. Metres, radians, ROS axes (z up); a pose is [x, y, z, qx, qy, qz, qw].
docs/vr_protocol.md tells each field.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from functools import singledispatch
from pathlib import Path
from typing import Any

from scene_sim.description import DescriptionError
from scene_sim.description.scene import Joint, Light, Link, Model
from scene_sim.description.shapes import (
    Box,
    Capsule,
    Cylinder,
    Ellipsoid,
    Material,
    Mesh,
    Plane,
    Sphere,
    Visual,
)
from scene_sim.model_lists import find_file, model_from_text
from scene_sim.options import ModelSpec
from scene_sim.scene_files import read_model, read_world
from spatial_types.parameters import ParameterError
from spatial_types.transforms import Transform
from vr_view.server.assets import Assets

FORMAT = 1
UNPAINTED = (0.7, 0.7, 0.7, 1.0)  # where a file gives no material
Json = dict[str, Any]


def scene_document(world: Path, models: Sequence[ModelSpec], assets: Assets) -> Json:
    """Return the document of a world file and the models that are spawned into it.

    The files of meshes and textures get their URLs from `assets`. Raises DescriptionError, naming
    file and line, where a description cannot be read.
    """
    described = read_world(world)
    looks = described.world.appearance
    own = [_model(model, False, assets) for model in described.world.models]
    spawned = [_model(_alone(spec), True, assets) for spec in models]
    return {
        "format": FORMAT,
        "name": described.world.name,
        "background": list(looks.background[:3]),
        "ambient": list(looks.ambient[:3]),
        "shadows": looks.shadows,
        "lights": [_light(light) for light in described.world.lights],
        "models": own + spawned,
    }


def _alone(spec: ModelSpec) -> Model:
    return read_model(spec).model


def _model(model: Model, is_robot: bool, assets: Assets) -> Json:
    """Return one model; links of robots have the names of tf's frames, a world's have none."""
    parents = {joint.child: joint for joint in model.joints}
    return {
        "name": model.name,
        "static": model.static,
        "pose": pose_list(model.pose),
        "root": model.canonical_link,
        "links": [_link(link, parents.get(link.name), is_robot, assets) for link in model.links],
    }


def _link(link: Link, joint: Joint | None, is_robot: bool, assets: Assets) -> Json:
    return {
        "name": link.name,
        "frame": link.name if is_robot else None,
        "parent": joint.parent if joint else None,
        "pose": pose_list(link.pose),
        "visuals": [_visual(visual, assets) for visual in link.visuals],
        "lights": [_light(light) for light in link.lights],
    }


def _visual(visual: Visual, assets: Assets) -> Json:
    return {
        "name": visual.name,
        "pose": pose_list(visual.pose),
        "shape": _shape(visual.geometry, assets),
        "material": _material(visual.material, visual.transparency, assets),
        "cast_shadows": visual.cast_shadows,
    }


def _material(material: Material | None, transparency: float, assets: Assets) -> Json:
    """Return the looks; `colour` has the visual's transparency in its alpha."""
    made = material or Material(diffuse=UNPAINTED)
    red, green, blue, alpha = made.diffuse
    return {
        "colour": [red, green, blue, alpha * (1.0 - transparency)],
        "emissive": list(made.emissive[:3]),
        "specular": list(made.specular[:3]),
        "shininess": made.shininess,
        "lighting": made.lighting,
        "double_sided": made.double_sided,
        "given": material is not None,
        "texture": assets.url(made.texture) if made.texture else None,
    }


def _light(light: Light) -> Json:
    fading = light.attenuation
    return {
        "name": light.name,
        "type": light.type,
        "pose": pose_list(light.pose),
        "diffuse": list(light.diffuse[:3]),
        "specular": list(light.specular[:3]),
        "intensity": light.intensity,
        "direction": list(light.direction),
        "cast_shadows": light.cast_shadows,
        "on": light.is_on,
        "range": fading.range,
        "attenuation": [fading.constant, fading.linear, fading.quadratic],
        "inner_angle": light.spot.inner_angle,
        "outer_angle": light.spot.outer_angle,
        "falloff": light.spot.falloff,
    }


@singledispatch
def _shape(geometry: Any, assets: Assets) -> Json:
    raise TypeError(f"no way to show a {type(geometry).__name__}")


@_shape.register
def _(geometry: Box, assets: Assets) -> Json:
    return {"type": "box", "size": list(geometry.size)}


@_shape.register(Cylinder)
@_shape.register(Capsule)
def _(geometry: Cylinder | Capsule, assets: Assets) -> Json:
    kind = "cylinder" if isinstance(geometry, Cylinder) else "capsule"
    return {"type": kind, "radius": geometry.radius, "length": geometry.length}


@_shape.register
def _(geometry: Sphere, assets: Assets) -> Json:
    return {"type": "sphere", "radius": geometry.radius}


@_shape.register
def _(geometry: Ellipsoid, assets: Assets) -> Json:
    return {"type": "ellipsoid", "radii": list(geometry.radii)}


@_shape.register
def _(geometry: Plane, assets: Assets) -> Json:
    return {"type": "plane", "normal": list(geometry.normal), "size": list(geometry.size)}


@_shape.register
def _(geometry: Mesh, assets: Assets) -> Json:
    return {
        "type": "mesh",
        "url": assets.url(geometry.file),
        "format": geometry.file.suffix[1:].lower(),
        "scale": list(geometry.scale),
        "submesh": geometry.submesh,
        "center_submesh": geometry.center_submesh,
    }


def pose_list(pose: Transform) -> list[float]:
    """Return [x, y, z, qx, qy, qz, qw]."""
    return [*pose.translation.tolist(), *pose.quaternion.tolist()]


def main(arguments: Iterable[str] | None = None) -> int:
    """Print the document of the files that the command line names; 1 where one cannot be read."""
    parser = argparse.ArgumentParser(prog="vr_view.server.scene_document", description=__doc__)
    parser.add_argument("world", help="world file (SDF)")
    parser.add_argument(
        "--model",
        "--urdf",
        action="append",
        default=[],
        metavar='"FILE [x y yaw] [argument:=value ...]"',
        help="a model to stand in it; several times for several",
    )
    options = parser.parse_args(None if arguments is None else list(arguments))
    here = Path.cwd()
    try:
        models = [model_from_text(text, here) for text in options.model]
        document = scene_document(find_file(options.world, here), models, Assets())
    except (DescriptionError, ParameterError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    json.dump(document, sys.stdout, indent=1, allow_nan=False)
    print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
