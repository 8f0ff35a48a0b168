"""Node `laser_localizer`: laser scans in, target positions out.

Subscribes to the scan topic and tf; publishes /ground_truth/position, laser_odometry, targets,
status, markers. Services: ~/learn_zone (std_srvs/Trigger) learns the acceptance zone from the next
scans, uses it and saves it, but asks back where a target is in sight; ~/record (std_srvs/SetBool)
starts, or stops and saves, a recording of all scans.
"""

from __future__ import annotations

import sys
import time
from collections import deque
from dataclasses import dataclass
from typing import Any

import numpy as np
import tf2_ros
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PoseArray, PoseWithCovarianceStamped
from nav_msgs.msg import Odometry
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.task import Future
from rclpy.time import Time
from sensor_msgs.msg import LaserScan
from std_srvs.srv import SetBool, Trigger
from visualization_msgs.msg import MarkerArray

from ground_truth_localizer import laser_messages
from ground_truth_localizer.acceptance_zone import ZoneError
from ground_truth_localizer.laser_localizer import LaserLocalizer
from ground_truth_localizer.laser_parameters import LaserParameters
from ground_truth_localizer.laser_result import LaserResult
from ground_truth_localizer.scan_recording import ScanRecorder
from ground_truth_localizer.target_state import TrackingState
from ground_truth_localizer.zone_files import save_zone, zone_from_parameters
from ground_truth_localizer.zone_learning import ZoneLearner
from ros_interface.diagnostics import OK, WARN, NodeDiagnostics
from ros_interface.errors import ConfigurationError, MessageError
from ros_interface.geometry_messages import transform_from_message
from ros_interface.node_main import run_node
from ros_interface.parameters import declare_parameters
from ros_interface.qos import LATCHED, RELIABLE, SENSOR_DATA
from ros_interface.quiet_node import QuietNode
from ros_interface.scan_messages import scan_from_message
from ros_interface.time_jumps import RestartingBuffer, StampWatch
from ros_interface.timers import wall_timer
from spatial_types.parameters import parameter
from spatial_types.scan import Scan
from spatial_types.transforms import Transform

WAITING_SCANS = 50
SILENCE = 2.0  # seconds without a scan after which the diagnostics warn
CONFIRMING = 60.0  # seconds in which a refused learning may be asked for again


@dataclass(frozen=True)
class LaserNodeParameters(LaserParameters):
    """The localizer's parameters and the node's own."""

    scan_topic: str = parameter("/lrf/scan", "topic of the laser scans")
    map_frame: str = parameter("map", "frame in which targets are told")
    target_frame: str = parameter("target", "child frame of the odometry")
    tf_wait: float = parameter(
        0.5, "how long a scan waits for its transform", unit="s", minimum=0.0, maximum=60.0
    )
    record_file: str = parameter("scans.csv", "file that ~/record writes; numbered if it exists")


