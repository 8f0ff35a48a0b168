"""Surfaces to draw in place of MuJoCo's own shapes.

MuJoCo facets all its shapes alike: a wheel takes 1500 triangles and a small box 200, three times
where shadows are drawn, which costs a quarter of an image. And the target's silhouette must be
round to well below a tenth of a millimetre, so a large cylinder needs more facets than a wheel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scene_sim.description.shapes import Box, Cylinder, Geometry

Array = NDArray[np.float64]

LARGE_RADIUS = 0.06  # cylinders from here on are drawn finely
FINE_SLICES, FINE_STACKS = 128, 3  # stacks: for the light's gradient, computed at vertices
SLICES = 32
SMALL_BOX = 0.5  # m; the light changes little over boxes whose longest side is below it


@dataclass(frozen=True)
class FacetedSurface:
    """Triangles: `vertices` and unit `normals` (N, 3), `faces` (M, 3) of vertex indices."""

    vertices: Array
    normals: Array
    faces: NDArray[np.int32]


def drawn_surface(shape: Geometry) -> FacetedSurface | None:
    """Return the surface to draw for a shape; None where MuJoCo's own serves."""
    if isinstance(shape, Cylinder) and shape.radius >= LARGE_RADIUS:
        return faceted_cylinder(shape.radius, shape.length, FINE_SLICES, FINE_STACKS)
    if isinstance(shape, Cylinder):
        return faceted_cylinder(shape.radius, shape.length)
    if isinstance(shape, Box) and max(shape.size) < SMALL_BOX:
        return faceted_box(shape.size)
    return None


def faceted_box(size: Sequence[float]) -> FacetedSurface:
    """Return the six sides of a box, two triangles each."""
    axes = np.eye(3)
    vertices, normals = [], []
    for axis in range(3):
        right, up = axes[(axis + 1) % 3], axes[(axis + 2) % 3]
        for sign in (1.0, -1.0):
            normal = sign * axes[axis]
            corners = [(-sign, -1.0), (sign, -1.0), (sign, 1.0), (-sign, 1.0)]
            vertices += [normal + a * right + b * up for a, b in corners]
            normals += [normal] * 4
    halves = np.array([[0, 1, 2], [0, 2, 3]], dtype=np.int32)
    faces = np.vstack([halves + 4 * side for side in range(6)])
    half = np.asarray(size, dtype=float) / 2.0
    return FacetedSurface(np.array(vertices) * half, np.array(normals), faces)


def faceted_cylinder(
    radius: float, length: float, slices: int = SLICES, stacks: int = 1
) -> FacetedSurface:
    """Return a closed cylinder about z whose silhouette is, on average, that of the circle.

    The facets' corners lie outside the circle by as much as their middles lie inside:
    R (1 + (pi / slices)^2 / 4), so radius 0.10 with 128 slices is right to 0.015 mm.
    """
    turn = 2.0 * np.pi * np.arange(slices) / slices
    ring = np.column_stack([np.cos(turn), np.sin(turn), np.zeros(slices)])
    corner = radius * (1.0 + (np.pi / slices) ** 2 / 4.0)
    heights = np.linspace(-length / 2.0, length / 2.0, stacks + 1)
    up = np.array([0.0, 0.0, 1.0])
    parts = [(ring * corner + up * height, ring) for height in heights]
    parts += [(ring * corner + up * heights[0], np.tile(-up, (slices, 1)))]
    parts += [(ring * corner + up * heights[-1], np.tile(up, (slices, 1)))]
    faces = [_band(level * slices, slices) for level in range(stacks)]
    first = (stacks + 1) * slices
    faces += [_fan(first, slices)[:, ::-1], _fan(first + slices, slices)]
    return FacetedSurface(
        vertices=np.vstack([points for points, _ in parts]),
        normals=np.vstack([normals for _, normals in parts]),
        faces=np.vstack(faces).astype(np.int32),
    )


def _band(first: int, slices: int) -> NDArray[np.int64]:
    """Two triangles a slice between the ring at `first` and the next ring above it."""
    here = first + np.arange(slices)
    beside = first + (np.arange(slices) + 1) % slices
    lower = np.column_stack([here, beside, beside + slices])
    upper = np.column_stack([here, beside + slices, here + slices])
    return np.vstack([lower, upper])


def _fan(first: int, slices: int) -> NDArray[np.int64]:
    """Triangles that fill a ring, counter-clockwise."""
    others = first + np.arange(1, slices - 1)
    return np.column_stack([np.full(slices - 2, first), others, others + 1])
