"""The messages that a replay reads by the thousand, decoded from CDR without going through types.

Layouts of sensor_msgs/LaserScan, sensor_msgs/Image and tf2_msgs/TFMessage as CDR (OMG) lays them
out: numbers aligned to their size, counted from the byte after the 4-byte encapsulation; strings
with their length and a closing zero. Several times faster than a general decoder, and compared
with one in the tests. The results have the messages' field names.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

Data = bytes | memoryview
START = 4
STAMP_AND_LENGTH = {order: struct.Struct(f"{order}iII") for order in "<>"}
LENGTH = {order: struct.Struct(f"{order}I") for order in "<>"}
SWEEP = {order: struct.Struct(f"{order}7fI") for order in "<>"}
POSE = {order: struct.Struct(f"{order}7d") for order in "<>"}
SIZE = {order: struct.Struct(f"{order}II") for order in "<>"}
PADDING = 3


class CdrError(ValueError):
    """The bytes are not a message of the type."""


class Stamp(NamedTuple):
    """builtin_interfaces/Time."""

    sec: int
    nanosec: int


class Header(NamedTuple):
    """std_msgs/Header."""

    stamp: Stamp
    frame_id: str


class StampedPose(NamedTuple):
    """geometry_msgs/TransformStamped; `pose` is x y z, qx qy qz qw."""

    header: Header
    child_frame_id: str
    pose: tuple[float, ...]


def read_scan(data: Data) -> Any:
    """Decode a sensor_msgs/LaserScan; CdrError where it is none."""
    order = _order(data)
    header, position = _header(data, order)
    position += -position % 4
    *sweep, count = _unpack(SWEEP[order], data, position)
    ranges, position = _floats(data, position + SWEEP[order].size, count, order)
    (count,) = _unpack(LENGTH[order], data, position)
    intensities, position = _floats(data, position + 4, count, order)
    _require_end(data, position)
    return SimpleNamespace(
        header=header,
        angle_min=sweep[0],
        angle_max=sweep[1],
        angle_increment=sweep[2],
        time_increment=sweep[3],
        scan_time=sweep[4],
        range_min=sweep[5],
        range_max=sweep[6],
        ranges=ranges,
        intensities=intensities,
    )


def read_image(data: Data) -> Any:
    """Decode a sensor_msgs/Image, whose `data` share the memory; CdrError where it is none."""
    order = _order(data)
    header, position = _header(data, order)
    position += -position % 4
    height, width = _unpack(SIZE[order], data, position)
    encoding, position = _text(data, position + 8, order)
    if position >= len(data):
        raise CdrError("the message is cut off")
    is_bigendian = data[position]
    position += 1 + -(position + 1) % 4
    step, count = _unpack(SIZE[order], data, position)
    position += 8
    _require_end(data, position + count)
    return SimpleNamespace(
        header=header,
        height=height,
        width=width,
        encoding=encoding,
        is_bigendian=is_bigendian,
        step=step,
        data=np.frombuffer(data, dtype=np.uint8, count=count, offset=position),
    )


def read_transforms(data: Data) -> Any:
    """Decode a tf2_msgs/TFMessage to `transforms`, StampedPoses; CdrError where it is none."""
    order = _order(data)
    (count,) = _unpack(LENGTH[order], data, START)
    position, found = START + 4, []
    for _ in range(count):
        header, position = _header(data, order, position + -position % 4)
        child, position = _text(data, position + -position % 4, order)
        position += -(position - START) % 8
        found.append(StampedPose(header, child, _unpack(POSE[order], data, position)))
        position += POSE[order].size
    _require_end(data, position)
    return SimpleNamespace(transforms=found)


def _order(data: Data) -> str:
    if len(data) < START or data[0] != 0 or data[1] > 1:
        raise CdrError("the message is not encapsulated as CDR")
    return "<" if data[1] else ">"


def _unpack(layout: struct.Struct, data: Data, position: int) -> tuple[Any, ...]:
    try:
        return layout.unpack_from(data, position)
    except struct.error:
        raise CdrError("the message is cut off") from None


def _header(data: Data, order: str, position: int = START) -> tuple[Header, int]:
    seconds, rest, length = _unpack(STAMP_AND_LENGTH[order], data, position)
    frame, end = _characters(data, position + 12, length)
    return Header(Stamp(seconds, rest), frame), end


def _text(data: Data, position: int, order: str) -> tuple[str, int]:
    (length,) = _unpack(LENGTH[order], data, position)
    return _characters(data, position + 4, length)


def _characters(data: Data, start: int, length: int) -> tuple[str, int]:
    end = start + length
    if length < 1 or end > len(data):
        raise CdrError("a text is cut off")
    try:
        return str(data[start : end - 1], "utf-8"), end
    except UnicodeDecodeError:
        raise CdrError("a text is not UTF-8") from None


def _floats(data: Data, start: int, count: int, order: str) -> tuple[Any, int]:
    end = start + 4 * count
    if end > len(data):
        raise CdrError("the message is cut off")
    return np.frombuffer(data, dtype=f"{order}f4", count=count, offset=start), end


def _require_end(data: Data, position: int) -> None:
    if not position <= len(data) <= position + PADDING:
        raise CdrError(f"the message holds {len(data)} bytes; its fields take {position}")


READERS: dict[str, Callable[[Data], Any]] = {
    "sensor_msgs/msg/LaserScan": read_scan,
    "sensor_msgs/msg/Image": read_image,
    "tf2_msgs/msg/TFMessage": read_transforms,
}
