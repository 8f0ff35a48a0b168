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
    own_niceness,
    stop_yielding,
    yield_to_others,
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="priorities per thread: Linux")


def in_thread(*wishes: int) -> int:
    found = []

    def run() -> None:
        for wish in wishes:
            yield_to_others(wish)
        found.append(own_niceness())

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return found[0]


def test_a_thread_gives_way_and_the_others_do_not():
    before = own_niceness()
    assert in_thread(SIMULATOR) == max(SIMULATOR, before)
    assert own_niceness() == before


def test_it_never_takes_back_what_it_gave():
    assert in_thread(WATCHER, FOLLOWER) == WATCHER


def test_estimators_go_before_followers_and_those_before_the_simulator():
    assert 0 < FOLLOWER < SIMULATOR < DRAWING < WATCHER


def policy() -> int:
    return os.sched_getscheduler(threading.get_native_id()) & ~os.SCHED_RESET_ON_FORK


@pytest.mark.parametrize("wish", [FOLLOWER, SIMULATOR, DRAWING, WATCHER])
def test_from_the_simulator_on_a_thread_interrupts_nobody(wish):
    found = []

    def run() -> None:
        yield_to_others(wish)
        found.append(policy())

    before = policy()
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert before == policy() == os.SCHED_OTHER
    assert found == [os.SCHED_OTHER if wish == FOLLOWER else os.SCHED_BATCH]


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


@pytest.fixture
def nice_thread():
    """Return the id of a thread that gave way and waits."""
    nice, end, ids = threading.Event(), threading.Event(), []

    def run() -> None:
        yield_to_others(SIMULATOR)
        ids.append(threading.get_native_id())
        nice.set()
        end.wait()

    thread = threading.Thread(target=run)
    thread.start()
    nice.wait()
    yield ids[0]
    end.set()
    thread.join()


@pytest.mark.skipif(os.geteuid() != 0, reason="the system lets only root take it back")
def test_at_the_end_all_threads_get_their_share_back(nice_thread):
    before = own_niceness()
    stop_yielding(before)
    assert os.getpriority(os.PRIO_PROCESS, nice_thread) == before


def test_where_the_system_refuses_that_threads_stay_nice(nice_thread, monkeypatch):
    def refuse(*_):
        raise PermissionError

    monkeypatch.setattr(os, "setpriority", refuse)
    stop_yielding(own_niceness())
    assert os.getpriority(os.PRIO_PROCESS, nice_thread) >= SIMULATOR
