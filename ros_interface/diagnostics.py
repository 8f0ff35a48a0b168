"""/diagnostics of one node: counts of what was used and what was refused, once a second."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.node import Node

from ros_interface.complaints import Complaints
from ros_interface.quiet_node import QuietNode
from ros_interface.timers import wall_timer

PATIENCE = 2.0  # seconds that a lack may last before it is worth a warning
OK, WARN, ERROR, STALE = (
    DiagnosticStatus.OK,
    DiagnosticStatus.WARN,
    DiagnosticStatus.ERROR,
    DiagnosticStatus.STALE,
)


def as_level(level: object) -> bytes:
    """Return a level as the single byte that diagnostic_msgs wants."""
    return level if isinstance(level, bytes) else bytes([int(level)])  # type: ignore[call-overload]


def status_message(
    name: str, level: object, text: str, values: Mapping[str, object], hardware_id: str = ""
) -> DiagnosticStatus:
    """Build a DiagnosticStatus of plain values."""
    pairs = [KeyValue(key=str(key), value=str(value)) for key, value in values.items()]
    return DiagnosticStatus(
        level=as_level(level), name=name, message=text, hardware_id=hardware_id, values=pairs
    )


class NodeDiagnostics:
    """Counts events of a node, warns of bad data without flooding, publishes at 1 Hz."""

    def __init__(self, node: Node, summary: Callable[[], tuple[object, str]]) -> None:
        """Publish for `node`; `summary` gives (level, text) whenever a report is due."""
        self.counts: Counter[str] = Counter()
        self._node = node
        self._summary = summary
        self._complaints = Complaints()
        self._is_ready = False
        self._publisher = node.create_publisher(DiagnosticArray, "/diagnostics", 10)
        self._timer = wall_timer(node, 1.0, self._publish)

    def count(self, event: str) -> None:
        """Count one event."""
        self.counts[event] += 1

    def refuse(self, event: str, reason: object) -> None:
        """Count bad data and say why, at growing intervals."""
        self._complain(event, reason, patience=0.0)

    def lack(self, event: str, reason: object) -> None:
        """Count data that cannot be used for want of other data; warn once that lasts.

        While a graph starts, or its time begins anew, everything waits for something.
        """
        self._complain(event, reason, patience=PATIENCE)

    def _complain(self, event: str, reason: object, patience: float) -> None:
        self.counts[event] += 1
        if self._complaints.is_due(event, time.monotonic(), patience):
            text = f"{event}: {reason} ({self.counts[event]} so far)"
            self._node.get_logger().warning(text)

    def warn(self, trouble: str, text: str) -> None:
        """Tell of a trouble that is no event to be counted, once it lasts, at growing intervals."""
        if self._complaints.is_due(trouble, time.monotonic(), PATIENCE):
            self._node.get_logger().warning(f"{trouble}: {text}")

    def ready(self, text: str) -> None:
        """Say, the first time only, that the node has all it needs."""
        if not self._is_ready:
            self._is_ready = True
            self._node.get_logger().info(f"ready: {text}")

    def _publish(self) -> None:
        if isinstance(self._node, QuietNode):
            for mismatch in self._node.mismatches():
                self.warn("nothing comes", mismatch)
        level, text = self._summary()
        message = DiagnosticArray()
        message.header.stamp = self._node.get_clock().now().to_msg()
        message.status = [status_message(self._node.get_name(), level, text, self.counts)]
        self._publisher.publish(message)
