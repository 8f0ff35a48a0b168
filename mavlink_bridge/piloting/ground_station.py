"""A ground station through the bridge: QGroundControl sees the drone as if on its own link.

What the drone says goes to the ground station as it came; what that says goes into the bridge's
queue, so that it keeps to the budget of a thin link and to the order of urgency. Frames are not
changed, so parameters, missions and their acknowledgements are the ground station's and the drone's
own affair. On a signed link the bridge signs for the ground station.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

from mavlink_bridge.connection import Connection
from mavlink_bridge.endpoint import Endpoint
from mavlink_bridge.links.link import Link
from mavlink_bridge.sending.traffic_class import TrafficClass
from mavlink_bridge.wire.frame import MAGIC_V2, Frame
from mavlink_bridge.wire.signing import NEVER_FORWARDED

SHORT = {"udp": "udpout:127.0.0.1:14550", "tcp": "tcpin:127.0.0.1:5760"}
"""Addresses where a ground station on the same machine looks or calls."""

_CLASSES = {
    TrafficClass.HEARTBEAT: (0,),
    TrafficClass.SETPOINT: (69, 70, 82, 84, 86),
    TrafficClass.FILE: (110,),
    TrafficClass.TELEMETRY: (2, 109, 111, 300),
}
_CLASS_OF = {number: item for item, numbers in _CLASSES.items() for number in numbers}


class _Forwarded:
    """Looks to the queue like a message, and is packed into the bytes that came."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        self.crc_extra = frame.message.crc_extra

    def get_msgId(self) -> int:  # noqa: N802  (pymavlink's name)
        return self._frame.message_id

    def get_type(self) -> str:
        return str(self._frame.message.get_type())

    def pack(self, state: SimpleNamespace) -> bytes:
        # The frame has its sender's number; the writer, which counts on, must not count it.
        state.seq = (state.seq - 1) % 256
        return self._frame.raw


class GroundStationForward:
    """Carries frames between the drone's endpoint and a ground station's link."""

    def __init__(self, endpoint: Endpoint, link: Link) -> None:
        writer = endpoint.connection.writer
        self.connection = Connection(link, writer.system, writer.component)
        self.to_drone = 0
        self.to_ground = 0
        self.refused = 0
        """Frames that bear a drone's number (echoes), keys, or cannot be signed."""
        self._endpoint = endpoint

    def poll(self, from_drone: Iterable[Frame], now: float) -> None:
        """Pass on what came from the drone, and what the ground station has said."""
        for frame in from_drone:
            self.connection.forward(frame, now)
            self.to_ground += 1
        for frame in self.connection.poll(now):
            self._pass_on(frame, now)

    def close(self) -> None:
        """Close the ground station's link."""
        self.connection.close()

    def _pass_on(self, frame: Frame, now: float) -> None:
        if self._is_refused(frame):
            self.refused += 1
            return
        self.to_drone += 1
        traffic_class = _CLASS_OF.get(frame.message_id, TrafficClass.COMMAND)
        key: Any = None
        if traffic_class is not TrafficClass.COMMAND and traffic_class is not TrafficClass.FILE:
            key = (frame.message_id, frame.system, frame.component)
        self._endpoint.submit(_Forwarded(frame), traffic_class, now, key=key)

    def _is_refused(self, frame: Frame) -> bool:
        is_echo = (frame.system, frame.component) in self._endpoint.connection.peers.peers
        signing = self._endpoint.connection.signing
        unsignable = signing is not None and signing.signs and frame.raw[0] != MAGIC_V2
        return is_echo or unsignable or frame.message_id in NEVER_FORWARDED
