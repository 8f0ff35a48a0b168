"""The whole graph at real time: what is lost, how late poses come, what memory it takes."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

PAGE = os.sysconf("SC_PAGE_SIZE")
TRIAL = """\
trial: graph
world: ground_truth_room.sdf
settle: 1.0
drive:
  start: [-1.5, 1.5, 0.0]
  cruise: 0.4
  moves:
{moves}
"""
LAP = """\
    - {drive: 3.0}
    - {drive: 1.2, turning: 180.0}
    - {drive: 3.0}
    - {drive: 1.2, turning: 180.0}
    - {stop: 1.0}
"""
LAP_SECONDS = 23.0


def descendants(root: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            children.setdefault(int(fields[1]), []).append(int(entry.name))
    found, waiting = [], [root]
    while waiting:
        pid = waiting.pop()
        found.append(pid)
        waiting += children.get(pid, [])
    return found


def memory(root: int) -> float:
    """Resident memory of a process and all below it, GB; shared pages count each time."""
    total = 0
    for pid in descendants(root):
        try:
            total += int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE
        except OSError:
            continue
    return total / 1e9


def run(quick: bool) -> list[dict[str, Any]]:
    laps = 1 if quick else 3
    with tempfile.TemporaryDirectory() as name:
        trial, out = Path(name) / "graph.yaml", Path(name) / "graph.json"
        trial.write_text(TRIAL.format(moves=LAP * laps))
        command = ["ros2", "launch", "truthbed", "scene.launch.xml", f"trial:={trial}"]
        environment = {**os.environ, "ROS_DOMAIN_ID": "77"}
        environment["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
        peaks = []
        with subprocess.Popen(
            [*command, f"json:={out}"], env=environment, stdout=subprocess.DEVNULL
        ) as process:
            while process.poll() is None:
                peaks.append(memory(process.pid))
                time.sleep(1.0)
        if process.returncode != 0 or not out.exists():
            raise RuntimeError(f"the scene ended with code {process.returncode}")
        figures = json.loads(out.read_text())
    graph = figures["graph"]
    late = graph["pose_delay_ms"] or {"share_within_20_ms": 0.0, "p99": float("inf")}
    rows = [
        ("real-time factor", graph["real_time_factor"] or 0.0, "", 0.95, True),
        ("scans lost", graph["scans_lost"], "", 0, False),
        ("images lost", graph["images_lost"], "", 0, False),
        ("poses within 20 ms", 100 * late["share_within_20_ms"], "%", 99.0, True),
        ("pose delay, 99th percentile", late["p99"], "ms", None, False),
        ("peak memory of all processes", max(peaks), "GB", 1.5, False),
    ]
    seconds = laps * LAP_SECONDS
    return [
        {"name": f"graph for {seconds:.0f} s, {n}", "value": float(v), "unit": u, "required": r}
        | {"at_least": least}
        for n, v, u, r, least in rows
    ]
