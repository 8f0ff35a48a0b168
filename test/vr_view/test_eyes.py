"""Eyes: left is left, and each may have its own image."""

import numpy as np

from spatial_types.camera import CameraModel
from spatial_types.transforms import Transform
from vr_view.viewpoints.eyes import BODY_FROM_OPTICAL, EyeOptions, Eyes


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


def test_each_eye_may_have_its_own_image():
    left, right = CameraModel.from_hfov(640, 480, 1.0), CameraModel.from_hfov(320, 240, 1.2)
    eyes = Eyes(0.06, left, right)
    assert eyes.camera("left") is left
    assert eyes.camera("right") is right
