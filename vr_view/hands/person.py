"""Where a person's hands are wished in the map, from what head, hands and controllers tell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from spatial_types.parameters import ParameterError, parameter
from spatial_types.transforms import Transform, matrix_from_rpy
from vr_view.hands.driving import Drive
from vr_view.hands.hand_poses import (
    SIDES,
    HeadHistory,
    Reach,
    extended,
    head_from_hand,
    shoulder_of,
)
from vr_view.hands.joy_mapping import HandInput, Switch

JUMP, FASTEST = 0.5, 20.0  # m, m/s: beyond both a viewpoint was put elsewhere
SAME_MOMENT = 50_000_000  # ns between a hand's stamp and its head's, at most


class HandLostError(LookupError):
    """A hand that cannot be placed; the text says for want of what."""


@dataclass(frozen=True)
class HandOptions:
    """How hands are placed."""

    timeout: float = parameter(
        0.3, "A viewpoint or a controller silent for so long tells nothing", unit="s", minimum=0.02
    )
    grip_turn: tuple[float, ...] = parameter(
        [0.0, 0.0, 0.0],
        "Roll, pitch, yaw from a device's pose to the fist, where that is no grip pose",
        unit="rad",
    )
    close_at: float = parameter(0.7, "The grip closes above this", minimum=0.0, maximum=1.0)
    open_at: float = parameter(0.3, "and opens below this", minimum=0.0, maximum=1.0)

    def check(self) -> None:
        """Raise ParameterError for what contradicts itself."""
        if len(self.grip_turn) != 3:
            raise ParameterError(f"hand.grip_turn = {list(self.grip_turn)}: expected three angles")
        if self.open_at > self.close_at:
            raise ParameterError(
                f"hand.open_at = {self.open_at}: expected at most hand.close_at = {self.close_at}"
            )


class Wish(NamedTuple):
    """Where a hand is wished, `map_from_hand`, and whether it grips."""

    pose: Transform
    closed: bool


class Person:
    """Head and hands. Stamps are ns of the device's messages, `now` s of any steady clock."""

    def __init__(self, options: HandOptions, reach: Reach, drive: Drive) -> None:
        self._options, self._reach = options, reach
        self._turn = Transform(matrix_from_rpy(options.grip_turn))
        self._heads = HeadHistory()
        self._viewpoint: tuple[float, Transform] | None = None
        self._inputs: dict[str, tuple[float, HandInput]] = {}
        self._grips = {side: Switch(options.close_at, options.open_at) for side in SIDES}
        self._drives = drive.hand if drive.vehicle != "none" else ""

    def hear_head(self, device_from_head: Transform, stamp: int) -> None:
        """Take where the head is in the device's space."""
        self._heads.add(stamp, device_from_head)

    def hear_viewpoint(self, map_from_head: Transform, now: float) -> bool:
        """Take where the viewpoint's head is; True where it went elsewhere faster than it flies."""
        last, self._viewpoint = self._viewpoint, (now, map_from_head)
        if last is None:
            return False
        way = float(np.linalg.norm(map_from_head.translation - last[1].translation))
        return way > max(JUMP, FASTEST * (now - last[0]))

    def hear_input(self, side: str, reading: HandInput, now: float) -> None:
        """Take a reading of a controller."""
        self._inputs[side] = (now, reading)

    def place(self, side: str, device_from_hand: Transform, stamp: int, now: float) -> Wish:
        """Return where a hand is wished; HandLostError for want of a head, here or there."""
        head = self._heads.at(stamp, SAME_MOMENT)
        if head is None:
            raise HandLostError("no head pose of the same time from the device")
        if self._viewpoint is None or self._is_old(self._viewpoint[0], now):
            raise HandLostError("no viewpoint's head in the map")
        trigger, closed = self._pressed(side, now)
        fist = device_from_hand @ self._turn
        if trigger > 0.0:
            shoulder = shoulder_of(side, head, self._reach)
            fist = extended(fist, shoulder, trigger, self._reach.longest)
        return Wish(self._viewpoint[1] @ head_from_hand(head, fist), closed)

    def _pressed(self, side: str, now: float) -> tuple[float, bool]:
        """Return trigger and grip; a hand that drives or is silent presses neither."""
        heard = self._inputs.get(side)
        if side == self._drives or heard is None or self._is_old(heard[0], now):
            return 0.0, self._grips[side].update(0.0)
        return heard[1].trigger, self._grips[side].update(heard[1].grip)

    def _is_old(self, heard: float, now: float) -> bool:
        return not 0.0 <= now - heard <= self._options.timeout


class TouchSense:
    """Tells when something begins to keep a hand from where it is wished.

    A hand that is moved lags behind a little, the more the faster; a hand that is held up lags
    much for its speed.
    """

    def __init__(self, apart: float = 0.03, lag: float = 0.1) -> None:
        """`apart` in m; `lag` in s is what counts as lag alone."""
        self._apart, self._lag = apart, lag
        self._last: tuple[float, np.ndarray] | None = None
        self._speed = 0.0
        self._is_held = False

    def wish(self, place: np.ndarray, now: float) -> None:
        """Take where (3,) the hand is wished at `now` (s)."""
        if self._last is not None and now > self._last[0]:
            speed = float(np.linalg.norm(place - self._last[1])) / (now - self._last[0])
            self._speed = max(speed, 0.8 * self._speed)
        self._last = (now, place)

    def touches(self, place: np.ndarray) -> bool:
        """Take where the hand is; True once when it is held up."""
        if self._last is None:
            return False
        apart = float(np.linalg.norm(place - self._last[1]))
        limit = self._apart + self._lag * self._speed
        begins = apart > limit and not self._is_held
        self._is_held = apart > (0.5 * limit if self._is_held else limit)
        return begins
