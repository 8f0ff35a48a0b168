"""Under which names a bag holds what the station's sensors say, and of which types that must be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.bag_reading import Bag
from evaluation.errors import BagError
from spatial_types.transforms import Transform

SCAN_TYPE = "sensor_msgs/msg/LaserScan"
IMAGE_TYPE = "sensor_msgs/msg/Image"
INFO_TYPE = "sensor_msgs/msg/CameraInfo"


@dataclass(frozen=True)
class SensorTopics:
    """Topics of the sensors, the frame `map`, and map_from_lrf where tf is not to tell it."""

    scan: str = "/lrf/scan"
    image: str = "/station/camera/image_raw"
    info: str = "/station/camera/camera_info"
    map_frame: str = "map"
    lrf_pose: Transform | None = None


def require(bag: Bag, topic: str, what: str, option: str, kinds: Sequence[str]) -> None:
    """Raise BagError where a bag has no such topic, or one of another type."""
    if topic not in bag.topics:
        listed = ", ".join(f"{name} ({kind})" for name, kind in sorted(bag.topics.items()))
        raise BagError(f"{bag.path}: no {what} on {topic} ({option}); topics: {listed}")
    if bag.topics[topic] not in kinds:
        found, expected = bag.topics[topic], " or ".join(kinds)
        raise BagError(f"{bag.path}: {topic} ({option}) is of type {found}; expected {expected}")


def require_sensors(bag: Bag, topics: SensorTopics, images: bool = True) -> None:
    """Raise BagError where scans are missing, or images that are needed."""
    require(bag, topics.scan, "scans", "--scan-topic", (SCAN_TYPE,))
    if images:
        require(bag, topics.image, "images", "--image-topic", (IMAGE_TYPE,))
        require(bag, topics.info, "CameraInfo", "--info-topic", (INFO_TYPE,))
