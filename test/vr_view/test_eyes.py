"""Eyes: left is left, and a frustum, a projection and a CameraInfo's intrinsics are one thing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spatial_types.camera import CameraModel
from spatial_types.transforms import Transform
from vr_view.viewpoints.eyes import BODY_FROM_OPTICAL, EyeOptions, Eyes, Frustum

EDGE = st.floats(0.2, 3.0)
FRUSTA = st.builds(Frustum, EDGE, EDGE, EDGE, EDGE)
INDEX_LEFT = (-1.39, 1.25, -1.47, 1.45)  # about GetProjectionRaw of a headset's left eye


def pixel(model, map_from_eye, point):
    optical = (map_from_eye @ BODY_FROM_OPTICAL).inverse().apply(point)
    return (model.matrix @ optical)[:2] / optical[2]


def test_the_left_eye_is_left_and_half_the_distance_away():
    eyes = EyeOptions(distance=0.06).eyes()
    assert eyes.head_from_eye("left").translation.tolist() == [0.0, 0.03, 0.0]
    assert eyes.head_from_eye("right").translation.tolist() == [0.0, -0.03, 0.0]
    looking_back = Transform.planar(0.0, 0.0, np.pi)
    left = looking_back @ eyes.head_from_eye("left")
    np.testing.assert_allclose(left.translation, [0.0, -0.03, 0.0], atol=1e-12)


def test_a_point_ahead_has_the_right_disparity():
    eyes = EyeOptions(distance=0.06, width=640, height=480, hfov=np.pi / 2).eyes()
    left, right = (
        pixel(eyes.camera(side), eyes.head_from_eye(side), [2.0, 0.1, 0.0])
        for side in ("left", "right")
    )
    # 320 px focal length: u = 319.5 - 320 * (0.1 -+ 0.03) / 2
    np.testing.assert_allclose(left, [308.3, 239.5])
    np.testing.assert_allclose(right, [298.7, 239.5])


def test_an_optical_frame_looks_forward_with_y_down():
    assert BODY_FROM_OPTICAL.rotate([0.0, 0.0, 1.0]).tolist() == [1.0, 0.0, 0.0]
    assert BODY_FROM_OPTICAL.rotate([0.0, 1.0, 0.0]).tolist() == [0.0, 0.0, -1.0]
    assert BODY_FROM_OPTICAL.rotate([1.0, 0.0, 0.0]).tolist() == [0.0, -1.0, 0.0]


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
    found = pixel(frustum.camera(width, height), Transform(), [ahead, y, z])
    clip = frustum.projection(0.1, 100.0) @ [-y, z, -ahead, 1.0]
    x, y = clip[:2] / clip[3]
    assert found == pytest.approx(((x + 1) / 2 * width - 0.5, (1 - y) / 2 * height - 0.5), abs=1e-6)
    assert (x, y) == pytest.approx((across, up), abs=1e-9)


@given(FRUSTA)
def test_a_frustum_comes_back_out_of_its_projection(frustum):
    found = Frustum.from_projection(frustum.projection(0.1, 100.0))
    wanted = (frustum.left, frustum.right, frustum.up, frustum.down)
    assert (found.left, found.right, found.up, found.down) == pytest.approx(wanted)


@pytest.mark.parametrize("edges", [(-1.0, 1.0, 1.0, 1.0), (1, 1, 0, 0), (float("nan"), 1, 1, 1)])
def test_what_encloses_nothing_is_refused(edges):
    with pytest.raises(ValueError, match="encloses nothing"):
        Frustum(*edges)


def test_each_eye_may_have_its_own_image():
    left, right = CameraModel.from_hfov(640, 480, 1.0), CameraModel.from_hfov(320, 240, 1.2)
    eyes = Eyes(0.06, left, right)
    assert eyes.camera("left") is left
    assert eyes.camera("right") is right
