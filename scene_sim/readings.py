"""What the simulator's sensors say, as plain values. Stamps are integer nanoseconds.

Named tuples, as hundreds are made each second and a frozen dataclass costs four times as much.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from spatial_types.transforms import Transform

Array = NDArray[np.float64]


class JointStates(NamedTuple):
    """Angles (rad) or positions (m) and velocities of a few joints, in the order of `names`."""

    stamp: int
    names: tuple[str, ...]
    positions: Array
    velocities: Array


class ImuReading(NamedTuple):
    """Orientation world_from_sensor as x y z w (None: not measured), rad/s and m/s2 (3,).

    At rest, z up, the acceleration reads +9.81 on z (REP 145).
    """

    stamp: int
    frame_id: str
    orientation: Array | None
    angular_velocity: Array
    linear_acceleration: Array


class Odometry(NamedTuple):
    """Pose of `child_frame_id` in `frame_id`; velocities (3,) in the child's axes (REP 105)."""

    stamp: int
    frame_id: str
    child_frame_id: str
    pose: Transform
    linear_velocity: Array
    angular_velocity: Array


class Reading(NamedTuple):
    """One output of one sensor or plugin.

    `topic` is the Gazebo name (no leading slash), `stamp` the time of acquisition, `data` a Scan,
    CameraFrame (or a pending `CameraShot`), ImuReading, JointStates or Odometry.
    """

    sensor: str
    topic: str
    stamp: int
    data: Any


def with_joints_joined(readings: list[Reading]) -> list[Reading]:
    """Join the states of joints of one moment and topic into one reading, where the first was.

    Models share a topic of joints, and to whoever listens each message costs more than its joints.
    """
    found: dict[tuple[str, int], int] = {}
    joined: list[Reading] = []
    for reading in readings:
        if not isinstance(reading.data, JointStates):
            joined.append(reading)
            continue
        place = found.setdefault((reading.topic, reading.stamp), len(joined))
        if place == len(joined):
            joined.append(reading)
        else:
            first = joined[place]
            joined[place] = first._replace(data=_both(first.data, reading.data))
    return joined


def _both(first: JointStates, second: JointStates) -> JointStates:
    return JointStates(
        first.stamp,
        first.names + second.names,
        np.concatenate([first.positions, second.positions]),
        np.concatenate([first.velocities, second.velocities]),
    )
