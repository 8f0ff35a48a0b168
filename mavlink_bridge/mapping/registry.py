"""Which function maps which message: one function per message, marked with `@maps`.

@maps("MY_WIND", time="time_usec")
def wind(message):
    return Wind(message.speed)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from mavlink_bridge.mapping.telemetry import SourceTime, Stamped, Telemetry

F = TypeVar("F", bound=Callable[[Any], Telemetry])

# A time_usec above this is since 1970, below since the autopilot's start: thirty years apart.
EARLIEST_UTC = 10**15
# Nanoseconds of one unit, by the end of the field's name.
_UNITS = {"_ms": 1_000_000, "_usec": 1_000}

_maps: dict[str, tuple[Callable[[Any], Telemetry], str]] = {}


def maps(*messages: str, time: str = "") -> Callable[[F], F]:
    """Mark a function that makes telemetry of a message, or None where it tells nothing.

    `time` is the field that says when it was measured: `..._ms`, `..._usec`, or `sec` with `nsec`.
    """

    def mark(function: F) -> F:
        for message in messages:
            _maps[message] = (function, time)
        return function

    return mark


def mapped_messages() -> tuple[str, ...]:
    """Return the names of all messages that are mapped."""
    return tuple(_maps)


def telemetry_of(message: Any) -> Stamped[Telemetry] | None:
    """Return what a message tells, or None. Raises ValueError where it cannot be meant."""
    found = _maps.get(message.get_type())
    if found is None:
        return None
    function, time = found
    data = function(message)
    return None if data is None else Stamped(_time(message, time), data)


def _time(message: Any, name: str) -> SourceTime | None:
    if not name:
        return None
    value = getattr(message, name)
    if name == "sec":
        return SourceTime(value * 1_000_000_000 + message.nsec, is_utc=True)
    if value == 0:
        return None
    unit = next(unit for end, unit in _UNITS.items() if name.endswith(end))
    return SourceTime(value * unit, is_utc=unit == 1_000 and value > EARLIEST_UTC)
