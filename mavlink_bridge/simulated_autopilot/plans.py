"""What may be uploaded: missions that can be flown here, fences, and rally points that are kept."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mavlink_bridge.missions.mission_item import MissionItem
from mavlink_bridge.simulated_autopilot import mission
from mavlink_bridge.simulated_autopilot.geodesy import E7, GlobalPoint, LocalOrigin
from mavlink_bridge.simulated_autopilot.geofence import Zone
from mavlink_bridge.simulated_autopilot.mission_flight import MissionFlight
from mavlink_bridge.simulated_autopilot.mission_service import (
    FENCE,
    MISSION,
    RALLY,
    MissionResult,
    Plan,
)
from mavlink_bridge.simulated_autopilot.pilot import Mode, Pilot

# What the first two parameters of these say is needed.
HIGHEST = 1e5
COUNTED = frozenset({mission.DELAY, mission.YAW, mission.JUMP, mission.SPEED})


class Plans:
    """The three plans of a vehicle, tied to its pilot."""

    def __init__(self, pilot: Pilot, flight: MissionFlight, origin: LocalOrigin) -> None:
        self._pilot = pilot
        self._flight = flight
        self._origin = origin
        self.plans = {
            MISSION: Plan(self._check_mission, self._new_mission),
            FENCE: Plan(_check_fence, self._new_fence),
            RALLY: Plan(_check_rally, lambda _: None),
        }

    def _check_mission(self, items: Sequence[MissionItem]) -> MissionResult:
        for item in items[self._pilot.mission.first :]:
            result = self._judged(item, len(items))
            if result is not MissionResult.ACCEPTED:
                return result
        return MissionResult.ACCEPTED

    def _judged(self, item: MissionItem, count: int) -> MissionResult:
        if item.command not in mission.COMMANDS:
            return MissionResult.UNSUPPORTED
        if item.command in COUNTED and not all(map(math.isfinite, item.parameters[:2])):
            return MissionResult.INVALID
        if item.command == mission.JUMP and not 0 <= item.parameters[0] < count:
            return MissionResult.INVALID
        if item.command in mission.PLACED:
            if item.frame not in mission.ABOVE_SEA | mission.ABOVE_HOME:
                return MissionResult.UNSUPPORTED_FRAME
            if not abs(item.z) <= HIGHEST or abs(item.x) > 90 * E7 or abs(item.y) > 180 * E7:
                return MissionResult.INVALID
        if mission.is_placed(item) and self._pilot.fence.breach(self._flight.place_of(item)):
            self._pilot.say("Mission refused: an item is outside the fence")
            return MissionResult.DENIED
        return MissionResult.ACCEPTED

    def _new_mission(self, items: list[MissionItem]) -> None:
        if self._pilot.mode is Mode.MISSION:
            self._pilot.hold()
        self._pilot.mission.replace(items)

    def _new_fence(self, items: list[MissionItem]) -> None:
        self._pilot.fence.zones = tuple(_zones(items, self._origin))


def _check_fence(items: Sequence[MissionItem]) -> MissionResult:
    index = 0
    while index < len(items):
        item = items[index]
        if item.command not in mission.FENCES:
            return MissionResult.UNSUPPORTED
        corners = _corner_count(item)
        if corners == 0:
            if not item.parameters[0] > 0.0:
                return MissionResult.INVALID
            index += 1
            continue
        polygon = items[index : index + corners]
        if corners < 3 or len(polygon) < corners:
            return MissionResult.INVALID
        if any(corner.command != item.command for corner in polygon):
            return MissionResult.INVALID
        index += corners
    return MissionResult.ACCEPTED


def _check_rally(items: Sequence[MissionItem]) -> MissionResult:
    good = all(item.command == mission.RALLY for item in items)
    return MissionResult.ACCEPTED if good else MissionResult.UNSUPPORTED


def _corner_count(item: MissionItem) -> int:
    """Return how many corners a polygon's item names; 0 for a circle."""
    if item.command in (mission.FENCE_CIRCLE_IN, mission.FENCE_CIRCLE_OUT):
        return 0
    count = item.parameters[0]
    return int(count) if math.isfinite(count) and count >= 1.0 else 1


def _zones(items: Sequence[MissionItem], origin: LocalOrigin) -> list[Zone]:
    zones: list[Zone] = []
    index = 0
    while index < len(items):
        item = items[index]
        count = _corner_count(item)
        corners = tuple(
            origin.local(GlobalPoint(corner.x / E7, corner.y / E7, 0.0))[:2]
            for corner in items[index : index + max(count, 1)]
        )
        radius = 0.0 if count else item.parameters[0]
        inside = item.command in (mission.FENCE_IN, mission.FENCE_CIRCLE_IN)
        zones.append(Zone(corners, radius, inside))
        index += max(count, 1)
    return zones
