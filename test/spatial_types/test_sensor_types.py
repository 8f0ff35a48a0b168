import numpy as np

from spatial_types.camera import CameraModel
from spatial_types.scan import Scan


def test_hits_are_the_ranges_the_sensor_vouches_for():
    ranges = np.array([np.nan, np.inf, -np.inf, 0.0, 0.05, 0.1, 5.0, 10.0, 10.1, -1.0])
    scan = Scan(0, "lrf", 0.0, 0.1, 0.0, 0.1, 0.1, 10.0, ranges)
    assert scan.hits.tolist() == [False] * 5 + [True, True, True, False, False]


def test_clockwise_sensor_has_falling_angles():
    scan = Scan(0, "lrf", 1.0, -0.5, 0.0, 0.1, 0.1, 10.0, np.ones(3))
    assert np.allclose(scan.angles, [1.0, 0.5, 0.0])


def test_field_of_view_spans_the_pixels():
    model = CameraModel.from_hfov(320, 240, np.radians(45.0))
    left = np.linalg.inv(model.matrix) @ [-0.5, 119.5, 1.0]
    assert np.isclose(np.degrees(np.arctan(-left[0])), 22.5)
    assert np.isclose(left[1], 0.0)
