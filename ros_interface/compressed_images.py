"""sensor_msgs/CompressedImage and arrays, as image_transport's `compressed` has them."""

from __future__ import annotations

import array
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from sensor_msgs.msg import CompressedImage

from ros_interface.errors import MessageError
from ros_interface.stamps import stamp_from_nanoseconds

JPEG_FORMAT = "rgb8; jpeg compressed bgr8"


def jpeg_bytes(pixels: NDArray[Any], quality: int = 80) -> bytes:
    """Return the JPEG file of a BGR (H, W, 3) or grey image; `quality` 1 to 100."""
    done, data = cv2.imencode(".jpg", pixels, [cv2.IMWRITE_JPEG_QUALITY, quality])
    if not done:
        raise MessageError(f"image of shape {pixels.shape} cannot be a JPEG")
    return data.tobytes()


def jpeg_from_array(
    pixels: NDArray[np.uint8], stamp: int, frame_id: str, quality: int = 80
) -> CompressedImage:
    """Return a JPEG of an RGB image (H, W, 3); `quality` 1 to 100."""
    data = jpeg_bytes(cv2.cvtColor(pixels, cv2.COLOR_RGB2BGR), quality)
    message = CompressedImage(format=JPEG_FORMAT)
    message.header.stamp = stamp_from_nanoseconds(stamp)
    message.header.frame_id = frame_id
    message.data = array.array("B", data)  # a list is checked byte by byte
    return message


def array_from_compressed(message: CompressedImage) -> NDArray[np.uint8]:
    """Return the image as RGB (H, W, 3); MessageError where the data are no image."""
    data = np.frombuffer(message.data, dtype=np.uint8)
    image = cv2.imdecode(data, cv2.IMREAD_COLOR) if len(data) else None
    if image is None:
        raise MessageError(
            f"CompressedImage.data of format '{message.format}' ({len(data)} bytes) is no image"
        )
    return np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2RGB), dtype=np.uint8)
