"""The topics that the page is sent, each subscribed only while some page wants it.

Messages are handed to the hub as they came, newest wins, and converted when they are sent.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import PoseStamped, PoseWithCovarianceStamped
from nav_msgs.msg import Odometry
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import BatteryState, CompressedImage, Image, LaserScan
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage
from visualization_msgs.msg import MarkerArray

from ros_interface.qos import LATCHED, NEWEST, RELIABLE, SENSOR_DATA, TF, TF_STATIC
from vr_view import page_messages as shown
from vr_view.server.hub import Hub
from vr_view.server.marker_board import MarkerBoard
from vr_view.server.pose_error import ErrorMeter, PoseError
from vr_view.server.topics import Make, TopicSpec, TrailTopic, TransformTopic

ESTIMATE, REFERENCE = "/ground_truth/pose", "/reference/target"
ESTIMATE_TRAIL, REFERENCE_TRAIL = "/page/trail/estimate", "/page/trail/reference"
ERROR, SIMULATOR, LATENCY = "/page/error", "/page/simulator", "/viewpoint/latency"
TRAIL_POINTS = 4000
TRAIL_STEP = 0.01  # m
TRAILS = {ESTIMATE_TRAIL: ESTIMATE, REFERENCE_TRAIL: REFERENCE}

MAKERS: dict[str, Make] = {
    "tf": TransformTopic,
    "trail": lambda spec: TrailTopic(spec, TRAILS[spec.topic], TRAIL_POINTS, TRAIL_STEP),
}


@dataclass(frozen=True)
class Source:
    """Where a page's topic comes from, and how its messages become values."""

    spec: TopicSpec
    kind: type
    convert: Callable[[Any], Any]
    qos: Any = field(default_factory=lambda: RELIABLE)


def sources(drone: str, images: tuple[str, ...]) -> list[Source]:
    """Return the topics that are a message each; images come when a panel is open (rate 0)."""
    made = [*_of_the_target(), *_of_the_view(), *_of_the_drone(drone)]
    for name in ("target", "phone_robot", drone):
        spec = TopicSpec(f"/reference/{name}", "odometry", 30.0)
        made.append(Source(spec, Odometry, shown.odometry_value))
    for topic in images:
        is_compressed = topic.endswith("/compressed")
        kind = CompressedImage if is_compressed else Image
        convert = shown.compressed_image_value if is_compressed else shown.image_value
        made.append(Source(TopicSpec(topic, "image", 0.0), kind, convert, SENSOR_DATA))
    return made


def _of_the_target() -> list[Source]:
    pose, value = PoseWithCovarianceStamped, shown.estimate_value
    return [
        Source(TopicSpec("/lrf/scan", "scan"), LaserScan, shown.scan_value, SENSOR_DATA),
        Source(TopicSpec("/ground_truth/position", "estimate"), pose, value),
        Source(TopicSpec(ESTIMATE, "estimate", 30.0), pose, value),
        Source(TopicSpec("/ground_truth/status", "status"), DiagnosticStatus, shown.status_value),
    ]


def _of_the_view() -> list[Source]:
    options = TopicSpec("/viewpoint/options", "status")
    pose, value = PoseStamped, shown.pose_value
    hands = [TopicSpec(f"/viewpoint/{side}_hand", "pose", 30.0) for side in ("left", "right")]
    return [
        Source(TopicSpec("/viewpoint/mode_state", "text"), String, shown.text_value, LATCHED),
        Source(options, DiagnosticStatus, shown.status_value, LATCHED),
        Source(TopicSpec("/viewpoint/head", "pose", 0.0), pose, value, NEWEST),
        *(Source(hand, pose, value, NEWEST) for hand in hands),
    ]


def _of_the_drone(drone: str) -> list[Source]:
    state = TopicSpec(f"/{drone}/state", "status")
    progress = TopicSpec(f"/{drone}/files/progress", "transfer")
    return [
        Source(TopicSpec(f"/{drone}/pose", "pose", 20.0), PoseStamped, shown.pose_value),
        Source(TopicSpec(f"/{drone}/odometry", "odometry", 5.0), Odometry, shown.odometry_value),
        Source(TopicSpec(f"/{drone}/battery", "battery", 2.0), BatteryState, shown.battery_value),
        Source(state, DiagnosticStatus, shown.status_value, LATCHED),
        Source(progress, DiagnosticArray, shown.transfers_value, LATCHED),
    ]


def page_specs(drone: str, images: tuple[str, ...]) -> list[TopicSpec]:
    """Return all topics of the page."""
    return [
        TopicSpec("/tf", "tf", 30.0),
        TopicSpec("/ground_truth/markers", "markers"),
        TopicSpec(ERROR, "error"),
        TopicSpec(SIMULATOR, "simulator", 5.0),
        TopicSpec(LATENCY, "latency", 2.0),
        TopicSpec(ESTIMATE_TRAIL, "trail"),
        TopicSpec(REFERENCE_TRAIL, "trail"),
        *(source.spec for source in sources(drone, images)),
    ]


