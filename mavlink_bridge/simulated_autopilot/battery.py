"""The simulated battery: charge taken out by what the motors need."""

from __future__ import annotations

from dataclasses import dataclass

from spatial_types.parameters import parameter

CELLS = 4
FULL_CELL, EMPTY_CELL = 4.2, 3.4
CELL_RESISTANCE = 0.006


@dataclass(frozen=True)
class BatteryParameters:
    """A small multirotor's pack."""

    capacity: float = parameter(5.0, "charge when full", unit="Ah", minimum=0.01)
    idle_current: float = parameter(0.4, "taken while disarmed", unit="A", minimum=0.0)
    hover_current: float = parameter(15.0, "taken in hover", unit="A", minimum=0.0)
    climb_current: float = parameter(4.0, "more for each m/s upwards", unit="A", minimum=0.0)


class Battery:
    """Charge, current and voltage."""

    def __init__(self, parameters: BatteryParameters | None = None, level: float = 1.0) -> None:
        self.parameters = parameters or BatteryParameters()
        self.level = level
        self.current = self.parameters.idle_current

    @property
    def voltage(self) -> float:
        """Volts at the poles, less what the current costs inside."""
        cell = EMPTY_CELL + (FULL_CELL - EMPTY_CELL) * self.level
        return CELLS * (cell - CELL_RESISTANCE * self.current)

    @property
    def used(self) -> float:
        """Ampere hours taken out."""
        return (1.0 - self.level) * self.parameters.capacity

    def advance(self, seconds: float, *, flying: bool, climb: float = 0.0) -> None:
        """Draw what `seconds` of flight or rest take."""
        wanted = self.parameters
        self.current = wanted.idle_current
        if flying:
            self.current = wanted.hover_current + wanted.climb_current * max(0.0, climb)
        taken = self.current * seconds / 3600.0 / wanted.capacity
        self.level = max(0.0, self.level - taken)
