"""Checks of what a page sends: each returns the value or raises ProtocolError naming the field."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

FARTHEST = 1e6  # m: no coordinate of a room, and safe to square
Check = Callable[[Any, str], Any]


class ProtocolError(ValueError):
    """A message that cannot be taken; the text names the field and what was expected."""


def boolean(value: Any, name: str) -> bool:
    """Return a truth value."""
    if not isinstance(value, bool):
        raise ProtocolError(f"{name}: expected true or false")
    return value


def number(low: float, high: float) -> Check:
    """Return the check for a finite number from `low` to `high`."""

    def check(value: Any, name: str) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise ProtocolError(f"{name}: expected a number")
        if not low <= value <= high:  # so for NaN; an integer may be too large for a float
            raise ProtocolError(f"{name}: expected {low:g} to {high:g}")
        return float(value)

    return check


def text(longest: int, shortest: int = 1) -> Check:
    """Return the check for a text without control characters."""

    def check(value: Any, name: str) -> str:
        if not isinstance(value, str) or not shortest <= len(value) <= longest:
            raise ProtocolError(f"{name}: expected a text of {shortest} to {longest} characters")
        if not value.isprintable():
            raise ProtocolError(f"{name}: expected printable characters")
        return value

    return check


def optional(inner: Check) -> Check:
    """Return the check for null or what `inner` takes."""
    return lambda value, name: None if value is None else inner(value, name)


def listing(inner: Check, shortest: int, longest: int) -> Check:
    """Return the check for a list of `shortest` to `longest` of what `inner` takes, as a tuple."""

    def check(value: Any, name: str) -> tuple[Any, ...]:
        if not isinstance(value, list) or not shortest <= len(value) <= longest:
            raise ProtocolError(f"{name}: expected a list of {shortest} to {longest}")
        return tuple(inner(item, f"{name}[{index}]") for index, item in enumerate(value))

    return check


def record(value: Any, fields: Mapping[str, Check], name: str) -> dict[str, Any]:
    """Return the checked fields of an object; one that is missing is checked as null.

    Fields that nobody knows are left out: a newer page may send more.
    """
    if not isinstance(value, dict):
        raise ProtocolError(f"{name}: expected an object")
    prefix = f"{name}." if name else ""
    return {key: check(value.get(key), prefix + key) for key, check in fields.items()}


def pose(value: Any, name: str) -> tuple[float, ...]:
    """Return x, y, z, qx, qy, qz, qw with the quaternion of length 1."""
    numbers: tuple[float, ...] = listing(number(-FARTHEST, FARTHEST), 7, 7)(value, name)
    length = math.hypot(*numbers[3:])
    if not 0.5 < length < 2.0:
        raise ProtocolError(f"{name}: expected a quaternion of length 1 in its last four")
    return (*numbers[:3], *(part / length for part in numbers[3:]))
