"""Texture ranges and side-by-side images."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spatial_types.camera import CameraModel
from vr_view.stereo.side_by_side import ARRANGEMENTS, split
from vr_view.stereo.uv import THESIS_RANGE, UvRange, cropped, cropped_model


def picture(height, width):
    return np.random.default_rng(3).integers(1, 256, (height, width, 3), dtype=np.uint8)


def test_whole_range_is_the_image():
    image = picture(20, 30)
    np.testing.assert_array_equal(cropped(image, UvRange()), image)


def test_thesis_range_adds_an_empty_edge():
    image = picture(20, 30)
    shown = cropped(image, UvRange.square(*THESIS_RANGE))
    assert shown.shape == (28, 42, 3)
    np.testing.assert_array_equal(shown[4:24, 6:36], image)
    assert shown.sum() == image.sum()


def test_crop_keeps_the_middle():
    image = picture(20, 30)
    np.testing.assert_array_equal(cropped(image, UvRange.square(0.2, 0.8)), image[4:16, 6:24])


@pytest.mark.parametrize("ends", [(1.0, 0.0), (0.5, 0.5), (float("nan"), 1.0), (-50.0, 50.0)])
def test_no_range(ends):
    with pytest.raises(ValueError, match="texture range"):
        UvRange.square(*ends)


@given(st.floats(-1.0, 0.4), st.floats(0.6, 2.0), st.floats(-0.5, 0.5), st.floats(-0.5, 0.5))
def test_a_ray_keeps_its_pixel(low, high, x, y):
    image = picture(48, 64)
    model = CameraModel.from_hfov(64, 48, 1.0)
    uv = UvRange(low, high, low, high)
    shown, moved = cropped(image, uv), cropped_model(model, uv)
    assert shown.shape == (moved.height, moved.width, 3)
    x, y = x + 1e-4, y + 1e-4  # off the edges of pixels
    u, v = np.floor((model.matrix @ [x, y, 1.0])[:2] + 0.5).astype(int)
    a, b = np.floor((moved.matrix @ [x, y, 1.0])[:2] + 0.5).astype(int)
    if 0 <= u < 64 and 0 <= v < 48 and 0 <= a < moved.width and 0 <= b < moved.height:
        np.testing.assert_array_equal(shown[b, a], image[v, u])


@pytest.mark.parametrize("arrangement", ARRANGEMENTS)
def test_each_eye_gets_its_half(arrangement):
    """V9: never the whole image in one eye."""
    left, right = picture(12, 16), 255 - picture(12, 16)
    first, second = (left, right) if arrangement in ("left_right", "top_bottom") else (right, left)
    axis = 1 if arrangement in ("left_right", "right_left") else 0
    pictures = split(np.concatenate([first, second], axis=axis), arrangement)
    np.testing.assert_array_equal(pictures.left, left)
    np.testing.assert_array_equal(pictures.right, right)
    assert pictures.aspect == pytest.approx(16 / 12)


def test_squeezed_halves_are_shown_in_their_own_shape():
    """V9: two pictures of 4:3 squeezed into one of 4:3 are not shown squashed."""
    beside = split(picture(48, 64), "left_right", squeezed=True)
    assert beside.left.shape[:2] == (48, 32)
    assert beside.aspect == pytest.approx(4 / 3)
    above = split(picture(48, 64), "top_bottom", squeezed=True)
    assert above.aspect == pytest.approx(4 / 3)


def test_no_middle():
    with pytest.raises(ValueError, match="even width"):
        split(picture(12, 15))
    with pytest.raises(ValueError, match="even height"):
        split(picture(13, 16), "top_bottom")
    with pytest.raises(ValueError, match="arrangement 'both'"):
        split(picture(12, 16), "both")
