"""The sending end of the thesis's file transfer (`transfer_protocol.py`)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

from mavlink_bridge.dialect.definition import load
from mavlink_bridge.files.intervals import Intervals
from mavlink_bridge.files.safe_names import checked_name
from mavlink_bridge.files.transfer_protocol import (
    FIRST_FETCHED,
    LARGEST_FILE,
    LARGEST_PART,
    NO_ATTEMPT,
    TransferParameters,
    TransferProgress,
    TransferResult,
    TransferState,
    digest_of,
    masked,
    part_count,
    progress_of,
    unpack_intervals,
)
from mavlink_bridge.sending.sender import Sender
from mavlink_bridge.sending.traffic_class import TrafficClass

_ENDED = (TransferState.DONE, TransferState.FAILED)
_QUICK_QUESTIONS = 5
_SLOWEST = 10
_UNMEASURED_ROUND_TRIP = 1.0

OnEnd = Callable[[TransferProgress], None]


class TransferError(ValueError):
    """A file cannot be sent; the text names it and why."""


class OutgoingTransfer:
    """One file on its way out: what the other end wants, and what has been heard of it."""

    def __init__(
        self, path: Path, name: str, peer: tuple[int, int], number: int, part_size: int, now: float
    ) -> None:
        self.name = name
        self.peer = peer
        self.number = number
        self.part_size = part_size
        self.size = path.stat().st_size
        self.digest = digest_of(path)
        self.parts = part_count(self.size, part_size)
        self.masked = True
        self.state = TransferState.ASKING
        self.reason = ""
        self.wanted = Intervals()
        self.acknowledged = 0
        self.begun_with: int | None = None
        self.started = now
        self.ended = now
        self.heard = now
        self.asked: list[float] = []
        self.next_question = now
        self.round_trip = _UNMEASURED_ROUND_TRIP
        self.on_end: OnEnd | None = None
        self._file: BinaryIO = path.open("rb")
        self._queued: set[int] = set()
        self._sent: deque[tuple[float, int]] = deque()

    @property
    def key(self) -> tuple[int, int, int]:
        """The peer's system and component, and the transfer's number."""
        return (*self.peer, self.number)

    def take(self) -> tuple[int, bytes]:
        """Return the next part that is wanted, and its bytes filled up with zeros."""
        part = self.wanted.pop()
        self._queued.add(part)
        self._file.seek(part * self.part_size)
        data = self._file.read(self.part_size)
        if self.masked:
            data = masked(data, self.digest, part)
        return part, data.ljust(LARGEST_PART, b"\0")

    def sent(self, part: int, now: float) -> None:
        """Remember that a part has just left: a report that is under way does not know of it."""
        self._queued.discard(part)
        self._sent.append((now, part))

    def dropped(self, part: int) -> None:
        """Want a part again that has not left."""
        self._queued.discard(part)
        self.wanted.add(part, part + 1)

    def want(self, spans: list[tuple[int, int]], newest: int, now: float) -> None:
        """Add what the other end misses, but for what waits or may be under way.

        That is what left after the part that came there last, and not longer ago than a part and
        the report need.
        """
        for start, stop in spans:
            self.wanted.add(max(0, start), min(stop, self.parts))
        under_way = 1.5 * self.round_trip + 0.1
        while self._sent and now - self._sent[0][0] > under_way:
            self._sent.popleft()
        places = [place for place, (_, part) in enumerate(self._sent) if part == newest]
        for _ in range(places[-1] + 1 if places else 0):
            self._sent.popleft()
        for part in [*self._queued, *(part for _, part in self._sent)]:
            self.wanted.discard(part, part + 1)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class FileSender:
    """Sends files. Call `handle` with each FILE_PARTS_... message addressed to us, and `poll`."""

    def __init__(self, sender: Sender, parameters: TransferParameters | None = None) -> None:
        self._sender = sender
        self._parameters = parameters or TransferParameters()
        self._dialect = load()
        self._transfers: dict[tuple[int, int, int], OutgoingTransfer] = {}
        self._numbers: dict[tuple[int, int], int] = {}
        self._turn: deque[OutgoingTransfer] = deque()
        self.sent_parts = 0

    def start(
        self,
        path: Path,
        peer: tuple[int, int],
        now: float,
        *,
        name: str | None = None,
        part_size: int = LARGEST_PART,
        number: int | None = None,
        plain: bool = False,
        on_end: OnEnd | None = None,
    ) -> OutgoingTransfer:
        """Begin to send a file to a system and component; `on_end` is called once, at the end.

        `part_size` from `part_size_for`. `number` is given when the other end asked for the file;
        `plain` for one that knows no masks.
        Raises TransferError if the file cannot be read or its name would not be taken.
        """
        if not 1 <= part_size <= LARGEST_PART:
            raise TransferError(f"part_size = {part_size}: expected 1 to {LARGEST_PART}")
        try:
            name = checked_name(name or path.name)
            if path.stat().st_size > LARGEST_FILE:
                raise TransferError(f"{path}: larger than {LARGEST_FILE} bytes")
            number = self._next_number(peer) if number is None else number
            transfer = OutgoingTransfer(path, name, peer, number, part_size, now)
        except (OSError, ValueError) as error:
            raise TransferError(f"{path}: {error}") from error
        transfer.on_end = on_end
        transfer.masked = self._parameters.mask and not plain
        previous = self._transfers.get(transfer.key)
        if previous:
            self._end(previous, "asked for again", now)
        self._transfers[transfer.key] = transfer
        self._turn.append(transfer)
        return transfer

    def cancel(self, transfer: OutgoingTransfer, now: float) -> None:
        """Give a transfer up and tell the other end."""
        if transfer.state not in _ENDED:
            message = self._dialect.MAVLink_file_parts_cancel_message(*transfer.key)
            self._sender.submit(message, TrafficClass.COMMAND, now)
            self._end(transfer, "cancelled", now)

    def handle(self, message: Any, system: int, component: int, now: float) -> None:
        """Take a FILE_PARTS_REPLY, FILE_PARTS_MISSING or FILE_PARTS_FINISHED addressed to us."""
        transfer = self._transfers.get((system, component, message.transfer))
        kind = message.get_type()
        if transfer is None:
            if kind == "FILE_PARTS_MISSING":  # of one that was cancelled: it did not hear
                key = (system, component, message.transfer)
                cancel = self._dialect.MAVLink_file_parts_cancel_message(*key)
                self._sender.submit(cancel, TrafficClass.COMMAND, now, key=("cancel", key))
            return
        transfer.heard = now
        if kind == "FILE_PARTS_REPLY":
            self._reply(transfer, message, now)
        elif kind == "FILE_PARTS_MISSING":
            self._missing(transfer, message, now)
        elif kind == "FILE_PARTS_FINISHED":
            done = message.result == TransferResult.ACCEPTED
            transfer.acknowledged = transfer.parts if done else transfer.acknowledged
            self._end(transfer, "" if done else result_name(message.result), now)

    def poll(self, now: float) -> None:
        """Ask where it is time to ask, and keep a few parts in the queue."""
        for transfer in list(self._transfers.values()):
            silent = now - transfer.heard
            if silent > self._parameters.give_up:
                reason = f"nothing heard for {self._parameters.give_up:g} s"
                self._end(transfer, reason, now)
            elif transfer.state is TransferState.ASKING:
                if now >= transfer.next_question:
                    self._ask(transfer, now)
            elif silent > self._patience(transfer):
                self._begin_asking(transfer, now)
        self._feed(now)

    def runs(self, key: tuple[int, int, int]) -> bool:
        """True while the transfer of a peer's system, component and number runs."""
        return key in self._transfers

    def progress(self, now: float) -> list[TransferProgress]:
        """Return how far each transfer is that runs."""
        return [self._progress(transfer, now) for transfer in self._transfers.values()]

    def close(self) -> None:
        """End without a word; the other ends keep what they have."""
        for transfer in self._transfers.values():
            transfer.close()
        self._transfers.clear()
        self._turn.clear()

    def _patience(self, transfer: OutgoingTransfer) -> float:
        """Return how long the other end may be silent before it is asked."""
        if transfer.state is TransferState.WAITING:
            return max(self._parameters.part_timeout, 2 * transfer.round_trip)
        return self._parameters.silence

    def _begin_asking(self, transfer: OutgoingTransfer, now: float) -> None:
        transfer.state = TransferState.ASKING
        transfer.asked, transfer.next_question = [], now

    def _ask(self, transfer: OutgoingTransfer, now: float) -> None:
        message = self._dialect.MAVLink_file_parts_request_message(
            transfer.size,
            *transfer.key,
            transfer.part_size,
            len(transfer.asked) % NO_ATTEMPT,
            transfer.digest,
            transfer.name.encode(),
            int(transfer.masked),
        )
        self._sender.submit(
            message,
            TrafficClass.COMMAND,
            now,
            key=("request", transfer.key),
            on_sent=transfer.asked.append,
        )
        period = self._parameters.request_period
        times = min(max(1, len(transfer.asked) - _QUICK_QUESTIONS), _SLOWEST)
        transfer.next_question = now + max(period, 2 * transfer.round_trip) * times

    def _reply(self, transfer: OutgoingTransfer, message: Any, now: float) -> None:
        result = message.result
        if result == TransferResult.NOT_FOUND and transfer.state is not TransferState.ASKING:
            self._begin_asking(transfer, now)
        if transfer.state is not TransferState.ASKING or result == TransferResult.NOT_FOUND:
            return
        if result == TransferResult.BUSY:
            return  # ask again later
        if result != TransferResult.ACCEPTED:
            self._end(transfer, f"refused: {result_name(result)}", now)
            return
        if message.attempt < len(transfer.asked) <= NO_ATTEMPT:
            transfer.round_trip = now - transfer.asked[message.attempt]
        if transfer.begun_with is None:
            transfer.begun_with = message.received
        transfer.acknowledged = message.received
        transfer.state = TransferState.SENDING
        if message.received == 0:
            transfer.wanted = Intervals([(0, transfer.parts)])

    def _missing(self, transfer: OutgoingTransfer, message: Any, now: float) -> None:
        if transfer.begun_with is None:
            # Of ours, or of one before it with this number: only a reply can tell.
            last = transfer.asked[-1] if transfer.asked else now
            soon = last + self._parameters.request_period
            transfer.next_question = min(transfer.next_question, max(now, soon))
            return
        transfer.acknowledged = min(message.received, transfer.parts)
        try:
            spans = unpack_intervals(message.start, message.count, message.intervals)
        except ValueError:
            return
        transfer.want(spans, message.newest, now)
        if spans or transfer.state is TransferState.ASKING:
            transfer.state = TransferState.SENDING

    def _feed(self, now: float) -> None:
        """Queue parts of the transfers in turn, as many as leave soon."""
        idle = 0
        while idle < len(self._turn):
            if not self._sender.wants_more():
                return
            transfer = self._turn[0]
            self._turn.rotate(-1)
            idle = 0 if self._queue_part(transfer, now) else idle + 1

    def _queue_part(self, transfer: OutgoingTransfer, now: float) -> bool:
        if transfer.state is not TransferState.SENDING:
            return False
        if not transfer.wanted:
            transfer.state = TransferState.WAITING
            return False
        try:
            part, data = transfer.take()
        except (OSError, ValueError) as error:
            self._end(transfer, str(error), now)
            return False
        message = self._dialect.MAVLink_file_part_message(
            part, transfer.peer[0], transfer.number, data
        )

        def left(when: float) -> None:
            transfer.sent(part, when)
            self.sent_parts += 1

        self._sender.submit(
            message,
            TrafficClass.FILE,
            now,
            on_sent=left,
            on_dropped=lambda _: transfer.dropped(part),
        )
        return True

    def _end(self, transfer: OutgoingTransfer, reason: str, now: float) -> None:
        transfer.state = TransferState.FAILED if reason else TransferState.DONE
        transfer.reason, transfer.ended = reason, now
        self._transfers.pop(transfer.key, None)
        self._turn.remove(transfer)
        transfer.close()
        if transfer.on_end:
            transfer.on_end(self._progress(transfer, now))

    def _next_number(self, peer: tuple[int, int]) -> int:
        for _ in range(FIRST_FETCHED):
            number = self._numbers[peer] = (self._numbers.get(peer, -1) + 1) % FIRST_FETCHED
            if (*peer, number) not in self._transfers:
                return number
        raise TransferError(f"{FIRST_FETCHED} transfers run already")

    def _progress(self, transfer: OutgoingTransfer, now: float) -> TransferProgress:
        fresh = transfer.acknowledged - (transfer.begun_with or 0)
        return progress_of(
            transfer.name,
            transfer.peer,
            True,
            transfer.state,
            min(transfer.acknowledged * transfer.part_size, transfer.size),
            transfer.size,
            now - transfer.started,
            max(0, fresh) * transfer.part_size,
            transfer.reason,
        )


def result_name(result: int) -> str:
    """Return a FILE_PARTS_RESULT in words."""
    try:
        return TransferResult(result).name.lower().replace("_", " ")
    except ValueError:
        return f"result {result}"
