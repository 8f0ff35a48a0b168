"""Node `orientation_estimator`: camera images and the laser's state in, fused pose out.

Subscribes to image and camera info, /ground_truth/laser_odometry, /ground_truth/status and tf;
publishes /ground_truth/pose, /ground_truth/odometry, tf map -> target, on request tf
map -> phone_robot/odom, and /ground_truth/debug_image while somebody looks. An image whose
transform has not come yet waits in a queue; nothing blocks. Where no honest pose is known nothing
is published, and /diagnostics says why.
"""

from __future__ import annotations

import sys
import time
from collections import deque
from dataclasses import dataclass, field
from typing import Any

import tf2_ros
from geometry_msgs.msg import PoseWithCovarianceStamped
from nav_msgs.msg import Odometry
from sensor_msgs.msg import CameraInfo, Image

from ground_truth_localizer import fused_messages
from ground_truth_localizer.lens import LensError
from ground_truth_localizer.marker_pattern import MarkerPattern
from ground_truth_localizer.orientation_estimator import OrientationEstimator
from ground_truth_localizer.orientation_parameters import OrientationParameters
from ground_truth_localizer.orientation_result import OrientationResult
from ground_truth_localizer.pose_fusion import FusedState, FusionParameters, PoseFusion
from ground_truth_localizer.target_follower_node import LASER_TOPIC, TargetFollowerNode
from ros_interface.diagnostics import OK, WARN
from ros_interface.errors import MessageError
from ros_interface.image_messages import (
    camera_model_from_message,
    frame_from_message,
    image_from_array,
)
from ros_interface.node_main import run_node
from ros_interface.qos import RELIABLE, SENSOR_DATA
from ros_interface.timers import wall_timer
from spatial_types.camera import CameraFrame, CameraModel
from spatial_types.parameters import parameter
from spatial_types.transforms import Transform

WAITING_IMAGES = 10
DRAIN_PERIOD = 0.004
SILENCE = 2.0  # seconds without an image after which the diagnostics warn


@dataclass(frozen=True)
class OrientationNodeParameters(OrientationParameters):
    """The estimator's parameters and the node's own."""

    fusion: FusionParameters = field(default_factory=FusionParameters)
    image_topic: str = parameter("/station/camera/image_raw", "topic of the images")
    info_topic: str = parameter("/station/camera/camera_info", "topic of the camera's intrinsics")
    map_frame: str = parameter("map", "frame in which the target is told")
    target_frame: str = parameter("target", "frame of the estimated target, child of the map")
    tf_wait: float = parameter(
        0.2, "how long an image waits for its transform", unit="s", minimum=0.0, maximum=10.0
    )
    publish_odom_tf: bool = parameter(
        False, "publish tf map -> odom_frame, so that the robot's own odometry stands in the map"
    )
    odom_frame: str = parameter("phone_robot/odom", "the robot's odometry frame")
    mount_frame: str = parameter(
        "phone_robot/target_link", "frame of the mounted target in the robot's own tf tree"
    )


