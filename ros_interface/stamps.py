"""ROS times and integer nanoseconds."""

from __future__ import annotations

from builtin_interfaces.msg import Time

NANOSECONDS_PER_SECOND = 1_000_000_000


def nanoseconds_from_stamp(stamp: Time) -> int:
    """Return a message stamp as integer nanoseconds."""
    return int(stamp.sec) * NANOSECONDS_PER_SECOND + int(stamp.nanosec)


def stamp_from_nanoseconds(nanoseconds: int) -> Time:
    """Return integer nanoseconds as a message stamp."""
    seconds, rest = divmod(int(nanoseconds), NANOSECONDS_PER_SECOND)
    return Time(sec=seconds, nanosec=rest)
