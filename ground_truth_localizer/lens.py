"""Pixels to rays and back, for the lens models of sensor_msgs/CameraInfo.

Models: `plumb_bob` (k1 k2 p1 p2 k3), `rational_polynomial` (k1 k2 p1 p2 k3 k4 k5 k6) and
`equidistant` (k1 k2 k3 k4, Kannala and Brandt 2006). Normalised coordinates are x / z and y / z of
the optical frame (REP 103).
"""

from __future__ import annotations

from math import isfinite

import numpy as np
from numpy.typing import NDArray

from spatial_types.camera import CameraModel

Array = NDArray[np.float64]
MODELS = ("plumb_bob", "rational_polynomial", "equidistant")
ITERATIONS = 40


class LensError(ValueError):
    """The camera's intrinsics cannot be used; the text says which field and why."""


def check_lens(camera: CameraModel) -> None:
    """Raise LensError where the camera is uncalibrated or its distortion model is unknown."""
    numbers = camera.matrix.ravel().tolist()
    if not (all(map(isfinite, numbers)) and min(numbers[0], numbers[4]) > 0.0):
        raise LensError(
            f"CameraInfo.k = {numbers}: expected positive focal lengths "
            "(all zeros means an uncalibrated camera)"
        )
    if camera.has_distortion and camera.distortion_model not in MODELS:
        raise LensError(
            f"CameraInfo.distortion_model = '{camera.distortion_model}': "
            f"expected one of {', '.join(MODELS)}"
        )


def pixels_from_normalised(camera: CameraModel, points: Array) -> Array:
    """Project normalised points (..., 2) to pixels (..., 2), distortion applied."""
    bent = distort(camera, points) if camera.has_distortion else points
    fx, skew, cx = camera.matrix[0]
    x, y = bent[..., 0], bent[..., 1]
    return np.stack([fx * x + skew * y + cx, camera.matrix[1, 1] * y + camera.matrix[1, 2]], -1)


def normalised_from_pixels(camera: CameraModel, pixels: Array) -> Array:
    """Return normalised points (..., 2) of pixels (..., 2), distortion undone."""
    fx, skew, cx = camera.matrix[0]
    y = (pixels[..., 1] - camera.matrix[1, 2]) / camera.matrix[1, 1]
    x = (pixels[..., 0] - cx - skew * y) / fx
    bent = np.stack([x, y], -1)
    return _undistort(camera, bent) if camera.has_distortion else bent


def distort(camera: CameraModel, points: Array) -> Array:
    """Bend ideal normalised points (..., 2) as the lens does."""
    coefficients = np.zeros(8)
    given = np.asarray(camera.distortion, dtype=float)[:8]
    coefficients[: len(given)] = given
    if camera.distortion_model == "equidistant":
        return _distort_equidistant(coefficients, points)
    k1, k2, p1, p2, k3, k4, k5, k6 = coefficients
    x, y = points[..., 0], points[..., 1]
    r2 = x * x + y * y
    radial = 1.0 + r2 * (k1 + r2 * (k2 + r2 * k3))
    if camera.distortion_model == "rational_polynomial":
        radial = radial / (1.0 + r2 * (k4 + r2 * (k5 + r2 * k6)))
    return np.stack(
        [
            x * radial + 2.0 * p1 * x * y + p2 * (r2 + 2.0 * x * x),
            y * radial + p1 * (r2 + 2.0 * y * y) + 2.0 * p2 * x * y,
        ],
        -1,
    )


def _distort_equidistant(coefficients: Array, points: Array) -> Array:
    k1, k2, k3, k4 = coefficients[:4]
    radius = np.hypot(points[..., 0], points[..., 1])
    angle = np.arctan(radius)
    a2 = angle * angle
    bent = angle * (1.0 + a2 * (k1 + a2 * (k2 + a2 * (k3 + a2 * k4))))
    scale = np.where(radius > 1e-9, bent / np.maximum(radius, 1e-9), 1.0)
    return points * scale[..., None]


def _undistort(camera: CameraModel, bent: Array) -> Array:
    """Invert `distort`: by fixed-point iteration, or for fish-eyes by Newton's on the angle."""
    if camera.distortion_model == "equidistant":
        return _undistort_equidistant(np.asarray(camera.distortion, dtype=float)[:4], bent)
    points = bent.copy()
    for _ in range(ITERATIONS):
        error = bent - distort(camera, points)
        points = points + error
        if np.max(np.abs(error), initial=0.0) < 1e-11:
            break
    return points


def _undistort_equidistant(coefficients: Array, bent: Array) -> Array:
    k1, k2, k3, k4 = np.concatenate([coefficients, np.zeros(4 - len(coefficients))])
    radius = np.hypot(bent[..., 0], bent[..., 1])
    angle = radius.copy()
    for _ in range(ITERATIONS):
        a2 = angle * angle
        value = angle * (1.0 + a2 * (k1 + a2 * (k2 + a2 * (k3 + a2 * k4))))
        slope = 1.0 + a2 * (3.0 * k1 + a2 * (5.0 * k2 + a2 * (7.0 * k3 + a2 * 9.0 * k4)))
        angle = np.clip(angle - (value - radius) / slope, 0.0, 1.5)
    scale = np.where(radius > 1e-9, np.tan(angle) / np.maximum(radius, 1e-9), 1.0)
    return bent * scale[..., None]
