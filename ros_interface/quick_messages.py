"""Messages of a fast stream, written once and then only changed where they differ.

Making and converting a message costs rclpy many times what sending it does. Where the same one goes
out 90 times a second, its serialized form (CDR, little-endian as every middleware of ROS 2 writes
it here) is kept, and stamp and pose are written into it.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

from rclpy.serialization import deserialize_message, serialize_message

from ros_interface.errors import MessageError

ENCAPSULATION = 4  # bytes before the message itself
LITTLE_ENDIAN = 1
_STAMP = struct.Struct("<iI")
_POSE = struct.Struct("<7d")
SECOND = 1_000_000_000


class QuickMessage:
    """A message whose stamp, and pose where it ends with one, change from one to the next."""

    def __init__(self, message: Any, stamp_at: int = 0) -> None:
        """Keep `message`, whose first stamp lies `stamp_at` bytes behind its begin."""
        self._bytes = bytearray(serialize_message(message))
        if self._bytes[1] != LITTLE_ENDIAN:
            raise MessageError("this middleware serializes in another order: expected CDR")
        self._stamp_at = ENCAPSULATION + stamp_at
        self._pose_at = len(self._bytes) - _POSE.size
        self._kind = type(message)

    def stamped(self, stamp: int) -> bytes:
        """Return the message with this stamp (ns), for a publisher of its kind."""
        _STAMP.pack_into(self._bytes, self._stamp_at, *divmod(stamp, SECOND))
        return bytes(self._bytes)

    def placed(self, stamp: int, position: Sequence[float], quaternion: Sequence[float]) -> bytes:
        """The same, ending with x y z and x y z w: PoseStamped, TFMessage of one transform."""
        _POSE.pack_into(self._bytes, self._pose_at, *position, *quaternion)
        return self.stamped(stamp)

    def read(self) -> Any:
        """Return the message as it is now."""
        return deserialize_message(bytes(self._bytes), self._kind)
