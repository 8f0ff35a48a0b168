"""Draws camera images with MuJoCo's renderer, from snapshots of the scene.

A `Painter` owns an OpenGL context and belongs to the thread that made it; it holds its own copy of
the scene's state, so it may draw while physics goes on. Images span pixel coordinates -0.5 to
width - 0.5 (pixel centres at integers), as spatial_types.CameraModel has it.
"""

from __future__ import annotations

import atexit
import os
import threading
import weakref
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from scene_sim.description.sensors import Camera, Sensor
from scene_sim.gl_backend import create_context
from scene_sim.image_reading import background_of, before_background, read_rgba, reduced
from scene_sim.mjcf_geometry import DRAWN_GROUPS, shadowless
from scene_sim.noise import NoiseTable, stream
from scene_sim.physics import Snapshot
from spatial_types.camera import CameraFrame, CameraModel

MAX_GEOMS = 5000
OPAQUE = 0.995  # from here on MuJoCo draws a colour as opaque


_drawing = threading.local()  # .context: the OpenGL context that is current on this thread
_open_painters: weakref.WeakSet[Painter] = weakref.WeakSet()
# OpenGL contexts of painters that were collected away from their process and thread, by these.
_left: dict[tuple[int, int], list[tuple[Any, Any]]] = {}


def _here() -> tuple[int, int]:
    return os.getpid(), threading.get_ident()


def _free(context: Any, renderer: Any) -> None:
    # MuJoCo frees by number in whatever context is current, which may be another's.
    context.make_current()
    renderer.free()
    context.free()
    _drawing.context = None


def _close_at_exit(painter: Painter) -> None:
    """Free OpenGL before MuJoCo shuts EGL down; its own clean-up comes too late and complains."""
    if not _open_painters:
        atexit.register(_close_all)
    _open_painters.add(painter)


def _close_all() -> None:
    for painter in list(_open_painters):
        painter.close()


class Painter:
    """Draws any of the model's cameras. Use it on one thread only."""

    def __init__(self, model: mujoco.MjModel, shadows: bool, supersampling: int = 1) -> None:
        """Raise gl_backend.RenderingError where this machine cannot draw."""
        self._home = _here()
        for remains in _left.pop(self._home, ()):
            _free(*remains)
        buffer = model.vis.global_
        self._renderer: Any = None
        self._context: Any = create_context(buffer.offwidth, buffer.offheight)
        _drawing.context = self._context
        self._model = model
        self._data = mujoco.MjData(model)
        self._factor = supersampling
        self._renderer = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_100)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, self._renderer)
        self._scene = mujoco.MjvScene(model, MAX_GEOMS)
        self._scene.flags[mujoco.mjtRndFlag.mjRND_SHADOW] = shadows
        self._scene.flags[mujoco.mjtRndFlag.mjRND_REFLECTION] = False
        self._option = mujoco.MjvOption()
        self._option.geomgroup[:] = 0
        self._option.geomgroup[list(DRAWN_GROUPS)] = 1
        self._option.sitegroup[:] = 0
        self._option.flags[:] = False  # no rays of sensors nor other aids of a viewer
        for wanted in (mujoco.mjtVisFlag.mjVIS_STATIC, mujoco.mjtVisFlag.mjVIS_TEXTURE):
            self._option.flags[wanted] = True
        self._background = background_of(model)
        # Where something is seen through, coverage does not tell what lies before the sky.
        self._opaque = bool((self._alphas(model) >= OPAQUE).all())
        self._shadowless = frozenset(shadowless(model)) if shadows else frozenset()
        self._view = mujoco.MjvCamera()
        self._view.type = mujoco.mjtCamera.mjCAMERA_FIXED
        _close_at_exit(self)

    @staticmethod
    def _alphas(model: mujoco.MjModel) -> NDArray[np.float32]:
        drawn = np.isin(model.geom_group, DRAWN_GROUPS)
        materials = model.geom_matid[drawn]
        own = model.geom_rgba[drawn, 3]
        return np.where(materials >= 0, model.mat_rgba[materials, 3], own) if model.nmat else own

    @property
    def samples(self) -> int:
        """Samples per pixel that the renderer really takes, supersampling included."""
        return max(1, self._renderer.offSamples) * self._factor

    def _make_current(self) -> None:
        """Take OpenGL over from another painter of this thread."""
        if getattr(_drawing, "context", None) is not self._context:
            self._context.make_current()
            _drawing.context = self._context

    def close(self) -> None:
        """Free the OpenGL objects; the painter draws no more."""
        context, self._context = self._context, None
        if context is not None:
            _free(context, self._renderer)

    def __del__(self) -> None:
        if getattr(self, "_renderer", None) is None or self._context is None:
            return
        if self._home == _here():
            self.close()
        else:  # garbage is collected anywhere, also in a fork; OpenGL's objects are only there
            _left.setdefault(self._home, []).append((self._context, self._renderer))

    def _cast_no_shadow(self) -> None:
        if self._shadowless:
            for geom in self._scene.geoms[: self._scene.ngeom]:
                if geom.objid in self._shadowless:
                    geom.category = mujoco.mjtCatBit.mjCAT_DECOR  # drawn alike, but casts none

    def draw(self, camera: int, snapshot: Snapshot, width: int, height: int) -> NDArray[np.uint8]:
        """Return the noiseless image (H, W, 3), RGB, of the camera with that MuJoCo id."""
        self._view.fixedcamid = camera
        return self._draw(self._view, snapshot, width, height)

    def draw_from(
        self, view: mujoco.MjvCamera, snapshot: Snapshot, width: int, height: int
    ) -> NDArray[np.uint8]:
        """Return an image as `draw`, seen from any viewpoint (pictures and animations)."""
        return self._draw(view, snapshot, width, height)

    def _draw(
        self, view: mujoco.MjvCamera, snapshot: Snapshot, width: int, height: int
    ) -> NDArray[np.uint8]:
        self._set_up(view, snapshot)
        for eye in self._scene.camera:
            # Without a width of its own the view would widen with the stretched picture.
            eye.frustum_width = 0.5 * (eye.frustum_top - eye.frustum_bottom) * width / height
        return self._take(width, height)

    def _set_up(self, view: mujoco.MjvCamera, snapshot: Snapshot) -> None:
        """Put everything where it was, as seen from a viewpoint."""
        self._make_current()
        self._data.qpos[:] = snapshot.qpos
        mujoco.mj_kinematics(self._model, self._data)
        mujoco.mj_comPos(self._model, self._data)
        mujoco.mj_camlight(self._model, self._data)
        mujoco.mjv_updateScene(
            self._model,
            self._data,
            self._option,
            None,
            view,
            mujoco.mjtCatBit.mjCAT_ALL,
            self._scene,
        )
        self._cast_no_shadow()

    def _take(self, width: int, height: int) -> NDArray[np.uint8]:
        """Draw what was set up and read it, (H, W, 3)."""
        self._scene.flags[mujoco.mjtRndFlag.mjRND_SKYBOX] = not self._opaque
        area = mujoco.MjrRect(0, 0, width * self._factor, height)
        mujoco.mjr_render(area, self._scene, self._renderer)
        covered = reduced(read_rgba(self._renderer, area.width, height), self._factor)
        return before_background(covered[::-1], self._background)


