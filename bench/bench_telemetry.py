"""1000 telemetry messages a second from UDP to ROS topics: what it costs, how late, what is lost.

The drone, the bridge's node and whoever listens are three processes. Lateness is from sending the
datagram to the listener's callback, the middleware and the listener's own Python included.
"""

from __future__ import annotations

import json
import os
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import rclpy
from bench_mavlink import pymavlinks
from geometry_msgs.msg import PoseStamped
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import BatteryState, Imu, NavSatFix
from telemetry_source import RATE, kinds, message

from mavlink_bridge.wire.frame_writer import FrameWriter

HERE = Path(__file__).resolve().parent
DOMAIN = 69
TICKS = os.sysconf("SC_CLK_TCK")
PROMPT = 0.005  # s
Got = dict[tuple[str, int], float]

# Kind of message, type and name of its topic, and where in the serialized message, after its head,
# the number stands: alignment, bytes before it, its format, what one of it is.
TOPICS: tuple[tuple[str, type, str, int, int, str, float], ...] = (
    ("imu", Imu, "imu", 8, 8 * (4 + 9), "<d", 1.0),
    ("position", PoseStamped, "pose", 8, 0, "<d", 1.0),
    ("fix", NavSatFix, "global_position", 8, 0, "<d", 1e-7),
    ("battery", BatteryState, "battery", 4, 0, "<f", 1e-3),
)
ENCAPSULATION = 4  # bytes that tell how the rest is serialized


def processor_time(pid: int) -> float:
    """Seconds of processor time, user's and kernel's, of all threads of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


class Listener:
    """Notes when which number came on which topic."""

    def __init__(self) -> None:
        self.context = Context()
        rclpy.init(args=[], context=self.context, domain_id=DOMAIN)
        self.node = rclpy.create_node("listener", context=self.context, enable_rosout=False)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)
        self.got: Got = {}
        quality = QoSProfile(depth=1000, reliability=ReliabilityPolicy.BEST_EFFORT)
        for topic in TOPICS:
            self._listen(*topic, quality)

    def _listen(
        self,
        kind: str,
        message_type: type,
        topic: str,
        alignment: int,
        before: int,
        layout: str,
        unit: float,
        quality: QoSProfile,
    ) -> None:
        """Take serialized messages: making objects of them would cost what is measured."""

        def take(data: bytes) -> None:
            now = time.monotonic()
            (length,) = struct.unpack_from("<I", data, ENCAPSULATION + 8)
            end = 12 + length + (2 if kind == "fix" else 0)  # a fix begins with its status
            place = ENCAPSULATION + -(-end // alignment) * alignment + before
            (value,) = struct.unpack_from(layout, data, place)
            self.got[kind, round(value / unit)] = now

        self.node.create_subscription(message_type, f"/drone/{topic}", take, quality, raw=True)

    def spin_while(self, condition: Callable[[], bool]) -> None:
        while condition():
            self.executor.spin_once(timeout_sec=0.05)

    def close(self) -> None:
        self.executor.shutdown()
        self.node.destroy_node()
        rclpy.shutdown(context=self.context)


def flood(folder: Path, seconds: float) -> tuple[list[Any], Got, float]:
    """Return what was sent, when it came, and the bridge's share of one processor."""
    port, out = free_port(), folder / "sent.json"
    os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    environment = {**os.environ, "ROS_DOMAIN_ID": str(DOMAIN)}
    node = [sys.executable, "-m", "mavlink_bridge.mavlink_bridge_node", "--ros-args"]
    node += ["-p", f"link:=udpin:127.0.0.1:{port}", "-p", f"folder:={folder}"]
    source = [sys.executable, str(HERE / "telemetry_source.py"), str(port), str(seconds), str(out)]
    listener = Listener()
    with subprocess.Popen(node, env=environment, stderr=subprocess.DEVNULL) as bridge:
        try:
            with subprocess.Popen(source, env=environment) as drone:
                deadline = time.monotonic() + 60.0
                listener.spin_while(lambda: not listener.got and time.monotonic() < deadline)
                cost, begin = processor_time(bridge.pid), time.monotonic()
                end = begin + seconds
                listener.spin_while(lambda: time.monotonic() < end)
                share = (processor_time(bridge.pid) - cost) / (time.monotonic() - begin)
                listener.spin_while(lambda: drone.poll() is None)
            last = time.monotonic() + 1.0
            listener.spin_while(lambda: time.monotonic() < last)
        finally:
            bridge.terminate()
    listener.close()
    return json.loads(out.read_text()), listener.got, share


def parse_alone() -> float:
    """Share of a processor that pymavlink takes to parse 1000 of the same messages a second."""
    writer = FrameWriter(1, 1)
    frames = [writer.write(message(kind, k, 10.0)) for k, kind in enumerate(kinds() * 5)]
    best = float("inf")
    for _ in range(5):
        begin = time.process_time()
        assert len(pymavlinks(frames)) == len(frames)
        best = min(best, time.process_time() - begin)
    return best / len(frames) * RATE


def run(quick: bool) -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as name:
        sent, got, share = flood(Path(name), 5.0 if quick else 20.0)
    told = {kind for kind, *_ in TOPICS}
    awaited = [(kind, number, when) for kind, number, when in sent if kind in told]
    late = sorted(
        got[kind, number] - when for kind, number, when in awaited if (kind, number) in got
    )
    prompt = 100.0 * sum(delay <= PROMPT for delay in late) / max(1, len(awaited))
    p99 = 1e3 * late[int(0.99 * len(late))] if late else float("inf")
    what = f"{RATE} telemetry messages/s to topics"
    return [
        {"name": f"{what}, the bridge's processor", "value": share, "unit": "cores"}
        | {"required": 0.5, "at_least": False},
        {"name": f"{what}, within 5 ms", "value": prompt, "unit": "%", "required": 99.0},
        {"name": f"{what}, 99th percentile", "value": p99, "unit": "ms"},
        {"name": f"{what}, lost", "value": float(len(awaited) - len(late)), "unit": "messages"}
        | {"required": 0.0, "at_least": False},
        {"name": "the same parsed by pymavlink alone", "value": parse_alone(), "unit": "cores"},
    ]
