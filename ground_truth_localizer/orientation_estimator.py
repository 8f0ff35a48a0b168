"""Yaw of the target, and the bearing of its axis, from one image.

The laser tells where to look and how wide the target is there; everything else comes from the
image. Both methods share one interface: `method: model` fits silhouette and markers
(`silhouette.py`, `orientation_model.py`), `method: thesis` repeats the thesis
(`thesis_orientation.py`).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from math import cos, degrees, sin, sqrt
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ground_truth_localizer.camera_turning import CameraTurning
from ground_truth_localizer.cylinder_projection import View
from ground_truth_localizer.image_strips import TargetStrips, cut_strips
from ground_truth_localizer.marker_pattern import MarkerPattern
from ground_truth_localizer.orientation_model import Axis, Profile, YawFit, YawFitter, make_profile
from ground_truth_localizer.orientation_parameters import OrientationParameters
from ground_truth_localizer.orientation_result import OrientationResult
from ground_truth_localizer.pixel_encoding import decoded
from ground_truth_localizer.silhouette import Silhouette, SilhouettePrior, fit_silhouette
from ground_truth_localizer.target_state import TargetState
from ground_truth_localizer.thesis_orientation import ThesisMethod
from spatial_types.angles import wrap_scalar
from spatial_types.camera import CameraFrame, CameraModel
from spatial_types.parameters import ParameterError
from spatial_types.transforms import Transform

Array = NDArray[np.float64]
# A silhouette that fits worse than the noise and `model_error` explain (clean ones: 0.2 to 0.5) is
# strained by a shadow: it moves the edges by this much (pixels) at one unit of misfit more.
STRAIN_FREE = 0.6
STRAIN = 0.15


class Method(Protocol):
    """One way to read the image."""

    def update(self, frame: CameraFrame, view: View, target: TargetState) -> OrientationResult:
        """Read one image; `target` is already carried to the image's stamp."""
        ...


class OrientationEstimator:
    """Chooses the method and keeps the bookkeeping that both share."""

    def __init__(self, parameters: OrientationParameters | None = None) -> None:
        self.parameters = parameters or OrientationParameters()
        methods: dict[str, Callable[[OrientationParameters], Method]] = {
            "model": ModelMethod,
            "thesis": ThesisMethod,
        }
        if self.parameters.method not in methods:
            raise ParameterError(f"method = '{self.parameters.method}': expected model or thesis")
        self._method = methods[self.parameters.method](self.parameters)
        self._turning = CameraTurning()

    def update(
        self,
        frame: CameraFrame,
        camera: CameraModel,
        map_from_camera: Transform,
        target: TargetState,
    ) -> OrientationResult:
        """Estimate yaw and bearing at the image's stamp.

        `map_from_camera` is the optical frame's pose at that stamp and `target` the laser's state
        of any nearby time. Never raises for what an image may hold; LensError for an unusable
        camera and ValueError for an image whose size is not the camera's.
        """
        turning = self.turning(frame.stamp, map_from_camera)
        return self.measure(frame, camera, map_from_camera, target, turning)

    def turning(self, stamp: int, map_from_camera: Transform) -> float:
        """Note where the camera looks at `stamp`; return how fast it has been turning (rad/s)."""
        return self._turning.update(stamp, map_from_camera)

    def measure(
        self,
        frame: CameraFrame,
        camera: CameraModel,
        map_from_camera: Transform,
        target: TargetState,
        turning: float,
    ) -> OrientationResult:
        """Estimate as `update` does, from this image alone: nothing is kept for the next one."""
        height, width = frame.pixels.shape[:2]
        if (width, height) != (camera.width, camera.height):
            raise ValueError(
                f"image is {width}x{height}: expected {camera.width}x{camera.height} as CameraInfo"
            )
        density = self.parameters.model.acceleration_density
        carried = target.at(frame.stamp, density)
        view = View.towards(camera, map_from_camera, carried.position)
        if view.distance < 1.05 * self.parameters.target.radius:
            return OrientationResult(frame.stamp, False, "camera inside the target")
        try:
            result = self._method.update(frame, view, carried)
        except (ValueError, ArithmeticError, np.linalg.LinAlgError) as error:
            return OrientationResult(frame.stamp, False, f"no solution ({error})", view=view)
        if result.good and not result.finite:
            return dataclasses.replace(result, good=False, reason="no solution (not finite)")
        return _less_sure(result, turning * self.parameters.model.pose_time_error)


def _less_sure(result: OrientationResult, sigma: float) -> OrientationResult:
    """Add the error (rad) of the camera's own direction to bearing and yaw."""
    if result.sight is None or sigma == 0.0:
        return result
    sight = result.sight.copy()
    sight[0, 0] += sigma**2
    return dataclasses.replace(result, sight=sight, yaw_variance=result.yaw_variance + sigma**2)


