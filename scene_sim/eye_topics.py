"""The topics of the eyes: part of the simulator's node.

While somebody listens to an eye's pictures, the viewpoint's poses are taken and drawn; otherwise
they are not even received.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PoseStamped
from sensor_msgs.msg import CameraInfo, CompressedImage, Image

from ros_interface.compressed_images import jpeg_from_array
from ros_interface.diagnostics import OK, NodeDiagnostics, status_message
from ros_interface.errors import MessageError
from ros_interface.image_messages import (
    camera_info_from_model,
    camera_model_from_message,
    image_from_array,
)
from ros_interface.qos import NEWEST
from ros_interface.stamps import nanoseconds_from_stamp, stamp_from_nanoseconds
from ros_interface.thread_priority import WATCHER, yield_to_others
from scene_sim.eye_thread import SIDES, EyePictures, EyeRequest, EyeThread
from scene_sim.eyes import EyePainter, EyeView
from scene_sim.messages import pose_in_world
from scene_sim.node_parameters import EyeParameters
from scene_sim.simulator import Simulator
from spatial_types.frustum import Frustum
from spatial_types.transforms import Transform

STRAIGHT = Frustum(1.0, 1.0, 0.75, 0.75)  # until a CameraInfo tells: 90 degrees across, 4 to 3


class EyeTopics:
    """Takes `/viewpoint/<side>` and gives `/viewpoint/<side>/image_raw` and its company."""

    def __init__(
        self,
        node: Any,
        simulator: Simulator,
        parameters: EyeParameters,
        diagnostics: NodeDiagnostics,
        while_context_lives: Callable[[], AbstractContextManager[None]],
    ) -> None:
        self._node, self._simulator, self._parameters = node, simulator, parameters
        self._diagnostics, self._while_context_lives = diagnostics, while_context_lives
        self._thread: EyeThread | None = None
        self._subscriptions: list[Any] = []
        self._frusta = dict.fromkeys(SIDES, STRAIGHT)
        self._poses: dict[str, tuple[int, Transform]] = {}
        publish = node.create_publisher
        names = {side: f"/viewpoint/{side}/image_raw" for side in SIDES}
        self._raw = {side: publish(Image, names[side], NEWEST) for side in SIDES}
        self._jpeg = {
            side: publish(CompressedImage, f"{names[side]}/compressed", NEWEST) for side in SIDES
        }
        self._info = {
            side: publish(CameraInfo, f"{names[side]}/camera_info", NEWEST) for side in SIDES
        }
        self._latency = publish(DiagnosticArray, "/viewpoint/latency", 10)

    def watch(self) -> None:
        """Begin or end to take viewpoints, as somebody listens or not; call it now and then."""
        images = [*self._raw.values(), *self._jpeg.values()]
        wanted = any(publisher.get_subscription_count() for publisher in images)
        if wanted and not self._subscriptions:
            self._begin()
        elif not wanted and self._subscriptions:
            self._end()
        if self._thread is not None and self._thread.error is not None:
            raise RuntimeError("drawing the eyes broke down") from self._thread.error

    def observe(self) -> None:
        """Show the scene's newest state while somebody listens; call it on the physics thread."""
        thread = self._thread
        if thread is not None and self._subscriptions:
            thread.show(self._simulator.snapshot())

    def close(self) -> None:
        """Stop drawing."""
        if self._thread is not None:
            self._thread.close()

    def _begin(self) -> None:
        if self._thread is None:
            self._thread = EyeThread(
                partial(EyePainter, self._simulator.physics.model, self._parameters.drawing()),
                self._send,
                self._cannot_draw,
                partial(yield_to_others, WATCHER),
                1.0 / self._parameters.rate,
            )
        subscribe = self._node.create_subscription
        for side in SIDES:
            pose, info = partial(self._take_pose, side), partial(self._take_info, side)
            self._subscriptions += [
                subscribe(CameraInfo, f"/viewpoint/{side}/camera_info", info, NEWEST),
                subscribe(PoseStamped, f"/viewpoint/{side}", pose, NEWEST),
            ]

    def _end(self) -> None:
        for subscription in self._subscriptions:
            self._node.destroy_subscription(subscription)
        self._subscriptions = []
        self._poses.clear()

    def _take_info(self, side: str, message: CameraInfo) -> None:
        try:
            self._frusta[side] = Frustum.from_camera(camera_model_from_message(message))
        except (MessageError, ValueError) as error:
            self._diagnostics.refuse(f"camera_info of the {side} eye refused", error)

    def _take_pose(self, side: str, message: PoseStamped) -> None:
        try:
            stamp = nanoseconds_from_stamp(message.header.stamp)
            self._poses[side] = (stamp, pose_in_world(message))
        except MessageError as error:
            self._diagnostics.refuse(f"pose of the {side} eye refused", error)
            return
        if len(self._poses) == len(SIDES) and self._thread is not None:
            (left_stamp, left), (right_stamp, right) = (self._poses[name] for name in SIDES)
            if left_stamp == right_stamp:
                views = EyeView(left, self._frusta["left"]), EyeView(right, self._frusta["right"])
                self._thread.ask(EyeRequest(stamp, *views, time.monotonic()))

    def _send(self, pictures: EyePictures) -> None:
        """Publish a pair and how long it took; on the drawing thread."""
        stamp = pictures.request.stamp
        with self._while_context_lives():
            for side in SIDES:
                self._send_eye(side, pictures, stamp)
            self._tell_latency(pictures)

    def _send_eye(self, side: str, pictures: EyePictures, stamp: int) -> None:
        frame_id, image = f"viewpoint/{side}_eye_optical", pictures.images[side]
        if self._info[side].get_subscription_count():
            view: EyeView = getattr(pictures.request, side)
            model = view.frustum.camera(self._parameters.width, self._parameters.height)
            self._info[side].publish(camera_info_from_model(model, stamp, frame_id))
        if self._jpeg[side].get_subscription_count():
            quality = self._parameters.quality
            self._jpeg[side].publish(jpeg_from_array(image, stamp, frame_id, quality))
        if self._raw[side].get_subscription_count():
            self._raw[side].publish(image_from_array(image, "rgb8", stamp, frame_id))

    def _tell_latency(self, pictures: EyePictures) -> None:
        assert self._thread is not None
        if not self._latency.get_subscription_count():
            return
        heard, sent = pictures.request.heard, time.monotonic()
        times = {
            "wait_ms": pictures.begun - heard,
            "draw_ms": pictures.drawn - pictures.begun,
            "encode_ms": sent - pictures.drawn,
            "pose_to_image_ms": sent - heard,
        }
        values: dict[str, object] = {name: f"{1e3 * item:.2f}" for name, item in times.items()}
        values["skipped"] = self._thread.skipped
        message = DiagnosticArray()
        message.header.stamp = stamp_from_nanoseconds(pictures.request.stamp)
        message.status = [status_message("scene_sim: eyes", OK, "pose to image", values)]
        self._latency.publish(message)

    def _cannot_draw(self, reason: str) -> None:
        self._node.get_logger().error(f"no images for the eyes: {reason}")
