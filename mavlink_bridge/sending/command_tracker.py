"""Commands on their way: sent, sent again, answered, cancelled, or rolled back and reported.

Every command that `start` accepts ends in exactly one call of `on_success` or `on_failure`.

COMMAND_ACK names a command only by its number. So there is one command of a number and target on
its way at a time, others wait behind it; and after one that was sent more often than it was
answered, the late answers are waited for before the next starts, lest they be taken for its own.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from mavlink_bridge.addressing import is_for
from mavlink_bridge.sending.command_result import (
    EXCHANGE_MEMORY,
    ORDINARY,
    REPEATS_OF_ONE,
    UNKNOWN_PROGRESS,
    CommandOutcome,
    CommandParameters,
    CommandResult,
    RecentFrames,
    content_of,
)
from mavlink_bridge.sending.sender import Entry, Sender
from mavlink_bridge.sending.traffic_class import TrafficClass

OnOutcome = Callable[[CommandOutcome], None]
OnProgress = Callable[[int | None], None]
MakeCancel = Callable[[int, int, int], Any]
_Key = tuple[int, int, int]
_MARGIN = 1.5


class PendingCommand:
    """A command that is not resolved yet; a handle for `cancel`."""

    def __init__(
        self,
        message: Any,
        now: float,
        parameters: CommandParameters,
        on_success: OnOutcome | None,
        on_failure: OnOutcome | None,
        on_progress: OnProgress | None,
    ) -> None:
        self.message = message
        self.parameters = parameters
        self.on_success = on_success
        self.on_failure = on_failure
        self.on_progress = on_progress
        self.key: _Key = (message.target_system, message.target_component, message.command)
        self.started = now
        self.attempts = 0
        self.silent = 0
        self.left = 0
        self.first_left = 0.0
        self.last_left = 0.0
        self.answers = 0
        self.exchange = 0
        self.entry: Entry | None = None
        self.deadline: float | None = None
        self.in_progress = False
        self.cancelling = False
        self.outcome: CommandOutcome | None = None


class CommandTracker:
    """Starts commands and follows them to their end; call `poll` often, `handle` with each ACK."""

    def __init__(
        self,
        sender: Sender,
        system: int,
        component: int,
        make_cancel: MakeCancel,
        parameters: CommandParameters = ORDINARY,
    ) -> None:
        """`make_cancel(target_system, target_component, command)` builds a COMMAND_CANCEL."""
        self._sender = sender
        self._system = system
        self._component = component
        self._make_cancel = make_cancel
        self._parameters = parameters
        self._active: dict[_Key, PendingCommand] = {}
        self._queued: dict[_Key, deque[PendingCommand]] = {}
        self._late_answers: dict[_Key, tuple[int, float, float]] = {}
        self._exchanges: dict[bytes, tuple[int, float]] = {}
        self._doubles = RecentFrames()
        self._round_trip: float | None = None
        self.foreign_answers = 0

    def start(
        self,
        command: Any,
        now: float,
        *,
        timeout: float | None = None,
        requeues: int | None = None,
        on_success: OnOutcome | None = None,
        on_failure: OnOutcome | None = None,
        on_progress: OnProgress | None = None,
    ) -> PendingCommand:
        """Send a COMMAND_LONG or COMMAND_INT until it is answered.

        After `requeues` repeats without an answer `on_failure`, the rollback, is called.
        `on_progress(percent or None)` is called for each IN_PROGRESS, which also puts the timeout
        off.
        """
        parameters = CommandParameters(
            self._parameters.timeout if timeout is None else timeout,
            self._parameters.requeues if requeues is None else requeues,
            self._parameters.progress_timeout,
        )
        pending = PendingCommand(command, now, parameters, on_success, on_failure, on_progress)
        self._queued.setdefault(pending.key, deque()).append(pending)
        self._start_next(pending.key, now)
        return pending

    def cancel(self, pending: PendingCommand, now: float) -> None:
        """Ask the other side to stop; the outcome follows as for any command."""
        if pending.outcome or pending.cancelling:
            return
        queued = self._queued.get(pending.key, ())
        if pending in queued:
            self._queued[pending.key].remove(pending)
            self._resolve(pending, CommandResult.CANCELLED, "cancelled before it was sent", now)
            return
        if pending.entry:
            self._sender.withdraw(pending.entry)
        if not pending.left:
            self._resolve(pending, CommandResult.CANCELLED, "cancelled before it was sent", now)
            return
        pending.cancelling, pending.in_progress, pending.silent = True, False, 0
        self._send(pending, now)

    def handle(self, ack: Any, system: int, component: int, sequence: int, now: float) -> bool:
        """Take a COMMAND_ACK and its frame's numbers; False if it answers no command of ours."""
        if self._doubles.seen((system, component, sequence, ack.command), now):
            return False
        if not is_for(ack, self._system, self._component):
            self.foreign_answers += 1
            return False
        key = self._key_of(ack.command, system, component, self._active)
        if key is None:
            self._take_late_answer(ack.command, system, component, now)
            return False
        self._answer(self._active[key], ack, now)
        return True

    def poll(self, now: float) -> None:
        """Repeat what has waited too long for its answer, and give up in the end."""
        for pending in list(self._active.values()):
            if pending.deadline is not None and now >= pending.deadline:
                self._retry(pending, now)
        for key, (_, _, until) in list(self._late_answers.items()):
            if now >= until:
                del self._late_answers[key]
                self._start_next(key, now)

    def pending(self) -> int:
        """Return how many commands are not resolved yet."""
        return len(self._active) + sum(len(queue) for queue in self._queued.values())

    def _start_next(self, key: _Key, now: float) -> None:
        queue = self._queued.get(key)
        if not queue or key in self._active or key in self._late_answers:
            return
        pending = queue.popleft()
        if not queue:
            del self._queued[key]
        self._active[key] = pending
        pending.exchange = self._exchange(pending.message, now)
        self._send(pending, now)

    def _exchange(self, message: Any, now: float) -> int:
        """Return a number that an equal command did not have of late."""
        recent = {
            content: (number, last)
            for content, (number, last) in self._exchanges.items()
            if now - last < EXCHANGE_MEMORY * 2
        }
        content = content_of(message)
        before = recent.get(content)
        number = (before[0] + 1) % REPEATS_OF_ONE if before else 0
        recent[content] = (number, now)
        self._exchanges = recent
        return number

    def _send(self, pending: PendingCommand, now: float) -> None:
        pending.attempts += 1
        pending.silent += 1
        pending.deadline = None
        message = pending.message
        if pending.cancelling:
            message = self._make_cancel(*pending.key)
        elif message.get_type() == "COMMAND_LONG":
            repeat = min(pending.attempts, REPEATS_OF_ONE) - 1
            message.confirmation = pending.exchange * REPEATS_OF_ONE + repeat

        def left(when: float) -> None:
            pending.first_left = pending.first_left if pending.left else when
            pending.last_left = when
            pending.left += 1
            pending.deadline = when + self._timeout(pending)

        def dropped(_: str) -> None:
            pending.deadline = now + pending.parameters.timeout

        # The entry is known only after submit, which may drop it at once.
        pending.entry = self._sender.submit(
            message, TrafficClass.COMMAND, now, on_sent=left, on_dropped=dropped
        )

    def _timeout(self, pending: PendingCommand) -> float:
        """Return how long to wait: never less than answers have been seen to take."""
        return max(pending.parameters.timeout, _MARGIN * (self._round_trip or 0.0))

    def _retry(self, pending: PendingCommand, now: float) -> None:
        if pending.silent > pending.parameters.requeues:
            what = "cancel" if pending.cancelling else "command"
            reason = f"no answer to the {what}, sent {pending.silent} times"
            if pending.in_progress:
                reason = f"no news of the command for {pending.parameters.progress_timeout:g} s"
            self._resolve(pending, None, reason, now)
        else:
            self._send(pending, now)

    def _answer(self, pending: PendingCommand, ack: Any, now: float) -> None:
        pending.answers += 1
        if pending.left == 1 and pending.answers == 1:
            self._round_trip = now - pending.last_left
        if ack.result != CommandResult.IN_PROGRESS:
            self._resolve(pending, ack.result, _name(ack.result), now)
            return
        if pending.cancelling:
            return  # it will stop, or its end will tell
        if pending.entry:
            self._sender.withdraw(pending.entry)
        pending.in_progress, pending.silent = True, 0
        pending.deadline = now + pending.parameters.progress_timeout
        if pending.on_progress:
            known = ack.progress != UNKNOWN_PROGRESS
            pending.on_progress(ack.progress if known else None)

    def _resolve(
        self, pending: PendingCommand, result: CommandResult | int | None, reason: str, now: float
    ) -> None:
        if pending.entry:
            self._sender.withdraw(pending.entry)
        duration = now - pending.started
        outcome = CommandOutcome(pending.message, result, reason, pending.left, duration)
        pending.outcome, pending.deadline = outcome, None
        if self._active.get(pending.key) is pending:
            del self._active[pending.key]
            self._await_late_answers(pending, now)
        call = pending.on_success if outcome.succeeded else pending.on_failure
        if call:
            call(outcome)
        self._start_next(pending.key, now)

    def _await_late_answers(self, pending: PendingCommand, now: float) -> None:
        unanswered = pending.left - pending.answers
        if unanswered <= 0:
            return
        longest = pending.parameters.timeout
        if self._round_trip is not None:
            longest = max(longest, _MARGIN * self._round_trip)
        elif pending.answers:
            longest = max(longest, now - pending.first_left)
        until = pending.last_left + longest
        if until > now:
            self._late_answers[pending.key] = (unanswered, pending.last_left, until)

    def _take_late_answer(self, command: int, system: int, component: int, now: float) -> None:
        key = self._key_of(command, system, component, self._late_answers)
        if key is None:
            self.foreign_answers += 1
            return
        missing, last_left, until = self._late_answers[key]
        if missing > 1:
            self._late_answers[key] = (missing - 1, last_left, until)
        else:
            self._round_trip = now - last_left
            del self._late_answers[key]
            self._start_next(key, now)

    @staticmethod
    def _key_of(command: int, system: int, component: int, keys: dict[_Key, Any]) -> _Key | None:
        for key in keys:
            if key[2] == command and key[0] in (0, system) and key[1] in (0, component):
                return key
        return None


def _name(result: int) -> str:
    try:
        return CommandResult(result).name.lower().replace("_", " ")
    except ValueError:
        return f"result {result}"
