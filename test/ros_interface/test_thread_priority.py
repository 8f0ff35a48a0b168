"""A thread gives way, alone, and never takes more than it had."""

import os
import sys
import threading

import pytest

from ros_interface.thread_priority import DRAWING, FOLLOWER, SIMULATOR, WATCHER, yield_to_others

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="priorities per thread: Linux")


def niceness() -> int:
    return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())


def in_thread(*wishes: int) -> int:
    found = []

    def run() -> None:
        for wish in wishes:
            yield_to_others(wish)
        found.append(niceness())

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return found[0]


def test_a_thread_gives_way_and_the_others_do_not():
    before = niceness()
    assert in_thread(SIMULATOR) == max(SIMULATOR, before)
    assert niceness() == before


def test_it_never_takes_back_what_it_gave():
    assert in_thread(WATCHER, FOLLOWER) == WATCHER


def test_estimators_go_before_followers_and_those_before_the_simulator():
    assert 0 < FOLLOWER < SIMULATOR < DRAWING < WATCHER
