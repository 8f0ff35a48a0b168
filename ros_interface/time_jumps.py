"""Stamps that go back: a bag that starts again, a simulator that was reset."""

from __future__ import annotations

import tf2_ros
from geometry_msgs.msg import TransformStamped

from ros_interface.errors import MessageError
from ros_interface.stamps import nanoseconds_from_stamp

# Messages come out of order by less than this (ns).
OUT_OF_ORDER = 1_000_000_000


class RestartingBuffer(tf2_ros.Buffer):
    """A transform buffer that forgets the time before, once stamps begin anew.

    tf2 refuses, loudly, transforms that are older than its history, so that a looped bag would
    find none until it is as far as it once was. A clock that jumps may clear the buffer; a bag
    that is played without its clock moves none, and the first transforms can come before the
    clock tells. So the transforms themselves are looked at, frame by frame, and none of the new
    time is lost.
    """

    def __init__(self) -> None:
        super().__init__()
        self._newest: dict[str, int] = {}

    def set_transform(self, transform: TransformStamped, authority: str) -> None:
        """Take a transform; one far older than the last of its frame begins a new time."""
        try:
            stamp = nanoseconds_from_stamp(transform.header.stamp)
        except MessageError:
            super().set_transform(transform, authority)  # whose own checks have the word
            return
        frame = transform.child_frame_id
        newest = self._newest.get(frame, stamp)
        if is_anew(stamp, newest):
            self._forget()
            newest = stamp
        self._newest[frame] = max(stamp, newest)
        super().set_transform(transform, authority)

    def begin(self, stamp: int) -> None:
        """Data of a new time have come (ns): forget the transforms of the time before, if any."""
        if is_anew(stamp, max(self._newest.values(), default=stamp)):
            self._forget()

    def _forget(self) -> None:
        self._newest.clear()
        self.clear()


class StampWatch:
    """Tells when the stamps of a stream begin anew, and its transforms with them."""

    def __init__(self, buffer: RestartingBuffer) -> None:
        self._buffer = buffer
        self._newest: int | None = None

    def see(self, stamp: int) -> bool:
        """Take in the stamp (ns) of the next data; True where time began anew."""
        anew = self._newest is not None and is_anew(stamp, self._newest)
        if anew:
            self._buffer.begin(stamp)
        self._newest = stamp if anew or self._newest is None else max(stamp, self._newest)
        return anew


def is_anew(stamp: int, newest: int) -> bool:
    """Whether a stamp (ns) so far behind the newest means that time began anew."""
    return stamp < newest - OUT_OF_ORDER
