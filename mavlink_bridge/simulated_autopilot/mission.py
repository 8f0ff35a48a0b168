"""A mission: what its items mean to the pilot, and where one is in it."""

from __future__ import annotations

import math

from mavlink_bridge.missions.mission_item import MissionItem
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


def is_placed(item: MissionItem) -> bool:
    """Return whether an item has a place to fly to: take-off and landing may be where one is."""
    if item.command not in PLACED:
        return False
    return item.command in (WAYPOINT, LOITER, LOITER_TIME) or bool(item.x or item.y)


def place_of(item: MissionItem, origin: LocalOrigin, home_height: float) -> Vector:
    """Return where an item is, ENU; `home_height` is home's altitude above the sea."""
    altitude = item.z + (home_height if item.frame in ABOVE_HOME else 0.0)
    return origin.local(GlobalPoint(item.x / E7, item.y / E7, altitude))


def heading_of(item: MissionItem) -> float | None:
    """Return an item's heading in degrees clockwise from north; None when it is free."""
    heading = item.parameters[3]
    return heading if math.isfinite(heading) else None


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
