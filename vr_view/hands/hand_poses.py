"""Where the hands are, from poses that the device tells in its own space.

The origin of that space is arbitrary, so only how a hand lies to the head means something: the
same relative pose hangs on the viewpoint's head in the map. Poses are grip poses, of the fist
that holds a tool, not pointing poses: x forward out of the fist, y left, z up.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

import numpy as np

from spatial_types.parameters import ParameterError, parameter
from spatial_types.transforms import Transform
from vr_view.viewpoints.yaw_pitch import yaw_pitch

SIDES = ("left", "right")
NEAR = 0.02  # m; a direction from shoulder to hand needs at least so much between them


@dataclass(frozen=True)
class Reach:
    """How a hand reaches farther than the arm."""

    longest: float = parameter(
        3.0, "Added reach with the trigger pressed wholly", unit="m", minimum=0.0, maximum=100.0
    )
    shoulder: tuple[float, ...] = parameter(
        [-0.05, 0.18, -0.22],
        "The left shoulder seen from the middle of the eyes: forward, left, up; the right mirrored",
        unit="m",
    )

    def check(self) -> None:
        """Raise ParameterError where the shoulder is no point."""
        if len(self.shoulder) != 3:
            raise ParameterError(f"reach.shoulder = {self.shoulder}: expected three numbers")


def head_from_hand(device_from_head: Transform, device_from_hand: Transform) -> Transform:
    """Return how the hand lies to the head, which no place of the device's origin changes."""
    return device_from_head.inverse() @ device_from_hand


def shoulder_of(side: str, device_from_head: Transform, reach: Reach) -> np.ndarray:
    """Return the shoulder (3,) in the device's space: it turns with the head's yaw alone."""
    forward, left, up = reach.shoulder
    offset = np.array([forward, left if side == "left" else -left, up])
    upright = Transform.planar(0.0, 0.0, yaw_pitch(device_from_head.rotation)[0])
    return device_from_head.translation + upright.rotate(offset)


def extended(
    device_from_hand: Transform, shoulder: np.ndarray, trigger: float, longest: float
) -> Transform:
    """Return the hand moved on along shoulder to hand, by `trigger` (0 to 1) times `longest`."""
    arm = device_from_hand.translation - shoulder
    length = float(np.linalg.norm(arm))
    if length < NEAR:
        return device_from_hand
    further = device_from_hand.translation + arm * (trigger * longest / length)
    return Transform(device_from_hand.rotation, further)


class HeadHistory:
    """The device's last head poses, to find the one that belongs to a hand's stamp."""

    def __init__(self, length: int = 16) -> None:
        self._poses: OrderedDict[int, Transform] = OrderedDict()
        self._length = length

    def add(self, stamp: int, device_from_head: Transform) -> None:
        """Keep a pose; a stamp (ns) that goes back begins anew."""
        if self._poses and stamp < next(reversed(self._poses)):
            self._poses.clear()
        self._poses[stamp] = device_from_head
        while len(self._poses) > self._length:
            self._poses.popitem(last=False)

    def at(self, stamp: int, tolerance: int) -> Transform | None:
        """Return the pose nearest to `stamp` (ns), None where none is within `tolerance`."""
        if not self._poses:
            return None
        nearest = min(self._poses, key=lambda known: abs(known - stamp))
        return self._poses[nearest] if abs(nearest - stamp) <= tolerance else None
