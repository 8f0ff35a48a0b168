"""What a page with all topics of a scene costs the server, and how late its head is on tf.

The topics are made up, at the rates of the scene with both eyes drawn: measured are the page's
server, and viewpoint_node behind it, not the simulator.
"""

from __future__ import annotations

import array
import asyncio
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import aiohttp
import cv2
import numpy as np
import rclpy
from geometry_msgs.msg import PoseWithCovarianceStamped
from nav_msgs.msg import Odometry
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from sensor_msgs.msg import CompressedImage, Image, LaserScan
from tf2_msgs.msg import TFMessage

from ros_interface.geometry_messages import stamped_transform
from ros_interface.image_messages import image_from_array
from spatial_types.transforms import Transform

DOMAIN = 79
PORT = 8779
START = 60.0  # s in which the page must be there
HEAD_RATE = 90.0  # Hz
FLIP = 0.25  # s between two changes of the head's height
LOW, HIGH = 1.2, 1.8  # m
TICKS = os.sysconf("SC_CLK_TCK")


class Party:
    """A node on a context and a thread of its own."""

    def __init__(self, name: str) -> None:
        self._context = Context()
        rclpy.init(context=self._context, domain_id=DOMAIN)
        self._node = rclpy.create_node(name, context=self._context)
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._stop = threading.Event()

    def _work(self) -> None:
        raise NotImplementedError

    def close(self) -> None:
        self._stop.set()
        self._thread.join()
        self._node.destroy_node()
        rclpy.shutdown(context=self._context)


class Feed(Party):
    """Publishes what the scene does, as often."""

    def __init__(self) -> None:
        super().__init__("feed")
        image = np.random.default_rng(1).integers(0, 255, (240, 320, 3), np.uint8)
        jpeg = cv2.imencode(".jpg", cv2.resize(image, (640, 480)))[1].tobytes()
        scan = LaserScan(angle_min=0.0, angle_increment=0.00436, range_max=10.0)
        scan.ranges = array.array("f", [2.0] * 721)
        eyes = [f"/viewpoint/{side}/image_raw/compressed" for side in ("left", "right")]
        # Every n-th of 200 ticks a second.
        self._outlets = [
            (1, self._publisher(TFMessage, "/tf"), self._transforms("camera_pan_link")),
            (4, self._publisher(TFMessage, "/tf"), self._transforms("robot/left", "robot/right")),
            (20, self._publisher(LaserScan, "/lrf/scan"), scan),
            (7, self._publisher(Image, "/station/camera/image_raw"), _image(image)),
            (7, self._publisher(PoseWithCovarianceStamped, "/ground_truth/pose"), None),
            (2, self._publisher(Odometry, "/reference/target"), None),
            (2, self._publisher(Odometry, "/reference/phone_robot"), None),
            *((13, self._publisher(CompressedImage, eye), _jpeg(jpeg)) for eye in eyes),
        ]
        self._thread.start()

    def _publisher(self, kind: type, topic: str) -> Any:
        return self._node.create_publisher(kind, topic, 10)

    @staticmethod
    def _transforms(*children: str) -> TFMessage:
        return TFMessage(
            transforms=[stamped_transform(Transform(), 0, "map", child) for child in children]
        )

    def _work(self) -> None:
        tick = 0
        while not self._stop.wait(1.0 / 200.0):
            tick += 1
            now = self._node.get_clock().now().to_msg()
            for period, publisher, message in self._outlets:
                if tick % period:
                    continue
                message = message or publisher.msg_type()
                for item in getattr(message, "transforms", [message]):
                    item.header.stamp = now
                publisher.publish(message)


def _image(pixels: Any) -> Image:
    return image_from_array(pixels, "rgb8", 0, "camera")


def _jpeg(data: bytes) -> CompressedImage:
    return CompressedImage(format="jpeg", data=array.array("B", data))


class HeadOnTf(Party):
    """Hears map -> viewpoint, and notes when the head's height changes."""

    def __init__(self) -> None:
        super().__init__("head_on_tf")
        self.changes: list[float] = []
        self._height: float | None = None
        self._node.create_subscription(TFMessage, "/tf", self._take, 100)
        self._thread.start()

    def _work(self) -> None:
        executor = SingleThreadedExecutor(context=self._context)
        executor.add_node(self._node)
        while not self._stop.is_set():
            executor.spin_once(0.1)
        executor.shutdown()

    def _take(self, message: TFMessage) -> None:
        now = time.monotonic()
        for item in message.transforms:
            if item.child_frame_id != "viewpoint":
                continue
            height = item.transform.translation.z
            if self._height is not None and abs(height - self._height) > (HIGH - LOW) / 2.0:
                self.changes.append(now)
            self._height = height