@dataclass(frozen=True)
class CameraShot:
    """An image that is still to be drawn: `sensor.develop(painter, shot)` draws it.

    `repeat` counts the images of that camera and stamp before it.
    """

    sensor: CameraSensor
    snapshot: Snapshot
    repeat: int = 0


class CameraSensor:
    """One camera on a link."""

    def __init__(self, sensor: Sensor, name: str, model: mujoco.MjModel, seed: int) -> None:
        spec = sensor.spec
        assert isinstance(spec, Camera)
        self.name, self.topic, self.rate = name, sensor.topic, sensor.update_rate
        self.spec = spec
        self.frame_id = spec.optical_frame_id or sensor.frame_id
        self.info_topic = spec.info_topic or _sibling(sensor.topic, "camera_info")
        self.model = CameraModel.from_hfov(spec.width, spec.height, spec.horizontal_fov)
        silent = spec.noise.kind == "none"
        self.noise_levels = 0.0 if silent else 255.0 * spec.noise.stddev
        self._seed = seed
        mean = 0.0 if silent else 255.0 * spec.noise.mean
        self._noise = NoiseTable(stream(seed, name), mean, self.noise_levels)
        self._is_noisy = self.noise_levels > 0.0 or mean != 0.0
        self._last = (-1, 0)
        self._camera = model.camera(name).id

    def shot(self, snapshot: Snapshot) -> CameraShot:
        """Return the image of a moment, still to be drawn."""
        stamp, repeats = self._last
        repeats = repeats + 1 if stamp == snapshot.stamp else 0
        self._last = (snapshot.stamp, repeats)
        return CameraShot(self, snapshot, repeats)

    def develop(self, painter: Painter, shot: CameraShot) -> CameraFrame:
        """Draw a shot of this camera and add noise; on any thread.

        The noise depends on the seed, the camera, the stamp and how many images of that very stamp
        there were before, so it is the same whether or not other images were drawn.
        """
        size = self.spec.width, self.spec.height
        pixels = painter.draw(self._camera, shot.snapshot, *size)
        if self._is_noisy:
            pixels = self._noisy(pixels, f"{self.name}@{shot.snapshot.stamp}.{shot.repeat}")
        return CameraFrame(shot.snapshot.stamp, self.frame_id, pixels)

    def _noisy(self, clean: NDArray[np.uint8], name: str) -> NDArray[np.uint8]:
        rows = self._noise.rows(stream(self._seed, name), len(clean), clean[0].size)
        noisy = np.add(rows, clean.reshape(rows.shape), out=rows)
        np.clip(noisy, 0, 255, out=noisy)
        return noisy.astype(np.uint8).reshape(clean.shape)


def _sibling(topic: str, name: str) -> str:
    """Return `name` beside a topic, where Gazebo publishes CameraInfo."""
    head, slash, _ = topic.rpartition("/")
    return f"{head}{slash}{name}"
