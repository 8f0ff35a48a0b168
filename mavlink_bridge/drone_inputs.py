"""ROS messages for a drone as setpoints and trajectories in its local frame (ENU)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from geometry_msgs.msg import PoseStamped, TwistStamped
from nav_msgs.msg import Path

from mavlink_bridge.files.trajectory_file import Trajectory, TrajectoryPoint
from mavlink_bridge.mapping.setpoints import PositionSetpoint, VelocitySetpoint
from ros_interface.errors import MessageError
from ros_interface.geometry_messages import pose_from_message
from ros_interface.stamps import nanoseconds_from_stamp
from spatial_types.angles import wrap_scalar
from spatial_types.transforms import Transform

SHORTEST_LEG = 1e-3  # s
MOST_POINTS = 10_000


@dataclass(frozen=True)
class InputFrames:
    """Names of the frames in which a drone may be told something, and how they lie.

    `oldest`: nanoseconds after which a stamped setpoint is stale.
    """

    map_frame: str
    base_frame: str
    map_from_local: Transform
    oldest: int

    @property
    def local_from_map(self) -> Transform:
        """The other way."""
        return self.map_from_local.inverse()


def position_setpoint(message: PoseStamped, frames: InputFrames, clock: int) -> PositionSetpoint:
    """Return where to be; MessageError for another frame, a stale stamp, or no pose."""
    _check_header(message, "PoseStamped", (frames.map_frame,), frames, clock)
    pose = frames.local_from_map @ pose_from_message(message.pose)
    return PositionSetpoint(_tuple(pose.translation), pose.yaw)


def velocity_setpoint(
    message: TwistStamped, frames: InputFrames, clock: int, local_yaw: float | None
) -> VelocitySetpoint:
    """Return how fast to go, of a twist in the map or in the drone's own frame.

    The drone's frame means forward and left over ground, whatever its tilt, so its yaw must be
    known (`local_yaw`). MessageError as for positions.
    """
    allowed = (frames.map_frame, frames.base_frame)
    _check_header(message, "TwistStamped", allowed, frames, clock)
    linear, rate = message.twist.linear, message.twist.angular.z
    if not all(map(math.isfinite, (linear.x, linear.y, linear.z, rate))):
        raise MessageError("TwistStamped.twist: expected finite numbers")
    if message.header.frame_id == frames.map_frame:
        turn = frames.local_from_map
    elif local_yaw is None:
        raise MessageError(f"TwistStamped in '{frames.base_frame}': the drone's yaw is not known")
    else:
        turn = Transform.planar(0.0, 0.0, local_yaw)
    return VelocitySetpoint(_tuple(turn.rotate((linear.x, linear.y, linear.z))), rate)


def trajectory_from_path(
    message: Path, frames: InputFrames, start: tuple[float, float, float] | None, speed: float
) -> Trajectory:
    """Return a trajectory in the local frame, beginning at `start` where that is known.

    Poses whose stamps increase are passed at those times after the first; otherwise all are passed
    at `speed`. MessageError for another frame or no usable poses.
    """
    if message.header.frame_id != frames.map_frame:
        raise MessageError(
            f"Path.header.frame_id = '{message.header.frame_id}': expected '{frames.map_frame}'"
        )
    if not 1 <= len(message.poses) <= MOST_POINTS:
        raise MessageError(f"Path has {len(message.poses)} poses: expected 1 to {MOST_POINTS}")
    local = frames.local_from_map
    poses = [local @ pose_from_message(item.pose) for item in message.poses]
    times = _times(message)
    points: list[TrajectoryPoint] = []
    if start is not None:
        points.append(TrajectoryPoint(start, None, 0.0, 0.0))
    way_in = _way(points, poses[0], speed)
    for index, pose in enumerate(poses):
        if times is not None:
            time = way_in + times[index]
        else:
            time = (points[-1].time if points else 0.0) + _way(points, pose, speed)
        points.append(TrajectoryPoint(_tuple(pose.translation), wrap_scalar(pose.yaw), time, 0.0))
    return Trajectory("path", frames.map_frame, tuple(points), b"")


def _times(message: Path) -> list[float] | None:
    """Return seconds after the first pose, None where the stamps do not increase."""
    stamps = [nanoseconds_from_stamp(item.header.stamp) for item in message.poses]
    increase = all(later > earlier for earlier, later in pairwise(stamps))
    if len(stamps) < 2 or not increase:
        return None
    return [(stamp - stamps[0]) * 1e-9 for stamp in stamps]


def _way(points: list[TrajectoryPoint], pose: Transform, speed: float) -> float:
    if not points:
        return 0.0
    length = math.dist(points[-1].position, _tuple(pose.translation))
    return max(length / speed, SHORTEST_LEG)


def _check_header(
    message: Any, kind: str, allowed: tuple[str, ...], frames: InputFrames, clock: int
) -> None:
    frame = message.header.frame_id
    if frame not in allowed:
        names = " or ".join(f"'{name}'" for name in allowed)
        raise MessageError(f"{kind}.header.frame_id = '{frame}': expected {names}")
    stamp = nanoseconds_from_stamp(message.header.stamp)
    if stamp and clock - stamp > frames.oldest:
        raise MessageError(
            f"{kind} is {(clock - stamp) * 1e-9:.2f} s old: expected at most "
            f"{frames.oldest * 1e-9:g} s"
        )


def _tuple(values: Any) -> tuple[float, float, float]:
    x, y, z = values
    return float(x), float(y), float(z)
