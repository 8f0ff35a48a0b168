"""A vertical cylinder seen by a pinhole camera of any pose: exact, in angles rather than pixels.

Every ray has an azimuth on the floor plane. Against the bearing of the cylinder's axis, that
azimuth alone decides whether the ray meets a vertical cylinder and at which surface angle, whatever
the camera's height or tilt. Angles here count positive to the *right* as the camera sees it, and
the surface angle is zero where the surface faces the camera:

    sin(incidence) = sin(offset) / ratio,  surface = incidence - offset,  ratio = radius / distance
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import acos, asin, atan2, hypot

import numpy as np
from numpy.typing import NDArray

from ground_truth_localizer.lens import check_lens, normalised_from_pixels, pixels_from_normalised
from spatial_types.angles import wrap_scalar
from spatial_types.camera import CameraModel
from spatial_types.parameters import ParameterError, parameter
from spatial_types.transforms import Transform

Array = NDArray[np.float64]


@dataclass(frozen=True)
class CylinderParameters:
    """The white cylinder and the height of its ring of markers."""

    radius: float = parameter(0.10, "radius of the target", unit="m", minimum=0.005, maximum=2.0)
    bottom: float = parameter(0.19, "height of the target's lower end above the floor", unit="m")
    top: float = parameter(0.55, "height of the target's upper end above the floor", unit="m")
    marker_centre: float = parameter(
        0.37, "height of the markers' centres above the floor", unit="m"
    )
    marker_height: float = parameter(0.06, "height of the markers", unit="m", minimum=0.001)

    def check(self) -> None:
        """Refuse markers that reach beyond the cylinder."""
        if not self.bottom < self.marker_bottom < self.marker_top < self.top:
            raise ParameterError(
                f"bottom {self.bottom}, marker_centre {self.marker_centre}, marker_height "
                f"{self.marker_height}, top {self.top}: expected the markers between the ends"
            )

    @property
    def marker_bottom(self) -> float:
        """Height of the markers' lower edge, m."""
        return self.marker_centre - self.marker_height / 2.0

    @property
    def marker_top(self) -> float:
        """Height of the markers' upper edge, m."""
        return self.marker_centre + self.marker_height / 2.0


def surface_from_offset(offset: Array, ratio: float) -> Array:
    """Surface angle seen at `offset` right of the axis; NaN where the ray misses. Radians."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.arcsin(np.sin(offset) / ratio) - offset)


def offset_from_surface(surface: Array, ratio: float) -> Array:
    """Angle right of the axis at which a visible `surface` angle appears. Radians."""
    return np.arctan2(ratio * np.sin(surface), 1.0 - ratio * np.cos(surface))


def visible_limit(ratio: float) -> float:
    """Largest surface angle that the camera sees: the tangent's, acos(radius / distance)."""
    return acos(ratio)


def half_width(ratio: float) -> float:
    """Angle between the axis and a tangent: asin(radius / distance)."""
    return asin(ratio)


@dataclass(frozen=True)
class View:
    """A camera at a known pose looking at a point of the floor plane.

    `bearing` is the azimuth (map, counter-clockwise from x) that offsets are counted from and
    `distance` the horizontal distance of the expected axis, m.
    """

    camera: CameraModel
    map_from_camera: Transform
    bearing: float
    distance: float

    @staticmethod
    def towards(camera: CameraModel, map_from_camera: Transform, point: Array) -> View:
        """Look at a point (2,) of the floor plane; LensError for an unusable camera."""
        check_lens(camera)
        (px, py), (ox, oy) = point[:2].tolist(), map_from_camera.translation[:2].tolist()
        return View(camera, map_from_camera, atan2(py - oy, px - ox), hypot(px - ox, py - oy))

    @cached_property
    def level(self) -> bool:
        """True where a pixel's azimuth depends on its column alone: upright, no distortion."""
        skew = abs(float(self.camera.matrix[0, 1]))
        lean = max(abs(value) for value in self.map_from_camera.rotation[:2, 1].tolist())
        return bool(lean < 1e-4 and skew < 1e-9 and not self.camera.has_distortion)

    @cached_property
    def level_sign(self) -> float:
        """1 for a level camera with its top up, -1 with its top down."""
        return 1.0 if self.map_from_camera.rotation[2, 1] < 0.0 else -1.0

    @cached_property
    def level_turn(self) -> float:
        """Offset of a level camera's optical axis, rad."""
        x, y = self.map_from_camera.rotation[:2, 2].tolist()
        return wrap_scalar(self.bearing - atan2(y, x))

    @property
    def level_borders(self) -> Array:
        """Offsets (W + 1,) of the borders of a level camera's columns."""
        fx, _, cx = self.camera.matrix[0].tolist()
        return self.level_turn + self.level_sign * _border_angles(self.camera.width, fx, cx)

    def point(self, offset: float, distance: float) -> Array:
        """Point (2,) of the floor plane at an offset right of the bearing and a distance."""
        azimuth = self.bearing - offset
        away = distance * np.array([np.cos(azimuth), np.sin(azimuth)])
        return np.asarray(self.map_from_camera.translation[:2] + away)

    def offsets(self, pixels: Array) -> Array:
        """Angles right of the bearing of the rays through pixels (..., 2)."""
        flat = normalised_from_pixels(self.camera, pixels)
        rotation = self.map_from_camera.rotation
        x = flat @ rotation[0, :2] + rotation[0, 2]
        y = flat @ rotation[1, :2] + rotation[1, 2]
        c, s = np.cos(self.bearing), np.sin(self.bearing)
        return np.asarray(np.arctan2(s * x - c * y, c * x + s * y))

    def pixels(self, offsets: Array, distances: Array, heights: Array) -> Array:
        """Pixels (..., 2) of points at offsets, horizontal distances and heights above the floor.

        NaN for points behind the camera.
        """
        azimuth = self.bearing - offsets
        origin = self.map_from_camera.translation
        away = np.stack(
            np.broadcast_arrays(
                distances * np.cos(azimuth), distances * np.sin(azimuth), heights - origin[2]
            ),
            -1,
        )
        seen = away @ self.map_from_camera.rotation
        depth = np.where(seen[..., 2:] > 1e-6, seen[..., 2:], np.nan)
        return pixels_from_normalised(self.camera, seen[..., :2] / depth)


@lru_cache(maxsize=8)
def _border_angles(width: int, focal: float, centre: float) -> Array:
    """Angles (W + 1,) right of the optical axis of a level camera's column borders."""
    angles = np.arctan((np.arange(width + 1) - 0.5 - centre) / focal)
    angles.flags.writeable = False
    return angles


def surface_distance(surface: Array, ratio: float, distance: float) -> Array:
    """Horizontal distance from the camera to the surface at a surface angle, m."""
    return distance * np.hypot(ratio * np.sin(surface), 1.0 - ratio * np.cos(surface))
