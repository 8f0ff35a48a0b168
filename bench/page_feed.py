"""What a page is sent while a robot drives in a circle: tf, truth, estimate, scan, zone, errors."""

import math
import threading
import time
from pathlib import Path

import numpy as np

from scene_sim.model_lists import find_file, model_from_text
from vr_view.server.assets import Assets
from vr_view.server.scene_document import scene_document
from vr_view.server.topics import TopicSpec, TrailTopic, TransformTopic

ROOT = Path(__file__).resolve().parent.parent
MAKERS = {
    "tf": TransformTopic,
    "trail": lambda spec: TrailTopic(spec, TRAILS[spec.topic], 4000, 0.01),
}
MODELS = (
    "urdf/station.urdf.xacro",
    "urdf/phone_robot.urdf.xacro 0 2 0",
    "urdf/drone.urdf.xacro -2.5 1 0",
)
SPECS = [
    TopicSpec("/tf", "tf", 30.0),
    TopicSpec("/lrf/scan", "scan", 10.0),
    TopicSpec("/ground_truth/pose", "estimate", 30.0),
    TopicSpec("/reference/target", "odometry", 30.0),
    TopicSpec("/reference/phone_robot", "odometry", 30.0),
    TopicSpec("/ground_truth/markers", "markers", 10.0),
    TopicSpec("/page/error", "error", 10.0),
    TopicSpec("/page/simulator", "simulator", 5.0),
    TopicSpec("/ground_truth/status", "status", 5.0),
    TopicSpec("/drone/state", "status", 5.0),
    TopicSpec("/viewpoint/mode_state", "text", 5.0),
    TopicSpec("/drone/battery", "battery", 2.0),
    TopicSpec("/drone/pose", "pose", 20.0),
    TopicSpec("/page/trail/estimate", "trail", 1.0),
    TopicSpec("/page/trail/drone", "trail", 1.0),
]
TRAILS = {"/page/trail/estimate": "/ground_truth/pose", "/page/trail/drone": "/drone/pose"}
BEAMS = 360
DRONE = {  # as mavlink_bridge/state_report.py tells them
    "connected": "True",
    "armed": "True",
    "mode": "OFFBOARD",
    "landed": "in air",
    "autopilot": "px4",
    "height above home": "1.200",
    "setpoint": "holds",
    "setpoints expired": "0",
}
ZONE = [-3.0, 0.3, 0.5, 3.0, 0.3, 0.5, 3.0, 4.0, 0.5, -3.0, 4.0, 0.5, -3.0, 0.3, 0.5]
COVARIANCE = np.diag([4e-6, 9e-6, 0.0, 0.0, 0.0, 1e-5]).ravel().tolist()


def scene():
    """The document of the room with station, robot and drone, and its files."""
    assets = Assets()
    models = [model_from_text(text, ROOT) for text in MODELS]
    world = find_file("worlds/ground_truth_room.sdf", ROOT)
    return scene_document(world, models, assets), assets


class Feed(threading.Thread):
    """Puts new values into a hub at 30 Hz until it is stopped."""

    def __init__(self, hub):
        super().__init__(daemon=True)
        self._hub, self._stop_now = hub, threading.Event()

    def run(self):
        begin = time.monotonic()
        while not self._stop_now.wait(1 / 30):
            self._put(time.monotonic() - begin)

    def stop(self):
        self._stop_now.set()
        self.join()

    def _put(self, t):
        x, y, yaw = 1.2 * math.cos(0.3 * t), 2.2 + 0.8 * math.sin(0.3 * t), 0.3 * t + math.pi / 2
        turn = [0.0, 0.0, math.sin(yaw / 2), math.cos(yaw / 2)]
        dx, dy = 0.003 * math.sin(1.3 * t), 0.002 * math.cos(0.9 * t)
        here = {"frame": "map", "stamp": t, "pose": [x, y, 0.0, *turn]}
        estimate = {**here, "pose": [x + dx, y + dy, 0.0, *turn], "covariance": COVARIANCE}
        still = {"linear": [0.0] * 3, "angular": [0.0] * 3}
        put = self._hub.put
        put("/reference/phone_robot", {**here, "child": "phone_robot/base_footprint", **still})
        raised = {**here, "pose": [x, y, 0.37, *turn]}
        put("/reference/target", {**raised, "child": "phone_robot/target_link", **still})
        put("/ground_truth/pose", estimate)
        put("/page/trail/estimate", (x + dx, y + dy, 0.0))
        error = {"x": dx, "y": dy, "distance": math.hypot(dx, dy), "yaw": 0.004 * math.sin(t)}
        put("/page/error", {"stamp": t, **error})
        put("/ground_truth/status", status("ground_truth", "tracking: 1 seen"))
        put("/ground_truth/markers", {"markers": [zone()]})
        put("/lrf/scan", scan(t, x, y))
        running = {"time": t, "paused": False, "factor": 1.0, "wished": 1.0}
        put("/page/simulator", {**running, "level": 0, "text": "running"})
        self._put_drone(t)

    def _put_drone(self, t):
        place = [-1.2 + 0.9 * math.cos(0.5 * t), 2.2 + 0.9 * math.sin(0.5 * t), 1.2]
        drone = [*place, 0.0, 0.0, math.sin(0.25 * t), math.cos(0.25 * t)]
        laser = ["station_link", "lrf_link", t, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 1.0]
        station = ["map", "station_link", t, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
        put = self._hub.put
        put("/tf", [station, laser, ["map", "drone/base_link", t, *drone]])
        put("/drone/pose", {"frame": "map", "stamp": t, "pose": drone})
        put("/page/trail/drone", tuple(place))
        put("/drone/state", status("drone", "px4 1: OFFBOARD, armed, in air", **DRONE))
        put("/viewpoint/mode_state", {"text": "fixed"})
        battery = {"voltage": 15.8, "current": 4.2, "remaining": 0.82}
        put("/drone/battery", {"stamp": t, **battery})


def status(name, text, **values):
    return {"name": name, "level": 0, "text": text, "values": values}


def zone():
    return {
        "ns": "zone",
        "id": 0,
        "shape": "line_strip",
        "frame": "map",
        "pose": [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0],
        "scale": [0.01, 0.0, 0.0],
        "colour": [0.2, 0.6, 0.9, 0.8],
        "points": ZONE,
        "colours": [],
        "text": "",
    }


def scan(t, x, y):
    """Walls at 3.5 m to the sides and 4.5 m ahead, and the target."""
    angles = np.arange(BEAMS) * math.radians(0.5)
    across, along = np.cos(angles), np.sin(angles)
    with np.errstate(divide="ignore"):
        ranges = np.minimum(3.5 / np.abs(across), 4.5 / np.maximum(along, 1e-9))
    towards, beside = across * x + along * y, along * x - across * y
    hit = (np.abs(beside) < 0.1) & (towards > 0)
    ranges[hit] = (towards - np.sqrt(np.maximum(0.01 - beside**2, 0)))[hit]
    header = {
        "frame": "lrf_link",
        "stamp": t,
        "angle_min": 0.0,
        "angle_increment": math.radians(0.5),
        "range_min": 0.1,
        "range_max": 12.0,
        "count": BEAMS,
    }
    return header, ranges.astype(np.float32).tobytes()
