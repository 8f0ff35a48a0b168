"""Run the processes of a launch: start, restart, report, and stop them all together.

One thread, the main one, decides; the threads that read and wait, and the signal handlers, only
put messages in its queue.
"""

from __future__ import annotations

import heapq
import itertools
import signal
import time
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from types import FrameType

from ros2cli.launch_runner.child import Child
from ros2cli.launch_runner.guardian import Guardian, die_with_parent
from ros2cli.launch_runner.log import LaunchLog
from ros2cli.launch_runner.plan import ProcessPlan

_STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Supervisor:
    """Owner of the processes of one launch."""

    def __init__(self, plans: Sequence[ProcessPlan], log: LaunchLog) -> None:
        self._plans = plans
        self._log = log
        self._messages: SimpleQueue[Child | int] = SimpleQueue()
        self._children: set[Child] = set()
        self._restarts: dict[str, int] = {}
        self._timers: list[tuple[float, int, Callable[[], None]]] = []
        self._order = itertools.count()
        self._stopping = False
        self._exit_code = 0

    def run(self) -> int:
        """Start everything and return when nothing runs any more.

        Returns:
            0 when the processes ended or Ctrl-C stopped them; 1 for any other signal, and, unlike
            the real launch, where a required process could not start or died with an error.
        """
        before = {number: signal.signal(number, self._on_signal) for number in _STOPPING}
        self._guardian = Guardian()
        self._prepare = die_with_parent()
        try:
            for plan in self._plans:
                self._start(plan)
            while self._children or (self._timers and not self._stopping):
                self._step()
        finally:
            self._guardian.close()
            for number, handler in before.items():
                signal.signal(number, handler)
        return self._exit_code

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        self._messages.put(number)

    def _step(self) -> None:
        wait = max(0.0, self._timers[0][0] - time.monotonic()) if self._timers else None
        try:
            message = self._messages.get(timeout=wait)
        except Empty:
            heapq.heappop(self._timers)[2]()
            return
        if isinstance(message, Child):
            self._on_end(message)
        else:
            self._on_stop_signal(message)

    def _later(self, seconds: float, action: Callable[[], None]) -> None:
        heapq.heappush(self._timers, (time.monotonic() + seconds, next(self._order), action))

    def _start(self, plan: ProcessPlan) -> None:
        if self._stopping:
            return
        try:
            child = Child(plan, self._log, self._prepare, self._messages.put)
        except OSError as error:
            self._log.say(
                "ERROR",
                plan.name,
                f"exception occurred while executing process: {error} (cmd '{plan.command[0]}')",
            )
            if plan.shutdown_on_exit:
                self._end_without(plan, code=1)
            return
        self._guardian.add(child.group)
        self._children.add(child)

    def _on_end(self, child: Child) -> None:
        plan, pid = child.plan, child.process.pid
        self._guardian.remove(child.group)
        code = child.finish()
        self._children.discard(child)
        if code == 0:
            self._log.say("INFO", plan.name, f"process has finished cleanly [pid {pid}]")
        else:
            command = " ".join(word for word in plan.command if word.strip())
            self._log.say(
                "ERROR",
                plan.name,
                f"process has died [pid {pid}, exit code {code}, cmd '{command}'].",
            )
            self._explain(child, code)
        if self._stopping:
            return
        if plan.shutdown_on_exit:
            self._end_without(plan, code)
        elif plan.respawn:
            self._restart(plan)

    def _end_without(self, plan: ProcessPlan, code: int) -> None:
        """Stop the launch because a required process ended."""
        text = f"process[{plan.name}] was required: shutting down launched system"
        self._log.say("INFO", "launch", text)
        if code != 0:
            self._exit_code = 1
        self._stop_all()

    def _explain(self, child: Child, code: int) -> None:
        """Why it died: the signal, and the last that it said on stderr."""
        if code < 0:
            self._log.say("ERROR", child.plan.name, f"killed by {_signal_name(-code)}")
        if child.last_words and not self._stopping:
            words = "".join(f"\n    {line}" for line in child.last_words)
            self._log.say("ERROR", child.plan.name, f"last lines of its stderr:{words}")

    def _restart(self, plan: ProcessPlan) -> None:
        done = self._restarts.get(plan.name, 0)
        if 0 <= plan.respawn_limit <= done:
            return
        self._restarts[plan.name] = done + 1
        self._later(plan.respawn_delay, lambda: self._start(plan))

    def _on_stop_signal(self, number: int) -> None:
        name = signal.Signals(number).name
        if number == signal.SIGINT:
            text = f"user interrupted with ctrl-c ({name})"
            self._log.say("WARNING", "launch", text + (" again, ignoring..." * self._stopping))
        else:
            self._log.say("ERROR", "launch", f"received {name}, stopping all processes")
            self._exit_code = 1
        self._stop_all()

    def _stop_all(self) -> None:
        """SIGINT now, SIGTERM and SIGKILL to those who do not follow in time."""
        if self._stopping:
            return
        self._stopping = True
        self._timers.clear()
        for child in sorted(self._children, key=lambda child: child.process.pid, reverse=True):
            child.send(signal.SIGINT)
            first, second = child.plan.sigterm_timeout, child.plan.sigkill_timeout
            self._escalate(child, first, "SIGINT", signal.SIGTERM)
            self._escalate(child, first + second, "SIGTERM", signal.SIGKILL)

    def _escalate(self, child: Child, seconds: float, before: str, number: signal.Signals) -> None:
        def act() -> None:
            if child in self._children:
                self._log.say(
                    "ERROR",
                    child.plan.name,
                    f"process[{child.plan.name}] failed to terminate '{seconds}' seconds after "
                    f"receiving '{before}', escalating to '{number.name}'",
                )
                child.send(number)

        self._later(seconds, act)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
