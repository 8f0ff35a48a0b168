"""Handlers: several per message, from here and from other packages, each for the senders it wants.

A handler is a function of a frame and of whatever the owner hands round (`context`: the node, a
simulated autopilot). `@handles` says for what:

    @handles("MY_WIND", system=1)
    def wind(frame, context):
        context.publish("wind", frame.message.speed)

Another package adds its own by an entry point in the group `truthbed.mavlink_handlers` that names
such a function, or a module with several.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import entry_points
from types import ModuleType
from typing import Any, TypeVar

from mavlink_bridge.wire.frame import Frame
from spatial_types.suggestions import suggestion

GROUP = "truthbed.mavlink_handlers"
EVERY = "*"
Handler = Callable[[Frame, Any], None]
OnError = Callable[[str, Exception], None]
F = TypeVar("F", bound=Handler)
_MARK = "_mavlink_subscriptions"

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Wanted:
    """What a handler is for: names or numbers of messages or "*", and whose; None: anybody's."""

    messages: tuple[str | int, ...]
    system: int | None = None
    component: int | None = None


@dataclass(eq=False)
class Subscription:
    """A handler at work. `errors` counts the exceptions that it raised."""

    name: str
    handler: Handler
    wanted: Wanted
    calls: int = 0
    errors: int = 0

    def takes(self, frame: Frame) -> bool:
        """Return whether the frame comes from whom the handler listens to."""
        wanted = self.wanted
        return wanted.system in (None, frame.system) and wanted.component in (
            None,
            frame.component,
        )


def handles(
    *messages: str | int, system: int | None = None, component: int | None = None
) -> Callable[[F], F]:
    """Mark a function as handler; may stand more than once."""

    def mark(function: F) -> F:
        marks = [*getattr(function, _MARK, ()), Wanted(messages, system, component)]
        setattr(function, _MARK, marks)
        return function

    return mark


class HandlerRegistry:
    """Gives each frame to its handlers in the order in which they were added.

    What one of them raises is counted, told to `on_error(name, error)` and does not stop others.
    """

    def __init__(self, dialect: Any, on_error: OnError | None = None) -> None:
        self._ids = {kind.msgname: number for number, kind in dialect.mavlink_map.items()}
        self._on_error = on_error or _log_error
        self._by_id: dict[int | str, list[Subscription]] = defaultdict(list)

    def add(
        self,
        handler: Handler,
        *messages: str | int,
        system: int | None = None,
        component: int | None = None,
        name: str | None = None,
    ) -> Subscription:
        """Add a handler. Raises ValueError for a name that the dialect does not have."""
        wanted = Wanted(messages, system, component)
        return self._add(Subscription(name or _name_of(handler), handler, wanted))

    def add_marked(self, where: Handler | ModuleType) -> list[Subscription]:
        """Add a function marked with `@handles`, or all those of a module.

        Raises ValueError when there is none.
        """
        added = [
            self._add(Subscription(_name_of(function), function, wanted))
            for function in _functions(where)
            for wanted in getattr(function, _MARK, ())
        ]
        if not added:
            raise ValueError(f"{where!r} has no function marked with @handles")
        return added

    def add_plugins(self, group: str = GROUP) -> list[Subscription]:
        """Add the handlers of all installed packages; one that cannot be loaded is told of."""
        added: list[Subscription] = []
        for point in entry_points(group=group):
            try:
                added += self.add_marked(point.load())
            except Exception as error:  # whatever a stranger's module raises when imported
                self._on_error(f"{point.name} ({point.value})", error)
        return added

    @property
    def errors(self) -> int:
        """How many exceptions handlers have raised."""
        found = {id(item): item for items in self._by_id.values() for item in items}
        return sum(item.errors for item in found.values())

    def remove(self, subscription: Subscription) -> None:
        """Let a handler hear nothing more; one that is not there is no error."""
        for subscriptions in self._by_id.values():
            if subscription in subscriptions:
                subscriptions.remove(subscription)

    def dispatch(self, frame: Frame, context: Any = None) -> int:
        """Give a frame to its handlers; return how many took it without an error."""
        done = 0
        for subscription in (*self._by_id.get(frame.message_id, ()), *self._by_id.get(EVERY, ())):
            if not subscription.takes(frame):
                continue
            subscription.calls += 1
            try:
                subscription.handler(frame, context)
                done += 1
            except Exception as error:  # one handler's fault is not the others'
                subscription.errors += 1
                self._on_error(subscription.name, error)
        return done

    def _add(self, subscription: Subscription) -> Subscription:
        for message_id in [self._id(message) for message in subscription.wanted.messages]:
            self._by_id[message_id].append(subscription)
        return subscription

    def _id(self, message: str | int) -> int | str:
        if message == EVERY or isinstance(message, int):
            return message
        if message not in self._ids:
            raise ValueError(f"unknown message '{message}'; {suggestion(message, self._ids)}")
        return self._ids[message]


def _functions(where: Handler | ModuleType) -> Iterator[Handler]:
    candidates: Iterable[Any] = vars(where).values() if isinstance(where, ModuleType) else [where]
    return (candidate for candidate in candidates if hasattr(candidate, _MARK))


def _name_of(handler: Handler) -> str:
    return str(getattr(handler, "__qualname__", handler))


def _log_error(name: str, error: Exception) -> None:
    log.error("handler %s: %s: %s", name, type(error).__name__, error)
