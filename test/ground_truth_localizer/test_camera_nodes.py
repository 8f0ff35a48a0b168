"""The camera's two nodes on a real graph: messages in, messages out, bad data refused."""

from __future__ import annotations

import numpy as np
import pytest
import rclpy
import tf2_ros
from geometry_msgs.msg import PoseWithCovarianceStamped
from nav_msgs.msg import Odometry
from rclpy.time import Time
from ros_graph import RosGraph
from sensor_msgs.msg import CameraInfo, Image, JointState
from std_msgs.msg import Float64
from synthetic_camera import Scene, render, station_view, thesis_camera

from ground_truth_localizer.camera_tracker_node import CameraTrackerNode
from ground_truth_localizer.laser_messages import odometry_message
from ground_truth_localizer.orientation_estimator_node import OrientationEstimatorNode
from ground_truth_localizer.target_state import TargetState
from ros_interface.errors import ConfigurationError
from ros_interface.geometry_messages import stamped_transform
from ros_interface.image_messages import camera_info_from_model, image_from_array
from ros_interface.qos import SENSOR_DATA
from ros_interface.stamps import nanoseconds_from_stamp, stamp_from_nanoseconds
from spatial_types.angles import wrap_scalar
from spatial_types.transforms import Transform

MS = 1_000_000
STATE = TargetState(0, np.array([0.1, 1.5]), np.zeros(2), np.diag([1e-5, 1e-5, 0, 0]), True)
SCENE = Scene(position=(0.1, 1.5), yaw=0.7, samples=2)


@pytest.fixture
def graph():
    made = RosGraph(73)
    yield made
    made.close()


@pytest.fixture(scope="module")
def shot():
    """One rendered image and the camera's pose."""
    rng = np.random.default_rng(4)
    view = station_view(SCENE.position, rng)
    return render(SCENE, thesis_camera(), view, rng), view


class Station:
    """Plays camera, laser and tf."""

    def __init__(self, graph: RosGraph, shot) -> None:
        self.graph, (self.frame, self.view) = graph, shot
        peer = graph.peer
        self.images = peer.create_publisher(Image, "/station/camera/image_raw", SENSOR_DATA)
        self.infos = peer.create_publisher(CameraInfo, "/station/camera/camera_info", SENSOR_DATA)
        self.lasers = peer.create_publisher(Odometry, "/ground_truth/laser_odometry", 10)
        self.stamp = 1_000 * MS
        self.info = camera_info_from_model(thesis_camera(), 0, "camera_optical_frame")
        self.laser = True
        self.harm = lambda message: None

    def transform(self, stamp: int) -> None:
        self.graph.broadcaster.sendTransform(
            stamped_transform(self.view, stamp, "map", "camera_optical_frame")
        )

    def image(self, encoding="rgb8", pixels=None, tf=True) -> int:
        """Publish everything of one moment, 33 ms after the last."""
        self.stamp += 33 * MS
        stamp = self.stamp
        if tf:
            self.transform(stamp - 10 * MS)
            self.transform(stamp + 10 * MS)
        self.infos.publish(self.info)
        if self.laser:
            state = TargetState(
                stamp - 20 * MS, STATE.position, STATE.velocity, STATE.covariance, True
            )
            message = odometry_message(state, "map", "target")
            self.harm(message)
            self.lasers.publish(message)
        pixels = self.frame.pixels if pixels is None else pixels
        self.images.publish(image_from_array(pixels, encoding, stamp, "camera_optical_frame"))
        return stamp


def test_pose_carries_the_images_stamp_and_the_targets_yaw(graph, shot):
    graph.start(OrientationEstimatorNode)
    poses = graph.listen(PoseWithCovarianceStamped, "/ground_truth/pose")
    odometry = graph.listen(Odometry, "/ground_truth/odometry")
    station = Station(graph, shot)
    stamps = []
    assert graph.until(
        lambda: len(poses) > 2 and len(odometry) > 2, lambda: stamps.append(station.image())
    )
    pose = poses[-1]
    assert nanoseconds_from_stamp(pose.header.stamp) in stamps
    assert pose.header.frame_id == "map"
    q = pose.pose.pose.orientation
    assert abs(wrap_scalar(2 * np.arctan2(q.z, q.w) - SCENE.yaw)) < np.radians(1.0)
    assert abs(pose.pose.pose.position.x - 0.1) < 0.005
    covariance = np.reshape(pose.pose.covariance, (6, 6))
    assert 0 < covariance[5, 5] < np.radians(1.0) ** 2
    assert odometry[-1].child_frame_id == "target"


