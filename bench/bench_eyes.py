"""Stereo from the simulator at 640x480 per eye: what a pair costs, how many come, how late.

The second part is the simulator as a node at real time, with the station's camera listened to, a
viewpoint that turns its head at 90 Hz, and both eyes' JPEGs received here.
"""

from __future__ import annotations

import math
import os
import signal
import statistics
import subprocess
import sys
import time
from typing import Any

import numpy as np
import rclpy
from bench_simulator import simulator
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PoseStamped
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from sensor_msgs.msg import CompressedImage, Image

from ros_interface.compressed_images import jpeg_from_array
from ros_interface.geometry_messages import message_from_pose
from ros_interface.qos import NEWEST, RELIABLE, SENSOR_DATA
from ros_interface.stamps import nanoseconds_from_stamp, stamp_from_nanoseconds
from ros_interface.timers import wall_timer
from scene_sim.eyes import EyePainter, EyeQuality, EyeView
from spatial_types.frustum import Frustum
from spatial_types.transforms import Transform

DOMAIN = 78
FRUSTA = {"left": Frustum(1.2, 0.9, 1.1, 1.1), "right": Frustum(0.9, 1.2, 1.1, 1.1)}
QUALITIES = {
    "as set": EyeQuality(),
    "4 samples": EyeQuality(samples=4),
    "4 samples and shadows": EyeQuality(samples=4, shadows=True),
}


def head(seconds: float) -> Transform:
    """Where the head is: it looks around while it stands in the room's corner."""
    yaw = 0.9 + 0.6 * math.sin(seconds)
    return Transform.from_rpy((-2.5, 0.5, 1.6), (0.0, 0.3, yaw))


def views(seconds: float) -> dict[str, EyeView]:
    half = {"left": 0.032, "right": -0.032}
    return {
        side: EyeView(head(seconds) @ Transform(translation=np.array([0.0, y, 0.0])), FRUSTA[side])
        for side, y in half.items()
    }


def costs(repeats: int) -> list[dict[str, Any]]:
    sim, rows = simulator(shadows=True), []
    for name, quality in QUALITIES.items():
        painter = EyePainter(sim.physics.model, quality)
        drawn, encoded = [], []
        for k in range(repeats + 1):
            both, begin = views(0.1 * k), time.thread_time()
            pair = painter.draw_pair(both["left"], both["right"], sim.snapshot())
            middle = time.thread_time()
            for image in pair:
                jpeg_from_array(image, 0, "")
            drawn.append(middle - begin)
            encoded.append(time.thread_time() - middle)
        painter.close()
        cost = 1e3 * statistics.median(drawn[1:])
        rows.append({"name": f"eyes, drawing a pair, {name}", "value": cost, "unit": "ms CPU"})
    cost = 1e3 * statistics.median(encoded[1:])
    return [*rows, {"name": "eyes, two JPEGs", "value": cost, "unit": "ms CPU"}]


class Watcher:
    """Turns the head at 90 Hz and notes when the eyes' pictures come."""

    def __init__(self, context: Context) -> None:
        self.node = rclpy.create_node("watcher", context=context)
        self.sent: dict[int, float] = {}
        self.eyes: dict[int, float] = {}
        self.delays: list[float] = []
        self.parts: list[dict[str, float]] = []
        self.station = 0
        create = self.node.create_publisher
        self.poses = {side: create(PoseStamped, f"/viewpoint/{side}", RELIABLE) for side in FRUSTA}
        subscribe = self.node.create_subscription
        for side in FRUSTA:
            topic = f"/viewpoint/{side}/image_raw/compressed"
            subscribe(CompressedImage, topic, self.on_eye, NEWEST)
        subscribe(Image, "/station/camera/image_raw", self.on_station, SENSOR_DATA)
        subscribe(DiagnosticArray, "/viewpoint/latency", self.on_latency, RELIABLE)
        wall_timer(self.node, 1.0 / 90.0, self.turn)

    def turn(self) -> None:
        now = time.time_ns()
        self.sent[now] = time.monotonic()
        for side, view in views(now * 1e-9).items():
            message = PoseStamped(pose=message_from_pose(view.map_from_eye))
            message.header.stamp = stamp_from_nanoseconds(now)
            message.header.frame_id = "map"
            self.poses[side].publish(message)

    def on_eye(self, message: CompressedImage) -> None:
        stamp = nanoseconds_from_stamp(message.header.stamp)
        if stamp in self.eyes and stamp in self.sent:  # the second eye of a pair
            self.delays.append(time.monotonic() - self.sent[stamp])
        self.eyes[stamp] = time.monotonic()

    def on_station(self, _: Image) -> None:
        self.station += 1

    def on_latency(self, message: DiagnosticArray) -> None:
        for status in message.status:
            if status.name == "scene_sim: eyes":
                self.parts.append({pair.key: float(pair.value) for pair in status.values})


def watch(seconds: float) -> list[dict[str, Any]]:
    environment = {**os.environ, "ROS_DOMAIN_ID": str(DOMAIN)}
    environment["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    environment["PYTHONPATH"] = os.pathsep.join(item for item in sys.path if item)
    os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    context = Context()
    rclpy.init(context=context, domain_id=DOMAIN)
    watcher, executor = Watcher(context), SingleThreadedExecutor(context=context)
    executor.add_node(watcher.node)
    command = [sys.executable, "-m", "scene_sim.scene_sim_node"]
    with subprocess.Popen(command, env=environment) as process:
        try:
            spin(executor, lambda: len(watcher.delays) > 20, 120.0)
            watcher.delays.clear()
            watcher.parts.clear()
            watcher.station, begin = 0, time.monotonic()
            spin(executor, lambda: False, seconds)
            rows = figures(watcher, time.monotonic() - begin)
        finally:
            process.send_signal(signal.SIGINT)
    executor.shutdown()
    watcher.node.destroy_node()
    rclpy.shutdown(context=context)
    return rows


def spin(executor: SingleThreadedExecutor, done: Any, seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end and not done():
        executor.spin_once(timeout_sec=0.01)


def figures(watcher: Watcher, seconds: float) -> list[dict[str, Any]]:
    if not watcher.delays or not watcher.parts:
        raise RuntimeError("no pictures came from the eyes")
    late = 1e3 * np.percentile(watcher.delays, [50, 95])
    part = {
        name: statistics.median(item[name] for item in watcher.parts)
        for name in ("wait_ms", "draw_ms", "encode_ms")
    }
    rows = [
        ("pairs", len(watcher.delays) / seconds, "1/s"),
        ("pose to both images here, median", late[0], "ms"),
        ("pose to both images here, 95 %", late[1], "ms"),
        ("of that waiting", part["wait_ms"], "ms"),
        ("of that drawing", part["draw_ms"], "ms"),
        ("of that encoding and sending", part["encode_ms"], "ms"),
        ("images of the station's camera meanwhile", watcher.station / seconds, "1/s"),
    ]
    return [{"name": f"eyes at real time, {n}", "value": float(v), "unit": u} for n, v, u in rows]


def run(quick: bool) -> list[dict[str, Any]]:
    return costs(10 if quick else 30) + watch(5.0 if quick else 20.0)