def processor_seconds(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


async def send_head(page: aiohttp.ClientWebSocketResponse, offset: float, until: float) -> Any:
    """Send the head until that time; return when its height changed."""
    flips, height, next_flip = [], LOW, time.monotonic() + 2.0
    while (now := time.monotonic()) < until:
        if now >= next_flip:
            height = HIGH if height == LOW else LOW
            next_flip = now + FLIP
            flips.append(now)
        head = [0.0, height, 0.0, 0.0, 0.0, 0.0, 1.0]
        await page.send_str(json.dumps({"type": "device", "t": now + offset, "head": head}))
        await asyncio.sleep(1.0 / HEAD_RATE)
    return flips


async def be_a_page(seconds: float, process: int) -> dict[str, Any]:
    """Open the page with all of its topics, images too; return what it got and what it cost."""
    got: dict[str, int] = {}
    async with (
        aiohttp.ClientSession() as http,
        http.ws_connect(f"http://127.0.0.1:{PORT}/socket", max_msg_size=0) as page,
    ):
        hello = await page.receive_json()
        images = [item["topic"] for item in hello["topics"] if item["kind"] == "image"]
        wanted = json.dumps({"type": "subscribe", "topics": dict.fromkeys(images, 15)})
        await page.send_str(wanted)
        offset = hello["time"] - time.monotonic()
        before, start = processor_seconds(process), time.monotonic()
        sender = asyncio.ensure_future(send_head(page, offset, start + seconds))
        size = 0
        while not sender.done():
            try:
                message = await page.receive(timeout=1.0)
            except asyncio.TimeoutError:
                continue
            kind = "binary" if message.type is aiohttp.WSMsgType.BINARY else "text"
            got[kind] = got.get(kind, 0) + 1
            size += len(message.data)
        took = time.monotonic() - start
        cost = (processor_seconds(process) - before) / took
    return {"flips": sender.result(), "cost": cost, "rate": sum(got.values()) / took} | {
        "kilobytes": size / took / 1000.0
    }


def delays(flips: list[float], changes: list[float]) -> Any:
    """Return for each flip the time until the height changed on tf, None where it did not."""
    found = []
    for flip in flips:
        after = [change - flip for change in changes if 0.0 <= change - flip < FLIP]
        found.append(after[0] if after else np.inf)
    return np.array(found)


def started(module: str, *parameters: str) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "ROS_DOMAIN_ID": str(DOMAIN)}
    environment["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    command = [sys.executable, "-m", module, "--ros-args"]
    for item in parameters:
        command += ["-p", item]
    return subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)


def wait_for_port(process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + START
    while time.monotonic() < end and process.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", PORT), 1.0):
            return
        time.sleep(0.2)
    raise RuntimeError("the page server has not started")


def measure(seconds: float) -> dict[str, Any]:
    server = started("vr_view.page_server_node", f"port:={PORT}")
    viewpoint = started("vr_view.viewpoint_node", "mode:=fixed")
    feed = head = None
    try:
        wait_for_port(server)
        feed, head = Feed(), HeadOnTf()
        time.sleep(5.0)
        before = processor_seconds(server.pid)
        time.sleep(5.0)
        idle = (processor_seconds(server.pid) - before) / 5.0
        found = asyncio.run(be_a_page(seconds, server.pid))
    finally:
        for part in (feed, head):
            if part is not None:
                part.close()
        for process in (server, viewpoint):
            process.send_signal(signal.SIGINT)
        for process in (server, viewpoint):
            process.wait(START)
    return {**found, "idle": idle, "delays": delays(found["flips"], head.changes)}


def run(quick: bool) -> list[dict[str, Any]]:
    found = measure(10.0 if quick else 30.0)
    late = found["delays"]
    within = 100.0 * float(np.mean(late <= 0.050))
    return [
        {"name": "page server, no page open", "value": 100.0 * found["idle"], "unit": "% CPU"},
        {"name": "page server, one page, all topics", "unit": "% CPU"}
        | {"value": 100.0 * found["cost"]},
        {"name": "page, messages", "value": found["rate"], "unit": "/s"},
        {"name": "page, data", "value": found["kilobytes"], "unit": "kB/s"},
        {"name": "page's head on tf within 50 ms", "value": within, "unit": "%", "required": 95.0},
        {"name": "page's head on tf, median", "unit": "ms"}
        | {"value": 1000.0 * float(np.median(late))},
    ]


if __name__ == "__main__":
    print(json.dumps(run(True), indent=1))
