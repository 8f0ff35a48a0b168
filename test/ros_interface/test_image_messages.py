import array

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sensor_msgs.msg import CameraInfo, Image

from ros_interface.errors import MessageError
from ros_interface.image_messages import (
    ENCODINGS,
    array_from_image,
    camera_info_from_model,
    camera_model_from_message,
    frame_from_message,
    image_from_array,
)
from spatial_types.camera import CameraModel


def random_pixels(encoding, height, width, seed):
    kind, channels = ENCODINGS[encoding]
    rng = np.random.default_rng(seed)
    shape = (height, width, channels) if channels > 1 else (height, width)
    if kind == "f4":
        return rng.normal(size=shape).astype(np.float32)
    return rng.integers(0, np.iinfo(kind).max, shape).astype(kind)


@given(st.sampled_from(sorted(ENCODINGS)), st.integers(1, 7), st.integers(1, 9), st.integers(0, 99))
def test_round_trip_is_lossless(encoding, height, width, seed):
    pixels = random_pixels(encoding, height, width, seed)
    message = image_from_array(pixels, encoding, 5_000_000_007, "camera")
    assert np.array_equal(array_from_image(message), pixels)
    assert (message.header.stamp.sec, message.header.stamp.nanosec) == (5, 7)


@given(st.sampled_from(sorted(ENCODINGS)), st.booleans(), st.booleans(), st.integers(0, 99))
def test_padding_and_byte_order_are_respected(encoding, big, last_row_unpadded, seed):
    pixels = random_pixels(encoding, 4, 5, seed)
    kind, _ = ENCODINGS[encoding]
    ordered = pixels.astype(np.dtype(kind).newbyteorder(">" if big else "<"))
    rows = [row.tobytes() + b"\xaa\xbb\xcc" for row in ordered]
    data = b"".join(rows)
    message = Image(height=4, width=5, encoding=encoding, is_bigendian=int(big))
    message.step = len(rows[0])
    message.data = data[:-3] if last_row_unpadded else data
    assert np.array_equal(array_from_image(message), pixels)


@pytest.mark.parametrize("encoding", ["rgb8", "bgr8", "rgba8", "bgra8"])
def test_frames_are_rgb_whatever_the_encoding(encoding):
    red_green_blue = {"r": 10, "g": 20, "b": 30, "a": 40}
    pixel = [red_green_blue[letter] for letter in encoding[:-1]]
    message = image_from_array(np.array([[pixel]], np.uint8), encoding, 0, "camera")
    assert frame_from_message(message).pixels.tolist() == [[[10, 20, 30]]]


def test_grey_frames_repeat_the_channel():
    message = image_from_array(np.array([[7]], np.uint8), "mono8", 0, "camera")
    assert frame_from_message(message).pixels.tolist() == [[[7, 7, 7]]]


def good_image():
    return image_from_array(np.zeros((2, 3, 3), np.uint8), "rgb8", 0, "camera")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"encoding": "yuv422"}, "encoding = 'yuv422'"),
        ({"step": 8}, "step = 8"),
        ({"data": [0] * 5}, "has 5 bytes: expected 18"),
        ({"height": 0}, "expected at least one pixel"),
        ({"height": 9}, "expected 81"),
    ],
)
def test_unusable_images_are_refused(change, words):
    message = good_image()
    for name, value in change.items():
        setattr(message, name, value)
    with pytest.raises(MessageError, match=words):
        array_from_image(message)


def test_depth_images_are_no_camera_frames():
    message = image_from_array(np.zeros((2, 2), np.float32), "32FC1", 0, "camera")
    with pytest.raises(MessageError, match="32FC1"):
        frame_from_message(message)


def test_array_must_match_the_encoding():
    with pytest.raises(MessageError, match="4 channels: expected uint8 with 3"):
        image_from_array(np.zeros((2, 2, 4), np.uint8), "rgb8", 0, "camera")


def test_camera_info_round_trip():
    model = CameraModel.from_hfov(320, 240, 0.8)
    back = camera_model_from_message(camera_info_from_model(model, 0, "optical"))
    assert np.allclose(back.matrix, model.matrix)
    assert (back.width, back.height) == (320, 240)
    assert not back.has_distortion


@pytest.mark.parametrize(
    "message",
    [
        CameraInfo(width=320, height=240),
        CameraInfo(width=0, height=240, k=[300.0, 0, 160, 0, 300.0, 120, 0, 0, 1]),
        CameraInfo(width=320, height=240, k=[float("nan"), 0, 160, 0, 300.0, 120, 0, 0, 1]),
        CameraInfo(width=320, height=240, k=[1e-300, 0, 160, 0, 300.0, 120, 0, 0, 1]),
        CameraInfo(width=320, height=240, k=[1.7e308, 0, 160, 0, 300.0, 120, 0, 0, 1]),
        CameraInfo(width=320, height=240, k=[300.0, 0, -1e30, 0, 300.0, 120, 0, 0, 1]),
        CameraInfo(width=2**32 - 1, height=240, k=[300.0, 0, 160, 0, 300.0, 120, 0, 0, 1]),
    ],
)
def test_uncalibrated_cameras_are_refused(message):
    with pytest.raises(MessageError, match="CameraInfo"):
        camera_model_from_message(message)


def test_pixels_are_handed_over_as_one_block(monkeypatch):
    given = []
    monkeypatch.setattr(Image, "data", property(fset=lambda _, value: given.append(value)))
    image_from_array(np.zeros((4, 5, 3), np.uint8), "rgb8", 0, "camera")
    # rclpy checks a list byte by byte and takes an array as it is.
    assert isinstance(given[-1], array.array)
    assert given[-1].typecode == "B"


@pytest.mark.parametrize("encoding", sorted(ENCODINGS))
def test_conversions_are_those_of_cv_bridge(encoding):
    bridge = pytest.importorskip("cv_bridge").CvBridge()
    pixels = random_pixels(encoding, 5, 7, 1)
    theirs = bridge.cv2_to_imgmsg(pixels, encoding=encoding)
    ours = image_from_array(pixels, encoding, 0, "camera")
    for field in ("height", "width", "encoding", "is_bigendian", "step", "data"):
        assert getattr(ours, field) == getattr(theirs, field)
    assert np.array_equal(bridge.imgmsg_to_cv2(ours), array_from_image(theirs))
