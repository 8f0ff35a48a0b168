"""One image of both eyes comes out as two (V9)."""

import numpy as np
import pytest
from node_room import NodeRoom
from sensor_msgs.msg import CompressedImage, Image

from ros_interface.compressed_images import array_from_compressed, jpeg_from_array
from ros_interface.image_messages import array_from_image, image_from_array
from ros_interface.qos import NEWEST
from ros_interface.stamps import nanoseconds_from_stamp
from spatial_types.parameters import ParameterError
from vr_view.stereo_split_node import StereoSplitNode

DOMAIN = 92
RED, BLUE = (220, 30, 30), (30, 30, 220)


@pytest.fixture
def rooms():
    made = []

    def make(**parameters):
        made.append(NodeRoom(DOMAIN, StereoSplitNode, **parameters))
        return made[-1]

    yield make
    for room in made:
        room.close()


def both(height, width):
    """Left eye red, right eye blue."""
    image = np.empty((height, width, 3), dtype=np.uint8)
    image[:, : width // 2], image[:, width // 2 :] = RED, BLUE
    return image


def colour(image):
    return image.reshape(-1, 3).mean(axis=0)


def test_each_eye_its_half_as_jpeg(rooms):
    room = rooms()
    eyes = [
        room.listen(CompressedImage, f"/viewpoint/{side}/image_raw/compressed", NEWEST)
        for side in ("left", "right")
    ]
    message = jpeg_from_array(both(48, 128), 7_000_000_000, "camera")
    room.wait(lambda: all(eyes), lambda: room.send("/stereo/image_raw/compressed", message))
    left, right = (array_from_compressed(images[-1]) for images in eyes)
    assert left.shape == right.shape == (48, 64, 3)
    np.testing.assert_allclose(colour(left), RED, atol=6)
    np.testing.assert_allclose(colour(right), BLUE, atol=6)
    assert eyes[0][-1].header.frame_id == "viewpoint/left_eye_optical"
    assert nanoseconds_from_stamp(eyes[0][-1].header.stamp) == 7_000_000_000


def test_squeezed_halves_come_out_in_their_shape(rooms):
    room = rooms(topic="/camera", compressed=False, squeezed=True, arrangement="right_left")
    lefts = room.listen(Image, "/viewpoint/left/image_raw", NEWEST)
    message = image_from_array(both(48, 64), "rgb8", 0, "camera")
    room.wait(lambda: lefts, lambda: room.send("/camera", message))
    image = array_from_image(lefts[-1])
    assert image.shape == (48, 64, 3)
    np.testing.assert_array_equal(image, np.full_like(image, BLUE))


def test_range_of_the_thesis_and_bad_images(rooms):
    room = rooms(topic="/camera", compressed=False, crop=[-0.2, 1.2, -0.2, 1.2])
    rights = room.listen(Image, "/viewpoint/right/image_raw", NEWEST)
    good = image_from_array(both(50, 100), "rgb8", 0, "camera")
    odd = image_from_array(both(50, 101), "rgb8", 0, "camera")
    counts = room.node._diagnostics.counts
    room.wait(lambda: rights, lambda: room.send("/camera", good))
    assert array_from_image(rights[-1]).shape == (70, 70, 3)
    room.wait(lambda: counts["images refused"], lambda: room.send("/camera", odd))


def test_bad_ranges(rooms):
    with pytest.raises(ParameterError, match="four numbers"):
        rooms(crop=[0.0, 1.0])
    with pytest.raises(ParameterError, match="lower number first"):
        rooms(crop=[1.0, 0.0, 0.0, 1.0])
