"""`method: thesis`: the orientation as Moura (IPB 2020, section 4.2.2) computes it.

A pixel belongs to the target where red, green and blue are equal (within `white_tolerance`, 0 in
the thesis) and at least `threshold`. The image's central column is scanned from above and from
below, the row at a quarter of the height found from both sides; that gives the radius r in pixels.
On the row at half height, x is the distance from the fixed point, 0.518 r left of the centre, to
the centre of the next marker on its right, and

    theta = arccos((2 r^2 - x^2) / (2 r^2)),   yaw = theta - 30 deg - marker's angle + beta.

x is taken for a chord of the circle though the image is a projection, so the formula itself is off
by up to 3 degrees, besides the whole pixels. `projection: exact` keeps the thesis's pixels and
replaces the formula by the exact projection. The thesis's zero is the blue marker facing the
camera when beta = 0; ours is its normal along +x, which is half a turn away.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ground_truth_localizer.cylinder_projection import View, surface_from_offset
from ground_truth_localizer.marker_pattern import MarkerPattern
from ground_truth_localizer.orientation_parameters import OrientationParameters
from ground_truth_localizer.orientation_result import OrientationResult
from ground_truth_localizer.target_state import TargetState
from spatial_types.angles import wrap_scalar
from spatial_types.camera import CameraFrame

Array = NDArray[np.float64]
FIXED_POINT = float(np.sqrt(2.0 * (1.0 - np.cos(np.radians(30.0)))))  # 0.518, equation 4.9
# A pixel whose channels differ by at least this share of the brightest one has a colour.
COLOURED = 0.25


@dataclass(frozen=True)
class Outline:
    """The target in whole pixels: rows `top` to `bottom`, columns `left` to `right`, inclusive."""

    top: int
    bottom: int
    left: int
    right: int

    @property
    def radius(self) -> float:
        """Half the width, pixels."""
        return (self.right - self.left + 1) / 2.0

    @property
    def centre(self) -> float:
        """Column of the axis."""
        return (self.right + self.left) / 2.0

    @property
    def middle_row(self) -> int:
        """Row through the markers: half the height."""
        return (self.top + self.bottom) // 2


class ThesisMethod:
    """The thesis's column and row scans."""

    def __init__(self, parameters: OrientationParameters) -> None:
        self.settings = parameters.thesis
        self.radius = parameters.target.radius
        self.pattern = MarkerPattern(parameters.pattern)

    def update(self, frame: CameraFrame, view: View, target: TargetState) -> OrientationResult:
        """Read one image; whatever is found counts as good, as in the thesis."""
        outline = find_outline(frame.pixels, self.settings.threshold, self.settings.white_tolerance)
        if outline is None:
            return OrientationResult(frame.stamp, False, "no white pixels", view=view)
        found = self._next_marker(frame.pixels[outline.middle_row], outline)
        if found is None:
            return OrientationResult(
                frame.stamp, False, "no marker right of the fixed point", view=view
            )
        column, marker = found
        read = self._exact if self.settings.projection == "exact" else self._chord
        return OrientationResult(
            stamp=frame.stamp,
            good=True,
            reason="",
            yaw=wrap_scalar(read(view, outline, column, marker)),
            yaw_variance=float(np.radians(2.6) ** 2),
            origin=view.map_from_camera.translation[:2].copy(),
            bearing=view.bearing,
            view=view,
        )

    def _chord(self, view: View, outline: Outline, column: float, marker: int) -> float:
        """Equation 4.7, the marker's constant, and beta."""
        r = outline.radius
        x = min(max(column - (outline.centre - FIXED_POINT * r), 0.0), 2.0 * r)
        theta = float(np.arccos((2.0 * r * r - x * x) / (2.0 * r * r)))
        constant = -np.radians(30.0) - self.pattern.centres[marker]
        return float(theta + constant + view.bearing + np.pi)

    def _exact(self, view: View, outline: Outline, column: float, marker: int) -> float:
        """The same three pixels through the exact projection."""
        row = outline.middle_row
        columns = np.array([outline.left - 0.5, outline.right + 0.5, column])
        left, right, seen = view.offsets(np.stack([columns, np.full(3, row)], -1))
        axis, ratio = (left + right) / 2.0, np.sin((right - left) / 2.0)
        limit = np.arcsin(ratio) * 0.999
        surface = float(surface_from_offset(np.clip(seen - axis, -limit, limit), ratio))
        return float(view.bearing - axis + np.pi + surface - self.pattern.centres[marker])

    def _next_marker(self, row: NDArray[np.uint8], outline: Outline) -> tuple[float, int] | None:
        """Centre column and index of the first marker whose centre is right of the fixed point."""
        line = row[outline.left : outline.right + 1].astype(float)
        coloured = np.ptp(line, axis=1) >= COLOURED * np.maximum(line.max(1), 1.0)
        fixed = outline.centre - FIXED_POINT * outline.radius
        cuts = np.flatnonzero(np.diff(coloured)) + 1
        for start, end in itertools.pairwise([0, *cuts, len(coloured)]):
            middle = (start + end - 1) / 2.0
            if coloured[start] and end - start > 1 and outline.left + middle >= fixed:
                return outline.left + middle, int(self._classify(line[[round(middle)]])[0])
        return None

    def _classify(self, colours: Array) -> NDArray[np.int64]:
        """Index of the marker whose colour points the same way in RGB (W,)."""
        known = self.pattern.colours / np.linalg.norm(self.pattern.colours, axis=1, keepdims=True)
        length = np.maximum(np.linalg.norm(colours, axis=1, keepdims=True), 1e-6)
        return np.asarray(np.argmax(colours / length @ known.T, axis=1))


def find_outline(pixels: NDArray[np.uint8], threshold: int, white_tolerance: int) -> Outline | None:
    """Scan the central column, then the row at a quarter of the height; None where nothing is."""
    width = pixels.shape[1]
    column = np.flatnonzero(is_white(pixels[:, width // 2], threshold, white_tolerance))
    if len(column) < 4:
        return None
    top, bottom = int(column[0]), int(column[-1])
    quarter = top + (bottom - top) // 4
    row = np.flatnonzero(is_white(pixels[quarter], threshold, white_tolerance))
    if len(row) < 4:
        return None
    return Outline(top, bottom, int(row[0]), int(row[-1]))


def is_white(pixels: NDArray[np.uint8], threshold: int, tolerance: int) -> NDArray[np.bool_]:
    """Which pixels (..., 3) have equal channels, none below the threshold."""
    low, high = pixels.min(-1), pixels.max(-1)
    return np.asarray((low >= threshold) & (high.astype(int) - low <= tolerance))
