"""Messages of MAVLink's common set to telemetry."""

from __future__ import annotations

from typing import Any

from mavlink_bridge.frames import (
    body_vector,
    covariance_from_triangle,
    quaternion_from_euler,
    ros_quaternion,
    world_vector,
)
from mavlink_bridge.mapping.registry import maps
from mavlink_bridge.mapping.telemetry import (
    UNKNOWN,
    Attitude,
    Battery,
    GlobalPosition,
    Home,
    Inertial,
    LandedState,
    LocalPosition,
    MissionProgress,
    Motion,
    SatelliteFix,
    Text,
)

G = 9.80665
FRAME_LOCAL_NED, FRAME_BODY_FRD = 1, 12
LANDED_STATES = ("unknown", "on ground", "in air", "taking off", "landing")
UNKNOWN_16 = 65535


@maps("ATTITUDE", time="time_boot_ms")
def attitude(message: Any) -> Attitude:
    """Angles of NED and FRD."""
    wire = quaternion_from_euler(message.roll, message.pitch, message.yaw)
    return Attitude(
        ros_quaternion(wire),
        body_vector((message.rollspeed, message.pitchspeed, message.yawspeed)),
    )


@maps("ATTITUDE_QUATERNION", time="time_boot_ms")
def attitude_quaternion(message: Any) -> Attitude:
    """The wire has w x y z in q1 to q4."""
    return Attitude(
        ros_quaternion((message.q1, message.q2, message.q3, message.q4)),
        body_vector((message.rollspeed, message.pitchspeed, message.yawspeed)),
    )


@maps("LOCAL_POSITION_NED", time="time_boot_ms")
def local_position(message: Any) -> LocalPosition:
    """Position and velocity in NED."""
    return LocalPosition(
        world_vector((message.x, message.y, message.z)),
        world_vector((message.vx, message.vy, message.vz)),
    )


@maps("ODOMETRY", time="time_usec")
def odometry(message: Any) -> Motion | None:
    """Only NED from FRD: other frames have no east, so a map pose cannot be made of them."""
    if (message.frame_id, message.child_frame_id) != (FRAME_LOCAL_NED, FRAME_BODY_FRD):
        return None
    pose = covariance_from_triangle(message.pose_covariance, linear="world", angular="body")
    twist = covariance_from_triangle(message.velocity_covariance, linear="body", angular="body")
    return Motion(
        world_vector((message.x, message.y, message.z)),
        ros_quaternion(message.q),
        body_vector((message.vx, message.vy, message.vz)),
        body_vector((message.rollspeed, message.pitchspeed, message.yawspeed)),
        tuple(pose),
        tuple(twist),
    )


@maps("GLOBAL_POSITION_INT", time="time_boot_ms")
def global_position(message: Any) -> GlobalPosition:
    """Degrees in 1e-7, metres in 1e-3."""
    return GlobalPosition(
        message.lat * 1e-7, message.lon * 1e-7, message.alt * 1e-3, message.relative_alt * 1e-3
    )


@maps("GPS_RAW_INT", time="time_usec")
def satellite_fix(message: Any) -> SatelliteFix:
    """Accuracies are extensions of MAVLink 2; where they are 0 nothing is known."""
    accuracy = [
        value * 1e-3 if value > 0 else UNKNOWN
        for value in (getattr(message, "h_acc", 0), getattr(message, "v_acc", 0))
    ]
    ellipsoid = getattr(message, "alt_ellipsoid", 0)
    return SatelliteFix(
        message.lat * 1e-7,
        message.lon * 1e-7,
        message.alt * 1e-3,
        ellipsoid * 1e-3 if ellipsoid else UNKNOWN,
        message.fix_type,
        None if message.satellites_visible == 255 else message.satellites_visible,
        *accuracy,
    )


@maps("HIGHRES_IMU", time="time_usec")
def highres_imu(message: Any) -> Inertial:
    """m/s2 and rad/s in FRD."""
    return Inertial(
        body_vector((message.xgyro, message.ygyro, message.zgyro)),
        body_vector((message.xacc, message.yacc, message.zacc)),
    )


@maps("SCALED_IMU", time="time_boot_ms")
def scaled_imu(message: Any) -> Inertial:
    """Thousandths of g and of rad/s in FRD."""
    turn = body_vector((message.xgyro, message.ygyro, message.zgyro))
    push = body_vector((message.xacc, message.yacc, message.zacc))
    return Inertial(
        (turn[0] * 1e-3, turn[1] * 1e-3, turn[2] * 1e-3),
        (push[0] * 1e-3 * G, push[1] * 1e-3 * G, push[2] * 1e-3 * G),
    )


@maps("BATTERY_STATUS")
def battery_status(message: Any) -> Battery:
    """Cells of 65535 mV do not exist; -1 stands for unknown."""
    volts = [cell * 1e-3 for cell in message.voltages if cell != UNKNOWN_16]
    volts += [cell * 1e-3 for cell in getattr(message, "voltages_ext", None) or ()]
    return Battery(
        sum(volts) if volts else UNKNOWN,
        message.current_battery * 1e-2 if message.current_battery >= 0 else UNKNOWN,
        message.battery_remaining * 1e-2 if message.battery_remaining >= 0 else UNKNOWN,
        message.id,
    )


@maps("SYS_STATUS")
def system_status(message: Any) -> Battery | None:
    """The main battery, from autopilots that send no BATTERY_STATUS."""
    if message.voltage_battery in (0, UNKNOWN_16):
        return None
    return Battery(
        message.voltage_battery * 1e-3,
        message.current_battery * 1e-2 if message.current_battery >= 0 else UNKNOWN,
        message.battery_remaining * 1e-2 if message.battery_remaining >= 0 else UNKNOWN,
    )


@maps("EXTENDED_SYS_STATE")
def extended_state(message: Any) -> LandedState:
    """Whether it stands or flies."""
    known = message.landed_state < len(LANDED_STATES)
    return LandedState(LANDED_STATES[message.landed_state if known else 0])


@maps("HOME_POSITION")
def home(message: Any) -> Home:
    """Where it returns to."""
    return Home(
        message.latitude * 1e-7,
        message.longitude * 1e-7,
        message.altitude * 1e-3,
        world_vector((message.x, message.y, message.z)),
    )


@maps("STATUSTEXT")
def status_text(message: Any) -> Text:
    """A line; those in several pieces come piece by piece."""
    text = message.text
    if isinstance(text, bytes):
        text = text.decode("utf-8", "replace")
    return Text(message.severity, text.rstrip("\0"))


@maps("MISSION_CURRENT")
def mission_current(message: Any) -> MissionProgress:
    """The item that it flies to."""
    return MissionProgress(message.seq, False)


@maps("MISSION_ITEM_REACHED")
def mission_reached(message: Any) -> MissionProgress:
    """The item that it has reached."""
    return MissionProgress(message.seq, True)
