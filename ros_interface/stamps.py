"""ROS times and integer nanoseconds."""

from __future__ import annotations

from builtin_interfaces.msg import Time

from ros_interface.errors import MessageError

NANOSECONDS_PER_SECOND = 1_000_000_000
# An hour before the seconds of a message overflow: what is carried ahead must still be told.
LAST_SECOND = 2**31 - 3600


def nanoseconds_from_stamp(stamp: Time) -> int:
    """Return a message stamp as integer nanoseconds; MessageError where no ROS time can be it."""
    if not 0 <= stamp.sec < LAST_SECOND:
        raise MessageError(f"header.stamp.sec = {stamp.sec}: expected 0 to {LAST_SECOND - 1}")
    return int(stamp.sec) * NANOSECONDS_PER_SECOND + int(stamp.nanosec)


def stamp_from_nanoseconds(nanoseconds: int) -> Time:
    """Return integer nanoseconds as a message stamp."""
    seconds, rest = divmod(int(nanoseconds), NANOSECONDS_PER_SECOND)
    return Time(sec=seconds, nanosec=rest)
