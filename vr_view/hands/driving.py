"""Driving a robot or a drone with a stick, behind a dead-man button.

What moves the vehicle is the stick, while the button is held and readings keep coming; how the head
moves never enters. On release, or when readings stay away, one command to stand still goes out and
then nothing more, so that whoever else drives is not disturbed. Held from the start, or held
through a gap, the button must first be let go.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from spatial_types.parameters import parameter
from vr_view.hands.joy_mapping import HandInput, Switch

VEHICLES = ("none", "robot", "drone")
DEAD_MEN = ("grip", "trigger", "lower", "upper")


@dataclass(frozen=True)
class Drive:
    """What the stick drives, and how fast at most."""

    vehicle: str = parameter("none", "What the stick drives", choices=VEHICLES)
    hand: str = parameter("left", "The hand that drives", choices=("left", "right"))
    dead_man: str = parameter(
        "grip",
        "What that hand holds while it drives; it neither reaches nor grabs",
        choices=DEAD_MEN,
    )
    timeout: float = parameter(
        0.3,
        "Readings of the hand this long away stop the vehicle",
        unit="s",
        minimum=0.05,
        maximum=2.0,
    )
    speed: float = parameter(0.5, "Speed of the stick pushed wholly", unit="m/s", minimum=0.0)
    climb: float = parameter(0.5, "Climb of the other hand's stick", unit="m/s", minimum=0.0)
    turn: float = parameter(0.8, "Rate of turning", unit="rad/s", minimum=0.0)
    dead_zone: float = parameter(0.1, "Stick within this is let go", minimum=0.0, maximum=0.9)


@dataclass(frozen=True)
class Velocity:
    """In the vehicle's axes: m/s forward, left and up, rad/s counter-clockwise."""

    forward: float = 0.0
    left: float = 0.0
    up: float = 0.0
    turn: float = 0.0


STILL = Velocity()


class StickDriver:
    """Decides what to command, and when. Times are seconds of any steady clock, passed in."""

    def __init__(self, drive: Drive) -> None:
        self._drive = drive
        self._switch = Switch(0.6, 0.4)
        self._heard: tuple[float, HandInput] | None = None
        self._other: tuple[float, HandInput] | None = None
        self._is_armed = False  # the button was seen let go since the last gap
        self.is_driving = False

    def hear(self, reading: HandInput, now: float) -> Velocity | None:
        """Take a reading of the driving hand; return what to command at once, None: nothing."""
        stop = None
        if self._is_stale(self._heard, now):
            stop = self.stop()
        self._heard = (now, reading)
        if not self._is_held(reading):
            self._is_armed = True
            return stop or self._stop()
        if not self._is_armed:
            return stop
        self.is_driving = True
        return self._wish(now)

    def hear_other(self, reading: HandInput, now: float) -> None:
        """Take a reading of the other hand, whose stick climbs and turns a drone."""
        self._other = (now, reading)

    def poll(self, now: float) -> Velocity | None:
        """Return what to command though no reading came: the last wish, or, once, to stand."""
        if not self.is_driving:
            return None
        return self.stop() if self._is_stale(self._heard, now) else self._wish(now)

    def stop(self) -> Velocity | None:
        """End driving until the button is let go; return the command to stand where it drove."""
        self._is_armed = False
        return self._stop()

    def _stop(self) -> Velocity | None:
        was_driving, self.is_driving = self.is_driving, False
        return STILL if was_driving else None

    def _is_stale(self, heard: tuple[float, HandInput] | None, now: float) -> bool:
        return heard is None or not 0.0 <= now - heard[0] <= self._drive.timeout

    def _is_held(self, reading: HandInput) -> bool:
        return self._switch.update(float(getattr(reading, self._drive.dead_man)))

    def _wish(self, now: float) -> Velocity:
        drive = self._drive
        assert self._heard is not None
        forward, left = self._stick(self._heard[1])
        if drive.vehicle != "drone":
            return Velocity(forward=drive.speed * forward, turn=drive.turn * left)
        up = turn = 0.0
        if self._other is not None and not self._is_stale(self._other, now):
            up, turn = self._stick(self._other[1])
        return Velocity(
            forward=drive.speed * forward,
            left=drive.speed * left,
            up=drive.climb * up,
            turn=drive.turn * turn,
        )

    def _stick(self, reading: HandInput) -> tuple[float, float]:
        """Return forward and left with the dead zone taken out, within the unit circle."""
        length = math.hypot(reading.forward, reading.left)
        zone = self._drive.dead_zone
        if length <= zone:
            return 0.0, 0.0
        scale = min((length - zone) / (1.0 - zone), 1.0) / length
        return reading.forward * scale, reading.left * scale
