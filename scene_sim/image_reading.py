"""From what OpenGL has drawn to an image: reading, averaging, and the background behind it.

MuJoCo clears to transparent black and draws a textured sky last, which costs a third of an image
in software. Coverage (alpha) tells as much: the background shows where nothing was drawn.
"""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]


def background_of(model: mujoco.MjModel) -> NDArray[np.uint16]:
    """Return the colour (3,) of the model's even sky, black where it has none."""
    for index in range(model.ntex):
        if model.tex_type[index] == mujoco.mjtTexture.mjTEXTURE_SKYBOX:
            first = model.tex_adr[index]
            return model.tex_data[first : first + 3].astype(np.uint16)
    return np.zeros(3, dtype=np.uint16)


def read_rgba(renderer: Any, width: int, height: int) -> Image:
    """Return what was drawn offscreen, (H, W, 4), bottom row first.

    OpenGL hands over four channels five times as fast as the three of mjr_readPixels.
    """
    from OpenGL import GL  # loads a library, which a scene without cameras need not have

    GL.glBindFramebuffer(GL.GL_READ_FRAMEBUFFER, renderer.offFBO)
    GL.glReadBuffer(GL.GL_COLOR_ATTACHMENT0)
    if renderer.offSamples:
        GL.glBindFramebuffer(GL.GL_DRAW_FRAMEBUFFER, renderer.offFBO_r)
        GL.glDrawBuffer(GL.GL_COLOR_ATTACHMENT0)
        area = (0, 0, width, height)
        GL.glBlitFramebuffer(*area, *area, GL.GL_COLOR_BUFFER_BIT, GL.GL_NEAREST)
        GL.glBindFramebuffer(GL.GL_READ_FRAMEBUFFER, renderer.offFBO_r)
        GL.glReadBuffer(GL.GL_COLOR_ATTACHMENT0)
    pixels = np.empty((height, width, 4), dtype=np.uint8)
    GL.glReadPixels(0, 0, width, height, GL.GL_RGBA, GL.GL_UNSIGNED_BYTE, pixels)
    mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, renderer)
    return pixels


def reduced(pixels: Image, factor: int) -> Image:
    """Average `factor` (at most 256) neighbours of each row (H, W, 4) into one pixel."""
    if factor == 1:
        return pixels
    height, width = pixels.shape[0], pixels.shape[1] // factor
    # Four channels of 16 bits are added as one number: none of them overflows.
    packed = pixels.astype(np.uint16).view(np.uint64).reshape(height, width, factor)
    total = packed[:, :, 0].copy()
    for k in range(1, factor):
        total += packed[:, :, k]
    mean = (total.view(np.uint16) + np.uint16(factor // 2)) // np.uint16(factor)
    return mean.astype(np.uint8).reshape(height, width, 4)


def before_background(covered: Image, background: NDArray[np.uint16]) -> Image:
    """Return the picture (H, W, 3) of what covers each pixel to the degree alpha (H, W, 4)."""
    image = np.empty((*covered.shape[:2], 3), dtype=np.uint8)
    for channel in range(3):  # seven times as fast as copying three of four bytes at once
        image[:, :, channel] = covered[:, :, channel]
    alpha = covered[:, :, 3]
    rows = np.flatnonzero(alpha.min(axis=1) < 255)
    if len(rows):
        uncovered = 255 - alpha[rows].astype(np.uint16)
        behind = (uncovered[:, :, None] * background + np.uint16(127)) // np.uint16(255)
        image[rows] = np.minimum(image[rows] + behind, 255)
    return image