def test_image_waits_for_its_transform(graph, shot):
    graph.start(OrientationEstimatorNode, tf_wait=5.0)
    poses = graph.listen(PoseWithCovarianceStamped, "/ground_truth/pose")
    station = Station(graph, shot)
    assert graph.until(lambda: len(poses) > 0, station.image)
    late = station.image(tf=False)
    count = len(poses)
    for _ in range(20):
        graph.executor.spin_once(timeout_sec=0.005)
    assert all(nanoseconds_from_stamp(p.header.stamp) != late for p in poses[count:])
    station.transform(late + 5 * MS)
    assert graph.until(lambda: any(nanoseconds_from_stamp(p.header.stamp) == late for p in poses))


@pytest.mark.parametrize(
    ("event", "harm"),
    [
        ("bad images", lambda s: s.image("mono16", np.zeros((240, 320), np.uint16))),
        ("images unlike camera info", lambda s: s.image(pixels=np.zeros((100, 100, 3), np.uint8))),
        ("images without transform", lambda s: s.image(tf=False)),
    ],
)
def test_bad_image_is_counted_and_the_node_lives(graph, shot, event, harm):
    node = graph.start(OrientationEstimatorNode, tf_wait=0.02)
    poses = graph.listen(PoseWithCovarianceStamped, "/ground_truth/pose")
    station = Station(graph, shot)
    assert graph.until(lambda: len(poses) > 0, station.image)
    assert graph.until(lambda: node._diagnostics.counts[event] > 0, lambda: harm(station))
    count = len(poses)
    assert graph.until(lambda: len(poses) > count, station.image)


def nan_position(message):
    message.pose.pose.position.x = float("nan")


def no_covariance(message):
    message.pose.covariance[0] = -1.0


def other_frame(message):
    message.header.frame_id = "odom"


@pytest.mark.parametrize("harm", [nan_position, no_covariance, other_frame])
def test_impossible_positions_are_refused_by_both_nodes(graph, shot, harm):
    node, tracker = graph.start(OrientationEstimatorNode), graph.start(CameraTrackerNode)
    poses = graph.listen(PoseWithCovarianceStamped, "/ground_truth/pose")
    station = Station(graph, shot)
    assert graph.until(lambda: len(poses) > 0, station.image)
    station.harm = harm
    heard = [one._diagnostics.counts for one in (node, tracker)]
    assert graph.until(lambda: all(c["bad positions"] > 2 for c in heard), station.image)
    assert node._target is None
    station.harm = lambda message: None
    count = len(poses)
    assert graph.until(lambda: len(poses) > count, station.image)


def test_bag_that_starts_again_without_a_clock_gives_poses_at_once(graph, shot):
    node = graph.start(OrientationEstimatorNode)
    poses = graph.listen(PoseWithCovarianceStamped, "/ground_truth/pose")
    station = Station(graph, shot)
    station.stamp = 100_000 * MS
    assert graph.until(lambda: len(poses) > 0, station.image)
    station.stamp = 1_000 * MS
    count = len(poses)
    assert graph.until(lambda: len(poses) > count + 2, station.image)
    assert nanoseconds_from_stamp(poses[-1].header.stamp) < 10_000 * MS
    assert node._diagnostics.counts["images without transform"] == 0


def test_uncalibrated_camera_is_named_and_gives_no_pose(graph, shot):
    node = graph.start(OrientationEstimatorNode)
    poses = graph.listen(PoseWithCovarianceStamped, "/ground_truth/pose")
    station = Station(graph, shot)
    station.info.k = [0.0] * 9
    assert graph.until(
        lambda: node._diagnostics.counts["images without camera info"] > 2, station.image
    )
    assert node._diagnostics.counts["bad camera info"] > 0
    assert not poses


