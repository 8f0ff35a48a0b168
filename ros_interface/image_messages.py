"""sensor_msgs/Image and CameraInfo, NumPy arrays and camera models.

The one place where pixels cross the border; cv_bridge is not needed. Lossless for the encodings
in `ENCODINGS`; row padding (`step`) and big-endian data are respected.
"""

from __future__ import annotations

import array

import numpy as np
from numpy.typing import NDArray
from sensor_msgs.msg import CameraInfo, Image

from ros_interface.errors import MessageError
from ros_interface.stamps import nanoseconds_from_stamp, stamp_from_nanoseconds
from spatial_types.camera import CameraFrame, CameraModel

# What a camera's intrinsics (px) lie within.
MOST_PIXELS = 65_535
LEAST_FOCAL = 0.01

# Encoding name (sensor_msgs/image_encodings.hpp): element type and channels.
ENCODINGS: dict[str, tuple[str, int]] = {
    "rgb8": ("u1", 3),
    "bgr8": ("u1", 3),
    "rgba8": ("u1", 4),
    "bgra8": ("u1", 4),
    "mono8": ("u1", 1),
    "mono16": ("u2", 1),
    "16UC1": ("u2", 1),
    "32FC1": ("f4", 1),
}


def array_from_image(message: Image) -> NDArray:
    """Return the pixels, (H, W) or (H, W, C), in the message's own channel order.

    Native byte order; the array may share the message's memory and be read-only. Raises
    MessageError for an unknown encoding or a size that the data do not fill.
    """
    kind, channels = _layout(message.encoding)
    height, width = int(message.height), int(message.width)
    dtype = np.dtype(kind).newbyteorder(">" if message.is_bigendian else "<")
    row_bytes = width * channels * dtype.itemsize
    if height == 0 or width == 0:
        raise MessageError(f"Image is {width} x {height}: expected at least one pixel")
    if message.step < row_bytes:
        raise MessageError(
            f"Image.step = {message.step}: expected at least {row_bytes} for {width} pixels "
            f"of {message.encoding}"
        )
    data = np.frombuffer(message.data, dtype=np.uint8)
    needed = message.step * (height - 1) + row_bytes
    if len(data) < needed:
        raise MessageError(f"Image.data has {len(data)} bytes: expected {message.step * height}")
    if len(data) >= message.step * height:
        rows = data[: message.step * height].reshape(height, message.step)[:, :row_bytes]
    else:  # the last row may come without its padding
        rows = np.lib.stride_tricks.as_strided(
            data, (height, row_bytes), (message.step, 1), writeable=False
        )
    pixels = np.ascontiguousarray(rows).view(dtype).reshape(height, width, channels)
    pixels = pixels.astype(dtype.newbyteorder("="), copy=False)
    return pixels[:, :, 0] if channels == 1 else pixels


def image_from_array(pixels: NDArray, encoding: str, stamp: int, frame_id: str) -> Image:
    """Return a message of pixels (H, W) or (H, W, C) without padding, little-endian.

    Raises MessageError where the array's type or channels are not the encoding's.
    """
    kind, channels = _layout(encoding)
    found = pixels.shape[2] if pixels.ndim == 3 else 1
    if pixels.dtype.newbyteorder("=") != np.dtype(kind) or found != channels:
        raise MessageError(
            f"array of {pixels.dtype} with {found} channels: expected {np.dtype(kind)} with "
            f"{channels} for encoding '{encoding}'"
        )
    message = Image()
    message.header.stamp = stamp_from_nanoseconds(stamp)
    message.header.frame_id = frame_id
    message.height, message.width = int(pixels.shape[0]), int(pixels.shape[1])
    message.encoding = encoding
    message.step = message.width * channels * np.dtype(kind).itemsize
    little = pixels.astype(np.dtype(kind).newbyteorder("<"), copy=False)
    # array.array passes through rclpy's setter unchecked; a list is checked byte by byte.
    message.data = array.array("B", little.tobytes())
    return message


def frame_from_message(message: Image) -> CameraFrame:
    """Return the image as RGB, whatever 8-bit encoding it came in; MessageError otherwise."""
    pixels = array_from_image(message)
    if pixels.dtype != np.uint8:
        raise MessageError(
            f"Image.encoding = '{message.encoding}': expected rgb8, bgr8, rgba8, bgra8 or mono8"
        )
    if pixels.ndim == 2:
        pixels = np.repeat(pixels[:, :, None], 3, axis=2)
    elif message.encoding.startswith("bgr"):
        pixels = pixels[:, :, 2::-1]
    stamp = nanoseconds_from_stamp(message.header.stamp)
    return CameraFrame(stamp, message.header.frame_id, np.ascontiguousarray(pixels[:, :, :3]))


def camera_model_from_message(message: CameraInfo) -> CameraModel:
    """Return the intrinsics; MessageError for an uncalibrated camera (K all zero, REP 104).

    Also for sizes and focal lengths that no camera has.
    """
    matrix = np.asarray(message.k, dtype=float).reshape(3, 3)
    focal = matrix[[0, 1], [0, 1]]
    if not (np.all(np.abs(matrix) <= MOST_PIXELS**2) and np.all(focal >= LEAST_FOCAL)):
        raise MessageError(
            f"CameraInfo.k = {matrix.ravel().tolist()}: expected a calibrated camera, with focal "
            f"lengths from {LEAST_FOCAL:g} px"
        )
    if not (0 < message.width <= MOST_PIXELS and 0 < message.height <= MOST_PIXELS):
        raise MessageError(
            f"CameraInfo is {message.width} x {message.height}: expected the image's size, up to "
            f"{MOST_PIXELS} pixels"
        )
    distortion = np.asarray(message.d, dtype=float)
    if not np.all(np.isfinite(distortion)):
        raise MessageError("CameraInfo.d has values that are not finite")
    if len(distortion) == 0:
        distortion = np.zeros(5)
    return CameraModel(
        int(message.width), int(message.height), matrix, distortion, message.distortion_model
    )


def camera_info_from_model(model: CameraModel, stamp: int, frame_id: str) -> CameraInfo:
    """Return the message of a monocular camera: R identity, P = [K 0]."""
    message = CameraInfo()
    message.header.stamp = stamp_from_nanoseconds(stamp)
    message.header.frame_id = frame_id
    message.width, message.height = model.width, model.height
    message.distortion_model = model.distortion_model
    message.d = [float(value) for value in model.distortion]
    message.k = model.matrix.ravel()
    message.r = np.eye(3).ravel()
    message.p = np.hstack([model.matrix, np.zeros((3, 1))]).ravel()
    return message


def _layout(encoding: str) -> tuple[str, int]:
    if encoding not in ENCODINGS:
        raise MessageError(f"Image.encoding = '{encoding}': expected one of {', '.join(ENCODINGS)}")
    return ENCODINGS[encoding]
