"""Commands that arrive: each is executed once and acknowledged as often as it is repeated.

MAVLink gives a command no number of its own. A repeat is known by its content, by the
`confirmation` that counts repeats (`command_result.REPEATS_OF_ONE`), by its frame's sequence number
where the link doubled or delayed it, and by the time since it was last seen.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from mavlink_bridge.addressing import is_for
from mavlink_bridge.sending.command_result import (
    DOUBLED_WITHIN,
    EXCHANGE_MEMORY,
    REPEATS_OF_ONE,
    UNKNOWN_PROGRESS,
    CommandResult,
    RecentFrames,
    content_of,
)
from mavlink_bridge.sending.sender import Sender
from mavlink_bridge.sending.traffic_class import TrafficClass

REPEAT_WITHIN = 6.0
"""Longest time in seconds from one transmission of a command to the next."""

_REMEMBERED = 32


class Execution:
    """One command that was begun here: what its executor is given, and reports to.

    An executor that does not end at once keeps it, calls `progress` and at last `finish`, and
    looks at `cancel_requested`, or sets `on_cancel`.
    """

    def __init__(self, receiver: CommandReceiver, message: Any, system: int, component: int):
        self._receiver = receiver
        self.message = message
        self.system = system
        self.component = component
        self.result: CommandResult = CommandResult.IN_PROGRESS
        self.percent: int | None = None
        self.detail = 0
        self.cancel_requested = False
        self.on_cancel: Callable[[float], None] | None = None
        self.content = content_of(message)
        self.confirmation = getattr(message, "confirmation", 0)
        self.sequence = 0
        self.seen = 0.0

    def progress(self, percent: int | None, now: float) -> None:
        """Tell the sender how far it is, 0 to 100, None if unknown; this puts its timeout off."""
        self.percent = percent
        self._receiver.acknowledge(self, now)

    def finish(self, result: CommandResult, now: float, detail: int = 0) -> None:
        """Tell the sender how it ended. `detail` is COMMAND_ACK's result_param2."""
        if self.result is CommandResult.IN_PROGRESS:
            self.result, self.detail = result, detail
            self._receiver.acknowledge(self, now)


Executor = Callable[[Execution, float], "CommandResult | None"]
MakeAck = Callable[..., Any]


class CommandReceiver:
    """Executes COMMAND_LONG and COMMAND_INT addressed to us; COMMAND_CANCEL stops them."""

    def __init__(
        self,
        sender: Sender,
        system: int,
        component: int,
        make_ack: MakeAck,
    ) -> None:
        """`make_ack` builds a COMMAND_ACK from its fields in order."""
        self._sender = sender
        self._system = system
        self._component = component
        self._make_ack = make_ack
        self._executors: dict[int, Executor] = {}
        self._doubles = RecentFrames()
        self._history: dict[tuple[int, int], deque[Execution]] = {}
        self.executed = 0
        self.repeats = 0

    def register(self, command: int, executor: Executor) -> None:
        """Let `executor(execution, now)` run a command.

        It returns the result, or None if the command goes on; then it calls `Execution.finish`.
        What it raises is answered with FAILED, and raised on.
        """
        self._executors[command] = executor

    def handle(self, message: Any, system: int, component: int, sequence: int, now: float) -> None:
        """Take a COMMAND_LONG, COMMAND_INT or COMMAND_CANCEL from a system and component."""
        frame = (system, component, sequence, message.command, message.get_type())
        if not is_for(message, self._system, self._component) or self._doubles.seen(frame, now):
            return  # an answer to a double would be taken for one to the next command
        history = self._history.setdefault((system, component), deque(maxlen=_REMEMBERED))
        if message.get_type() == "COMMAND_CANCEL":
            self._cancel(message.command, history, now)
            return
        execution = _repeated(history, message, sequence, now)
        if execution:
            self.repeats += 1
            execution.seen = now
            execution.confirmation = max(
                execution.confirmation, getattr(message, "confirmation", 0)
            )
            self.acknowledge(execution, now)
            return
        execution = Execution(self, message, system, component)
        execution.sequence, execution.seen = sequence, now
        history.append(execution)
        self._execute(execution, now)

    def acknowledge(self, execution: Execution, now: float) -> None:
        """Queue the COMMAND_ACK that tells where an execution stands."""
        percent = 0
        if execution.result is CommandResult.IN_PROGRESS:
            percent = UNKNOWN_PROGRESS if execution.percent is None else execution.percent
        ack = self._make_ack(
            execution.message.command,
            int(execution.result),
            percent,
            execution.detail,
            execution.system,
            execution.component,
        )
        key = ("ack", execution.system, execution.component, execution.message.command)
        self._sender.submit(ack, TrafficClass.COMMAND, now, key=key)

    def _execute(self, execution: Execution, now: float) -> None:
        executor = self._executors.get(execution.message.command)
        if executor is None:
            execution.finish(CommandResult.UNSUPPORTED, now)
            return
        self.executed += 1
        try:
            result = executor(execution, now)
        except Exception:
            execution.finish(CommandResult.FAILED, now)
            raise
        if result is not None:
            execution.finish(result, now)
        elif execution.result is CommandResult.IN_PROGRESS:
            self.acknowledge(execution, now)

    def _cancel(self, command: int, history: deque[Execution], now: float) -> None:
        """Stop the newest execution of a command, or tell again how it ended."""
        for execution in reversed(history):
            if execution.message.command != command:
                continue
            if execution.result is CommandResult.IN_PROGRESS and not execution.cancel_requested:
                execution.cancel_requested = True
                if execution.on_cancel:
                    execution.on_cancel(now)
            if execution.result is CommandResult.IN_PROGRESS:
                execution.finish(CommandResult.CANCELLED, now)
            else:
                self.acknowledge(execution, now)
            return


def _repeated(
    history: deque[Execution], message: Any, sequence: int, now: float
) -> Execution | None:
    """Return the execution that `message` repeats, None if it is a new command."""
    content = content_of(message)
    for execution in reversed(history):
        if execution.content != content:
            continue
        if message.get_type() == "COMMAND_LONG":
            same = _same_exchange(execution, message.confirmation, sequence, now)
        else:
            same = now - execution.seen <= REPEAT_WITHIN
        if same:
            return execution
    return None


def _same_exchange(execution: Execution, confirmation: int, sequence: int, now: float) -> bool:
    exchange, repeat = divmod(confirmation, REPEATS_OF_ONE)
    last_exchange, last_repeat = divmod(execution.confirmation, REPEATS_OF_ONE)
    silence = now - execution.seen
    if exchange != last_exchange or silence > EXCHANGE_MEMORY:
        return False
    if repeat > last_repeat:
        return silence <= (repeat - last_repeat) * REPEAT_WITHIN
    # A frame that was sent before the newest that we saw: doubled or late on its way.
    late = (execution.sequence - sequence) % 256 < 128 and silence <= DOUBLED_WITHIN
    return late or (repeat > 0 and silence <= REPEAT_WITHIN)
