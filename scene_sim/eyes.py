"""Draws what the two eyes of a person in the scene see.

Both eyes are one picture to OpenGL, so the scene and its shadows are set up once for the two. An
eye's frustum need not be symmetric: headsets see farther out than in.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from scene_sim.camera import Painter
from scene_sim.mjcf_geometry import HAND_GROUP
from scene_sim.physics import Snapshot
from spatial_types.frustum import Frustum
from spatial_types.transforms import Transform

Image = NDArray[np.uint8]


@dataclass(frozen=True)
class EyeView:
    """Where an eye is and what it covers; the eye looks along its x axis, y left, z up."""

    map_from_eye: Transform
    frustum: Frustum


@dataclass(frozen=True)
class EyeQuality:
    """How the eyes' pictures are drawn: size of each in pixels, shadows, samples per pixel."""

    width: int = 640
    height: int = 480
    shadows: bool = False
    samples: int = 1


class EyePainter(Painter):
    """Draws both eyes at once. Use it on one thread only."""

    def __init__(self, model: mujoco.MjModel, quality: EyeQuality) -> None:
        """Raise gl_backend.RenderingError where this machine cannot draw."""
        own = copy.copy(model)  # the eyes' buffer and samples are their own
        own.vis.global_.offwidth, own.vis.global_.offheight = 2 * quality.width, quality.height
        own.vis.quality.offsamples = quality.samples if quality.samples > 1 else 0
        super().__init__(own, quality.shadows)
        self._quality = quality
        self._option.geomgroup[HAND_GROUP] = 1
        self._scene.stereo = mujoco.mjtStereo.mjSTEREO_SIDEBYSIDE
        self._anywhere = mujoco.MjvCamera()

    def draw_pair(self, left: EyeView, right: EyeView, snapshot: Snapshot) -> tuple[Image, Image]:
        """Return what the left and the right eye see, (H, W, 3) RGB each."""
        self._set_up(self._anywhere, snapshot)
        for camera, view in zip(self._scene.camera, (left, right), strict=True):
            _aim(camera, view)
        width = self._quality.width
        both = self._take(2 * width, self._quality.height)
        return np.ascontiguousarray(both[:, :width]), np.ascontiguousarray(both[:, width:])


def _aim(camera: mujoco.MjvGLCamera, view: EyeView) -> None:
    ahead, _, up = view.map_from_eye.rotation.T
    camera.pos, camera.forward, camera.up = view.map_from_eye.translation, ahead, up
    near, frustum = camera.frustum_near, view.frustum
    camera.frustum_center = 0.5 * near * (frustum.right - frustum.left)
    camera.frustum_width = 0.5 * near * (frustum.right + frustum.left)
    camera.frustum_top, camera.frustum_bottom = near * frustum.up, -near * frustum.down
