"""Missions to a vehicle and from it, over links that lose messages.

The side that receives asks for one item after the other, and asks again when none comes; whatever
it did not ask for is left alone, so that a late item brings no second question. An upload counts
only when the vehicle has accepted it and, read back, tells the same items.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from mavlink_bridge.addressing import is_for
from mavlink_bridge.dialect.definition import load
from mavlink_bridge.missions.mission_item import MissionItem, item_message, item_of
from mavlink_bridge.sending.sender import Sender
from mavlink_bridge.sending.traffic_class import TrafficClass
from spatial_types.parameters import parameter

MESSAGES = (
    "MISSION_REQUEST",
    "MISSION_REQUEST_INT",
    "MISSION_ACK",
    "MISSION_COUNT",
    "MISSION_ITEM",
    "MISSION_ITEM_INT",
)
MISSION, ACCEPTED, CANCELLED = 0, 0, 15

Peer = tuple[int, int]
OnDone = Callable[["MissionOutcome"], None]


@dataclass(frozen=True)
class MissionClientParameters:
    """How long an answer may take, and how often one that stays away is asked for."""

    timeout: float = parameter(
        1.5, "how long an answer may take once the question has left", unit="s", minimum=0.05
    )
    repeats: int = parameter(9, "how often an unanswered question is sent again", minimum=0)


@dataclass(frozen=True)
class MissionOutcome:
    """How an upload or a download ended: `error` is empty if it succeeded."""

    error: str
    items: tuple[MissionItem, ...] = ()

    @property
    def succeeded(self) -> bool:
        """Whether all of it is there."""
        return not self.error


@dataclass
class _Work:
    """What is under way: an upload while `wanted` is there and not yet accepted."""

    peer: Peer
    on_done: OnDone
    wanted: tuple[MissionItem, ...] | None
    skipped: int
    uploading: bool
    items: list[MissionItem]
    count: int | None = None


class MissionClient:
    """One upload or download at a time. Call `handle` with each of MESSAGES, and `poll`."""

    def __init__(
        self,
        sender: Sender,
        system: int,
        component: int,
        parameters: MissionClientParameters = MissionClientParameters(),
    ) -> None:
        self._sender, self._system, self._component = sender, system, component
        self._parameters = parameters
        self._dialect = load()
        self._work: _Work | None = None
        self._question: Any = None
        self._asked = 0
        self._deadline: float | None = None

    @property
    def busy(self) -> bool:
        """True while something is under way."""
        return self._work is not None

    def upload(
        self,
        items: Sequence[MissionItem],
        peer: Peer,
        now: float,
        on_done: OnDone,
        *,
        skipped: int = 0,
    ) -> None:
        """Bring a mission to a vehicle, and read it back.

        The first `skipped` items are not compared: ArduPilot's item 0 is home, whatever was sent.
        """
        if self._is_refused(on_done):
            return
        wanted = tuple(items)
        self._work = _Work(peer, on_done, wanted, skipped, True, [])
        count = self._dialect.MAVLink_mission_count_message(*peer, len(wanted), MISSION)
        self._ask(count, now)

    def download(self, peer: Peer, now: float, on_done: OnDone) -> None:
        """Fetch the vehicle's mission."""
        if not self._is_refused(on_done):
            self._work = _Work(peer, on_done, None, 0, False, [])
            self._ask(self._dialect.MAVLink_mission_request_list_message(*peer, MISSION), now)

    def cancel(self, now: float) -> None:
        """Give up what is under way, and tell the vehicle."""
        if self._work is not None:
            self._acknowledge(self._work.peer, CANCELLED, now)
            self._end("cancelled")

    def handle(self, message: Any, system: int, component: int, now: float) -> None:
        """Take one of MESSAGES; what is for others, or was not asked for, is left alone."""
        work = self._work
        if work is None or (system, component) != work.peer:
            return
        if not is_for(message, self._system, self._component):
            return
        if getattr(message, "mission_type", MISSION) != MISSION:
            return
        kind = message.get_type()
        if work.uploading and kind.startswith("MISSION_REQUEST"):
            self._give(work, message, now)
        elif work.uploading and kind == "MISSION_ACK":
            self._uploaded(work, message.type, now)
        elif not work.uploading and kind == "MISSION_COUNT" and work.count is None:
            work.count = message.count
            self._ask_next(work, now)
        elif not work.uploading and kind.startswith("MISSION_ITEM"):
            self._take(work, message, now)
        elif kind == "MISSION_ACK" and message.type != ACCEPTED:
            self._end(self._reason(message.type))

    def poll(self, now: float) -> None:
        """Ask again what was not answered."""
        if self._work is None or self._deadline is None or now < self._deadline:
            return
        if self._asked > self._parameters.repeats:
            self._end(f"no answer, asked {self._asked} times")
        else:
            self._send(now)

    def _is_refused(self, on_done: OnDone) -> bool:
        if self._work is not None:
            on_done(MissionOutcome("another mission is under way"))
        return self._work is not None

    def _give(self, work: _Work, message: Any, now: float) -> None:
        assert work.wanted is not None
        if not 0 <= message.seq < len(work.wanted):
            return
        item, seq = work.wanted[message.seq], message.seq
        answer = item_message(self._dialect, work.peer, seq, item, MISSION, is_current=seq == 0)
        self._ask(answer, now)

    def _uploaded(self, work: _Work, result: int, now: float) -> None:
        if result != ACCEPTED:
            self._end(self._reason(result))
            return
        work.uploading = False
        self._ask(self._dialect.MAVLink_mission_request_list_message(*work.peer, MISSION), now)

    def _take(self, work: _Work, message: Any, now: float) -> None:
        if work.count is None or message.seq != len(work.items):
            return
        work.items.append(item_of(message))
        self._ask_next(work, now)

    def _ask_next(self, work: _Work, now: float) -> None:
        assert work.count is not None
        if len(work.items) < work.count:
            seq = len(work.items)
            question = self._dialect.MAVLink_mission_request_int_message(*work.peer, seq, MISSION)
            self._ask(question, now)
            return
        self._acknowledge(work.peer, ACCEPTED, now)
        self._end(self._difference(work))

    @staticmethod
    def _difference(work: _Work) -> str:
        """Return how what was read back differs from what was sent; empty: it does not."""
        if work.wanted is None:
            return ""
        if len(work.items) != len(work.wanted):
            return f"the vehicle has {len(work.items)} items instead of {len(work.wanted)}"
        for number, (ours, theirs) in enumerate(zip(work.wanted, work.items, strict=True)):
            if number >= work.skipped and not ours.is_kept_as(theirs):
                return f"the vehicle has another item {number}"
        return ""

    def _reason(self, result: int) -> str:
        entry = self._dialect.enums["MAV_MISSION_RESULT"].get(result)
        name = entry.name.removeprefix("MAV_MISSION_") if entry else f"result {result}"
        return f"refused: {name.lower().replace('_', ' ')}"

    def _acknowledge(self, peer: Peer, result: int, now: float) -> None:
        message = self._dialect.MAVLink_mission_ack_message(*peer, result, MISSION)
        self._sender.submit(message, TrafficClass.COMMAND, now)

    def _ask(self, message: Any, now: float) -> None:
        self._question, self._asked = message, 0
        self._send(now)

    def _send(self, now: float) -> None:
        """Send what waits for an answer; its time runs from when it leaves."""
        self._asked += 1
        self._deadline = None
        question, timeout = self._question, self._parameters.timeout

        def left(when: float) -> None:
            if question is self._question:
                self._deadline = when + timeout

        def dropped(_reason: str) -> None:
            if question is self._question:
                self._deadline = now + timeout

        self._sender.submit(
            question, TrafficClass.COMMAND, now, key="mission", on_sent=left, on_dropped=dropped
        )

    def _end(self, error: str) -> None:
        work, self._work = self._work, None
        self._question = self._deadline = None
        assert work is not None
        work.on_done(MissionOutcome(error, () if error else tuple(work.items)))
