"""One process of the scene: start it, read what it prints, notice its end."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import IO

from ros2cli.launch_runner.guardian import signal_group
from ros2cli.launch_runner.log import OUTPUTS, LaunchLog
from ros2cli.launch_runner.plan import ProcessPlan

LAST_WORDS = 8  # lines of stderr told again when a process dies


class Child:
    """A started process, leader of a group of its own.

    The thread that waits for it leaves it unreaped, so that the group's number stays taken until
    `finish` has dealt with what the process may have left running.
    """

    def __init__(
        self,
        plan: ProcessPlan,
        log: LaunchLog,
        prepare: Callable[[], None],
        on_end: Callable[[Child], None],
    ) -> None:
        self.plan = plan
        self.log = log
        self.last_words: deque[str] = deque(maxlen=LAST_WORDS)
        command: str | tuple[str, ...] = " ".join(plan.command) if plan.shell else plan.command
        self.process = subprocess.Popen(
            command,
            shell=plan.shell,
            cwd=plan.folder,
            env=plan.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=partial(_lead_group, prepare),
        )
        self.group = self.process.pid
        log.say("INFO", plan.name, f"process started with pid [{self.group}]")
        self._threads = [
            self._begin(self._read, self.process.stdout, False),
            self._begin(self._read, self.process.stderr, True),
        ]
        self._begin(self._wait, on_end)

    @staticmethod
    def _begin(target: Callable[..., None], *arguments: object) -> threading.Thread:
        thread = threading.Thread(target=target, args=arguments, daemon=True)
        thread.start()
        return thread

    def _read(self, stream: IO[bytes], is_stderr: bool) -> None:
        stdout_shown, stderr_shown, logged = OUTPUTS[self.plan.output]
        shown = stderr_shown if is_stderr else stdout_shown
        for raw in iter(stream.readline, b""):
            line = raw.decode(errors="replace").rstrip("\r\n")
            if is_stderr:
                self.last_words.append(line)
            self.log.write(f"[{self.plan.name}] {line}", screen=shown, file=logged)

    def _wait(self, on_end: Callable[[Child], None]) -> None:
        os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOWAIT)
        on_end(self)

    def send(self, number: int) -> None:
        """Signal the process and everything that it started in its group."""
        name = signal.Signals(number).name
        self.log.say(
            "INFO", self.plan.name, f"sending signal '{name}' to process[{self.plan.name}]"
        )
        signal_group(self.group, number)

    def finish(self) -> int:
        """Stop what is left of the group, reap the process and tell how it ended.

        Returns:
            The exit code, negative for the number of the signal that killed it.
        """
        for number in (signal.SIGTERM, signal.SIGKILL):
            if group_members(self.group) <= {self.group}:
                break
            signal_group(self.group, number)
            _wait_until(lambda: group_members(self.group) <= {self.group}, seconds=1.0)
        for thread in self._threads:
            thread.join(timeout=1.0)  # a grandchild in another group may hold the pipe
        return self.process.wait()


def _lead_group(prepare: Callable[[], None]) -> None:
    # Not a session: with its autogroups Linux weighs sessions as equals, and a process's niceness
    # would count among its own threads only.
    os.setpgid(0, 0)
    # At a terminal it is in the background: to read there is an error, and does not stop it.
    for number in (signal.SIGTTIN, signal.SIGTTOU):
        signal.signal(number, signal.SIG_IGN)
    prepare()


def group_members(group: int) -> set[int]:
    """Processes of a group that have not ended (and its leader, ended or not)."""
    members = {group}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            # The name may hold spaces; state, parent and group follow its closing bracket.
            state, _, its_group = entry.read_text().rpartition(")")[2].split()[:3]
        except (OSError, ValueError):
            continue
        if int(its_group) == group and state not in "ZX":
            members.add(int(entry.parent.name))
    return members


def _wait_until(condition: Callable[[], bool], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.02)
