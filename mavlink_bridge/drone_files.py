"""The bridge's files on topics: what to send, fetch and fly, and how far transfers are.

In: /drone/files/send, fetch, fly (std_msgs/String: a name in the bridge's folder; for `fetch` in
the drone's) and cancel (std_msgs/Empty). Out: /drone/files/progress (diagnostic_msgs/
DiagnosticArray, latched, one status for each transfer), received (std_msgs/String: a name).
Missions: /drone/mission/upload and download (std_msgs/String: a name in the bridge's folder).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from std_msgs.msg import Empty, String

from mavlink_bridge.files.file_sender import TransferError
from mavlink_bridge.files.safe_names import UnsafeNameError
from mavlink_bridge.files.transfer_protocol import TransferProgress, TransferState
from mavlink_bridge.links.link_thread import LinkThread
from mavlink_bridge.missions.mission_client import MissionOutcome
from mavlink_bridge.missions.mission_item import MissionError, read_mission, write_mission
from mavlink_bridge.piloting.drone_bridge import DroneBridge
from ros_interface.diagnostics import ERROR, OK, NodeDiagnostics, status_message
from ros_interface.qos import LATCHED, RELIABLE
from ros_interface.timers import wall_timer

PERIOD = 0.5  # s between two reports of transfers that run


class DroneFiles:
    """Carries out what comes on topics, on the link's thread, and reports."""

    def __init__(
        self, node: Any, name: str, bridge: DroneBridge, diagnostics: NodeDiagnostics
    ) -> None:
        self.thread: LinkThread | None = None
        """Where the work is done; set before the node spins."""
        self._node, self._bridge, self._diagnostics = node, bridge, diagnostics
        self._shown: list[TransferProgress] = []
        prefix = f"/{name}/files"
        self._progress = node.create_publisher(DiagnosticArray, f"{prefix}/progress", LATCHED)
        self._received = node.create_publisher(String, f"{prefix}/received", RELIABLE)

        def subscribe(topic: str, act: Callable[[str, float], None], kind: type = String) -> None:
            def take(message: Any) -> None:
                self._do(topic, lambda now: act(getattr(message, "data", ""), now))

            node.create_subscription(kind, f"/{name}/{topic}", take, RELIABLE)

        subscribe("files/send", lambda file, now: bridge.files.send(file, self._peer(), now))
        subscribe("files/fetch", lambda file, now: bridge.files.fetch(file, self._peer(), now))
        subscribe("files/fly", self._fly)
        subscribe("files/cancel", lambda _, now: bridge.files.cancel(now), Empty)
        subscribe("mission/upload", self._upload_mission)
        subscribe("mission/download", self._download_mission)
        wall_timer(node, PERIOD, lambda: self._do("report", self._report))

    def ended(self, progress: TransferProgress, path: Path) -> None:
        """Tell that a transfer has ended; on the link's thread."""
        way = "sent" if progress.outgoing else "received"
        if progress.state is TransferState.DONE:
            self._node.get_logger().info(f"file {way}: {progress.name}, {progress.size} bytes")
            if not progress.outgoing:
                self._received.publish(String(data=path.name))
        else:
            self._diagnostics.refuse(f"file not {way}", f"{progress.name}: {progress.reason}")
        self._report(self._bridge.endpoint.now)

    def _do(self, what: str, act: Callable[[float], None]) -> None:
        def job(now: float) -> None:
            try:
                act(now)
            except (TransferError, UnsafeNameError, MissionError, OSError) as error:
                self._diagnostics.refuse(f"{what} refused", error)

        if self.thread is not None:
            self.thread.do(job)

    def _peer(self) -> tuple[int, int]:
        target = self._bridge.commander.target
        if target is None:
            raise TransferError("no drone is heard")
        return target

    def _fly(self, name: str, now: float) -> None:
        path = self._bridge.files.path(name)
        if not self._bridge.file_flight.fly(path, now):
            raise TransferError(f"{name}: not flown; the log says why")

    def _upload_mission(self, name: str, now: float) -> None:
        items = read_mission(self._bridge.files.path(name))
        flavour = self._bridge.commander.flavour
        keeps_home = flavour is not None and flavour.name.startswith("ardupilot")

        def ended(outcome: MissionOutcome) -> None:
            self._mission_ended("mission upload", outcome.error)

        missions = self._bridge.endpoint.missions
        missions.upload(items, self._peer(), now, ended, skipped=int(keeps_home))

    def _download_mission(self, name: str, now: float) -> None:
        path = self._bridge.files.new_path(name)

        def ended(outcome: MissionOutcome) -> None:
            error = outcome.error
            if outcome.succeeded:
                try:
                    write_mission(path, list(outcome.items))
                except OSError as problem:
                    error = str(problem)
            self._mission_ended("mission download", error)

        self._bridge.endpoint.missions.download(self._peer(), now, ended)

    def _mission_ended(self, what: str, error: str) -> None:
        """Tell in the log and as the last command."""
        self._bridge.commander.last = f"{what}: {error or 'done'}"
        log = self._node.get_logger()
        if error:
            log.warning(f"{what}: {error}")
        else:
            log.info(f"{what}: done")

    def _report(self, now: float) -> None:
        """Publish all transfers that run or have ended lately, when there is something new."""
        files = self._bridge.files
        shown = [*files.recent, *files.progress(now)]
        if shown == self._shown:
            return
        self._shown = shown
        array = DiagnosticArray(status=[_status(item) for item in shown])
        array.header.stamp = self._node.get_clock().now().to_msg()
        self._progress.publish(array)


def _status(item: TransferProgress) -> Any:
    left = "" if item.left is None else f"{item.left:.1f}"
    values = {
        "direction": "out" if item.outgoing else "in",
        "state": item.state.value,
        "done": item.done,
        "size": item.size,
        "rate": f"{item.rate:.1f}",
        "left": left,
        "reason": item.reason,
    }
    level = ERROR if item.state is TransferState.FAILED else OK
    text = item.reason or item.state.value
    return status_message(item.name, level, text, values, f"{item.peer[0]}/{item.peer[1]}")
