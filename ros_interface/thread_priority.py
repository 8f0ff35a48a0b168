"""Who goes first where processors are short: estimators, then what follows them, then the rest.

Niceness weighs processes of one session: Linux takes sessions as equals (sched(7), autogroups).

Before all of them, briefly, goes what a person's eyes are waiting for.

A robot's estimators share a small computer with a simulator that would take all of it, with
displays and recorders. Late data make a pose late; a pose that is late is of less use.
"""

from __future__ import annotations

import os
import sys
import threading
from contextlib import suppress
from pathlib import Path

# Niceness above that of the estimators, which keep what the system gave them.
FOLLOWER = 10
SIMULATOR = 15
DRAWING = 17
WATCHER = 19


def own_niceness() -> int:
    """Niceness of this thread; 0 where the system has no priorities per thread."""
    return os.getpriority(os.PRIO_PROCESS, 0) if sys.platform == "linux" else 0


def yield_to_others(niceness: int) -> None:
    """Make this thread, and those that it will start, at least so nice to others.

    From SIMULATOR on it also interrupts nobody when it wakes up: it waits until a processor is free
    or its turn has come. Where the system has no priorities per thread, all stay alike.
    """
    if sys.platform != "linux":
        return
    thread = threading.get_native_id()
    if niceness >= SIMULATOR and os.sched_getscheduler(thread) == os.SCHED_OTHER:
        os.sched_setscheduler(thread, os.SCHED_BATCH, os.sched_param(0))
    if own_niceness() < niceness:
        os.setpriority(os.PRIO_PROCESS, thread, niceness)


def stop_yielding(niceness: int) -> None:
    """Give all threads of this process back the niceness it began with, so that it ends soon.

    On an overloaded machine a nice one would not, before its launcher loses patience. The system
    grants that to root and to whoever has a limit `nice`; to others all stays as it is.
    """
    if sys.platform != "linux":
        return
    for task in Path("/proc/self/task").iterdir():
        thread = int(task.name)
        with suppress(OSError):  # not allowed, or just gone
            if os.getpriority(os.PRIO_PROCESS, thread) > niceness:
                os.setpriority(os.PRIO_PROCESS, thread, niceness)


def go_first() -> bool:
    """Let this thread alone run at once whenever it is due; whether the system grants that.

    It does to root and to whoever has a limit `rtprio` (/etc/security/limits.conf). Only for
    threads that wait most of the time: others on this processor stand still meanwhile. Threads and
    processes that it starts afterwards are ordinary ones.
    """
    if sys.platform != "linux":
        return False
    policy = os.SCHED_FIFO | os.SCHED_RESET_ON_FORK
    lowest = os.sched_param(os.sched_get_priority_min(os.SCHED_FIFO))
    try:
        os.sched_setscheduler(threading.get_native_id(), policy, lowest)
    except OSError:
        return False
    return True
