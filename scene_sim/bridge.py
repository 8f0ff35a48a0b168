"""Reads a ros_gz_bridge configuration: which Gazebo topic is which ROS topic."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from scene_sim.description import DescriptionError, Source

DIRECTIONS = ("GZ_TO_ROS", "ROS_TO_GZ", "BIDIRECTIONAL")
_REQUIRED = ("ros_topic_name", "gz_topic_name", "ros_type_name", "direction")
_KNOWN = {*_REQUIRED, "topic_name", "gz_type_name", "publisher_queue", "subscriber_queue", "lazy"}


@dataclass(frozen=True)
class BridgedTopic:
    """One topic; `gz_topic` carries no leading slash."""

    ros_topic: str
    gz_topic: str
    ros_type: str
    direction: str


def read_bridge(file: Path) -> tuple[BridgedTopic, ...]:
    """Return the bridged topics in the file's order.

    Raises DescriptionError naming the file and the entry for anything but a list of complete
    entries, and for two entries of one Gazebo topic.
    """
    source = Source(str(file))
    try:
        entries = yaml.safe_load(file.read_text())
    except (OSError, yaml.YAMLError) as error:
        raise DescriptionError(source, f"cannot be read: {error}") from None
    if not isinstance(entries, list):
        raise DescriptionError(source, "expected a list of topics")
    topics = tuple(_topic(source, index, entry) for index, entry in enumerate(entries, start=1))
    seen: set[tuple[str, str]] = set()
    for topic in topics:
        key = (topic.gz_topic, topic.ros_type)
        if key in seen:
            raise DescriptionError(source, f"gz_topic_name '{topic.gz_topic}' stands there twice")
        seen.add(key)
    return topics


def _topic(source: Source, index: int, entry: Any) -> BridgedTopic:
    where = f"entry {index}"
    if not isinstance(entry, dict):
        raise DescriptionError(source, f"{where}: expected names and values")
    for name in entry:
        if name not in _KNOWN:
            raise DescriptionError(source, f"{where}: unknown key '{name}'")
    shared = entry.get("topic_name")
    values = {"ros_topic_name": shared, "gz_topic_name": shared, **entry}
    for name in _REQUIRED:
        if not isinstance(values.get(name), str):
            raise DescriptionError(source, f"{where}: expected text for '{name}'")
    if values["direction"] not in DIRECTIONS:
        raise DescriptionError(
            source,
            f"{where}: direction '{values['direction']}': expected one of {', '.join(DIRECTIONS)}",
        )
    return BridgedTopic(
        ros_topic=values["ros_topic_name"],
        gz_topic=values["gz_topic_name"].lstrip("/"),
        ros_type=values["ros_type_name"].replace("/msg/", "/"),
        direction=values["direction"],
    )
