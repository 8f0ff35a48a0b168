"""Node `viewpoint`: where the head is in the map, and what its two eyes see, at 90 Hz.

Takes /viewpoint/device/head (PoseStamped in the device's own space) and both eyes' CameraInfo from
a headset's page, SteamVR or a script; publishes /viewpoint/head, left, right, their CameraInfo and
tf. docs/vr.md lists topics and modes.
"""

from __future__ import annotations

import dataclasses
import json
import sys
import threading
import time
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import tf2_ros
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PoseStamped
from rclpy.time import Time
from sensor_msgs.msg import CameraInfo
from std_msgs.msg import String
from std_srvs.srv import Trigger

from ros_interface.diagnostics import OK, WARN, NodeDiagnostics, status_message
from ros_interface.errors import MessageError
from ros_interface.geometry_messages import pose_from_message, transform_from_message
from ros_interface.image_messages import camera_model_from_message
from ros_interface.node_main import run_node
from ros_interface.parameters import declare_parameters
from ros_interface.qos import LATCHED, NEWEST, RELIABLE
from ros_interface.quiet_node import QuietNode
from ros_interface.stamps import nanoseconds_from_stamp
from ros_interface.thread_priority import go_first
from ros_interface.time_jumps import RestartingBuffer
from spatial_types.parameters import ParameterError, flatten, parameter
from spatial_types.transforms import Transform
from vr_view.eye_messages import eye_distance
from vr_view.steady_loop import SteadyLoop, be_punctual
from vr_view.unique_stamps import UniqueStamps
from vr_view.viewpoint_topics import ViewpointTopics
from vr_view.viewpoints.eyes import SIDES, EyeOptions
from vr_view.viewpoints.modes import ViewOptions, Viewpoint

SECOND = 1_000_000_000
VIEW_OPTIONS = {item.name for item in dataclasses.fields(ViewOptions)}


@dataclass(frozen=True)
class ViewpointParameters(ViewOptions):
    """The viewpoint's parameters and the node's own."""

    rate: float = parameter(90.0, "Viewpoints a second", unit="Hz", minimum=1.0, maximum=1000.0)
    map_frame: str = parameter("map", "Frame of the viewpoint")
    device_frame: str = parameter(
        "viewpoint_device", "Frame in which the device tells its poses; its origin means nothing"
    )
    head_at_rest: tuple[float, ...] = parameter(
        [0.0, 0.0, 1.6], "Head while no device has told one: x, y, z on its floor", unit="m"
    )
    head_timeout: float = parameter(
        1.0, "A head silent for so long is told in diagnostics", unit="s", minimum=0.05
    )
    tf_timeout: float = parameter(
        1.0, "A transform older than this is none", unit="s", minimum=0.05
    )
    eyes: EyeOptions = field(default_factory=EyeOptions)

    def check(self) -> None:
        """Raise ParameterError where a list has the wrong length."""
        super().check()
        if len(self.head_at_rest) != 3:
            raise ParameterError(f"head_at_rest = {list(self.head_at_rest)}: expected x, y, z")


