"""Leave no process behind, even when the runner itself is killed.

Every child asks the kernel for a signal when its parent dies; a guardian, forked at the start,
holds a pipe to the runner and, should it close before every group has been signed off, stops the
groups that remain. It knows only groups that the runner started.
"""

from __future__ import annotations

import ctypes
import os
import signal
import time
from collections.abc import Callable

_PR_SET_PDEATHSIG = 1
_GRACE = 3.0  # seconds from SIGTERM to SIGKILL


def die_with_parent() -> Callable[[], None]:
    """Make the function that a child runs before it becomes the program."""
    parent = os.getpid()
    try:
        prctl = ctypes.CDLL(None).prctl
    except (OSError, AttributeError):  # not Linux: the guardian has to do
        return lambda: None

    def prepare() -> None:
        prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:  # it died in between
            os._exit(1)

    return prepare


class Guardian:
    """The runner's end of the pipe."""

    def __init__(self) -> None:
        reading, self._pipe = os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            os.close(self._pipe)
            try:
                _watch(reading)
            finally:
                os._exit(0)
        os.close(reading)

    def add(self, group: int) -> None:
        """From now on this process group is to be stopped if the runner dies."""
        os.write(self._pipe, f"+{group}\n".encode())

    def remove(self, group: int) -> None:
        """This group has ended; its number may soon belong to somebody else."""
        os.write(self._pipe, f"-{group}\n".encode())

    def close(self) -> None:
        """End the guardian."""
        os.close(self._pipe)
        os.waitpid(self._pid, 0)


def _watch(reading: int) -> None:
    os.setsid()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nowhere, stream)
    groups: set[int] = set()
    with os.fdopen(reading) as lines:
        for line in lines:
            group = int(line[1:])
            if line[0] == "+":
                groups.add(group)
            else:
                groups.discard(group)
    for number in (signal.SIGTERM, signal.SIGKILL):
        groups = {group for group in groups if signal_group(group, number)}
        deadline = time.monotonic() + _GRACE
        while groups and time.monotonic() < deadline:
            time.sleep(0.05)
            groups = {group for group in groups if signal_group(group, 0)}


def signal_group(group: int, number: int) -> bool:
    """Signal every process of a group; False when there is none left."""
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
