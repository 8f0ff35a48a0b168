"""What calls a node's callbacks: rclpy's executors, and a leaner one for a single thread."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from rclpy.context import Context
from rclpy.executors import (
    Executor,
    ExternalShutdownException,
    MultiThreadedExecutor,
    SingleThreadedExecutor,
)
from rclpy.impl.implementation_singleton import rclpy_implementation as _rclpy
from rclpy.node import Node
from rclpy.subscription import Subscription

from ros_interface.wait_list import Member, WaitList

#: The version of rclpy whose inner workings LeanExecutor knows.
_KNOWN = (9, 1)


class OneThread(SingleThreadedExecutor):
    """rclpy's executor, but one that dies quietly where a Ctrl-C let its making fail."""

    _sigint_gc: Any = None  # `__del__` asks for it, whether or not it came to be


class ManyThreads(MultiThreadedExecutor):
    """The same for several threads."""

    _sigint_gc: Any = None


class LeanExecutor(OneThread):
    """Does what SingleThreadedExecutor does in half the time.

    rclpy gathers all that a node waits for anew at every message, and wakes itself twice more for
    each, which only several threads need. Here the list is kept until an entity comes or goes, and
    messages and timers are served without a task of their own. All else, and callbacks that are
    coroutines or ask for more than their message, go rclpy's way.
    """

    def __init__(self, *, context: Context | None = None) -> None:
        super().__init__(context=context)
        self._list: WaitList | None = None

    def spin_once(self, timeout_sec: float | None = None) -> None:
        """Wait for something and serve all that is ready; with a timeout as rclpy does."""
        if timeout_sec is not None or self._has_unfinished_tasks():
            super().spin_once(timeout_sec)
        else:
            self._turn()

    def _spin_once_until_future_complete(self, future: Any, timeout_sec: Any = None) -> None:
        if timeout_sec is not None or self._has_unfinished_tasks():
            super()._spin_once_until_future_complete(future, timeout_sec)
        elif not future.done():
            self._turn()

    def remove_node(self, node: Node) -> None:
        """Stop serving a node, as rclpy.spin does at its end, and let go of its entities."""
        self._release()
        super().remove_node(node)

    def _release(self) -> None:
        waiting, self._list = self._list, None
        if waiting is not None:
            waiting.close()

    def _has_unfinished_tasks(self) -> bool:
        if not self._tasks:
            return False
        with self._tasks_lock:
            self._tasks = [entry for entry in self._tasks if not entry[0].done()]
        return bool(self._tasks)

    def _turn(self) -> None:
        if self._list is None:
            guards = [guard for guard in (self._guard, self._sigint_gc) if guard]
            self._list = WaitList(self.get_nodes(), guards, self._context)
        waiting = self._list
        if not waiting.wait():
            self._release()
            return
        if self._is_shutdown:
            return
        if not self._context.ok():
            raise ExternalShutdownException
        woken = waiting.was_woken()
        self._serve(waiting)
        if woken:
            self._release()

    def _serve(self, waiting: WaitList) -> None:
        """Call what is ready, save for what has been destroyed meanwhile or has to wait."""
        members = waiting.ready()
        for waitable, node in waiting.ready_waitables():
            if waitable in node.waitables and self.can_execute(waitable):
                self._run_task(waitable, node, self._take_waitable)
        for member in members:
            if member.is_there() and self.can_execute(member.entity):
                self._serve_member(member)

    def _serve_member(self, member: Member) -> None:
        if member.kind == "subscription" and member.is_plain:
            self._serve_subscription(member.entity)
        elif member.kind == "timer":
            self._serve_timer(member)
        else:
            take = getattr(self, f"_take_{member.kind}")
            self._run_task(member.entity, member.node, take)

    def _serve_timer(self, member: Member) -> None:
        timer = member.entity
        if not timer.handle.is_timer_ready():  # cancelled, or its clock was set back
            return
        if not member.is_plain:
            self._run_task(timer, member.node, self._take_timer)
            return
        try:
            timer.handle.call_timer()
        except _rclpy.TimerCancelledError:  # by another thread, just now
            return
        timer.callback()

    def _serve_subscription(self, subscription: Any) -> None:
        taken = subscription.handle.take_message(subscription.msg_type, subscription.raw)
        if taken is None:
            return
        if subscription._callback_type is Subscription.CallbackType.MessageOnly:
            subscription.callback(taken[0])
        else:
            subscription.callback(*taken)

    def _run_task(self, entity: Any, node: Any, take: Callable[[Any], Any]) -> None:
        """Serve an entity as rclpy does: a callback that awaits something goes on later."""
        task = self._make_handler(entity, node, take)
        task()
        if task.done() and (error := task.exception()) is not None:
            raise error


def new_executor(threads: int) -> Executor:
    """Return the executor for so many threads; the leaner one where rclpy is the one it knows."""
    if threads > 1:
        return ManyThreads(threads)
    return LeanExecutor() if _rclpy_version() == _KNOWN else OneThread()


def _rclpy_version() -> tuple[int, ...]:
    with suppress(PackageNotFoundError, ValueError):
        return tuple(int(part) for part in version("rclpy").split(".")[:2])
    return ()
