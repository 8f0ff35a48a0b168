"""Options of the commands that read a bag: its topics, the target, the zone, any parameter."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from evaluation.bag_reading import Bag
from evaluation.commands import finite, overrides_from, seconds
from evaluation.errors import EvaluationError
from evaluation.sensor_topics import SensorTopics
from ground_truth_localizer.acceptance_zone import AcceptanceZone
from ground_truth_localizer.laser_parameters import SensorParameters
from ground_truth_localizer.zone_learning import ZoneLearner
from ros_interface.errors import MessageError
from ros_interface.scan_messages import scan_from_message
from spatial_types.transforms import Transform

POSE_AXES = ("X", "Y", "Z", "ROLL", "PITCH", "YAW")


def add_topic_options(parser: argparse.ArgumentParser) -> None:
    """Add the names of SensorTopics, and --lrf-pose."""
    told = SensorTopics()
    parser.add_argument("--scan-topic", default=told.scan)
    parser.add_argument("--image-topic", default=told.image)
    parser.add_argument("--info-topic", default=told.info)
    parser.add_argument("--map-frame", default=told.map_frame)
    add_pose_option(parser, "--lrf-pose", "pose of the laser in map (m, rad), instead of tf")


def add_pose_option(parser: argparse.ArgumentParser, name: str, text: str) -> None:
    """Add an option of six numbers, which `pose_of` reads."""
    parser.add_argument(name, type=finite, nargs=6, metavar=POSE_AXES, help=text)


def add_target_options(parser: argparse.ArgumentParser, rooms: Sequence[str]) -> None:
    """Add what `room_parameters` reads, and --learn."""
    parser.add_argument("--radius", type=finite, help="radius of the target (m)")
    parser.add_argument("--zone", help="a zone file, `open`, or X_MIN,Y_MIN,X_MAX,Y_MAX")
    text = "learn the zone from the first S seconds (0: all)"
    parser.add_argument("--learn", type=seconds, metavar="S", help=text)
    text = f"a parameter; ROOM: {', '.join(rooms)}"
    parser.add_argument(
        "--set", action="append", default=[], metavar="ROOM.NAME=VALUE", dest="sets", help=text
    )


def sensor_topics(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the fields of SensorTopics."""
    return {
        "scan": arguments.scan_topic,
        "image": arguments.image_topic,
        "info": arguments.info_topic,
        "map_frame": arguments.map_frame,
        "lrf_pose": pose_of(arguments.lrf_pose),
    }


def pose_of(numbers: Sequence[float] | None) -> Transform | None:
    """Return the pose that an option's six numbers are."""
    return None if numbers is None else Transform.from_rpy(numbers[:3], numbers[3:])


def room_parameters(
    arguments: argparse.Namespace, rooms: Sequence[str]
) -> dict[str, dict[str, Any]]:
    """Return the parameters of each room; --set stands above the other options.

    The rooms `laser` and `orientation` must be among them.
    """
    values: dict[str, dict[str, Any]] = {room: {} for room in rooms}
    if arguments.radius is not None:
        values["laser"]["target.radius"] = values["orientation"]["target.radius"] = arguments.radius
    values["laser"].update(_zone_parameters(arguments.zone))
    for name, value in overrides_from(arguments.sets).items():
        room, _, rest = name.partition(".")
        if room not in rooms or not rest:
            raise EvaluationError(f"--set {name}: expected one of {', '.join(rooms)} in front")
        values[room][rest] = value
    return values


def _zone_parameters(zone: str | None) -> dict[str, Any]:
    if zone is None:
        return {}
    if zone == "open":
        return {"zone.kind": "open"}
    try:
        return {"zone.kind": "rectangle", "zone.rectangle": [float(v) for v in zone.split(",")]}
    except ValueError:
        return {"zone.kind": "file", "zone.file": zone}


def learnt_zone(bag: Bag, topic: str, duration: float, sensor: SensorParameters) -> AcceptanceZone:
    """Learn the background from the bag itself (s; 0: all); people may walk through it."""
    learner = ZoneLearner(sensor.sigma, busy=True, range_bias=sensor.range_bias)
    first: int | None = None
    for message in bag.messages([topic]):
        first = message.stamp if first is None else first
        if duration > 0 and (message.stamp - first) * 1e-9 > duration:
            break
        try:
            learner.add(scan_from_message(bag.deserialize(message)))
        except MessageError:
            continue
    return learner.zone(source=f"{bag.path.name}: {topic}")
