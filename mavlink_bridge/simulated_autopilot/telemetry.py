"""The messages that tell how the simulated drone is, each made when it is due."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mavlink_bridge.frames import body_vector, quaternion_from_euler, world_vector, world_yaw
from mavlink_bridge.simulated_autopilot.battery import CELLS
from mavlink_bridge.simulated_autopilot.geodesy import E7
from mavlink_bridge.simulated_autopilot.multirotor import GRAVITY
from mavlink_bridge.simulated_autopilot.pilot import Landed, Mode

if TYPE_CHECKING:
    from mavlink_bridge.simulated_autopilot.vehicle import Vehicle

NAN = float("nan")
QUADROTOR = 2
ARMED, CUSTOM_MODE, STABILIZED, GUIDED, AUTO = 0x80, 0x01, 0x10, 0x08, 0x04
STANDBY, ACTIVE, CRITICAL = 3, 4, 5
# Gyroscope, accelerometer, magnetometer, pressure, GPS, controllers, motors, fence, AHRS, battery,
# readiness to arm.
SENSORS = 0x1 | 0x2 | 0x4 | 0x8 | 0x20 | 0xFC00 | 0x100000 | 0x200000 | 0x2000000 | 0x10000000
PARAMETER_FLOAT, MISSION_INT, COMMAND_INT, FTP = 0x2, 0x4, 0x8, 0x20
BYTEWISE, SET_LOCAL, SET_GLOBAL, FENCE, MAVLINK2, C_CAST = (
    0x10,
    0x80,
    0x100,
    0x4000,
    0x2000,
    0x20000,
)
SEA_PRESSURE, PRESSURE_HEIGHT = 1013.25, 8434.0
MISSION_STATES = {"none": 1, "not started": 2, "active": 3, "paused": 4, "complete": 5}


def attitude(vehicle: Vehicle) -> tuple[float, float, float]:
    """Return roll, pitch and yaw as MAVLink has them: FRD against NED."""
    roll, pitch = vehicle.body.tilt
    return roll, -pitch, world_yaw(vehicle.body.yaw)


def heartbeat(vehicle: Vehicle) -> Any:
    """Return HEARTBEAT."""
    pilot = vehicle.pilot
    base = CUSTOM_MODE | STABILIZED | GUIDED | (ARMED if pilot.armed else 0)
    base |= AUTO if pilot.mode in (Mode.MISSION, Mode.RETURN, Mode.LAND, Mode.TAKEOFF) else 0
    status = CRITICAL if vehicle.failsafe else ACTIVE if pilot.armed else STANDBY
    return vehicle.dialect.MAVLink_heartbeat_message(
        QUADROTOR, vehicle.flavour.autopilot, base, vehicle.custom_mode(), status, 3
    )


def sys_status(vehicle: Vehicle) -> Any:
    """Return SYS_STATUS."""
    battery = vehicle.pilot.battery
    return vehicle.dialect.MAVLink_sys_status_message(
        SENSORS,
        SENSORS,
        SENSORS,
        200,
        round(battery.voltage * 1000),
        round(battery.current * 100),
        round(battery.level * 100),
        0,
        0,
        0,
        0,
        0,
        0,
    )


def system_time(vehicle: Vehicle) -> Any:
    """Return SYSTEM_TIME."""
    return vehicle.dialect.MAVLink_system_time_message(vehicle.unix_usec, vehicle.boot_ms)


def gps_raw_int(vehicle: Vehicle) -> Any:
    """Return GPS_RAW_INT."""
    point = vehicle.origin.globe(vehicle.body.position)
    x, y, _ = vehicle.body.velocity
    course = round(math.degrees(math.atan2(x, y)) % 360.0 * 100) % 36000
    altitude = round(point.altitude * 1000)
    return vehicle.dialect.MAVLink_gps_raw_int_message(
        vehicle.boot_ms * 1000,
        3,
        round(point.latitude * E7),
        round(point.longitude * E7),
        altitude,
        80,
        120,
        round(math.hypot(x, y) * 100),
        course,
        14,
        altitude,
        500,
        800,
        100,
        0,
    )


def attitude_euler(vehicle: Vehicle) -> Any:
    """Return ATTITUDE."""
    return vehicle.dialect.MAVLink_attitude_message(
        vehicle.boot_ms, *attitude(vehicle), 0.0, 0.0, -vehicle.body.yaw_rate
    )


def attitude_quaternion(vehicle: Vehicle) -> Any:
    """Return ATTITUDE_QUATERNION."""
    return vehicle.dialect.MAVLink_attitude_quaternion_message(
        vehicle.boot_ms,
        *quaternion_from_euler(*attitude(vehicle)),
        0.0,
        0.0,
        -vehicle.body.yaw_rate,
        [0.0] * 4,
    )


def local_position_ned(vehicle: Vehicle) -> Any:
    """Return LOCAL_POSITION_NED."""
    return vehicle.dialect.MAVLink_local_position_ned_message(
        vehicle.boot_ms, *world_vector(vehicle.body.position), *world_vector(vehicle.body.velocity)
    )


def global_position_int(vehicle: Vehicle) -> Any:
    """Return GLOBAL_POSITION_INT."""
    point = vehicle.origin.globe(vehicle.body.position)
    velocity = [round(v * 100) for v in world_vector(vehicle.body.velocity)]
    return vehicle.dialect.MAVLink_global_position_int_message(
        vehicle.boot_ms,
        round(point.latitude * E7),
        round(point.longitude * E7),
        round(point.altitude * 1000),
        round(_above_home(vehicle) * 1000),
        *velocity,
        round(_heading(vehicle) * 100) % 36000,
    )


def mission_current(vehicle: Vehicle) -> Any:
    """Return MISSION_CURRENT."""
    progress = vehicle.pilot.mission
    if not progress.items:
        state = "none"
    elif vehicle.pilot.mode is Mode.MISSION:
        state = "active"
    elif progress.finished:
        state = "complete"
    else:
        state = "paused" if progress.current > progress.first else "not started"
    mode = 1 if vehicle.pilot.mode is Mode.MISSION else 2
    return vehicle.dialect.MAVLink_mission_current_message(
        progress.current, len(progress.items), MISSION_STATES[state], mode
    )


def vfr_hud(vehicle: Vehicle) -> Any:
    """Return VFR_HUD."""
    x, y, z = vehicle.body.velocity
    wind = vehicle.body.airflow
    air = math.hypot(x - wind[0], y - wind[1])
    throttle = 0 if vehicle.pilot.landed is Landed.ON_GROUND else 50
    altitude = vehicle.origin.origin.altitude + vehicle.body.position[2]
    return vehicle.dialect.MAVLink_vfr_hud_message(
        air, math.hypot(x, y), round(_heading(vehicle)) % 360, throttle, altitude, z
    )


def highres_imu(vehicle: Vehicle) -> Any:
    """Return HIGHRES_IMU."""
    roll, pitch, _ = attitude(vehicle)
    ahead, left, up = _in_body(vehicle.body.acceleration, vehicle.body.yaw)
    # The force that is felt, turned by pitch and roll; small angles of a point that is no body.
    forward, right, down = body_vector((ahead, left, up + GRAVITY))
    ahead = forward * math.cos(pitch) - down * math.sin(pitch)
    down = forward * math.sin(pitch) + down * math.cos(pitch)
    right, down = (
        right * math.cos(roll) + down * math.sin(roll),
        down * math.cos(roll) - right * math.sin(roll),
    )
    height = vehicle.origin.origin.altitude + vehicle.body.position[2]
    field = body_vector(_in_body((0.0, 0.22, -0.42), vehicle.body.yaw))
    return vehicle.dialect.MAVLink_highres_imu_message(
        vehicle.boot_ms * 1000,
        ahead,
        right,
        down,
        0.0,
        0.0,
        -vehicle.body.yaw_rate,
        *field,
        SEA_PRESSURE * math.exp(-height / PRESSURE_HEIGHT),
        0.0,
        height,
        20.0,
        0x1FFF,
    )


def altitude(vehicle: Vehicle) -> Any:
    """Return ALTITUDE."""
    local = vehicle.body.position[2]
    sea = vehicle.origin.origin.altitude + local
    return vehicle.dialect.MAVLink_altitude_message(
        vehicle.boot_ms * 1000,
        sea,
        sea,
        local,
        _above_home(vehicle),
        NAN,
        local - vehicle.body.ground,
    )


def battery_status(vehicle: Vehicle) -> Any:
    """Return BATTERY_STATUS."""
    battery = vehicle.pilot.battery
    cells = [round(battery.voltage / CELLS * 1000)] * CELLS
    return vehicle.dialect.MAVLink_battery_status_message(
        0,
        1,
        1,
        32767,
        cells + [65535] * (10 - CELLS),
        round(battery.current * 100),
        round(battery.used * 1000),
        -1,
        round(battery.level * 100),
        0,
        1,
    )


def autopilot_version(vehicle: Vehicle) -> Any:
    """Return AUTOPILOT_VERSION."""
    abilities = PARAMETER_FLOAT | MISSION_INT | COMMAND_INT | FTP | SET_LOCAL | SET_GLOBAL
    abilities |= FENCE | MAVLINK2 | (BYTEWISE if vehicle.flavour.bytewise else C_CAST)
    version = vehicle.flavour.version
    name = [*b"truthbed"]
    return vehicle.dialect.MAVLink_autopilot_version_message(
        abilities,
        version,
        0,
        0,
        0,
        name,
        [0] * 8,
        [0] * 8,
        0,
        0,
        vehicle.system,
    )


def home_position(vehicle: Vehicle) -> Any:
    """Return HOME_POSITION."""
    home = vehicle.pilot.home
    point = vehicle.origin.globe(home)
    return vehicle.dialect.MAVLink_home_position_message(
        round(point.latitude * E7),
        round(point.longitude * E7),
        round(point.altitude * 1000),
        *world_vector(home),
        [1.0, 0.0, 0.0, 0.0],
        0.0,
        0.0,
        0.0,
        vehicle.boot_ms * 1000,
    )


def gps_global_origin(vehicle: Vehicle) -> Any:
    """Return GPS_GLOBAL_ORIGIN."""
    point = vehicle.origin.origin
    return vehicle.dialect.MAVLink_gps_global_origin_message(
        round(point.latitude * E7),
        round(point.longitude * E7),
        round(point.altitude * 1000),
        vehicle.boot_ms * 1000,
    )


def extended_sys_state(vehicle: Vehicle) -> Any:
    """Return EXTENDED_SYS_STATE."""
    return vehicle.dialect.MAVLink_extended_sys_state_message(0, int(vehicle.pilot.landed))


def odometry(vehicle: Vehicle) -> Any:
    """Return ODOMETRY."""
    velocity = body_vector(_in_body(vehicle.body.velocity, vehicle.body.yaw))
    unknown = [NAN] + [0.0] * 20
    return vehicle.dialect.MAVLink_odometry_message(
        vehicle.boot_ms * 1000,
        1,
        12,
        *world_vector(vehicle.body.position),
        quaternion_from_euler(*attitude(vehicle)),
        *velocity,
        0.0,
        0.0,
        -vehicle.body.yaw_rate,
        unknown,
        unknown,
        0,
        1,
        100,
    )


def wind_cov(vehicle: Vehicle) -> Any:
    """Return WIND_COV."""
    gusts = vehicle.body.wind.gusts
    return vehicle.dialect.MAVLink_wind_cov_message(
        vehicle.boot_ms * 1000,
        *world_vector(vehicle.body.airflow),
        gusts,
        gusts,
        vehicle.origin.origin.altitude + vehicle.body.position[2],
        0.0,
        0.0,
    )


def estimator_status(vehicle: Vehicle) -> Any:
    """Return ESTIMATOR_STATUS."""
    return vehicle.dialect.MAVLink_estimator_status_message(
        vehicle.boot_ms * 1000, 0x33F, 0.05, 0.05, 0.05, 0.05, 0.0, 0.0, 0.1, 0.1
    )


@dataclass(frozen=True)
class Report:
    """How a message is made, and how often it is sent unless asked otherwise, in Hz."""

    make: Callable[[Vehicle], Any]
    rate: float


REPORTS = {
    1: Report(sys_status, 1.0),
    2: Report(system_time, 1.0),
    24: Report(gps_raw_int, 2.0),
    30: Report(attitude_euler, 10.0),
    31: Report(attitude_quaternion, 10.0),
    32: Report(local_position_ned, 10.0),
    33: Report(global_position_int, 5.0),
    42: Report(mission_current, 1.0),
    49: Report(gps_global_origin, 0.2),
    74: Report(vfr_hud, 2.0),
    105: Report(highres_imu, 10.0),
    141: Report(altitude, 2.0),
    147: Report(battery_status, 0.5),
    148: Report(autopilot_version, 0.0),
    230: Report(estimator_status, 0.5),
    231: Report(wind_cov, 0.0),
    242: Report(home_position, 0.5),
    245: Report(extended_sys_state, 2.0),
    331: Report(odometry, 0.0),
}
HEARTBEAT = 0


def _above_home(vehicle: Vehicle) -> float:
    return vehicle.body.position[2] - vehicle.pilot.home[2]


def _heading(vehicle: Vehicle) -> float:
    return math.degrees(world_yaw(vehicle.body.yaw)) % 360.0


def _in_body(vector: tuple[float, float, float], yaw: float) -> tuple[float, float, float]:
    """Turn ENU to forward, left, up, by the heading alone."""
    x, y, z = vector
    cosine, sine = math.cos(yaw), math.sin(yaw)
    return x * cosine + y * sine, y * cosine - x * sine, z
