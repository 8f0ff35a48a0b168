"""How the pilot flies a mission: what each item asks for, and when it is done."""

from __future__ import annotations

import math
from collections.abc import Callable

from mavlink_bridge.frames import world_yaw
from mavlink_bridge.missions.mission_item import MissionItem
from mavlink_bridge.simulated_autopilot import mission
from mavlink_bridge.simulated_autopilot.geodesy import LocalOrigin
from mavlink_bridge.simulated_autopilot.multirotor import Demand, Vector
from mavlink_bridge.simulated_autopilot.pilot import Mode, Pilot

CLOSE_YAW = math.radians(5.0)
# Nearer than this it keeps its heading instead of turning towards the waypoint.
FACING_DISTANCE = 1.5
MOST_ITEMS_AT_ONCE = 50


class MissionFlight:
    """Flies `pilot.mission`; the items' places are global, so it needs the origin."""

    def __init__(self, pilot: Pilot, origin: LocalOrigin) -> None:
        self._pilot = pilot
        self._origin = origin
        self._waiting_since: float | None = None
        self._item_begun: tuple[int, MissionItem] | None = None
        self._place: Vector | None = None
        self._flights: dict[int, Callable[[MissionItem], Demand | None]] = {
            mission.WAYPOINT: self._waypoint,
            mission.LOITER: self._loiter,
            mission.LOITER_TIME: self._waypoint,
            mission.TAKEOFF: self._take_off,
            mission.LAND: self._land,
            mission.RETURN: self._return,
            mission.DELAY: self._delay,
            mission.YAW: self._turn,
            mission.SPEED: self._speed,
            **dict.fromkeys(mission.PASSED_OVER, lambda _: None),
        }
        pilot.fly_mission = self.demand

    def place_of(self, item: MissionItem) -> Vector:
        """Return where an item is, ENU."""
        home_height = self._origin.origin.altitude + self._pilot.home[2]
        return mission.place_of(item, self._origin, home_height)

    def demand(self) -> Demand:
        """Return what to fly now; items that take no time are passed at once."""
        progress = self._pilot.mission
        for _ in range(MOST_ITEMS_AT_ONCE):
            item = progress.item
            if item is None:
                break
            if item.command == mission.JUMP:
                progress.jump(item)
                continue
            self._begin(progress.current, item)
            demand = self._flights[item.command](item)
            if demand is not None:
                return demand
            if self._pilot.mode is not Mode.MISSION:
                progress.done()
                return Demand()
            progress.done()
        return self._end()

    def _begin(self, index: int, item: MissionItem) -> None:
        if self._item_begun != (index, item):
            self._item_begun = (index, item)
            self._waiting_since = None
            self._place = None

    def _end(self) -> Demand:
        self._item_begun = None
        self._pilot.say("Mission finished")
        self._pilot.hold()
        return Demand()

    def _waypoint(self, item: MissionItem) -> Demand | None:
        """Fly there and stay for param1 seconds; param2 is the distance that counts as there."""
        place = self.place_of(item)
        near = item.parameters[1] if item.command == mission.WAYPOINT else 0.0
        near = near if near > 0.0 else self._pilot.table["NAV_ACC_RAD"]
        if self._waiting_since is None and self._pilot.is_at(place, near):
            self._waiting_since = self._pilot.now
        stay = item.parameters[0]
        if self._waiting_since is not None and self._pilot.now - self._waiting_since >= stay:
            return None
        return self._pilot.toward(place, self._heading(item, place))

    def _loiter(self, item: MissionItem) -> Demand:
        place = self.place_of(item)
        return self._pilot.toward(place, self._heading(item, place))

    def _take_off(self, item: MissionItem) -> Demand | None:
        if self._place is None:
            x, y, _ = self._pilot.body.position
            self._place = x, y, self.place_of(item)[2]
        if self._pilot.is_at(self._place, self._pilot.table["NAV_ACC_RAD"]):
            return None
        return self._pilot.toward(self._place)

    def _land(self, item: MissionItem) -> Demand | None:
        if mission.is_placed(item):
            x, y, _ = self.place_of(item)
            above = (x, y, self._pilot.body.position[2])
            if not self._pilot.is_at(above, 0.3):
                return self._pilot.toward(above)
        self._pilot.land()
        return None

    def _return(self, _: MissionItem) -> None:
        self._pilot.return_home()

    def _delay(self, item: MissionItem) -> Demand | None:
        if self._waiting_since is None:
            self._waiting_since = self._pilot.now
            self._place = self._pilot.body.position
        if self._pilot.now - self._waiting_since >= item.parameters[0]:
            return None
        return self._pilot.toward(self._place or self._pilot.body.position)

    def _turn(self, item: MissionItem) -> Demand | None:
        """CONDITION_YAW: param1 degrees, absolute or, with param4, from the present heading."""
        if self._place is None:
            self._place = self._pilot.body.position
            self._yaw = heading_of_command(item.parameters, self._pilot.body.yaw)
        rate = self._pilot.turn(self._yaw)
        if abs(rate) < 3.0 * CLOSE_YAW and abs(self._pilot.body.yaw_rate) < 0.2:
            return None
        return Demand(self._pilot.toward(self._place).velocity, rate)

    def _speed(self, item: MissionItem) -> None:
        if item.parameters[1] > 0.0:
            self._pilot.speed = min(item.parameters[1], self._pilot.body.parameters.speed)

    def _heading(self, item: MissionItem, place: Vector) -> float | None:
        heading = mission.heading_of(item)
        if heading is not None:
            return world_yaw(math.radians(heading))
        x, y, _ = self._pilot.body.position
        if math.hypot(place[0] - x, place[1] - y) < FACING_DISTANCE:
            return None
        return math.atan2(place[1] - y, place[0] - x)


def heading_of_command(parameters: tuple[float, ...], yaw: float) -> float:
    """Return the ENU yaw that CONDITION_YAW's parameters ask for."""
    if not math.isfinite(parameters[0]):
        raise ValueError(f"heading {parameters[0]}: expected a number")
    angle = math.radians(parameters[0])
    if parameters[3]:
        return yaw - math.copysign(angle, parameters[2] or 1.0)
    return world_yaw(angle)
