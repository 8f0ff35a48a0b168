"""The viewpoint's periods beside a bare timer's, while the whole scene runs at real time."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

START = 20.0  # s in which the scene's programs start


def measure(mode: str, seconds: float, out: Path) -> dict[str, Any]:
    environment = {**os.environ, "ROS_DOMAIN_ID": "78"}
    environment["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    arguments = ["vr:=true", "vr_head:=scripted", "vr_port:=0", f"vr_mode:={mode}"]
    with subprocess.Popen(
        ["ros2", "launch", "truthbed", "scene.launch.xml", *arguments],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as scene:
        try:
            time.sleep(START)
            options = ["--seconds", str(seconds), "--json", str(out)]
            subprocess.run(
                ["ros2", "run", "truthbed", "viewpoint_rate", *options],
                env=environment,
                stdout=subprocess.DEVNULL,
                check=True,
            )
        finally:
            scene.send_signal(signal.SIGINT)
    return json.loads(out.read_text())


def run(quick: bool) -> list[dict[str, Any]]:
    rows = []
    with tempfile.TemporaryDirectory() as name:
        for mode in ("fixed",) if quick else ("fixed", "orbit"):
            found = measure(mode, 10.0 if quick else 40.0, Path(name) / "rate.json")
            bare = 100.0 * found["bare_within_2ms"]
            rows += [
                {"name": f"viewpoint, {mode}", "value": found["rate_hz"], "unit": "Hz"}
                | {"required": 89.5},
                {"name": f"viewpoint, {mode}, periods within 2 ms", "unit": "%"}
                | {"value": 100.0 * found["within_2ms"], "required": min(99.0, bare - 1.0)},
                {"name": "bare timer, periods within 2 ms", "value": bare, "unit": "%"},
                {"name": f"viewpoint, {mode}, skipped", "value": found["skipped"], "unit": ""},
            ]
    return rows
