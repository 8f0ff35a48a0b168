"""A thread gives way, alone, and never takes more than it had."""

import os
import sys
import threading

import pytest

from ros_interface.thread_priority import (
    DRAWING,
    FOLLOWER,
    SIMULATOR,
    WATCHER,
    go_first,
    yield_to_others,
)

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


def policy() -> int:
    return os.sched_getscheduler(threading.get_native_id()) & ~os.SCHED_RESET_ON_FORK


def test_a_thread_goes_first_alone_where_the_system_lets_it_and_says_whether():
    found = []

    def run() -> None:
        granted = go_first()
        child = threading.Thread(target=lambda: found.append(policy()))
        found.extend([granted, policy()])
        child.start()
        child.join()

    thread = threading.Thread(target=run)
    before = policy()
    thread.start()
    thread.join()
    granted, own, childs = found
    assert own == (os.SCHED_FIFO if granted else before)
    assert childs == before == policy()


def test_where_the_system_refuses_nothing_changes(monkeypatch):
    def refuse(*_):
        raise PermissionError

    monkeypatch.setattr(os, "sched_setscheduler", refuse)
    assert not go_first()
