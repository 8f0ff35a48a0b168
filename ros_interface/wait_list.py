"""What a node waits for, gathered once and waited for again and again.

Made for the inner workings of rclpy 9.1, which ros_interface.executors checks.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from typing import Any, NamedTuple

from rclpy.context import Context
from rclpy.impl.implementation_singleton import rclpy_implementation as _rclpy
from rclpy.node import Node

#: Kinds of entities: as the wait set names them, and as a node does.
KINDS = {
    "timer": "timers",
    "subscription": "subscriptions",
    "guard_condition": "guards",
    "client": "clients",
    "service": "services",
}


class Member(NamedTuple):
    """An entity (rclpy.subscription.Subscription, ...) of a node.

    `is_plain`: its callback may be called with what was taken and nothing else.
    """

    kind: str
    entity: Any
    node: Node
    is_plain: bool

    def is_there(self) -> bool:
        """Whether the node still has it."""
        return self.entity in getattr(self.node, KINDS[self.kind])


class WaitList:
    """Entities of some nodes, kept from being destroyed until `close`."""

    def __init__(self, nodes: Iterable[Node], guards: Iterable[Any], context: Context) -> None:
        """Gather; `guards` are those of the executor."""
        assert context.handle is not None
        self._context = context.handle
        self._members: dict[str, dict[int, Member]] = {kind: {} for kind in KINDS}
        self._waitables: list[tuple[Any, Node]] = []
        self._handles: dict[str, list[Any]] = {kind: [] for kind in KINDS}
        with ExitStack() as held:
            held.enter_context(context.handle)
            for guard in guards:
                held.enter_context(guard.handle)
                self._handles["guard_condition"].append(guard.handle)
            for node in nodes:
                self._add(node, held)
            self._set = self._new_set()
            self._held = held.pop_all()
        adding = {kind: getattr(self._set, f"add_{kind}") for kind in KINDS}
        self._additions: list[tuple[Callable[[Any], Any], Any]] = [
            (adding[kind], handle) for kind in KINDS for handle in self._handles[kind]
        ]

    def close(self) -> None:
        """Let go of all entities."""
        self._held.close()

    def _add(self, node: Node, held: ExitStack) -> None:
        for kind, name in KINDS.items():
            for entity in getattr(node, name):
                handle = entity.handle
                try:
                    held.enter_context(handle)
                except _rclpy.InvalidHandle:  # destroyed just now
                    continue
                self._handles[kind].append(handle)
                self._members[kind][handle.pointer] = Member(
                    kind, entity, node, _is_plain(kind, entity)
                )
        for waitable in node.waitables:
            try:
                held.enter_context(waitable)
            except _rclpy.InvalidHandle:
                continue
            self._waitables.append((waitable, node))

    def _new_set(self) -> Any:
        counts = [waitable.get_num_entities() for waitable, _ in self._waitables]

        def size(kind: str) -> int:
            return len(self._handles[kind]) + sum(getattr(c, f"num_{kind}s") for c in counts)

        return _rclpy.WaitSet(
            size("subscription"),
            size("guard_condition"),
            size("timer"),
            size("client"),
            size("service"),
            sum(count.num_events for count in counts),
            self._context,
        )

    def wait(self) -> bool:
        """Sleep until something is ready, or the executor is woken.

        False, at once, where something has been destroyed since it was gathered.
        """
        self._set.clear_entities()
        for add, handle in self._additions:
            add(handle)
        try:
            for waitable, _ in self._waitables:
                waitable.add_to_wait_set(self._set)
        except _rclpy.InvalidHandle:
            return False
        for guard in self._members["guard_condition"].values():
            if guard.entity._executor_triggered:  # ready before, and not served
                guard.entity.trigger()
        self._set.wait(-1)
        return True

    def ready(self) -> list[Member]:
        """Return what was ready when the wait ended, in rclpy's order."""
        found = []
        for kind, members in self._members.items():
            if members:
                pointers = self._set.get_ready_entities(kind)
                found += [members[pointer] for pointer in pointers if pointer in members]
        for member in found:
            if member.kind == "guard_condition":  # the wait has taken it; _take_... clears this
                member.entity._executor_triggered = True
        return found

    def ready_waitables(self) -> list[tuple[Any, Node]]:
        """Return the same of events of the middleware and other things that nodes wait for."""
        return [entry for entry in self._waitables if entry[0].is_ready(self._set)]

    def was_woken(self) -> bool:
        """Whether a guard ended the wait: entities may have come or gone."""
        return bool(self._set.get_ready_entities("guard_condition"))


def _is_plain(kind: str, entity: Any) -> bool:
    callback = getattr(entity, "callback", None)
    if kind not in ("timer", "subscription") or callback is None:
        return False
    if inspect.iscoroutinefunction(callback):
        return False
    return kind == "subscription" or not inspect.signature(callback).parameters
