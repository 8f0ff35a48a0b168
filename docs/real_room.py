"""Draw docs/images/real_room.png: people tracked in a recorded room with the laser localizer.

    python docs/real_room.py BAG [--topics /front_scan /rear_scan] [--out FILE]

BAG is a rosbag2 folder with sensor_msgs/LaserScan. The background is learnt from the bag itself:
people hide the room, so it is the farthest that each beam sees often (`learn_busy`).
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import yaml
from rosbags.highlevel import AnyReader
from rosbags.typesys import Stores, get_typestore

from ground_truth_localizer.acceptance_zone import LearntZone
from ground_truth_localizer.laser_localizer import LaserLocalizer
from ground_truth_localizer.laser_parameters import LaserParameters
from ground_truth_localizer.laser_result import LaserResult
from ground_truth_localizer.zone_learning import ZoneLearner
from ros_interface.scan_messages import scan_from_message
from spatial_types.parameters import from_mapping
from spatial_types.scan import Scan
from spatial_types.transforms import Transform

CONFIG = Path(__file__).resolve().parents[1] / "config" / "laser_localizer_people.yaml"


def read_scans(bag: Path, topic: str) -> list[Scan]:
    """Return the scans of one topic, in order."""
    scans = []
    with AnyReader([bag], default_typestore=get_typestore(Stores.ROS2_HUMBLE)) as reader:
        wanted = [c for c in reader.connections if c.topic == topic]
        for connection, _, data in reader.messages(connections=wanted):
            message = reader.deserialize(data, connection.msgtype)
            scans.append(scan_from_message(message))
    return scans


def learn(scans: list[Scan], parameters: LaserParameters) -> LearntZone:
    """Learn the room from scans in which people walk."""
    learner = ZoneLearner(parameters.sensor.sigma, parameters.zone.learn_busy)
    for scan in scans:
        learner.add(scan)
    return learner.zone(parameters.zone.margin_sigmas)


def track(scans: list[Scan]) -> tuple[LearntZone, list[LaserResult]]:
    """Learn the room and follow round moving objects as wide as legs."""
    values = yaml.safe_load(CONFIG.read_text())["laser_localizer"]["ros__parameters"]
    parameters = from_mapping(LaserParameters, values, f"{CONFIG}: ")
    zone = learn(scans, parameters)
    localizer = LaserLocalizer(parameters, zone)
    return zone, [localizer.update(scan, Transform()) for scan in scans]


def draw(axes: Any, scans: list[Scan], zone: LearntZone, results: list[LaserResult]) -> None:
    """Draw the room as learnt, what else was seen, and the tracks."""
    paths: dict[int, list[np.ndarray]] = defaultdict(list)
    for result in results:
        for target in result.targets:
            paths[target.track_id].append(target.state.position)
    angles = scans[0].angles
    for scan in scans[::5]:
        axes.plot(*_points(scan.ranges, angles), ".", color="0.8", markersize=1, zorder=1)
    room = _points(zone.background, angles)
    axes.plot(*room, ".", color="0.2", markersize=3, label="learnt background")
    for number, path in paths.items():
        x, y = np.array(path).T
        axes.plot(x, y, "-", linewidth=1.2, label=f"track {number}, seen in {len(path)} scans")
    axes.plot(0, 0, "^", color="k", label="laser range finder")
    axes.set_aspect("equal")
    axes.set_xlim(-3, 5.5)
    axes.set_ylim(-4, 4)
    axes.set_xlabel("x (m)")
    axes.set_ylabel("y (m)")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=2, fontsize=7)


def _points(ranges: np.ndarray, angles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    near = np.where(np.isfinite(ranges) & (ranges > 0.05), ranges, np.nan)
    return near * np.cos(angles), near * np.sin(angles)


def main() -> None:
    """Read the bag, track, draw, and print how much was found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bag", type=Path)
    parser.add_argument("--topics", nargs="+", default=["/front_scan", "/rear_scan"])
    parser.add_argument("--out", type=Path, default=Path("docs/images/real_room.png"))
    options = parser.parse_args()
    matplotlib.use("Agg")
    from matplotlib import pyplot

    count = len(options.topics)
    figure, panels = pyplot.subplots(1, count, figsize=(6 * count, 5.5), squeeze=False)
    for axes, topic in zip(panels[0], options.topics, strict=True):
        scans = read_scans(options.bag, topic)
        zone, results = track(scans)
        draw(axes, scans, zone, results)
        axes.set_title(f"{topic}: {len(scans)} scans")
        seen = sum(bool(result.targets) for result in results)
        tracks = {target.track_id for result in results for target in result.targets}
        print(f"{topic}: {len(scans)} scans, {seen} with a target, {len(tracks)} tracks")
    figure.tight_layout()
    options.out.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(options.out, dpi=100, bbox_inches="tight")


if __name__ == "__main__":
    main()