class PageTopics:
    """Subscribes to what pages want, and no longer than they do."""

    def __init__(self, node: Any, hub: Hub, drone: str, simulator: str, images: Any) -> None:
        """`simulator` is the name of its node, by which its diagnostics are known."""
        self._node, self._hub, self._simulator = node, hub, simulator.strip("/")
        self._board, self._meter = MarkerBoard(), ErrorMeter()
        self._latency: dict[str, str] = {}
        self._clock: float | None = None
        self._status: DiagnosticStatus | None = None
        self.last: dict[str, Any] = {}  # the message of each topic, for whoever acts
        self._wishes: list[tuple[tuple[str, ...], list[Any]]] = []
        self._held: dict[int, list[Any]] = {}
        self._offer(drone, tuple(images))

    def follow_wishes(self) -> None:
        """Subscribe to what is wanted now and drop the rest; call it a few times a second."""
        for index, (topics, arguments) in enumerate(self._wishes):
            wanted = any(self._hub.rate(topic) > 0.0 for topic in topics)
            if wanted and index not in self._held:
                self._held[index] = [self._node.create_subscription(*each) for each in arguments]
            elif not wanted and index in self._held:
                for subscription in self._held.pop(index):
                    self._node.destroy_subscription(subscription)
        if self._board.expire(time.monotonic()):
            self._show_markers()

    @property
    def subscribed(self) -> set[str]:
        """The topics that are subscribed to now."""
        return {item.topic_name for held in self._held.values() for item in held}

    def _offer(self, drone: str, images: tuple[str, ...]) -> None:
        for source in sources(drone, images):
            name = source.spec.topic
            take = partial(self._take, source)
            wishes: tuple[str, ...] = (name,)
            if name in (ESTIMATE, REFERENCE):
                wishes = (name, ERROR, ESTIMATE_TRAIL, REFERENCE_TRAIL)
            self._wish(wishes, [source.kind, name, take, source.qos])
        self._wish(
            ("/tf",),
            [TFMessage, "/tf", self._on_tf, TF],
            [TFMessage, "/tf_static", self._on_tf, TF_STATIC],
        )
        markers = "/ground_truth/markers"
        self._wish((markers,), [MarkerArray, markers, self._on_markers, RELIABLE])
        self._wish((LATENCY,), [DiagnosticArray, LATENCY, self._on_latency, RELIABLE])
        self._wish(
            (SIMULATOR,),
            [DiagnosticArray, "/diagnostics", self._on_diagnostics, RELIABLE],
            [Clock, "/clock", self._on_clock, NEWEST],
        )

    def _wish(self, topics: tuple[str, ...], *subscriptions: list[Any]) -> None:
        self._wishes.append((topics, list(subscriptions)))

    def _take(self, source: Source, message: Any) -> None:
        name = source.spec.topic
        self.last[name] = message
        self._hub.put(name, partial(source.convert, message))
        if name == ESTIMATE:
            self._follow(ESTIMATE_TRAIL, message, self._meter.estimate)
        elif name == REFERENCE:
            self._follow(REFERENCE_TRAIL, message, self._meter.reference)

    def _follow(self, trail: str, message: Any, measure: Callable[[Any], PoseError | None]) -> None:
        try:
            numbers = shown.pose_numbers(message.pose.pose)
            pose = shown.planar_pose(message)
        except ValueError:  # told when it is converted to be shown
            return
        self._hub.put(trail, shown.position_of(numbers))
        error = measure(pose)
        if error is not None:
            self._hub.put(ERROR, shown.error_value(error))

    def _on_tf(self, message: TFMessage) -> None:
        self._hub.put("/tf", shown.transform_rows(message))

    def _on_markers(self, message: MarkerArray) -> None:
        try:
            shown.take_markers(message, self._board, time.monotonic())
        except ValueError as error:
            self._hub.outside.refused("a value cannot be shown", str(error))
            return
        self._show_markers()

    def _show_markers(self) -> None:
        self._hub.put("/ground_truth/markers", {"markers": self._board.shown()})

    def _on_latency(self, message: DiagnosticArray) -> None:
        self._latency.update(shown.latency_values(message))
        self._hub.put(LATENCY, {"values": dict(self._latency)})

    def _on_diagnostics(self, message: DiagnosticArray) -> None:
        for status in message.status:
            if status.name == self._simulator:
                self._status = status
                self._show_simulator()

    def _on_clock(self, message: Clock) -> None:
        now = shown.seconds(message.clock)
        if self._clock is not None and now < self._clock - 1.0:
            for trail in TRAILS:
                self._hub.put(trail, None)
        self._clock = now
        self._show_simulator()

    def _show_simulator(self) -> None:
        if self._status is not None:
            self._hub.put(SIMULATOR, shown.simulator_value(self._status, self._clock))

    def show_paused(self, paused: bool) -> None:
        """Tell pages at once what the simulator has just confirmed."""
        if self._status is not None:
            self._status.message = "paused" if paused else "running"
            self._show_simulator()
