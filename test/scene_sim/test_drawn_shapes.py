"""The triangles that cameras see: closed, turned outwards, and where the shape is."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scene_sim.description.shapes import Box, Cylinder, Sphere
from scene_sim.drawn_shapes import FINE_SLICES, drawn_surface

lengths = st.floats(0.01, 0.4)


def volume(surface):
    a, b, c = (surface.vertices[surface.faces[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0)


def facings(surface):
    """Cosine between each corner's normal and that of its triangle."""
    a, b, c = (surface.vertices[surface.faces[:, k]] for k in range(3))
    across = np.cross(b - a, c - a)
    across /= np.linalg.norm(across, axis=1)[:, None]
    return np.einsum("ikj,ij->ik", surface.normals[surface.faces], across)


@given(lengths, lengths, lengths)
def test_a_small_box_is_closed_and_faces_outwards(x, y, z):
    surface = drawn_surface(Box((x, y, z)))
    assert volume(surface) == pytest.approx(x * y * z)
    assert facings(surface) == pytest.approx(1.0)
    assert np.abs(surface.vertices).max(axis=0) == pytest.approx([x / 2, y / 2, z / 2])


@given(st.floats(0.005, 0.5), lengths)
def test_a_cylinder_is_closed_and_faces_outwards(radius, length):
    surface = drawn_surface(Cylinder(radius, length))
    assert volume(surface) == pytest.approx(np.pi * radius**2 * length, rel=0.006)
    assert facings(surface).min() > np.cos(2.0 * np.pi / 32.0)
    large = len(surface.faces) > 6 * FINE_SLICES
    assert large == (radius >= 0.06)


def test_walls_and_balls_are_drawn_by_mujoco():
    assert drawn_surface(Box((8.0, 0.1, 2.5))) is None
    assert drawn_surface(Sphere(0.02)) is None
