"""MAVLink's mission protocol, the vehicle's side: upload, download, clear, of mission and fence.

An upload changes nothing until its last item is there and all are checked. Only the item that is
asked for is taken: one that comes late or twice is left alone, and the timer asks again, so that
questions never multiply.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from mavlink_bridge.endpoint import Endpoint
from mavlink_bridge.missions.mission_item import MissionItem, item_message, item_of
from mavlink_bridge.sending.traffic_class import TrafficClass
from mavlink_bridge.simulated_autopilot.parameter_service import is_ours
from mavlink_bridge.wire.frame import Frame

ASK_AGAIN = 1.0
MOST_QUESTIONS = 6
MOST_ITEMS = 1000
MISSION, FENCE, RALLY = 0, 1, 2
GO_THERE_NOW = 2


class MissionResult(IntEnum):
    """MAV_MISSION_RESULT, as far as it is used here."""

    ACCEPTED = 0
    ERROR = 1
    UNSUPPORTED_FRAME = 2
    UNSUPPORTED = 3
    NO_SPACE = 4
    INVALID = 5
    INVALID_SEQUENCE = 13
    DENIED = 14
    CANCELLED = 15


Check = Callable[[Sequence[MissionItem]], MissionResult]


@dataclass
class Plan:
    """Items of one type. `check` judges an upload, `replaced` is told of each change."""

    check: Check
    replaced: Callable[[list[MissionItem]], None]
    items: list[MissionItem] = field(default_factory=list)


@dataclass
class _Upload:
    peer: tuple[int, int]
    kind: int
    count: int
    ask_at: float
    items: list[MissionItem] = field(default_factory=list)
    questions: int = 0


class MissionService:
    """One upload at a time; downloads need no memory."""

    def __init__(
        self, endpoint: Endpoint, plans: dict[int, Plan], guide: Callable[[MissionItem], str]
    ) -> None:
        """`guide` flies to an item that some ground stations send by itself, to go there now."""
        self._endpoint = endpoint
        self._guide = guide
        self._plans = plans
        self._upload: _Upload | None = None
        self._ended: tuple[_Upload, MissionResult] | None = None
        add = endpoint.handlers.add
        add(self._begin, "MISSION_COUNT")
        add(self._take, "MISSION_ITEM_INT", "MISSION_ITEM")
        add(self._tell_count, "MISSION_REQUEST_LIST")
        add(self._tell_item, "MISSION_REQUEST_INT", "MISSION_REQUEST")
        add(self._clear, "MISSION_CLEAR_ALL")
        add(self._end_by_peer, "MISSION_ACK")

    def poll(self, now: float) -> None:
        """Ask again for what does not come, and give up in the end."""
        upload = self._upload
        if upload is None or now < upload.ask_at:
            return
        if upload.questions >= MOST_QUESTIONS:
            self._finish(upload, MissionResult.CANCELLED)
        else:
            self._ask(upload)

    def _begin(self, frame: Frame, _: Any) -> None:
        message, peer = frame.message, (frame.system, frame.component)
        if not is_ours(self._endpoint, message):
            return
        kind = message.mission_type
        if self._upload is not None and self._upload.peer != peer:
            self._acknowledge(peer, kind, MissionResult.DENIED)
        elif kind not in self._plans:
            self._acknowledge(peer, kind, MissionResult.UNSUPPORTED)
        elif message.count > MOST_ITEMS:
            self._acknowledge(peer, kind, MissionResult.NO_SPACE)
        else:
            self._upload = _Upload(peer, kind, message.count, self._endpoint.now)
            self._go_on(self._upload)

    def _take(self, frame: Frame, _: Any) -> None:
        message, upload = frame.message, self._upload
        if not is_ours(self._endpoint, message):
            return
        if message.current == GO_THERE_NOW:
            refused = self._guide(item_of(message))
            result = MissionResult.DENIED if refused else MissionResult.ACCEPTED
            self._acknowledge((frame.system, frame.component), MISSION, result)
            return
        if upload is None:
            self._repeat_last(frame)
            return
        expected = (*upload.peer, upload.kind, len(upload.items))
        if (frame.system, frame.component, message.mission_type, message.seq) != expected:
            return
        upload.items.append(item_of(message))
        upload.questions = 0
        self._go_on(upload)

    def _repeat_last(self, frame: Frame) -> None:
        """Acknowledge again what ended a moment ago: the last item comes if that was lost."""
        last = self._ended
        peer = (frame.system, frame.component)
        if last is None or (last[0].peer, last[0].kind) != (peer, frame.message.mission_type):
            return
        if frame.message.seq == last[0].count - 1:
            self._acknowledge(peer, last[0].kind, last[1])

    def _go_on(self, upload: _Upload) -> None:
        if len(upload.items) < upload.count:
            self._ask(upload)
            return
        result = self._plans[upload.kind].check(upload.items)
        if result is MissionResult.ACCEPTED:
            self._replace(upload.kind, upload.items)
        self._finish(upload, result)

    def _ask(self, upload: _Upload) -> None:
        upload.questions += 1
        upload.ask_at = self._endpoint.now + ASK_AGAIN
        question = self._endpoint.dialect.MAVLink_mission_request_int_message(
            *upload.peer, len(upload.items), upload.kind
        )
        self._send(question, ("ask for item", upload.peer))

    def _finish(self, upload: _Upload, result: MissionResult) -> None:
        self._upload, self._ended = None, (upload, result)
        self._acknowledge(upload.peer, upload.kind, result)

    def _replace(self, kind: int, items: list[MissionItem]) -> None:
        plan = self._plans[kind]
        plan.items = items
        plan.replaced(items)

    def _tell_count(self, frame: Frame, _: Any) -> None:
        message, peer = frame.message, (frame.system, frame.component)
        if not is_ours(self._endpoint, message):
            return
        plan = self._plans.get(message.mission_type)
        if plan is None:
            self._acknowledge(peer, message.mission_type, MissionResult.UNSUPPORTED)
            return
        count = self._endpoint.dialect.MAVLink_mission_count_message(
            *peer, len(plan.items), message.mission_type
        )
        self._send(count, ("count", peer))

    def _tell_item(self, frame: Frame, _: Any) -> None:
        """Answer both forms of the question with the integer form, which loses nothing."""
        message, peer = frame.message, (frame.system, frame.component)
        if not is_ours(self._endpoint, message):
            return
        kind, number = message.mission_type, message.seq
        plan = self._plans.get(kind)
        if plan is None or number >= len(plan.items):
            self._acknowledge(peer, kind, MissionResult.INVALID_SEQUENCE)
            return
        item = plan.items[number]
        answer = item_message(self._endpoint.dialect, peer, number, item, kind)
        self._send(answer, ("item", peer, number))

    def _clear(self, frame: Frame, _: Any) -> None:
        message = frame.message
        if not is_ours(self._endpoint, message):
            return
        for kind in self._plans:
            if message.mission_type in (kind, 255):
                self._replace(kind, [])
        self._acknowledge(
            (frame.system, frame.component), message.mission_type, MissionResult.ACCEPTED
        )

    def _end_by_peer(self, frame: Frame, _: Any) -> None:
        """A ground station that breaks its own upload off says so with MISSION_ACK."""
        upload = self._upload
        if upload is None or upload.peer != (frame.system, frame.component):
            return
        if is_ours(self._endpoint, frame.message) and frame.message.type:
            self._upload = None

    def _acknowledge(self, peer: tuple[int, int], kind: int, result: MissionResult) -> None:
        ack = self._endpoint.dialect.MAVLink_mission_ack_message(*peer, result, kind)
        self._send(ack, ("mission ack", peer))

    def _send(self, message: Any, key: tuple[Any, ...]) -> None:
        self._endpoint.submit(message, TrafficClass.COMMAND, self._endpoint.now, key=key)
