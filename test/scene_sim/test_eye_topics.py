"""The eyes' pictures on topics: drawn while somebody listens, stamped as the pose they show."""

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PoseStamped
from sensor_msgs.msg import CameraInfo, CompressedImage, Image

from ros_interface.compressed_images import array_from_compressed, jpeg_from_array
from ros_interface.errors import MessageError
from ros_interface.image_messages import array_from_image
from ros_interface.qos import SENSOR_DATA
from ros_interface.stamps import nanoseconds_from_stamp

DOMAIN = "89"
OPTIONS = ("eyes.width:=160", "eyes.height:=120")


class Viewpoint:
    """Publishes poses and frusta of both eyes with the same, growing stamp."""

    def __init__(self, node):
        self.stamp = 0
        self.poses = {
            side: node.create_publisher(PoseStamped, f"/viewpoint/{side}", 10)
            for side in ("left", "right")
        }
        self.infos = {
            side: node.create_publisher(CameraInfo, f"/viewpoint/{side}/camera_info", 10)
            for side in ("left", "right")
        }
        self.timer = node.create_timer(0.03, self.publish)

    def publish(self):
        self.stamp += 1
        for side, offset, centre in (("left", 0.032, 59.5), ("right", -0.032, 39.5)):
            info = CameraInfo(width=100, height=80)
            info.k = np.array([50.0, 0, centre, 0, 50.0, 39.5, 0, 0, 1])
            self.infos[side].publish(info)
            pose = PoseStamped()
            pose.header.frame_id = "map"
            pose.header.stamp.nanosec = self.stamp
            pose.pose.position.y, pose.pose.position.z = offset, 1.0
            self.poses[side].publish(pose)


def test_pictures_come_to_whom_asks(listener, simulator):
    viewpoint = Viewpoint(listener.node)
    listener.listen(DiagnosticArray, "/diagnostics")
    listener.wait(lambda: listener.heard["/diagnostics"])
    # Nobody looks: not even the poses are taken.
    assert viewpoint.poses["left"].get_subscription_count() == 0

    topics = [f"/viewpoint/{side}/image_raw/compressed" for side in ("left", "right")]
    for topic in topics:
        listener.listen(CompressedImage, topic, SENSOR_DATA)
    listener.listen(CameraInfo, "/viewpoint/left/image_raw/camera_info", SENSOR_DATA)
    listener.listen(DiagnosticArray, "/viewpoint/latency")
    heard = listener.heard
    listener.wait(lambda: all(len(heard[topic]) > 2 for topic in topics))
    listener.wait(lambda: len(heard["/viewpoint/latency"]) > 2)
    for side, topic in zip(("left", "right"), topics, strict=True):
        message = heard[topic][-1]
        assert array_from_compressed(message).shape == (120, 160, 3)
        assert message.header.frame_id == f"viewpoint/{side}_eye_optical"
        stamps = [nanoseconds_from_stamp(item.header.stamp) for item in heard[topic]]
        assert 0 < stamps[-1] <= viewpoint.stamp
        assert (np.diff(stamps) > 0).all()
    check_intrinsics(heard["/viewpoint/left/image_raw/camera_info"][-1])
    values = {
        pair.key: float(pair.value) for pair in heard["/viewpoint/latency"][-1].status[0].values
    }
    parts = values["wait_ms"] + values["draw_ms"] + values["encode_ms"]
    assert values["pose_to_image_ms"] == pytest.approx(parts, abs=0.02)
    check_raw_and_refusals(listener, viewpoint)
    check_nobody_looks(listener, viewpoint)


def check_intrinsics(info):
    """The frustum is the viewpoint's, the size the simulator's."""
    assert (info.width, info.height) == (160, 120)
    assert info.k[0] == pytest.approx(80.0)
    assert info.k[2] == pytest.approx(60.0 * 1.6 - 0.5)
    assert info.k[4] == pytest.approx(75.0)


def check_raw_and_refusals(listener, viewpoint):
    listener.listen(Image, "/viewpoint/right/image_raw", SENSOR_DATA)
    images = listener.heard["/viewpoint/right/image_raw"]
    listener.wait(lambda: images)
    assert array_from_image(images[-1]).shape == (120, 160, 3)
    bad = PoseStamped()
    bad.header.frame_id = "camera"

    def is_refused():
        viewpoint.poses["left"].publish(bad)  # again and again: only the newest is taken
        counts = [pair.key for item in diagnostics for pair in item.status[0].values]
        return "pose of the left eye refused" in counts

    diagnostics = listener.heard["/diagnostics"]
    listener.wait(is_refused)


def check_nobody_looks(listener, viewpoint):
    for subscription in list(listener.node.subscriptions):
        if "image_raw" in subscription.topic_name:
            listener.node.destroy_subscription(subscription)
    listener.wait(lambda: viewpoint.poses["left"].get_subscription_count() == 0)


def test_jpeg_there_and_back():
    rows, columns = np.mgrid[0:60, 0:80]
    pixels = np.stack([rows * 4, columns * 3, rows + columns], axis=2).astype(np.uint8)
    message = jpeg_from_array(pixels, 1_500_000_000, "eye", quality=95)
    back = array_from_compressed(message)
    assert np.abs(back.astype(int) - pixels).max() < 12
    assert nanoseconds_from_stamp(message.header.stamp) == 1_500_000_000
    message.data = message.data[:20]
    with pytest.raises(MessageError, match="is no image"):
        array_from_compressed(message)