def test_no_pose_when_the_laser_falls_silent(graph, shot):
    node = graph.start(OrientationEstimatorNode)
    poses = graph.listen(PoseWithCovarianceStamped, "/ground_truth/pose")
    station = Station(graph, shot)
    assert graph.until(lambda: len(poses) > 0, station.image)
    station.laser = False
    station.stamp += 400 * MS
    known = station.stamp
    before = node._diagnostics.counts["no pose: position too old"]
    assert graph.until(
        lambda: node._diagnostics.counts["no pose: position too old"] > before + 3, station.image
    )
    assert all(nanoseconds_from_stamp(p.header.stamp) < known for p in poses)


def test_odometry_frame_is_put_into_the_map_on_request(graph, shot):
    graph.start(OrientationEstimatorNode, publish_odom_tf=True)
    buffer = tf2_ros.Buffer()
    listener = tf2_ros.TransformListener(buffer, graph.peer)
    station = Station(graph, shot)
    mounted = Transform.planar(2.0, 1.0, 0.2, z=0.37)

    def act() -> None:
        for shift in (23, 43):
            graph.broadcaster.sendTransform(
                stamped_transform(
                    mounted,
                    station.stamp + shift * MS,
                    "phone_robot/odom",
                    "phone_robot/target_link",
                )
            )
        station.image()

    def placed() -> bool:
        return buffer.can_transform("map", "phone_robot/odom", rclpy.time.Time())

    assert graph.until(placed, act)
    found = buffer.lookup_transform("map", "phone_robot/target_link", rclpy.time.Time())
    assert abs(found.transform.translation.x - 0.1) < 0.01
    assert abs(found.transform.translation.y - 1.5) < 0.01
    assert listener is not None


def test_debug_image_is_drawn_while_somebody_looks(graph, shot):
    graph.start(OrientationEstimatorNode)
    drawn = graph.listen(Image, "/ground_truth/debug_image", SENSOR_DATA)
    station = Station(graph, shot)
    assert graph.until(lambda: len(drawn) > 0, station.image)
    assert (drawn[0].width, drawn[0].height) == (640, 480)


def test_tracker_commands_the_pan_angle(graph):
    graph.start(CameraTrackerNode, rate=50.0)
    commands = graph.listen(Float64, "/station/pan/command")
    lasers = graph.peer.create_publisher(Odometry, "/ground_truth/laser_odometry", 10)
    joints = graph.peer.create_publisher(JointState, "/joint_states", SENSOR_DATA)
    fixed = tf2_ros.StaticTransformBroadcaster(graph.peer)
    fixed.sendTransform(
        stamped_transform(
            Transform.from_rpy((0, 0.1, 0.3), (0, 0, np.pi / 2)), 0, "map", "camera_base_link"
        )
    )

    def act() -> None:
        now = graph.peer.get_clock().now().nanoseconds
        state = TargetState(now, np.array([1.0, 1.1]), np.zeros(2), np.eye(4) * 1e-5, True)
        lasers.publish(odometry_message(state, "map", "target"))
        joints.publish(JointState(name=["camera_pan_joint"], position=[0.0]))

    assert graph.until(lambda: bool(commands) and abs(commands[-1].data + np.pi / 4) < 0.01, act)


def test_tracker_takes_transforms_again_after_a_reset(graph):
    node = graph.start(CameraTrackerNode)
    joints = graph.peer.create_publisher(JointState, "/joint_states", SENSOR_DATA)
    moving = tf2_ros.TransformBroadcaster(graph.peer)
    stamp = 100_000 * MS

    def act() -> None:
        message = JointState(name=["camera_pan_joint"], position=[0.0])
        message.header.stamp = stamp_from_nanoseconds(stamp)
        joints.publish(message)
        moving.sendTransform(
            stamped_transform(Transform.from_rpy((0, 1, 0), (0, 0, 0)), stamp, "map", "wheel")
        )

    def known() -> bool:
        return node._tf.can_transform("map", "wheel", Time(nanoseconds=stamp))

    assert graph.until(known, act)
    stamp = 1_000 * MS
    assert not known()
    assert graph.until(known, act)


def test_impossible_parameter_is_refused_at_start(graph):
    with pytest.raises(ConfigurationError, match="threshold"):
        graph.start(OrientationEstimatorNode, **{"thesis.threshold": 300})
    with pytest.raises(ConfigurationError, match=r"pattern\.angles"):
        graph.start(OrientationEstimatorNode, **{"pattern.angles": [0.0, 60.0]})
    with pytest.raises(ConfigurationError, match="method"):
        graph.start(OrientationEstimatorNode, method="magic")
