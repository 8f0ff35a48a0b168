"""sensor_msgs/LaserScan and spatial_types.Scan."""

from __future__ import annotations

import array
import math

import numpy as np
from sensor_msgs.msg import LaserScan

from ros_interface.errors import MessageError
from ros_interface.stamps import nanoseconds_from_stamp, stamp_from_nanoseconds
from spatial_types.scan import Scan

LONGEST_SWEEP = 60.0  # seconds from the first beam to the last


def scan_from_message(message: LaserScan) -> Scan:
    """Return the scan; MessageError where the fields contradict each other.

    `angle_max` must agree with the number of ranges to within a beam and a half: drivers differ
    in whether it names the last beam or the one after.
    """
    ranges = np.asarray(message.ranges, dtype=float)
    _check_header_fields(message)
    _check_length(message, len(ranges))
    return Scan(
        stamp=nanoseconds_from_stamp(message.header.stamp),
        frame_id=message.header.frame_id,
        angle_min=message.angle_min,
        angle_increment=message.angle_increment,
        time_increment=message.time_increment,
        scan_time=message.scan_time,
        range_min=message.range_min,
        range_max=message.range_max,
        ranges=ranges,
    )


def _check_header_fields(message: LaserScan) -> None:
    for name in ("angle_min", "angle_max", "angle_increment", "time_increment", "range_min"):
        if not math.isfinite(getattr(message, name)):
            raise MessageError(f"LaserScan.{name} = {getattr(message, name)}: expected a number")
    if message.angle_increment == 0.0:
        raise MessageError("LaserScan.angle_increment = 0: expected the angle between beams")
    if not message.range_max > message.range_min:
        raise MessageError(
            f"LaserScan.range_max = {message.range_max}: expected more than "
            f"range_min = {message.range_min}"
        )


def _check_length(message: LaserScan, count: int) -> None:
    if count == 0:
        raise MessageError("LaserScan.ranges is empty")
    if len(message.intensities) not in (0, count):
        raise MessageError(
            f"LaserScan.intensities has {len(message.intensities)} values: "
            f"expected {count} as in ranges"
        )
    sweep = abs(message.time_increment) * (count - 1)
    if sweep > LONGEST_SWEEP:
        raise MessageError(
            f"LaserScan.time_increment = {message.time_increment}: expected at most "
            f"{LONGEST_SWEEP:.0f} s for all {count} beams"
        )
    expected = (message.angle_max - message.angle_min) / message.angle_increment + 1.0
    if abs(expected - count) > 1.5:
        raise MessageError(
            f"LaserScan.ranges has {count} values: expected {expected:.1f} from angle_min, "
            "angle_max and angle_increment"
        )


def message_from_scan(scan: Scan) -> LaserScan:
    """Return the message; `ranges` is filled as one block, which is many times faster in rclpy."""
    message = LaserScan()
    message.header.stamp = stamp_from_nanoseconds(scan.stamp)
    message.header.frame_id = scan.frame_id
    message.angle_min = float(scan.angle_min)
    message.angle_max = float(scan.angle_min + scan.angle_increment * (len(scan.ranges) - 1))
    message.angle_increment = float(scan.angle_increment)
    message.time_increment = float(scan.time_increment)
    message.scan_time = float(scan.scan_time)
    message.range_min = float(scan.range_min)
    message.range_max = float(scan.range_max)
    message.ranges = array.array("f", np.asarray(scan.ranges, dtype=np.float32).tobytes())
    return message
