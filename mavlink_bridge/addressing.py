"""For whom a message is: MAVLink's target fields, where 0 means everybody."""

from __future__ import annotations

from typing import Any


def is_for(message: Any, system: int, component: int) -> bool:
    """Return whether a message is for us; one without a target is for everybody."""
    return getattr(message, "target_system", 0) in (0, system) and getattr(
        message, "target_component", 0
    ) in (0, component)