class LaserLocalizerNode(QuietNode):
    """Receive, convert, call, publish."""

    def __init__(self, **node_options: Any) -> None:
        """Declare parameters and open topics; `node_options` go to rclpy's Node."""
        super().__init__("laser_localizer", **node_options)
        self._options = declare_parameters(self, LaserNodeParameters)
        try:
            zone = zone_from_parameters(self._options)
        except ZoneError as error:
            raise ConfigurationError(f"zone: {error}") from None
        self._localizer = LaserLocalizer(self._options, zone)
        self._diagnostics = NodeDiagnostics(self, self._summary)
        self._waiting: deque[tuple[float, Scan]] = deque()
        self._recorder: ScanRecorder | None = None
        self._learner: ZoneLearner | None = None
        self._learnt: Future | None = None
        self._objected = -CONFIRMING
        self._told: tuple[TrackingState | None, int] = (None, 0)
        self._last: LaserResult | None = None
        self._last_arrival = time.monotonic()
        self._scans_to_zone = 0
        self._last_used = self.get_clock().now()
        self._tf = RestartingBuffer()
        self._watch = StampWatch(self._tf)
        self._listener = tf2_ros.TransformListener(self._tf, self)
        self._open_topics()

    def _open_topics(self) -> None:
        base = "/ground_truth/"
        self._position = self.create_publisher(
            PoseWithCovarianceStamped, base + "position", RELIABLE
        )
        self._odometry = self.create_publisher(Odometry, base + "laser_odometry", RELIABLE)
        self._targets = self.create_publisher(PoseArray, base + "targets", RELIABLE)
        self._status = self.create_publisher(DiagnosticStatus, base + "status", LATCHED)
        self._markers = self.create_publisher(MarkerArray, base + "markers", RELIABLE)
        topic = self._options.scan_topic
        self.create_subscription(LaserScan, topic, self._on_scan, SENSOR_DATA)
        # A group of its own: the answer waits for scans, and a group runs one callback at a time.
        learning = MutuallyExclusiveCallbackGroup()
        self.create_service(Trigger, "~/learn_zone", self._on_learn, callback_group=learning)
        self.create_service(SetBool, "~/record", self._on_record)
        wall_timer(self, 0.05, self._tick)

    def _on_scan(self, message: LaserScan) -> None:
        self._last_arrival = time.monotonic()
        try:
            scan = scan_from_message(message)
        except MessageError as error:
            self._diagnostics.refuse("bad scans", error)
            return
        if self._recorder is not None:
            self._recorder.add(scan)
        if self._learner is not None:
            self._learn(scan)
        if self._watch.see(scan.stamp):
            self._waiting.clear()  # their transforms are gone
            self.get_logger().warning("the scans' time went back: everything begins anew")
        if len(self._waiting) >= WAITING_SCANS:
            self._waiting.popleft()
            self._diagnostics.lack("scans dropped", "too many wait for their transform")
        self._waiting.append((self._last_arrival, scan))
        self._drain()

    def _drain(self) -> None:
        """Work on the waiting scans in order, as far as their transforms are known.

        A scan that waits holds up only those of its own frame.
        """
        waiting, held = self._waiting, set()
        self._waiting = deque()
        for arrival, scan in waiting:
            if scan.frame_id in held:
                self._waiting.append((arrival, scan))
                continue
            try:
                map_from_lrf = self._lookup(scan)
            except (tf2_ros.TransformException, MessageError) as error:
                if time.monotonic() - arrival < self._options.tf_wait:
                    self._waiting.append((arrival, scan))
                    held.add(scan.frame_id)
                else:
                    self._diagnostics.lack("scans without transform", error)
                continue
            topic, method = self._options.scan_topic, self._options.method
            self._diagnostics.ready(f"scans from {topic}, method {method}")
            self._publish(self._localizer.update(scan, map_from_lrf))

    def _lookup(self, scan: Scan) -> Transform:
        stamped = self._tf.lookup_transform(
            self._options.map_frame, scan.frame_id, Time(nanoseconds=scan.stamp)
        )
        return transform_from_message(stamped.transform)

    def _publish(self, result: LaserResult) -> None:
        frame = self._options.map_frame
        self._last, self._last_used = result, self.get_clock().now()
        if result.primary is not None:
            self._position.publish(laser_messages.position_message(result.primary, frame))
            odometry = laser_messages.odometry_message(
                result.primary, frame, self._options.target_frame
            )
            self._odometry.publish(odometry)
        self._targets.publish(laser_messages.targets_message(result, frame))
        self._publish_status(result)
        if self._markers.get_subscription_count():
            self._publish_markers(result)

    def _publish_status(self, result: LaserResult) -> None:
        """Tell every change of state at once, and fresh reasons once a second."""
        state, stamp = self._told
        if result.state is not state or abs(result.stamp - stamp) >= 1_000_000_000:
            self._status.publish(laser_messages.status_of(result))
            self._told = (result.state, result.stamp)

    def _publish_markers(self, result: LaserResult) -> None:
        target, frame = self._options.target, self._options.map_frame
        message = laser_messages.markers_message(result, frame, (target.bottom, target.top))
        outline = self._localizer.zone_outline()
        self._scans_to_zone -= 1
        if outline is not None and self._scans_to_zone < 0:
            height = 0.5 * (target.bottom + target.top)
            mark = laser_messages.zone_marker(outline, result.stamp, frame, height)
            message.markers.append(mark)
            self._scans_to_zone = 10
        self._markers.publish(message)

    async def _on_learn(self, _: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        if self._learner is not None:
            response.success, response.message = False, "already learning"
            return response
        options = self._options
        in_sight = self._in_sight()
        if in_sight and not self._is_confirmed():
            response.success = False
            response.message = (
                f"not learnt: the target at {in_sight} would become part of the room. Take it "
                f"away, or call again within {CONFIRMING:.0f} s if it belongs to the room"
            )
            self.get_logger().warning(response.message)
            return response
        self._learner = ZoneLearner(
            options.sensor.sigma, options.zone.learn_busy, options.sensor.range_bias
        )
        self._learnt = Future(executor=self.executor)
        self.get_logger().info(f"learning the zone from {options.zone.learn_scans} scans")
        success, text = await self._learnt  # type: ignore[misc]
        response.success, response.message = success, text
        self.get_logger().info(response.message)
        return response

    def _in_sight(self) -> str:
        """Where (map) targets are now that learning would take for furniture; empty where none.

        In a busy room what is seen behind them is learnt, not they.
        """
        silent = time.monotonic() - self._last_arrival > SILENCE
        if self._last is None or silent or self._options.zone.learn_busy:
            return ""
        places = [target.state.position for target in self._last.targets]
        return ", ".join(f"({x:.2f}, {y:.2f}) m" for x, y in places)

    def _is_confirmed(self) -> bool:
        """Whether learning is asked for again soon after it was refused, and that only once."""
        before, now = self._objected, time.monotonic()
        confirmed = now - before < CONFIRMING
        self._objected = -CONFIRMING if confirmed else now
        return confirmed

    def _learn(self, scan: Scan) -> None:
        assert self._learner is not None
        options = self._options.zone
        try:
            self._learner.add(scan)
            if self._learner.scans < options.learn_scans:
                return
            zone = self._learner.zone(options.margin_sigmas, options.learn_file)
            self._localizer.set_zone(zone)
            save_zone(options.learn_file, zone, scan.frame_id)
        except (ZoneError, OSError) as error:
            self._end_learning(False, f"zone not learnt or not saved: {error}")
            return
        never = int(np.sum(~np.isfinite(zone.background)))
        self._end_learning(
            True,
            f"learnt {len(zone.background)} beams from {options.learn_scans} scans, {never} of "
            f"them open; saved to {options.learn_file}",
        )

    def _end_learning(self, success: bool, text: str) -> None:
        if self._learnt is not None:
            self._learnt.set_result((success, text))
        self._learner = self._learnt = None

    def _on_record(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        try:
            response.success, response.message = self._switch_recording(request.data)
        except OSError as error:
            self._recorder = None
            response.success, response.message = False, f"recording: {error}"
        return response

    def _switch_recording(self, start: bool) -> tuple[bool, str]:
        recorder = self._recorder
        if start and recorder is not None:
            return False, f"already recording to {recorder.path}"
        if start:
            self._recorder = ScanRecorder(self._options.record_file)
            return True, f"recording to {self._recorder.path}"
        if recorder is None:
            return False, "not recording"
        self._recorder = None
        return True, f"{recorder.scans} scans saved to {recorder.save()}"

    def _tick(self) -> None:
        self._drain()
        self._tell_silence()
        silent = time.monotonic() - self._last_arrival
        if self._learner is not None and silent > 5.0:
            topic = self._options.scan_topic
            self._end_learning(False, f"zone not learnt: no scan on {topic} for 5 s")

    def _tell_silence(self) -> None:
        """A target is not followed while no scan can be used, by the node's own clock."""
        now = self.get_clock().now()
        self._last_used = min(now, self._last_used)  # a clock that was set back
        silent = (now - self._last_used).nanoseconds
        if self._told[0] is TrackingState.TRACKING and silent > SILENCE * 1e9:
            reason = f"no usable scan on {self._options.scan_topic} for {silent * 1e-9:.1f} s"
            self._publish_status(LaserResult(now.nanoseconds, TrackingState.LOST, reason))

    def _summary(self) -> tuple[object, str]:
        self._diagnostics.counts.update(_difference(self._localizer.counts, self._diagnostics))
        silent = time.monotonic() - self._last_arrival
        if silent > SILENCE:
            return WARN, f"no scan on {self._options.scan_topic} for {silent:.0f} s"
        if self._last is None:
            return WARN, "scans come, but none could be used"
        publishers = self.count_publishers(self._options.scan_topic)
        if publishers > 1:
            topic = self._options.scan_topic
            return WARN, f"{publishers} publishers on {topic}: expected one; {self._last.reason}"
        return OK, f"{self._last.state.value}: {self._last.reason}"

    def destroy_node(self) -> None:
        """Save what is being recorded, then end."""
        if self._recorder is not None:
            self._switch_recording(False)
        super().destroy_node()


def _difference(counts: dict[str, int], diagnostics: NodeDiagnostics) -> dict[str, int]:
    return {name: value - diagnostics.counts[name] for name, value in counts.items()}


def main(args: list[str] | None = None) -> int:
    """Run the node."""
    return run_node(LaserLocalizerNode, args)


if __name__ == "__main__":
    sys.exit(main())