class OrientationEstimatorNode(TargetFollowerNode[OrientationNodeParameters]):
    """Receive, convert, call, publish."""

    def __init__(self, **node_options: Any) -> None:
        """Declare parameters and open topics; `node_options` go to rclpy's Node."""
        super().__init__("orientation_estimator", OrientationNodeParameters, **node_options)
        self._estimator = OrientationEstimator(self._options)
        self._fusion = PoseFusion(self._options.fusion)
        self._pattern = MarkerPattern(self._options.pattern)
        self._camera: CameraModel | None = None
        self._info: CameraInfo | None = None
        self._waiting: deque[tuple[float, CameraFrame]] = deque()
        self._last_arrival = time.monotonic()
        self._last_reason = "no image yet"
        self._broadcaster = tf2_ros.TransformBroadcaster(self)
        self._open_topics()

    def _open_topics(self) -> None:
        base = "/ground_truth/"
        self._pose = self.create_publisher(PoseWithCovarianceStamped, base + "pose", RELIABLE)
        self._odometry = self.create_publisher(Odometry, base + "odometry", RELIABLE)
        self._debug = self.create_publisher(Image, base + "debug_image", SENSOR_DATA)
        options = self._options
        self.create_subscription(CameraInfo, options.info_topic, self._on_info, SENSOR_DATA)
        self.create_subscription(Image, options.image_topic, self._on_image, SENSOR_DATA)
        self._timer = wall_timer(self, DRAIN_PERIOD, self._drain)
        self._timer.cancel()

    def _on_lost(self) -> None:
        self._fusion.reset()

    def _on_info(self, message: CameraInfo) -> None:
        if self._info is not None and _same_lens(message, self._info):
            return
        try:
            self._camera = camera_model_from_message(message)
            self._info = message
        except MessageError as error:
            self._camera = None
            self._diagnostics.refuse("bad camera info", error)

    def _on_image(self, message: Image) -> None:
        self._last_arrival = time.monotonic()
        try:
            frame = frame_from_message(message)
        except MessageError as error:
            self._diagnostics.refuse("bad images", error)
            return
        if self._begins_anew(frame.stamp):
            self._fusion.reset()
            self._waiting.clear()  # their transforms are gone
            self.get_logger().warning("the images' time went back: everything begins anew")
        if len(self._waiting) >= WAITING_IMAGES:
            self._waiting.popleft()
            self._diagnostics.lack("images dropped", "too many wait for their transform")
        self._waiting.append((self._last_arrival, frame))
        self._drain()

    def _drain(self) -> None:
        """Work on the waiting images in order, as far as their transforms are known."""
        while self._waiting:
            arrival, frame = self._waiting[0]
            try:
                map_from_camera = self._lookup(self._options.map_frame, frame.frame_id, frame.stamp)
            except (tf2_ros.TransformException, MessageError) as error:
                if time.monotonic() - arrival < self._options.tf_wait:
                    if self._timer.is_canceled():
                        self._timer.reset()
                    return
                self._waiting.popleft()
                self._diagnostics.lack("images without transform", error)
                continue
            self._waiting.popleft()
            self._process(frame, map_from_camera)
        self._timer.cancel()

    def _process(self, frame: CameraFrame, map_from_camera: Transform) -> None:
        """Estimate, fuse, publish one image."""
        if self._camera is None:
            reason = f"none on {self._options.info_topic}"
            self._last_reason = f"images without camera info: {reason}"
            self._diagnostics.lack("images without camera info", reason)
            return
        self._diagnostics.ready(
            f"images from {self._options.image_topic}, camera info from "
            f"{self._options.info_topic}, target from {LASER_TOPIC}; method {self._options.method}"
        )
        if self._target is None:
            self._fusion.reset()
            self._last_reason = "no position from the laser"
            self._diagnostics.count("images without a target")
            return
        try:
            result = self._estimator.update(frame, self._camera, map_from_camera, self._target)
        except (LensError, ValueError) as error:
            self._refuse("images unlike camera info", error)
            return
        state = self._fusion.update(result, self._target)
        if state is None:
            self._last_reason = self._fusion.reason
            self._diagnostics.count(f"no pose: {result.kind or 'position too old'}")
        else:
            self._last_reason = ""
            self._publish(state)
        if self._debug.get_subscription_count():
            self._publish_debug(frame, result)

    def _refuse(self, event: str, reason: object) -> None:
        self._last_reason = f"{event}: {reason}"
        self._diagnostics.refuse(event, reason)

    def _publish(self, state: FusedState) -> None:
        options = self._options
        frame, child = options.map_frame, options.target_frame
        self._pose.publish(fused_messages.pose_message(state, frame))
        self._odometry.publish(fused_messages.odometry_message(state, frame, child))
        self._broadcaster.sendTransform(fused_messages.target_transform(state, frame, child))
        self._diagnostics.count("poses")
        if options.publish_odom_tf:
            self._publish_odom(state)

    def _publish_odom(self, state: FusedState) -> None:
        options = self._options
        try:
            mounted = self._lookup(options.odom_frame, options.mount_frame, state.stamp)
        except (tf2_ros.TransformException, MessageError) as error:
            self._diagnostics.lack("poses without odometry transform", error)
            return
        self._broadcaster.sendTransform(
            fused_messages.odom_transform(state, mounted, options.map_frame, options.odom_frame)
        )

    def _publish_debug(self, frame: CameraFrame, result: OrientationResult) -> None:
        # OpenCV's import takes a while and only this picture needs it.
        from ground_truth_localizer.debug_image import draw_result

        drawn = draw_result(frame.pixels, result, self._options.target, self._pattern)
        self._debug.publish(image_from_array(drawn, "rgb8", frame.stamp, frame.frame_id))

    def _summary(self) -> tuple[object, str]:
        silent = time.monotonic() - self._last_arrival
        if silent > SILENCE:
            return WARN, f"no image on {self._options.image_topic} for {silent:.0f} s"
        if self._last_reason:
            return WARN, self._last_reason
        return OK, f"method {self._options.method}"


def _same_lens(one: CameraInfo, other: CameraInfo) -> bool:
    return (
        one.width == other.width
        and one.height == other.height
        and one.distortion_model == other.distortion_model
        and list(one.d) == list(other.d)
        and list(one.k) == list(other.k)
    )


def main(args: list[str] | None = None) -> int:
    """Run the node."""
    return run_node(OrientationEstimatorNode, args)


if __name__ == "__main__":
    sys.exit(main())
