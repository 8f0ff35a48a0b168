"""Finds a way to draw without a display: EGL first, OSMesa after.

MuJoCo reads the environment variable MUJOCO_GL when it first draws; a value set by the user is
kept. Nothing is loaded before a camera is drawn, so a scene without cameras needs no GL at all.
"""

from __future__ import annotations

import ctypes
import os
from typing import Any

INSTALL_HINT = (
    "no OpenGL for drawing cameras: expected EGL (Debian and Ubuntu: libegl1 and "
    "libgl1-mesa-dri) or OSMesa (libosmesa6)"
)


class RenderingError(RuntimeError):
    """No image can be drawn on this machine; the text says what to install."""


def create_context(width: int, height: int) -> Any:
    """Return a current OpenGL context of MuJoCo's own kind; RenderingError otherwise."""
    backend = os.environ.get("MUJOCO_GL") or _choose()
    os.environ["MUJOCO_GL"] = backend
    # Mesa's software renderer waits for helper threads at every draw; on the few cores that a
    # whole scene shares, it is faster to draw on the calling thread.
    os.environ.setdefault("LP_NUM_THREADS", "0")
    if backend in ("egl", "osmesa"):
        os.environ.setdefault("PYOPENGL_PLATFORM", backend)
    try:
        if backend == "egl":
            from mujoco.egl import GLContext
        elif backend == "osmesa":
            from mujoco.osmesa import GLContext
        else:
            from mujoco import GLContext
        context = GLContext(width, height)
        context.make_current()
    except Exception as error:  # PyOpenGL raises whatever the missing library makes of it
        raise RenderingError(f"{INSTALL_HINT} (MUJOCO_GL={backend}: {error})") from error
    return context


def _choose() -> str:
    """Return egl where an EGL device answers, else osmesa where its library is there."""
    if _egl_devices() > 0:
        return "egl"
    if _loadable("libOSMesa.so.8", "libOSMesa.so.6", "libOSMesa.so"):
        return "osmesa"
    raise RenderingError(INSTALL_HINT)


def _egl_devices() -> int:
    library = _loadable("libEGL.so.1", "libEGL.so")
    if library is None:
        return 0
    library.eglGetProcAddress.restype = ctypes.c_void_p
    address = library.eglGetProcAddress(b"eglQueryDevicesEXT")
    if not address:
        return 0
    query = ctypes.CFUNCTYPE(
        ctypes.c_uint, ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.c_int)
    )(address)
    count = ctypes.c_int(0)
    return count.value if query(0, None, ctypes.byref(count)) else 0


def _loadable(*names: str) -> ctypes.CDLL | None:
    for name in names:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None
