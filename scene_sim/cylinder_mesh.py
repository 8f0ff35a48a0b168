"""A finely faceted cylinder to draw in place of MuJoCo's own.

MuJoCo facets all its cylinders alike; fine ones everywhere would double the cost of an image for
wheels and posts that nobody measures. The target's silhouette must be round to well below a tenth
of a millimetre, so large cylinders get a mesh of their own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

STACKS = 3  # along the height, for the light's gradient (colours are computed at vertices)


@dataclass(frozen=True)
class FacetedSurface:
    """Triangles: `vertices` and unit `normals` (N, 3), `faces` (M, 3) of vertex indices."""

    vertices: Array
    normals: Array
    faces: NDArray[np.int32]


def faceted_cylinder(radius: float, length: float, slices: int) -> FacetedSurface:
    """Return a closed cylinder about z whose silhouette is, on average, that of the circle.

    The facets' corners lie outside the circle by as much as their middles lie inside:
    R (1 + (pi / slices)^2 / 4), so radius 0.10 with 128 slices is right to 0.015 mm.
    """
    turn = 2.0 * np.pi * np.arange(slices) / slices
    ring = np.column_stack([np.cos(turn), np.sin(turn), np.zeros(slices)])
    corner = radius * (1.0 + (np.pi / slices) ** 2 / 4.0)
    heights = np.linspace(-length / 2.0, length / 2.0, STACKS + 1)
    up = np.array([0.0, 0.0, 1.0])
    parts = [(ring * corner + up * height, ring) for height in heights]
    parts += [(ring * corner + up * heights[0], np.tile(-up, (slices, 1)))]
    parts += [(ring * corner + up * heights[-1], np.tile(up, (slices, 1)))]
    faces = [_band(level * slices, slices) for level in range(STACKS)]
    first = (STACKS + 1) * slices
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
