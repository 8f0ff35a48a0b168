import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from synthetic_camera import looking, thesis_camera

from ground_truth_localizer.cylinder_projection import (
    View,
    half_width,
    offset_from_surface,
    surface_from_offset,
    visible_limit,
)
from ground_truth_localizer.lens import (
    LensError,
    check_lens,
    normalised_from_pixels,
    pixels_from_normalised,
)
from spatial_types.camera import CameraModel

ratios = st.floats(0.01, 0.8)


@given(ratios, st.floats(-0.98, 0.98))
def test_surface_angle_and_offset_are_each_others_inverse(ratio, share):
    surface = share * visible_limit(ratio)
    offset = offset_from_surface(np.array(surface), ratio)
    assert surface_from_offset(offset, ratio) == pytest.approx(surface, abs=1e-7)


@given(ratios)
def test_tangent_is_where_the_visible_surface_ends(ratio):
    at_limit = offset_from_surface(np.array(visible_limit(ratio)), ratio)
    assert float(at_limit) == pytest.approx(half_width(ratio), abs=1e-9)
    assert np.isnan(surface_from_offset(np.array(half_width(ratio) * 1.01), ratio))


@given(
    st.floats(-np.pi, np.pi),
    st.floats(-0.3, 0.3),
    st.floats(-0.3, 0.3),
    st.floats(-0.2, 0.2),
    st.floats(-0.1, 0.1),
    st.floats(0.0, 0.8),
)
def test_pixel_of_a_point_looks_back_at_its_bearing(yaw, pitch, roll, aside, offset, height):
    """Any camera pose: project a point, read the pixel's azimuth, meet the point's own."""
    pose = looking((0.3, -0.2, 0.4), yaw, pitch, roll)
    target = pose.translation[:2] + 2.0 * np.array([np.cos(yaw + aside), np.sin(yaw + aside)])
    view = View.towards(thesis_camera(), pose, target)
    pixel = view.pixels(np.array([offset]), np.array([1.7]), np.array([height]))
    assert view.offsets(pixel)[0] == pytest.approx(offset, abs=1e-9)


def test_right_in_the_image_is_counter_clockwise_on_the_surface():
    """A camera that looks along +y: right is +x, and the normal there turned from -y towards +x."""
    view = View.towards(thesis_camera(), looking((0, 0, 0.4), np.pi / 2), np.array([0.0, 2.0]))
    middle = view.offsets(np.array([[159.5, 120.0], [200.0, 120.0]]))
    assert middle[0] == pytest.approx(0.0, abs=1e-12)
    assert middle[1] > 0
    assert view.pixels(np.array([0.0]), np.array([2.0]), np.array([0.4]))[0] == pytest.approx(
        [159.5, 119.5]
    )
    assert np.allclose(view.point(0.1, 2.0), [2 * np.sin(0.1), 2 * np.cos(0.1)])


LENSES = {
    "plumb_bob": [-0.25, 0.08, 0.001, -0.0005, 0.01],
    "rational_polynomial": [0.2, -0.1, 0.0005, 0.001, 0.02, 0.4, -0.05, 0.01],
    "equidistant": [-0.02, 0.005, -0.001, 0.0002],
}


@pytest.mark.parametrize("model", LENSES)
def test_distortion_is_undone(model):
    ideal = CameraModel.from_hfov(320, 240, np.radians(60))
    camera = CameraModel(320, 240, ideal.matrix, np.array(LENSES[model]), model)
    u, v = np.meshgrid(np.arange(0, 320, 20.0), np.arange(0, 240, 20.0))
    pixels = np.stack([u, v], -1)
    flat = normalised_from_pixels(camera, pixels)
    assert np.allclose(pixels_from_normalised(camera, flat), pixels, atol=1e-6)
    assert np.max(np.abs(flat - normalised_from_pixels(ideal, pixels))) > 1e-3


def test_distortion_agrees_with_opencv():
    cv2 = pytest.importorskip("cv2")
    ideal = CameraModel.from_hfov(320, 240, np.radians(60))
    points = np.random.default_rng(1).uniform(-0.5, 0.5, (50, 2))
    space = np.concatenate([points, np.ones((50, 1))], 1)
    for model in ("plumb_bob", "rational_polynomial"):
        coefficients = np.array(LENSES[model])
        camera = CameraModel(320, 240, ideal.matrix, coefficients, model)
        theirs, _ = cv2.projectPoints(space, np.zeros(3), np.zeros(3), ideal.matrix, coefficients)
        assert np.allclose(pixels_from_normalised(camera, points), theirs[:, 0], atol=1e-9)


def test_unusable_lens_is_named():
    with pytest.raises(LensError, match="uncalibrated"):
        check_lens(CameraModel(320, 240, np.zeros((3, 3))))
    ideal = CameraModel.from_hfov(320, 240, 1.0)
    strange = CameraModel(320, 240, ideal.matrix, np.ones(5), "barrel")
    with pytest.raises(LensError, match="barrel"):
        check_lens(strange)
