"""Node `stereo_split`: one side-by-side image topic to an image for each eye.

Each eye gets its half, in the shape in which it is to be shown, cropped as asked. The newest image
counts; an image is taken apart only while somebody looks.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from sensor_msgs.msg import CompressedImage, Image

from ros_interface.compressed_images import array_from_compressed, jpeg_from_array
from ros_interface.diagnostics import OK, NodeDiagnostics
from ros_interface.errors import MessageError
from ros_interface.image_messages import frame_from_message, image_from_array
from ros_interface.node_main import run_node
from ros_interface.parameters import declare_parameters
from ros_interface.qos import NEWEST
from ros_interface.quiet_node import QuietNode
from ros_interface.stamps import nanoseconds_from_stamp
from spatial_types.parameters import ParameterError, parameter
from vr_view.stereo.side_by_side import ARRANGEMENTS, split
from vr_view.stereo.uv import UvRange, cropped

SIDES = ("left", "right")


@dataclass(frozen=True)
class SplitParameters:
    """How the image is taken apart."""

    topic: str = parameter("/stereo/image_raw/compressed", "The image that holds both eyes'")
    compressed: bool = parameter(True, "It is a CompressedImage; false: an Image")
    arrangement: str = parameter("left_right", "Which eye's picture is where", choices=ARRANGEMENTS)
    squeezed: bool = parameter(False, "Each was squeezed to half its width or height to fit")
    crop: tuple[float, ...] = parameter(
        [0.0, 1.0, 0.0, 1.0],
        "Part that is shown, left to right and top to bottom; the thesis: -0.2, 1.2, -0.2, 1.2",
    )
    quality: int = parameter(80, "Quality of the JPEGs", minimum=1, maximum=100)

    def range(self) -> UvRange:
        """Return the part that is shown; ParameterError where it is none."""
        if len(self.crop) != 4:
            raise ParameterError(f"crop = {list(self.crop)}: expected four numbers")
        try:
            return UvRange(*self.crop)
        except ValueError as error:
            raise ParameterError(f"crop = {list(self.crop)}: {error}") from None


class StereoSplitNode(QuietNode):
    """Converts, calls, publishes."""

    def __init__(self, **node_options: Any) -> None:
        """Declare parameters and open topics; `node_options` go to rclpy's Node."""
        super().__init__("stereo_split", **node_options)
        options = self._options = declare_parameters(self, SplitParameters)
        self._range = options.range()
        self._diagnostics = NodeDiagnostics(self, lambda: (OK, f"takes {options.topic} apart"))
        self._raw, self._jpeg = {}, {}
        for side in SIDES:
            topic = f"/viewpoint/{side}/image_raw"
            self._raw[side] = self.create_publisher(Image, topic, NEWEST)
            self._jpeg[side] = self.create_publisher(CompressedImage, f"{topic}/compressed", NEWEST)
        kind = CompressedImage if options.compressed else Image
        self.create_subscription(kind, options.topic, self._take, NEWEST)

    def _take(self, message: Any) -> None:
        outputs = [*self._raw.values(), *self._jpeg.values()]
        if not any(publisher.get_subscription_count() for publisher in outputs):
            return
        options = self._options
        try:
            stamp = nanoseconds_from_stamp(message.header.stamp)
            if options.compressed:
                image = array_from_compressed(message)
            else:
                image = frame_from_message(message).pixels
            pictures = split(image, options.arrangement, options.squeezed)
            shown = {
                side: cropped(_shaped(getattr(pictures, side), pictures.aspect), self._range)
                for side in SIDES
            }
        except (MessageError, ValueError) as error:
            self._diagnostics.refuse("images refused", error)
            return
        for side in SIDES:
            self._send(side, shown[side], stamp)
        self._diagnostics.count("images")

    def _send(self, side: str, image: NDArray[np.uint8], stamp: int) -> None:
        frame = f"viewpoint/{side}_eye_optical"
        if self._jpeg[side].get_subscription_count():
            self._jpeg[side].publish(jpeg_from_array(image, stamp, frame, self._options.quality))
        if self._raw[side].get_subscription_count():
            self._raw[side].publish(image_from_array(image, "rgb8", stamp, frame))


def _shaped(image: NDArray[np.uint8], aspect: float) -> NDArray[np.uint8]:
    """Return the picture stretched along its squeezed side, for those who show square pixels."""
    height, width = image.shape[:2]
    if abs(width - aspect * height) < 1.0:
        return image
    wide = (max(round(aspect * height), width), max(round(width / aspect), height))
    return np.asarray(cv2.resize(image, wide), dtype=np.uint8)


def main(args: list[str] | None = None) -> int:
    """Run the node."""
    return run_node(StereoSplitNode, args)


if __name__ == "__main__":
    sys.exit(main())
