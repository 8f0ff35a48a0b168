"""/drone/state and the bridge's line on /diagnostics: who is there, and how the link is."""

from __future__ import annotations

import math
import threading
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus

from mavlink_bridge.piloting.drone_bridge import DroneBridge
from ros_interface.diagnostics import ERROR, OK, WARN, status_message
from ros_interface.qos import LATCHED


class StateReport:
    """Reads the bridge's counts from whatever thread asks: single numbers, never two at once."""

    def __init__(self, node: Any, bridge: DroneBridge, name: str) -> None:
        self._bridge, self._name = bridge, name
        self._publisher = node.create_publisher(DiagnosticStatus, f"/{name}/state", LATCHED)
        self._lock = threading.Lock()

    def publish(self) -> None:
        """Publish the state."""
        level, text = self.summary()
        with self._lock:
            self._publisher.publish(
                status_message(self._name, level, text, self.values(), self._hardware())
            )

    def summary(self) -> tuple[object, str]:
        """Return the level and a line."""
        bridge, peer = self._bridge, self._bridge.peer
        link = bridge.endpoint.connection.link
        if peer is None:
            mismatches = bridge.endpoint.connection.statistics.mismatches
            if mismatches:
                return ERROR, f"dialect mismatch: {', '.join(map(str, mismatches))}"
            return WARN, f"no drone heard on {link.name}"
        if not peer.present:
            return ERROR, f"lost: drone {peer.system} is silent"
        armed = "armed" if peer.armed else "disarmed"
        return OK, f"{peer.flavour.name} {peer.system}: {peer.mode}, {armed}, {bridge.state.landed}"

    def values(self) -> dict[str, object]:
        """Return what /drone/state tells."""
        bridge, peer = self._bridge, self._bridge.peer
        connection, sender = bridge.endpoint.connection, bridge.endpoint.sender
        link, parsed = connection.link.statistics, connection.statistics
        values: dict[str, object] = {
            "connected": peer is not None and peer.present,
            "armed": peer is not None and bool(peer.armed),
            "mode": peer.mode if peer else "",
            "landed": bridge.state.landed,
            "autopilot": peer.flavour.name if peer else "",
            "height above home": _number(bridge.state.above_home),
            "last command": bridge.commander.last,
            "setpoint": _setpoint(bridge),
            "setpoints expired": bridge.setpoints.expired,
            "clock uncertainty": _number(bridge.clocks.boot.uncertainty),
            "clock jumps": bridge.clocks.boot.jumps,
            "telemetry": bridge.telemetry,
            "bytes sent": link.bytes_sent,
            "bytes received": link.bytes_received,
            "packets dropped": link.packets_dropped,
            "link connected": connection.link.connected,
            "bad checksums": parsed.bad_checksum,
        }
        for (item, reason), count in list(sender.dropped.items()):
            values[f"{item.name.lower()} {reason}"] = count
        for number, battery in list(bridge.state.batteries.items()):
            values[f"battery {number}"] = f"{battery.remaining:.0%}"
        return values

    def _hardware(self) -> str:
        peer = self._bridge.peer
        return f"{peer.system}/{peer.component}" if peer else ""


def _number(value: float | None) -> str:
    return "unknown" if value is None or math.isnan(value) else f"{value:.3f}"


def _setpoint(bridge: DroneBridge) -> str:
    percent = bridge.file_flight.percent
    if percent is not None:
        return f"trajectory {percent}%"
    progress = bridge.setpoints.progress(bridge.endpoint.now)
    if progress is not None:
        return f"trajectory {progress:.0%}"
    return "holds" if bridge.setpoints.is_live else "none"
