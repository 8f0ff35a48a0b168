"""The thesis's messages to telemetry. They are in ROS's frames already, quaternions x y z w."""

from __future__ import annotations

from typing import Any

from mavlink_bridge.mapping.registry import maps
from mavlink_bridge.mapping.telemetry import UNKNOWN, LocalPose, Motion, SatelliteFix

SETPOINT, DRONE_POSITION = 0, 1


@maps("DJI_POSE_STAMPED", time="sec")
def pose(message: Any) -> LocalPose | None:
    """The drone's pose; a setpoint for somebody else tells nothing about it."""
    if message.topic_name != DRONE_POSITION:
        return None
    return LocalPose(tuple(message.position), tuple(message.orientation))


@maps("DJI_ODOMETRY_STAMPED", time="sec")
def odometry(message: Any) -> Motion:
    """Pose and velocities."""
    return Motion(
        tuple(message.position),
        tuple(message.orientation),
        tuple(message.linear),
        tuple(message.angular),
    )


@maps("DJI_GLOBAL_POSITION_STAMPED", time="sec")
def global_position(message: Any) -> SatelliteFix:
    """Above the ellipsoid; nothing is said of the sea."""
    return SatelliteFix(
        message.latitude * 1e-7,
        message.longitude * 1e-7,
        UNKNOWN,
        message.altitude,
        message.fix_type,
        None if message.satellites == 255 else message.satellites,
        message.horizontal_deviation,
        message.vertical_deviation,
    )
