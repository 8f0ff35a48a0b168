"""What flies the simulated drone: from a mode and its target to a velocity, and when modes end.

Knows no MAVLink. Positions are ENU metres from the origin. What is refused is told as a text, an
empty one for what is done.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from enum import Enum, IntEnum

from mavlink_bridge.files.trajectory_file import Trajectory
from mavlink_bridge.simulated_autopilot.battery import Battery
from mavlink_bridge.simulated_autopilot.geofence import Geofence
from mavlink_bridge.simulated_autopilot.mission import MissionProgress
from mavlink_bridge.simulated_autopilot.multirotor import (
    ZERO,
    Demand,
    Multirotor,
    Vector,
    approach,
    turning,
)
from mavlink_bridge.simulated_autopilot.parameter_table import ParameterTable
from mavlink_bridge.simulated_autopilot.setpoint import Setpoint

CLOSE = 0.15
LOW = 0.4
LANDING_HEIGHT = 3.0
FENCE_LOOKAHEAD = 1.0
FARTHEST = 1e5


class Mode(Enum):
    """What the drone does of its own."""

    HOLD = "hold"
    TAKEOFF = "takeoff"
    GOTO = "goto"
    OFFBOARD = "offboard"
    MISSION = "mission"
    TRAJECTORY = "trajectory"
    RETURN = "return"
    LAND = "land"


class Landed(IntEnum):
    """MAV_LANDED_STATE."""

    ON_GROUND = 1
    IN_AIR = 2
    TAKEOFF = 3
    LANDING = 4


Say = Callable[[str], None]


class Pilot:
    """Arms, changes modes and flies. `say` is told what a person should know."""

    def __init__(self, body: Multirotor, battery: Battery, table: ParameterTable, say: Say) -> None:
        self.body = body
        self.battery = battery
        self.table = table
        self.say = say
        self.fence = Geofence()
        self.mission = MissionProgress()
        self.mode = Mode.HOLD
        self.armed = False
        self.landed = Landed.ON_GROUND
        self.home: Vector = ZERO
        self.setpoint: Setpoint | None = None
        self.trajectory: Trajectory | None = None
        self.target: Vector | None = None
        self.yaw: float | None = None
        self.speed: float | None = None
        self.hold_on_expiry = True
        self.rests_in = Mode.HOLD
        self.now = 0.0
        self.fly_mission: Callable[[], Demand] = Demand
        self._returning_home = False
        self._trajectory_start: float | None = None
        self._delay = 0.0
        self._landed_at: float | None = None

    @property
    def cruise(self) -> float:
        """The speed to fly with, m/s."""
        return self.table["MPC_XY_CRUISE"] if self.speed is None else self.speed

    # What may be asked of it.

    def arm(self, *, force: bool = False) -> str:
        """Let the motors turn."""
        if not self.armed:
            if not force and self.battery.level <= self.table["BAT_LOW_THR"]:
                return f"battery at {100 * self.battery.level:.0f} %"
            self.armed = True
            self.set_home(self.body.position)
            if self.mode in (Mode.LAND, Mode.RETURN):
                self.hold()
            self._landed_at = None
        return ""

    def disarm(self, *, force: bool = False) -> str:
        """Stop the motors; in the air only if forced."""
        if self.armed and not self.body.on_ground and not force:
            return "in the air"
        self.armed = False
        if self.body.on_ground:
            self.landed = Landed.ON_GROUND
        self.hold()
        return ""

    def set_home(self, place: Vector) -> None:
        """Choose where to return to."""
        self.home = self.fence.home = place

    def hold(self) -> None:
        """Stay where it is, once it has stopped."""
        self._enter(Mode.HOLD)
        self.target = self._stopping_place()

    def take_off(self, height: float | None = None) -> str:
        """Climb to a height above home; disarmed it waits to be armed."""
        if self.landed is not Landed.ON_GROUND:
            return "already in the air"
        wanted = self.home[2] + (self.table["MIS_TAKEOFF_ALT"] if height is None else height)
        x, y, z = self.body.position
        if wanted <= z + CLOSE:
            return f"a take-off to {wanted - z:.1f} m"
        place = (x, y, wanted)
        return self.fence.breach(place) or self._enter(Mode.TAKEOFF, place)

    def go_to(self, place: Vector, yaw: float | None = None, speed: float | None = None) -> str:
        """Fly to a place; `yaw` is ENU."""
        refused = self._not_flying() or self.fence.breach(place)
        if not all(abs(part) <= FARTHEST for part in place):
            refused = "no place to go to"
        if refused:
            return refused
        self._enter(Mode.GOTO, place)
        self.yaw = yaw
        if speed is not None:
            self.speed = speed
        return ""

    def land(self) -> str:
        """Land where it is."""
        if self.landed is Landed.ON_GROUND:
            return "" if not self.armed else self.disarm()
        x, y, _ = self._stopping_place()
        return self._enter(Mode.LAND, (x, y, self.body.ground))

    def return_home(self) -> str:
        """Climb to the height of return, fly home and land there."""
        refused = self._not_flying()
        if refused:
            return refused
        self._enter(Mode.RETURN)
        self._returning_home = False
        height = max(self.body.position[2], self.home[2] + self.table["RTL_RETURN_ALT"])
        x, y, _ = self._stopping_place()
        self.target = (x, y, height)
        return ""

    def start_mission(self) -> str:
        """Fly the mission on from its current item."""
        if not self.mission.items:
            return "no mission"
        if self.mission.item is None:
            self.mission.restart()
        return self._enter(Mode.MISSION)

    def go_offboard(self, *, needs_setpoint: bool) -> str:
        """Follow setpoints; PX4 wants them to come already."""
        if needs_setpoint and not self._setpoint_counts():
            return "no setpoints come"
        self._enter(Mode.OFFBOARD)
        self.target = self._stopping_place()
        return ""

    def take_setpoint(self, setpoint: Setpoint) -> None:
        """Remember the newest setpoint."""
        self.setpoint = setpoint

    def fly(self, trajectory: Trajectory, delay: float = 0.0) -> str:
        """Fly a trajectory; its time starts `delay` s after its first point is reached."""
        for point in trajectory.points:
            refused = self.fence.breach(point.position)
            if refused:
                return f"the trajectory is {refused}"
        if not self.armed:
            return "disarmed"
        self._enter(Mode.TRAJECTORY, trajectory.points[0].position)
        self.trajectory = trajectory
        self._trajectory_start, self._delay = None, delay
        return ""

    # How it flies.

    def advance(self, now: float, seconds: float) -> None:
        """Fly on until `now`, the last `seconds` of it."""
        self.now = now
        self.fence.distance = self.table["GF_MAX_HOR_DIST"]
        self.fence.height = self.table["GF_MAX_VER_DIST"]
        demand = self._demand() if self.armed else Demand()
        demand = self._inside_fence(demand)
        lifts = self.armed and (not self.body.on_ground or demand.velocity[2] > 0.05)
        self.body.advance(seconds, demand, flying=lifts)
        self._note_landing()
        self.battery.advance(seconds, flying=lifts, climb=self.body.velocity[2])

    def _demand(self) -> Demand:
        flights: dict[Mode, Callable[[], Demand]] = {
            Mode.HOLD: self._stay,
            Mode.GOTO: self._stay,
            Mode.TAKEOFF: self._climb,
            Mode.OFFBOARD: self._follow_setpoint,
            Mode.MISSION: self.fly_mission,
            Mode.TRAJECTORY: self._follow_trajectory,
            Mode.RETURN: self._go_home,
            Mode.LAND: self._descend,
        }
        return flights[self.mode]()

    def toward(self, place: Vector, yaw: float | None = None) -> Demand:
        """Return how to fly to a place: from the ground it goes straight up first."""
        x, y, z = self.body.position
        ground = self.body.ground
        if z < ground + LOW and place[2] > z and math.hypot(place[0] - x, place[1] - y) > 1.0:
            place = (x, y, max(place[2], ground + 2.0 * LOW))
        velocity = approach(self.body.position, place, self.cruise, self.body.parameters)
        return Demand(velocity, self.turn(yaw))

    def turn(self, yaw: float | None) -> float:
        """Return the rate of turning for a heading, 0 for none."""
        return 0.0 if yaw is None else turning(self.body.yaw, yaw, self.body.parameters)

    def is_at(self, place: Vector, distance: float = CLOSE) -> bool:
        """Whether it is near a place."""
        return math.dist(self.body.position, place) <= distance

    def _stay(self) -> Demand:
        if self.landed is Landed.ON_GROUND and self.mode is Mode.HOLD:
            return Demand()
        return self.toward(self.target or self.body.position, self.yaw)

    def _climb(self) -> Demand:
        assert self.target is not None
        if self.is_at(self.target):
            self.landed = Landed.IN_AIR
            self._enter(self.rests_in, self.target)
        return self.toward(self.target)

    def _follow_setpoint(self) -> Demand:
        setpoint = self.setpoint
        if setpoint is None or not self._setpoint_counts():
            if self.hold_on_expiry:
                self.say("No setpoints: holding position")
                self.hold()
            elif setpoint is not None:
                self.setpoint, self.target = None, self._last_place(setpoint)
            return self._stay()
        here = self.body.position
        place = setpoint.target(here)
        velocity = approach(here, place, self.body.parameters.speed, self.body.parameters)
        wanted = tuple(
            (0.0 if position is None else go) + (extra or 0.0)
            for position, go, extra in zip(
                setpoint.position, velocity, setpoint.velocity, strict=True
            )
        )
        turn = setpoint.yaw_rate if setpoint.yaw is None else self.turn(setpoint.yaw)
        return Demand(wanted, turn)  # type: ignore[arg-type]

    def _follow_trajectory(self) -> Demand:
        assert self.trajectory is not None
        first = self.trajectory.points[0]
        if self._trajectory_start is None:
            if not self.is_at(first.position):
                return self.toward(first.position, first.yaw)
            self._trajectory_start = self.now + self._delay
        time = self.now - self._trajectory_start
        wanted = self.trajectory.at(time)
        if time > self.trajectory.duration and self.is_at(wanted.position):
            self._enter(Mode.HOLD, wanted.position)
            return self._stay()
        back = approach(
            self.body.position, wanted.position, self.body.parameters.speed, self.body.parameters
        )
        x, y, z = (a + b for a, b in zip(wanted.velocity, back, strict=True))
        return Demand((x, y, z), self.turn(wanted.yaw))

    def _go_home(self) -> Demand:
        assert self.target is not None
        if self.is_at(self.target, 0.5):
            if self._returning_home:
                self._enter(Mode.LAND, (self.home[0], self.home[1], self.body.ground))
                return self._descend()
            self._returning_home = True
            self.target = (self.home[0], self.home[1], self.target[2])
        return self.toward(self.target)

    def _descend(self) -> Demand:
        assert self.target is not None
        near = self.body.position[2] < self.body.ground + LANDING_HEIGHT
        x, y, _ = self.body.position
        speed = self.table["MPC_LAND_SPEED"] if near else self.body.parameters.descent
        u, v, _ = approach(
            (x, y, 0.0), (self.target[0], self.target[1], 0.0), 2.0, self.body.parameters
        )
        self.landed = self.landed if self.body.on_ground else Landed.LANDING
        return Demand((u, v, -speed))

    def _note_landing(self) -> None:
        if not self.body.on_ground:
            if self.landed is Landed.ON_GROUND:
                self.landed = Landed.TAKEOFF if self.mode is Mode.TAKEOFF else Landed.IN_AIR
            elif self.landed is Landed.LANDING and self.mode is not Mode.LAND:
                self.landed = Landed.IN_AIR
            self._landed_at = None
            return
        if self.landed in (Landed.LANDING, Landed.IN_AIR) and self._landed_at is None:
            self._landed_at = self.now
            self.landed = Landed.ON_GROUND
        self._disarm_after_landing()

    def _disarm_after_landing(self) -> None:
        wait = self.table["COM_DISARM_LAND"]
        if self.mode is not Mode.LAND or not self.armed or self._landed_at is None or wait < 0.0:
            return
        if self.now - self._landed_at >= wait:
            self.disarm()

    def _inside_fence(self, demand: Demand) -> Demand:
        """Hold instead of flying out; one that is out already may do what it likes."""
        if self.mode in (Mode.LAND, Mode.RETURN, Mode.HOLD) or demand.velocity == ZERO:
            return demand
        x, y, z = self._stopping_place()
        u, v, w = (FENCE_LOOKAHEAD * part for part in self.body.limited(demand.velocity))
        reason = self.fence.breach((x + u * 0.1, y + v * 0.1, z + w * 0.1))
        if not reason or self.fence.breach(self.body.position):
            return demand
        self.say(f"Fence: {reason}; holding position")
        self.hold()
        return self._stay()

    def _stopping_place(self) -> Vector:
        """Return where it comes to rest if it brakes now."""
        speed = math.sqrt(sum(part * part for part in self.body.velocity))
        time = speed / (2.0 * self.body.parameters.acceleration)
        x, y, z = (
            p + time * v for p, v in zip(self.body.position, self.body.velocity, strict=True)
        )
        return x, y, max(z, self.body.ground)

    def _last_place(self, setpoint: Setpoint) -> Vector:
        """Return where to stay after the last setpoint: at its place, or where it comes to rest."""
        x, y, z = setpoint.position
        if x is None or y is None or z is None or any(setpoint.velocity):
            return self._stopping_place()
        return x, y, z

    def _setpoint_counts(self) -> bool:
        return (
            self.setpoint is not None and self.now - self.setpoint.at <= self.table["COM_OF_LOSS_T"]
        )

    def _not_flying(self) -> str:
        if not self.armed:
            return "disarmed"
        return "on the ground" if self.landed is Landed.ON_GROUND else ""

    def _enter(self, mode: Mode, target: Vector | None = None) -> str:
        self.mode, self.target = mode, target
        self.yaw = self.speed = None
        return ""
