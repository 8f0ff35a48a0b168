"""What an eye or a camera sees, told by its edges; asymmetric where a headset sees farther out.

A frustum is told by the tangents of its four edges, as OpenVR's GetProjectionRaw does, or by the
intrinsics that a CameraInfo carries: one is the other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from spatial_types.camera import CameraModel
from spatial_types.transforms import Array


@dataclass(frozen=True)
class Frustum:
    """Tangents of the angles from straight ahead to each edge, positive where it opens."""

    left: float
    right: float
    up: float
    down: float

    def __post_init__(self) -> None:
        """Refuse a frustum that encloses nothing (ValueError)."""
        edges = np.array([self.left, self.right, self.up, self.down])
        if not np.all(np.isfinite(edges)) or min(self.width, self.height) <= 0.0:
            raise ValueError(f"{self} encloses nothing: expected left > -right and up > -down")

    @property
    def width(self) -> float:
        """Extent across, at distance 1."""
        return self.left + self.right

    @property
    def height(self) -> float:
        """Extent from bottom to top, at distance 1."""
        return self.up + self.down

    @staticmethod
    def from_openvr(left: float, right: float, top: float, bottom: float) -> Frustum:
        """Build from GetProjectionRaw: left and top are negative (its y points down)."""
        up, down = (-top, bottom) if top < bottom else (top, -bottom)
        return Frustum(-left, right, up, down)

    @staticmethod
    def from_camera(model: CameraModel) -> Frustum:
        """Build from intrinsics; the image spans -0.5 to size - 0.5 in pixel coordinates."""
        (fx, _, cx), (_, fy, cy), _ = model.matrix
        return Frustum(
            (cx + 0.5) / fx,
            (model.width - 0.5 - cx) / fx,
            (cy + 0.5) / fy,
            (model.height - 0.5 - cy) / fy,
        )

    def camera(self, width: int, height: int) -> CameraModel:
        """Return the intrinsics of an image (px) that shows exactly this frustum."""
        fx, fy = width / self.width, height / self.height
        cx, cy = fx * self.left - 0.5, fy * self.up - 0.5
        return CameraModel(width, height, np.array([[fx, 0.0, cx], [0.0, fy, cy], [0.0, 0.0, 1.0]]))

    def projection(self, near: float, far: float) -> Array:
        """Return the projection matrix (4, 4) of OpenGL and WebXR: y up, looking along -z."""
        depth = far - near
        return np.array(
            [
                [2.0 / self.width, 0.0, (self.right - self.left) / self.width, 0.0],
                [0.0, 2.0 / self.height, (self.up - self.down) / self.height, 0.0],
                [0.0, 0.0, -(far + near) / depth, -2.0 * far * near / depth],
                [0.0, 0.0, -1.0, 0.0],
            ]
        )

    @staticmethod
    def from_projection(matrix: Array) -> Frustum:
        """Build from such a matrix (4, 4); ValueError where it encloses nothing."""
        (a, _, c, _), (_, b, d, _), *_ = np.asarray(matrix, dtype=float)
        if a == 0.0 or b == 0.0:
            raise ValueError("projection matrix without a scale: expected OpenGL's perspective")
        return Frustum((1.0 - c) / a, (1.0 + c) / a, (1.0 + d) / b, (1.0 - d) / b)
