"""From the numbers of a sensor_msgs/Joy to what a hand does.

Drivers order axes and buttons as they like, so every place is a parameter. The defaults are those
of this suite's own sources; docs/vr_hands.md has the table.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from spatial_types.parameters import parameter


class InputError(ValueError):
    """A Joy message that cannot be read; the text names the field."""


@dataclass(frozen=True)
class JoyLayout:
    """Where things stand in Joy.axes and Joy.buttons."""

    stick_left: int = parameter(0, "Axis of the stick, left is positive", minimum=0, maximum=63)
    stick_forward: int = parameter(
        1, "Axis of the stick, forward is positive", minimum=0, maximum=63
    )
    trigger: int = parameter(2, "Axis of the trigger, 0 to 1", minimum=0, maximum=63)
    grip: int = parameter(3, "Axis of the grip, 0 to 1", minimum=0, maximum=63)
    lower_button: int = parameter(3, "Button A or X", minimum=0, maximum=63)
    upper_button: int = parameter(4, "Button B or Y", minimum=0, maximum=63)


@dataclass(frozen=True)
class HandInput:
    """One reading of a hand's controller: sticks -1 to 1, trigger and grip 0 to 1."""

    left: float = 0.0
    forward: float = 0.0
    trigger: float = 0.0
    grip: float = 0.0
    lower: bool = False
    upper: bool = False


def read_joy(axes: Sequence[float], buttons: Sequence[int], layout: JoyLayout) -> HandInput:
    """Return the reading, held within its ranges.

    Raises InputError where an axis is missing or not finite. A controller may have fewer buttons
    than the layout names: what is not there is not pressed.
    """

    def axis(name: str, low: float) -> float:
        index = getattr(layout, name)
        if index >= len(axes):
            raise InputError(f"Joy.axes has {len(axes)} values: expected {name} at index {index}")
        value = float(axes[index])
        if not math.isfinite(value):
            raise InputError(f"Joy.axes[{index}] ({name}) is {value}: expected {low:g} to 1")
        return min(max(value, low), 1.0)

    def button(index: int) -> bool:
        return index < len(buttons) and bool(buttons[index])

    return HandInput(
        left=axis("stick_left", -1.0),
        forward=axis("stick_forward", -1.0),
        trigger=axis("trigger", 0.0),
        grip=axis("grip", 0.0),
        lower=button(layout.lower_button),
        upper=button(layout.upper_button),
    )


class Switch:
    """A grip or a trigger as a switch: closes above `on`, opens below `off`."""

    def __init__(self, on: float, off: float) -> None:
        self._on, self._off = on, off
        self.closed = False

    def update(self, value: float) -> bool:
        """Take a value from 0 to 1 and return whether the switch is closed."""
        self.closed = value > self._on or (self.closed and value >= self._off)
        return self.closed
