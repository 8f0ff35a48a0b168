"""Draws what the orientation estimator found into a copy of the image."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from ground_truth_localizer.cylinder_projection import (
    CylinderParameters,
    View,
    half_width,
    offset_from_surface,
    surface_distance,
    visible_limit,
)
from ground_truth_localizer.marker_pattern import MarkerPattern
from ground_truth_localizer.orientation_result import OrientationResult

SCALE = 2
GOOD, BAD = (60, 230, 60), (240, 70, 50)


def draw_result(
    pixels: NDArray[np.uint8],
    result: OrientationResult,
    cylinder: CylinderParameters,
    pattern: MarkerPattern,
) -> NDArray[np.uint8]:
    """Return the image (2H, 2W, 3) with silhouette, markers' centres, yaw and quality."""
    canvas: NDArray[np.uint8] = pixels.repeat(SCALE, axis=0).repeat(SCALE, axis=1)
    colour = GOOD if result.good else BAD
    if result.view is not None and np.isfinite(result.bearing):
        _draw_target(canvas, result, result.view, cylinder, pattern, colour)
    text = f"yaw {np.degrees(result.yaw):.1f} deg" if np.isfinite(result.yaw) else "no yaw"
    if np.isfinite(result.yaw_variance):
        text += f" +- {np.degrees(np.sqrt(result.yaw_variance)):.2f}"
    for row, line in enumerate((text, result.reason)):
        cv2.putText(
            canvas, line, (6, 18 + 18 * row), cv2.FONT_HERSHEY_SIMPLEX, 0.5, colour, 1, cv2.LINE_AA
        )
    return canvas


def _draw_target(
    canvas: NDArray[np.uint8],
    result: OrientationResult,
    view: View,
    cylinder: CylinderParameters,
    pattern: MarkerPattern,
    colour: tuple[int, int, int],
) -> None:
    distance = result.distance if np.isfinite(result.distance) else view.distance
    ratio = min(cylinder.radius / distance, 0.95)
    axis = view.bearing - result.bearing
    reach = half_width(ratio)
    heights = np.array([cylinder.bottom, cylinder.top])
    for offset, thickness in ((axis - reach, 1), (axis + reach, 1), (axis, 1)):
        ends = view.pixels(np.full(2, offset), np.full(2, distance), heights)
        _line(canvas, ends, colour, thickness)
    turns = result.yaw + pattern.centres - result.bearing - np.pi
    turns = (turns + np.pi) % (2.0 * np.pi) - np.pi
    for turn, name in zip(turns, pattern.names, strict=True):
        if abs(turn) < 0.95 * visible_limit(ratio):
            offset = float(offset_from_surface(turn, ratio)) + axis
            far = surface_distance(turn, ratio, distance)
            ends = view.pixels(
                np.full(2, offset),
                np.full(2, far),
                np.array([cylinder.marker_bottom, cylinder.marker_top]),
            )
            if not np.all(np.isfinite(ends)):
                continue
            _line(canvas, ends, (20, 20, 20), 1)
            place = _point(ends[1])
            cv2.putText(canvas, name, place, cv2.FONT_HERSHEY_SIMPLEX, 0.3, (20, 20, 20), 1)


def _line(
    canvas: NDArray[np.uint8],
    ends: NDArray[np.float64],
    colour: tuple[int, int, int],
    thickness: int,
) -> None:
    if np.all(np.isfinite(ends)):
        cv2.line(canvas, _point(ends[0]), _point(ends[1]), colour, thickness, cv2.LINE_AA)


def _point(pixel: NDArray[np.float64]) -> tuple[int, int]:
    x, y = np.clip((pixel + 0.5) * SCALE, -1e4, 1e4)
    return round(float(x)), round(float(y))