class ModelMethod:
    """`method: model`: silhouette, then markers."""

    def __init__(self, parameters: OrientationParameters) -> None:
        self.settings = parameters.model
        self.cylinder = parameters.target
        self.fitter = YawFitter(MarkerPattern(parameters.pattern))

    def update(self, frame: CameraFrame, view: View, target: TargetState) -> OrientationResult:
        """Cut the rows, find the axis by the silhouette, then the yaw by the markers."""
        prior = self._prior(view, target)
        pixel = 1.0 / float(view.camera.matrix[0, 0])
        across, along = prior.sigma.tolist()
        margin = self.settings.search * across + 6.0 * pixel
        slack = min(2.0 * along / float(prior.mean[1]), 0.2)
        try:
            pixels = frame.pixels if self.settings.encoding == "linear" else decoded(frame.pixels)
            strips = cut_strips(pixels, view, self.cylinder, margin, slack)
        except ValueError as error:
            return OrientationResult(frame.stamp, False, str(error), view=view)
        whites = (*strips.above, *strips.below)
        silhouette = fit_silhouette(
            whites,
            prior,
            self.settings.noise,
            self.settings.model_error,
            self.settings.edge_error * pixel,
        )
        if silhouette is None:
            return OrientationResult(frame.stamp, False, "no silhouette found", view=view)
        sight = self._sight(silhouette, pixel)
        axis = _posterior(silhouette, sight, prior, self.settings.marker_error * pixel)
        yaw = self._yaw(strips, axis)
        return self._result(frame.stamp, view, silhouette, sight, axis, yaw)

    def _prior(self, view: View, target: TargetState) -> SilhouettePrior:
        """What the laser says of (offset, ratio)."""
        c, s = cos(view.bearing), sin(view.bearing)
        (xx, xy), (_, yy) = target.covariance[:2, :2].tolist()
        floor = self.settings.search_floor**2
        along = c * c * xx + 2.0 * c * s * xy + s * s * yy + floor
        across = s * s * xx - 2.0 * c * s * xy + c * c * yy + floor
        ratio = self.cylinder.radius / view.distance
        return SilhouettePrior(
            np.array([0.0, ratio]),
            np.array([sqrt(across) / view.distance, ratio * sqrt(along) / view.distance]),
        )

    def _sight(self, silhouette: Silhouette, pixel: float) -> Array:
        """Covariance (2, 2) of (offset, ratio) from the image alone, systematic part included."""
        (a, b), (_, d) = silhouette.information.tolist()
        floor = (self.settings.edge_error * pixel) ** 2 / 2.0
        floor += (STRAIN * pixel) ** 2 * max(silhouette.misfit - STRAIN_FREE, 0.0)
        aa, ab, bb = inverse(a + 1e-6, b, d + 1e-6)
        return np.array([[aa + floor, ab], [ab, bb + floor]])

    def _yaw(self, strips: TargetStrips, axis: Axis) -> YawFit | None:
        """Fit the marker strips; with several (a tilted camera) the middle ones are joined."""
        if not strips.markers:
            return None
        above = strips.above[-1] if strips.above else None
        below = strips.below[0] if strips.below else None
        settings = self.settings
        profiles = [
            profile
            for strip in strips.markers
            if (
                profile := make_profile(
                    strip, above, below, axis, settings.noise, settings.shade_error
                )
            )
        ]
        if not profiles:
            return None
        return self.fitter.fit(_joined(profiles), axis)

    def _result(
        self,
        stamp: int,
        view: View,
        silhouette: Silhouette,
        sight: Array,
        axis: Axis,
        yaw: YawFit | None,
    ) -> OrientationResult:
        radius = self.cylinder.radius
        scale = -radius / silhouette.ratio**2
        (a, b), (_, d) = sight.tolist()
        if yaw is None:
            return OrientationResult(stamp, False, "markers not visible", view=view)
        reason = self._doubt(silhouette, yaw)
        bearing = view.bearing - silhouette.offset
        return OrientationResult(
            stamp=stamp,
            good=not reason,
            reason=reason,
            yaw=wrap_scalar(view.bearing - yaw.offset + np.pi + yaw.turn),
            yaw_variance=yaw.variance,
            origin=view.map_from_camera.translation[:2].copy(),
            bearing=wrap_scalar(bearing),
            distance=radius / silhouette.ratio,
            sight=np.array([[a, -scale * b], [-scale * b, scale * scale * d]]),
            yaw_by_bearing=1.0 - yaw.by_offset,
            edge_misfit=silhouette.misfit,
            yaw_misfit=yaw.misfit,
            margin=yaw.margin,
            view=view,
        )

    def _doubt(self, silhouette: Silhouette, yaw: YawFit) -> str:
        """Why the yaw should not be used; empty where it may."""
        settings = self.settings
        if silhouette.misfit > settings.edge_misfit:
            return f"silhouette fits badly ({silhouette.misfit:.1f})"
        if yaw.misfit > settings.yaw_misfit:
            return f"markers fit badly ({yaw.misfit:.1f})"
        if yaw.margin < settings.margin:
            return f"another direction fits as well (margin {yaw.margin:.2f})"
        sigma = degrees(sqrt(yaw.variance))
        if sigma > settings.largest_sigma:
            return f"yaw uncertain ({sigma:.1f} deg)"
        return ""


def _posterior(
    silhouette: Silhouette, sight: Array, prior: SilhouettePrior, edge_error: float
) -> Axis:
    """Best axis from the silhouette and the laser together (product of two Gaussians)."""
    (a, b), (_, d) = sight.tolist()
    a, b, d = inverse(a, b, d)
    first, second = (1.0 / (sigma * sigma) for sigma in prior.sigma.tolist())
    start, width = prior.mean.tolist()
    xx, xy, yy = inverse(a + first, b, d + second)
    g = a * silhouette.offset + b * silhouette.ratio + first * start
    h = b * silhouette.offset + d * silhouette.ratio + second * width
    return Axis(xx * g + xy * h, sqrt(xx), xy * g + yy * h, edge_error)


def inverse(a: float, b: float, d: float) -> tuple[float, float, float]:
    """Return the same three numbers of the inverse of the symmetric matrix ((a, b), (b, d))."""
    determinant = a * d - b * b
    return d / determinant, -b / determinant, a / determinant


def _joined(profiles: list[Profile]) -> Profile:
    """Stack the columns of several strips into one profile, from left to right."""
    if len(profiles) == 1:
        return profiles[0]
    names = [item.name for item in dataclasses.fields(Profile)]
    joined = Profile(*(np.concatenate([getattr(p, n) for p in profiles], -1) for n in names))
    return joined.only(np.argsort(joined.low + joined.high, kind="stable"))
