"""A frustum, a projection and a CameraInfo's intrinsics are one thing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spatial_types.camera import CameraModel
from spatial_types.frustum import Frustum

EDGE = st.floats(0.1, 3.0)
FRUSTA = st.builds(Frustum, EDGE, EDGE, EDGE, EDGE)
INDEX_LEFT = (-1.39, 1.25, -1.47, 1.45)  # about GetProjectionRaw of a headset's left eye


def test_openvr_tells_left_and_top_negative():
    assert Frustum.from_openvr(*INDEX_LEFT) == Frustum(1.39, 1.25, 1.47, 1.45)
    upside_down = Frustum.from_openvr(-1.39, 1.25, 1.47, -1.45)  # some runtimes swap top and bottom
    assert upside_down == Frustum(1.39, 1.25, 1.47, 1.45)


def test_the_wider_side_gets_more_of_the_image():
    model = Frustum.from_openvr(*INDEX_LEFT).camera(264, 292)
    assert model.matrix[0, 2] == pytest.approx(264 * 1.39 / 2.64 - 0.5)
    assert model.matrix[0, 2] > 131.5  # the left eye sees farther to the left


def test_a_symmetric_frustum_is_the_pinhole_of_that_field_of_view():
    found = Frustum.from_camera(CameraModel.from_hfov(640, 480, np.pi / 2))
    assert (found.left, found.right) == pytest.approx((1.0, 1.0))
    assert (found.up, found.down) == pytest.approx((0.75, 0.75))


@given(FRUSTA, st.integers(16, 2000), st.integers(16, 2000))
def test_a_camera_of_a_frustum_has_that_frustum(frustum, width, height):
    found = Frustum.from_camera(frustum.camera(width, height))
    wanted = (frustum.left, frustum.right, frustum.up, frustum.down)
    assert (found.left, found.right, found.up, found.down) == pytest.approx(wanted)


@given(FRUSTA, st.floats(-0.9, 0.9), st.floats(-0.9, 0.9), st.floats(0.2, 50.0))
def test_projection_matrix_and_intrinsics_put_a_point_on_the_same_pixel(frustum, across, up, ahead):
    width, height = 640, 480
    y = -ahead * (across * frustum.width + frustum.right - frustum.left) / 2.0
    z = ahead * (up * frustum.height + frustum.up - frustum.down) / 2.0
    found = (frustum.camera(width, height).matrix @ [-y, -z, ahead])[:2] / ahead
    clip = frustum.projection(0.1, 100.0) @ [-y, z, -ahead, 1.0]
    x, y = clip[:2] / clip[3]
    assert found == pytest.approx(((x + 1) / 2 * width - 0.5, (1 - y) / 2 * height - 0.5), abs=1e-6)
    assert (x, y) == pytest.approx((across, up), abs=1e-9)


@given(FRUSTA)
def test_a_frustum_comes_back_out_of_its_projection(frustum):
    found = Frustum.from_projection(frustum.projection(0.1, 100.0))
    wanted = (frustum.left, frustum.right, frustum.up, frustum.down)
    assert (found.left, found.right, found.up, found.down) == pytest.approx(wanted)


@pytest.mark.parametrize(
    "edges",
    [(-1, 1, 1, 1), (1, -1, 1, 1), (1, 1, 0, 0), (float("nan"), 1, 1, 1), (1, 1, 1, float("nan"))],
)
def test_what_encloses_nothing_is_refused(edges):
    with pytest.raises(ValueError, match="encloses nothing"):
        Frustum(*edges)
