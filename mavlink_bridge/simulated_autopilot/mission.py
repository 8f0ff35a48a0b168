"""A mission: its items, what each means to the pilot, and where one is in it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from mavlink_bridge.simulated_autopilot.geodesy import E7, GlobalPoint, LocalOrigin

Vector = tuple[float, float, float]

WAYPOINT, LOITER, LOITER_TIME, RETURN, LAND, TAKEOFF = 16, 17, 19, 20, 21, 22
DELAY, YAW, JUMP, SPEED = 93, 115, 177, 178
FENCE_IN, FENCE_OUT, FENCE_CIRCLE_IN, FENCE_CIRCLE_OUT = 5001, 5002, 5003, 5004
RALLY = 5100
PLACED = frozenset({WAYPOINT, LOITER, LOITER_TIME, LAND, TAKEOFF})
# For cameras and gimbals that this drone does not have: taken, and passed over.
PASSED_OVER = frozenset({205, 206, 530, 1000, 2000, 2001, 2500, 2501})
COMMANDS = PLACED | {RETURN, DELAY, YAW, JUMP, SPEED} | PASSED_OVER
FENCES = frozenset({FENCE_IN, FENCE_OUT, FENCE_CIRCLE_IN, FENCE_CIRCLE_OUT})
ABOVE_SEA, ABOVE_HOME = frozenset({0, 5}), frozenset({3, 6})


@dataclass(frozen=True)
class MissionItem:
    """MISSION_ITEM_INT without its addresses; latitude and longitude stay in 1e-7 degrees."""

    command: int
    frame: int
    parameters: tuple[float, float, float, float]
    x: int
    y: int
    z: float
    autocontinue: int = 1

    @property
    def placed(self) -> bool:
        """Whether it has a place to fly to: take-off and landing may be where one is."""
        if self.command not in PLACED:
            return False
        return self.command in (WAYPOINT, LOITER, LOITER_TIME) or bool(self.x or self.y)

    def place(self, origin: LocalOrigin, home_height: float) -> Vector:
        """Return where it is, ENU; `home_height` is home's altitude above the sea."""
        altitude = self.z + (home_height if self.frame in ABOVE_HOME else 0.0)
        return origin.local(GlobalPoint(self.x / E7, self.y / E7, altitude))

    @property
    def yaw(self) -> float | None:
        """Heading in degrees clockwise from north; None when it is free."""
        heading = self.parameters[3]
        return heading if math.isfinite(heading) else None


def item_of(message: Any) -> MissionItem:
    """Return the item of a MISSION_ITEM_INT or of the old MISSION_ITEM with its floats."""
    x, y = message.x, message.y
    if message.get_type() == "MISSION_ITEM":
        x, y = _tenth_microdegrees(x), _tenth_microdegrees(y)
    numbers = (message.param1, message.param2, message.param3, message.param4)
    return MissionItem(
        message.command, message.frame, numbers, x, y, message.z, message.autocontinue
    )


def _tenth_microdegrees(degrees: float) -> int:
    """Return degrees in 1e-7; what is no angle becomes one that no place has."""
    return round(degrees * E7) if abs(degrees) <= 180.0 else 2**31 - 1


class MissionProgress:
    """Which item is flown, which were reached, and how often jumps were taken.

    `first` is the first item to fly: ArduPilot's item 0 is home.
    """

    def __init__(self, first: int = 0) -> None:
        self.items: list[MissionItem] = []
        self.first = first
        self.current = 0
        self.finished = False
        self.reached: list[int] = []
        self._jumps: dict[int, int] = {}

    def replace(self, items: list[MissionItem]) -> None:
        """Take a new mission, from its start."""
        self.items = items
        self.restart()

    def restart(self) -> None:
        """Go back to the start."""
        self.go_to(min(self.first, max(len(self.items) - 1, 0)))
        self._jumps = {}

    def go_to(self, index: int) -> None:
        """Go on with one item."""
        self.current = index
        self.finished = False

    @property
    def item(self) -> MissionItem | None:
        """The item to fly now; None after the last, or without a mission."""
        if self.finished or self.current >= len(self.items) or self.current < self.first:
            return None
        return self.items[self.current]

    def done(self) -> None:
        """Go on to the next item."""
        self.reached.append(self.current)
        if self.current + 1 < len(self.items):
            self.current += 1
        else:
            self.finished = True

    def jump(self, item: MissionItem) -> None:
        """Follow a DO_JUMP: param1 says where to, param2 how often, -1 for ever."""
        taken = self._jumps.get(self.current, 0)
        target, times = int(item.parameters[0]), int(item.parameters[1])
        if (times >= 0 and taken >= times) or not self.first <= target < len(self.items):
            self.done()
            return
        self._jumps[self.current] = taken + 1
        self.current = target