class ViewpointNode(QuietNode):
    """Receive, convert, call, publish; the viewpoint has a thread of its own."""

    def __init__(self, **node_options: Any) -> None:
        """Declare parameters, open topics, begin; `node_options` go to rclpy's Node."""
        super().__init__("viewpoint", **node_options)
        options = self._options = declare_parameters(self, ViewpointParameters)
        self._diagnostics = NodeDiagnostics(self, self._summary)
        self._lock = threading.Lock()  # of what both threads change: viewpoint, head, eyes
        self._viewpoint = Viewpoint(options)
        self._stamps = UniqueStamps()
        self._eyes = options.eyes.eyes()
        self._head = Transform(translation=Transform().translation + options.head_at_rest)
        self._heard: float | None = None
        self._last_tick = time.monotonic()
        self._skipped = self._skipped_before = 0
        self._tf = RestartingBuffer()
        self._listener: tf2_ros.TransformListener | None = None
        self._topics = ViewpointTopics(self, options.map_frame)
        self._topics.set_eyes(self._eyes)
        self._mode_state = self.create_publisher(String, "/viewpoint/mode_state", LATCHED)
        self._option_state = self.create_publisher(DiagnosticStatus, "/viewpoint/options", LATCHED)
        self._subscribe()
        self._tell_mode()
        self._tell_options()
        be_punctual()
        self._loop = SteadyLoop(options.rate, self._tick, "viewpoint", started=go_first)
        self._loop.start()

    def _subscribe(self) -> None:
        device = "/viewpoint/device"
        self.create_subscription(PoseStamped, f"{device}/head", self._on_head, NEWEST)
        for side in SIDES:
            on_info = partial(self._on_eye, side)
            self.create_subscription(CameraInfo, f"{device}/{side}/camera_info", on_info, LATCHED)
        self.create_subscription(String, "/viewpoint/mode", self._on_mode, RELIABLE)
        self.create_service(Trigger, "/viewpoint/recentre", self._recentre)

    def destroy_node(self) -> None:
        """Stop the viewpoint's thread first."""
        self._loop.close()
        super().destroy_node()

    def _on_head(self, message: PoseStamped) -> None:
        frame, wanted = message.header.frame_id, self._options.device_frame
        try:
            if frame not in ("", wanted):
                raise MessageError(f"header.frame_id = '{frame}': expected '{wanted}'")
            head = pose_from_message(message.pose)
        except MessageError as error:
            self._diagnostics.refuse("bad head poses", error)
            return
        with self._lock:
            self._head, self._heard = head, time.monotonic()
        self._diagnostics.count("head poses")

    def _on_eye(self, side: str, message: CameraInfo) -> None:
        try:
            changes: dict[str, Any] = {side: camera_model_from_message(message)}
            if side == "right":
                distance = eye_distance(message)
                changes["distance"] = self._options.eyes.distance if distance is None else distance
        except MessageError as error:
            self._diagnostics.refuse("bad eyes", error)
            return
        with self._lock:
            self._eyes = dataclasses.replace(self._eyes, **changes)
            self._topics.set_eyes(self._eyes)

    def _on_mode(self, message: String) -> None:
        try:
            with self._lock:
                self._viewpoint.choose(message.data)
        except ValueError as error:
            self._diagnostics.refuse("unknown modes", error)
        self._tell_mode()

    def _tell_mode(self) -> None:
        """Publish the mode, and listen to tf from the first on that needs it: that costs time."""
        if self._listener is None and self._viewpoint.frame is not None:
            self._listener = tf2_ros.TransformListener(self._tf, self)
        self._mode_state.publish(String(data=self._viewpoint.mode))

    def _tell_options(self) -> None:
        """Publish what the modes go by, so that a page can work out the same view."""
        values = {
            name: json.dumps(value)
            for name, _, value in flatten(self._options)
            if name.partition(".")[0] in VIEW_OPTIONS
        }
        self._option_state.publish(status_message("viewpoint", OK, "options", values))

    def _recentre(self, _: Trigger.Request, answer: Trigger.Response) -> Trigger.Response:
        with self._lock:
            self._viewpoint.recentre(self._head)
        answer.success, answer.message = True, "the head is where the device's space has its zero"
        return answer

    def _tick(self) -> None:
        if not self.context.ok():
            return
        tick = time.monotonic()
        elapsed, self._last_tick = tick - self._last_tick, tick
        stamp = self._stamps.next(self.get_clock().now().nanoseconds)
        with self._lock:
            frame = self._viewpoint.frame
            try:
                map_from_frame = None if frame is None else self._lookup(frame, stamp)
            except (tf2_ros.TransformException, MessageError) as error:
                self._skipped += 1
                self._diagnostics.lack("viewpoints without transform", error)
                return
            head = self._viewpoint.head(self._head, map_from_frame, elapsed)
            self._topics.publish(head, stamp)
        self._diagnostics.count("viewpoints")

    def _lookup(self, frame: str, stamp: int) -> Transform:
        """Return map_from_frame, the newest; MessageError where that is too old at `stamp`."""
        found = self._tf.lookup_transform(self._options.map_frame, frame, Time())
        at = nanoseconds_from_stamp(found.header.stamp)
        age = (stamp - at) / SECOND
        if at and age > self._options.tf_timeout:  # what is static has no stamp
            raise MessageError(f"the last transform of '{frame}' is {age:.1f} s old")
        return transform_from_message(found.transform)

    def _summary(self) -> tuple[object, str]:
        if self._loop.error is not None:
            raise RuntimeError("the viewpoint's thread broke down") from self._loop.error
        self._diagnostics.counts["missed deadlines"] = self._loop.missed
        with self._lock:
            mode, frame, heard = self._viewpoint.mode, self._viewpoint.frame, self._heard
            skipped = self._skipped - self._skipped_before
            self._skipped_before = self._skipped
        age = None if heard is None else time.monotonic() - heard
        self._topics.tell_latency(age, self._skipped, self._loop.missed)
        if skipped:
            return WARN, f"{mode}: no transform {self._options.map_frame} <- {frame}"
        self._diagnostics.ready(f"{mode}, {self._options.rate:g} viewpoints a second")
        if age is None:
            return OK, f"{mode}, head at rest: no device has told one"
        if age > self._options.head_timeout:
            return WARN, f"{mode}, head silent for {age:.1f} s: it stays where it was"
        return OK, f"{mode}, head {1000.0 * age:.0f} ms old"


def punctual_node() -> ViewpointNode:
    """Return the node, after which this thread goes first too.

    Python's threads share one lock: who holds it must not be kept waiting by a simulator.
    """
    node = ViewpointNode()
    go_first()
    return node


def main(args: list[str] | None = None) -> int:
    """Run the node."""
    return run_node(punctual_node, args)


if __name__ == "__main__":
    sys.exit(main())
