"""Compares a URDF's lumped view with what libsdformat makes of the same URDF."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sdf_oracle import Differences, compare_model, geometry_numbers

from scene_sim.description.lumping import gazebo_view
from scene_sim.description.scene import Link, Model
from scene_sim.description.shapes import Collision, Visual
from spatial_types.transforms import Transform


def urdf_differences(model: Model, report: dict[str, Any]) -> list[str]:
    """Compare everything but the names of shapes, which libsdformat makes up when it lumps."""
    if report["errors"]:
        return [f"libsdformat refuses it: {error}" for error in report["errors"]]
    out = Differences()
    view, theirs = gazebo_view(model).model, report["model"]
    bare = [_without_shapes(link) for link in view.links]
    others = [{**link, "visuals": [], "collisions": []} for link in theirs["links"]]
    frames = {"frames": [], "links": others}
    compare_model(out, _with_links(view, bare), {**theirs, **frames})
    for path, link, other in out.pairs("link", view.links, theirs["links"]):
        _compare_shapes(out, f"{path} visuals", link.visuals, other["visuals"])
        _compare_shapes(out, f"{path} collisions", link.collisions, other["collisions"])
    return out.found


def _without_shapes(link: Link) -> Link:
    return replace(link, visuals=(), collisions=())


def _with_links(model: Model, links: list[Link]) -> Model:
    return replace(model, links=tuple(links), frames=())


def _compare_shapes(
    out: Differences,
    path: str,
    ours: Sequence[Visual | Collision],
    theirs: Sequence[dict[str, Any]],
) -> None:
    """Compare shapes with their places (and colours) whatever their names and order."""
    mine = sorted(_numbers(item) for item in ours)
    other = sorted(_their_numbers(item) for item in theirs)
    out.same(f"{path} count", len(mine), len(other))
    for index, (a, b) in enumerate(zip(mine, other, strict=False)):
        out.same(f"{path} {index} shape", a[0], b[0])
        out.close(f"{path} {index} numbers", a[1], b[1])


def _numbers(item: Visual | Collision) -> tuple[str, list[float]]:
    numbers = [*geometry_numbers(item.geometry), *_place(item.pose)]
    if isinstance(item, Visual) and item.material is not None:
        # libsdformat makes URDF colours brighter by 1 / 0.8; we take them as RViz does.
        numbers += [min(1.0, value / 0.8) for value in item.material.diffuse[:3]]
    return type(item.geometry).__name__, _rounded(numbers)


def _their_numbers(item: dict[str, Any]) -> tuple[str, list[float]]:
    (kind, size), pose = next(iter(item["geometry"].items())), item["pose"]
    numbers = [*size, *_place(Transform.from_quaternion(pose[:3], pose[3:]))]
    if item.get("material"):
        numbers += item["material"][1][:3]
    return kind, _rounded(numbers)


def _place(pose: Transform) -> list[float]:
    return [*pose.translation, *pose.rotation.ravel()]


def _rounded(numbers: Sequence[float]) -> list[float]:
    """Round so that both sides sort alike, and turn -0 into 0."""
    return [float(value) for value in np.round(numbers, 6) + 0.0]
