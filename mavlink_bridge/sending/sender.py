"""One queue for everything that leaves through a link.

The thesis's FIFO with classes: what is urgent goes first, each class is sure of its share of the
bytes (`budget.py`), of setpoints and telemetry only the newest waits, and what has outlived its
time is dropped, never sent late. Every message that does not leave is counted and told to
`on_dropped`; none is lost in silence.

Messages are packed when they leave, so that sequence numbers, signatures and time stamps are in
the order of the wire.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

from mavlink_bridge.sending.budget import Budget
from mavlink_bridge.sending.traffic_class import NEWEST_WINS, TrafficClass
from spatial_types.parameters import parameter

OnSent = Callable[[float], None]
OnDropped = Callable[[str], None]

SUPERSEDED, STALE, FULL, WITHDRAWN = "superseded", "stale", "queue full", "withdrawn"
UNPACKABLE = "unpackable"

_SIZE_GUESS = 100


@dataclass(frozen=True)
class SenderParameters:
    """Bounds of the queue."""

    most_waiting: int = parameter(256, "messages of one class that may wait", minimum=1)
    setpoint_lifetime: float = parameter(
        0.5, "a setpoint older than this is dropped, not sent", unit="s", minimum=0.01
    )
    most_per_poll: int = parameter(
        65536, "bytes that leave at once through a link without a rate", unit="B", minimum=300
    )


class Entry:
    """A message that waits, or has left or been dropped; `Sender.withdraw` takes it back."""

    __slots__ = ("deadline", "key", "message", "on_dropped", "on_sent", "traffic_class", "waiting")

    def __init__(
        self,
        message: Any,
        traffic_class: TrafficClass,
        key: Hashable,
        deadline: float | None,
        on_sent: OnSent | None,
        on_dropped: OnDropped | None,
    ) -> None:
        self.message = message
        self.traffic_class = traffic_class
        self.key = key
        self.deadline = deadline
        self.on_sent = on_sent
        self.on_dropped = on_dropped
        self.waiting = True


class Sender:
    """Queue messages with `submit`, and write to the link what `poll` returns."""

    def __init__(
        self,
        pack: Callable[[Any], bytes],
        budget: Budget | None = None,
        parameters: SenderParameters = SenderParameters(),
    ) -> None:
        """`pack` turns a message into a frame, with the next sequence number."""
        self._pack = pack
        self._budget = budget or Budget()
        self._parameters = parameters
        self._queues: dict[TrafficClass, OrderedDict[Hashable, Entry]] = {
            item: OrderedDict() for item in TrafficClass
        }
        self._sizes: dict[int, int] = {}
        self._serial = 0
        self.sent: Counter[TrafficClass] = Counter()
        self.sent_bytes: Counter[TrafficClass] = Counter()
        self.dropped: Counter[tuple[TrafficClass, str]] = Counter()

    def submit(
        self,
        message: Any,
        traffic_class: TrafficClass,
        now: float,
        *,
        key: Hashable = None,
        lifetime: float | None = None,
        on_sent: OnSent | None = None,
        on_dropped: OnDropped | None = None,
    ) -> Entry:
        """Queue a message.

        In a class where the newest wins, `key` (the message id unless given) names the one place
        in the queue; the newer message takes it over. In the other classes a message replaces
        another only if both name the same key. A message that still waits `lifetime` seconds after
        `now` is dropped. `on_sent(now)` follows when it leaves, `on_dropped(reason)` when it never
        will.
        """
        if lifetime is None and traffic_class is TrafficClass.SETPOINT:
            lifetime = self._parameters.setpoint_lifetime
        if key is None:
            key = self._default_key(message, traffic_class)
        deadline = None if lifetime is None else now + lifetime
        entry = Entry(message, traffic_class, key, deadline, on_sent, on_dropped)
        queue = self._queues[traffic_class]
        older = queue.get(key)
        if older is not None:
            queue[key] = entry  # at the older one's place
            self._drop(older, SUPERSEDED)
        elif len(queue) >= self._parameters.most_waiting:
            self._drop(entry, FULL)
        else:
            queue[key] = entry
        return entry

    def withdraw(self, entry: Entry) -> bool:
        """Take a waiting message back; False if it has already left or been dropped."""
        if not entry.waiting:
            return False
        del self._queues[entry.traffic_class][entry.key]
        self._drop(entry, WITHDRAWN)
        return True

    def waiting(self, traffic_class: TrafficClass) -> int:
        """Return how many messages of a class wait."""
        return len(self._queues[traffic_class])

    def wants_more(self, traffic_class: TrafficClass = TrafficClass.FILE) -> bool:
        """True while what waits of a class may leave before the next poll.

        Whoever has much to send asks this before each message, so that the queue stays short.
        """
        return len(self._queues[traffic_class]) < self._budget.bulk_window

    def poll(self, now: float) -> list[bytes]:
        """Return the frames that leave now, in order."""
        waiting = [item for item, queue in self._queues.items() if queue]
        self._budget.refill(now, waiting)
        for item in waiting:
            self._drop_stale(item, now)
        frames: list[bytes] = []
        room = self._parameters.most_per_poll
        while room > 0 and self._budget.open():
            entry = self._next()
            if entry is None:
                break
            frame = self._leave(entry, now)
            if frame:
                frames.append(frame)
                room -= len(frame)
        return frames

    def next_opening(self, now: float) -> float | None:
        """Return when `poll` may have something to send; None while nothing waits."""
        if not any(self._queues.values()):
            return None
        return self._budget.next_opening(now)

    def _default_key(self, message: Any, traffic_class: TrafficClass) -> Hashable:
        if traffic_class in NEWEST_WINS:
            return int(message.get_msgId())
        self._serial += 1
        return ("serial", self._serial)

    def _next(self) -> Entry | None:
        first: Entry | None = None
        for item, queue in self._queues.items():
            if not queue:
                continue
            head = next(iter(queue.values()))
            if self._budget.owed(item, self._sizes.get(head.message.get_msgId(), _SIZE_GUESS)):
                return head
            first = first or head
        return first

    def _leave(self, entry: Entry, now: float) -> bytes:
        del self._queues[entry.traffic_class][entry.key]
        try:
            frame = self._pack(entry.message)
        except Exception as error:  # a field out of range: its sender's fault, not the link's
            self._drop(entry, f"{UNPACKABLE}: {error}")
            return b""
        entry.waiting = False
        self._sizes[entry.message.get_msgId()] = len(frame)
        self._budget.spend(entry.traffic_class, len(frame))
        self.sent[entry.traffic_class] += 1
        self.sent_bytes[entry.traffic_class] += len(frame)
        if entry.on_sent:
            entry.on_sent(now)
        return frame

    def _drop_stale(self, item: TrafficClass, now: float) -> None:
        queue = self._queues[item]
        late = [
            entry for entry in queue.values() if entry.deadline is not None and now > entry.deadline
        ]
        for entry in late:
            del queue[entry.key]
            self._drop(entry, STALE)

    def _drop(self, entry: Entry, reason: str) -> None:
        entry.waiting = False
        self.dropped[entry.traffic_class, reason.partition(":")[0]] += 1
        if entry.on_dropped:
            entry.on_dropped(reason)
