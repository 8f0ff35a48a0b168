"""sensor_msgs/CompressedImage and arrays, as image_transport's `compressed` has them."""

from __future__ import annotations

import array

import cv2
import numpy as np
from numpy.typing import NDArray
from sensor_msgs.msg import CompressedImage

from ros_interface.errors import MessageError
from ros_interface.stamps import stamp_from_nanoseconds

JPEG_FORMAT = "rgb8; jpeg compressed bgr8"


def jpeg_from_array(
    pixels: NDArray[np.uint8], stamp: int, frame_id: str, quality: int = 80
) -> CompressedImage:
    """Return a JPEG of an RGB image (H, W, 3); `quality` 1 to 100."""
    settings = [cv2.IMWRITE_JPEG_QUALITY, quality]
    done, data = cv2.imencode(".jpg", cv2.cvtColor(pixels, cv2.COLOR_RGB2BGR), settings)
    if not done:
        raise MessageError(f"image of shape {pixels.shape} cannot be a JPEG")
    message = CompressedImage(format=JPEG_FORMAT)
    message.header.stamp = stamp_from_nanoseconds(stamp)
    message.header.frame_id = frame_id
    message.data = array.array("B", data.tobytes())  # a list is checked byte by byte
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
