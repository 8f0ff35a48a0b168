"""MAVLink's parameter protocol over the table: list, read, set."""

from __future__ import annotations

from collections import deque
from typing import Any

from mavlink_bridge.endpoint import Endpoint
from mavlink_bridge.sending.traffic_class import TrafficClass
from mavlink_bridge.simulated_autopilot.parameter_table import (
    ParameterTable,
    RefusedValueError,
    value_of_wire,
    wire_value,
)
from mavlink_bridge.wire.frame import Frame


class ParameterService:
    """Answers at once, but for the list, which goes out as the link has room for it."""

    def __init__(self, endpoint: Endpoint, table: ParameterTable, *, bytewise: bool) -> None:
        self._endpoint = endpoint
        self._table = table
        self._bytewise = bytewise
        self._listed: deque[str] = deque()
        handlers = endpoint.handlers
        handlers.add(self._list, "PARAM_REQUEST_LIST")
        handlers.add(self._read, "PARAM_REQUEST_READ")
        handlers.add(self._set, "PARAM_SET")

    def poll(self, now: float) -> None:
        """Go on with the list."""
        while self._listed and self._endpoint.sender.wants_more(TrafficClass.COMMAND):
            self._send(self._listed.popleft(), now)

    def _list(self, frame: Frame, _: Any) -> None:
        if self._ours(frame):
            self._listed = deque(self._table.names)

    def _read(self, frame: Frame, _: Any) -> None:
        if not self._ours(frame):
            return
        message = frame.message
        index = message.param_index
        name = _text(message.param_id) if index < 0 else self._table.name_at(index)
        if name in self._table.entries:
            self._send(name, self._endpoint.now)

    def _set(self, frame: Frame, _: Any) -> None:
        """Set it and tell the value that it has now; a refused one is the old value."""
        name = _text(frame.message.param_id)
        if not self._ours(frame) or name not in self._table.entries:
            return
        message = frame.message
        value = value_of_wire(message.param_value, message.param_type, bytewise=self._bytewise)
        try:
            self._table.set(name, value)
        except RefusedValueError as error:
            self._endpoint.submit(
                self._endpoint.dialect.MAVLink_statustext_message(4, str(error).encode()[:50]),
                TrafficClass.COMMAND,
                self._endpoint.now,
            )
        self._send(name, self._endpoint.now)

    def _send(self, name: str, now: float) -> None:
        entry = self._table.entries[name]
        message = self._endpoint.dialect.MAVLink_param_value_message(
            name.encode(),
            wire_value(self._table[name], entry.kind, bytewise=self._bytewise),
            entry.kind,
            len(self._table.names),
            self._table.names.index(name),
        )
        self._endpoint.submit(message, TrafficClass.COMMAND, now, key=("parameter", name))

    def _ours(self, frame: Frame) -> bool:
        return is_ours(self._endpoint, frame.message)


def is_ours(endpoint: Endpoint, message: Any) -> bool:
    """Whether a message is for this system and component, or for all."""
    writer = endpoint.connection.writer
    return message.target_system in (0, writer.system) and message.target_component in (
        0,
        writer.component,
    )


def _text(name: str | bytes) -> str:
    raw = name if isinstance(name, bytes) else name.encode()
    return raw.split(b"\0")[0].decode("ascii", "replace")
