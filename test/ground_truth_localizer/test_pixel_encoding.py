"""Images whose values are sRGB-encoded, as Gazebo's and most cameras' are."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
import yaml
from synthetic_camera import Scene, render, station_view, thesis_camera

from ground_truth_localizer.orientation_estimator import OrientationEstimator
from ground_truth_localizer.orientation_parameters import OrientationParameters
from ground_truth_localizer.pixel_encoding import decoded
from ground_truth_localizer.target_state import TargetState
from spatial_types.angles import wrap_scalar
from spatial_types.parameters import from_mapping

CAMERA = thesis_camera()


def encoded(pixels):
    light = pixels / 255.0
    value = np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)
    return np.rint(255.0 * value).astype(np.uint8)


def test_decoding_undoes_encoding() -> None:
    values = np.arange(256, dtype=np.uint8)
    assert np.abs(decoded(encoded(values)).astype(int) - values).max() <= 1
    assert decoded(np.array([0, 188, 255])).tolist() == [0, 128, 255]


def yaw_errors(encoding: str) -> np.ndarray:
    """Estimate encoded images without noise of 12 targets 2.9 m away; degrees."""
    parameters = from_mapping(OrientationParameters, {"model": {"encoding": encoding}})
    estimator = OrientationEstimator(parameters)
    rng = np.random.default_rng(5)
    errors = []
    for yaw in np.linspace(-3.0, 3.0, 12):
        scene = Scene(position=(1.5, 2.5), yaw=yaw, samples=5, noise=0.0)
        view = station_view(scene.position, rng)
        frame = render(scene, CAMERA, view, rng)
        frame = dataclasses.replace(frame, pixels=encoded(frame.pixels))
        covariance = np.diag([1e-5, 1e-5, 1e-6, 1e-6])
        state = TargetState(0, np.array(scene.position), np.zeros(2), covariance, True)
        result = estimator.update(frame, CAMERA, view, state)
        errors.append(np.degrees(abs(wrap_scalar(result.yaw - yaw))))
    return np.array(errors)


def test_encoded_images_are_read_right_when_told() -> None:
    told, untold = yaw_errors("srgb"), yaw_errors("linear")
    assert told.mean() < 0.3
    assert np.sqrt(np.mean(untold**2)) > 1.5 * np.sqrt(np.mean(told**2))


def test_an_unknown_encoding_is_refused() -> None:
    with pytest.raises(ValueError, match="encoding"):
        from_mapping(OrientationParameters, {"model": {"encoding": "log"}})


def test_the_file_for_gazebo_tells_srgb_and_nothing_else() -> None:
    file = Path(__file__).parents[2] / "config" / "orientation_estimator_gz.yaml"
    values = yaml.safe_load(file.read_text())["orientation_estimator"]["ros__parameters"]
    parameters = from_mapping(OrientationParameters, values)
    untouched = OrientationParameters()
    assert parameters.model.encoding == "srgb"
    model = dataclasses.replace(parameters.model, encoding=untouched.model.encoding)
    assert dataclasses.replace(parameters, model=model) == untouched
