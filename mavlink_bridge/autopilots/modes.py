"""Numbers of flight modes, by name.

PX4: px4_custom_mode.h; main mode in bits 16 to 23 of `custom_mode`, sub-mode in bits 24 to 31.
ArduPilot: mode.h of each vehicle. The names are MAVROS's.
"""

from __future__ import annotations

COPTER, PLANE, ROVER, SUB = "copter", "plane", "rover", "sub"


def _px4(main: int, sub: int = 0) -> int:
    return main << 16 | sub << 24


PX4_MODES = {
    "MANUAL": _px4(1),
    "ALTCTL": _px4(2),
    "POSCTL": _px4(3),
    "ORBIT": _px4(3, 1),
    "AUTO.READY": _px4(4, 1),
    "AUTO.TAKEOFF": _px4(4, 2),
    "AUTO.LOITER": _px4(4, 3),
    "AUTO.MISSION": _px4(4, 4),
    "AUTO.RTL": _px4(4, 5),
    "AUTO.LAND": _px4(4, 6),
    "AUTO.RTGS": _px4(4, 7),
    "AUTO.FOLLOW_TARGET": _px4(4, 8),
    "AUTO.PRECLAND": _px4(4, 9),
    "ACRO": _px4(5),
    "OFFBOARD": _px4(6),
    "STABILIZED": _px4(7),
    "RATTITUDE": _px4(8),
}

ARDUPILOT_MODES = {
    COPTER: {
        "STABILIZE": 0,
        "ACRO": 1,
        "ALT_HOLD": 2,
        "AUTO": 3,
        "GUIDED": 4,
        "LOITER": 5,
        "RTL": 6,
        "CIRCLE": 7,
        "LAND": 9,
        "DRIFT": 11,
        "SPORT": 13,
        "FLIP": 14,
        "AUTOTUNE": 15,
        "POSHOLD": 16,
        "BRAKE": 17,
        "THROW": 18,
        "AVOID_ADSB": 19,
        "GUIDED_NOGPS": 20,
        "SMART_RTL": 21,
        "FLOWHOLD": 22,
        "FOLLOW": 23,
        "ZIGZAG": 24,
        "SYSTEMID": 25,
        "AUTOROTATE": 26,
        "AUTO_RTL": 27,
    },
    PLANE: {
        "MANUAL": 0,
        "CIRCLE": 1,
        "STABILIZE": 2,
        "TRAINING": 3,
        "ACRO": 4,
        "FBWA": 5,
        "FBWB": 6,
        "CRUISE": 7,
        "AUTOTUNE": 8,
        "AUTO": 10,
        "RTL": 11,
        "LOITER": 12,
        "TAKEOFF": 13,
        "AVOID_ADSB": 14,
        "GUIDED": 15,
        "INITIALISING": 16,
        "QSTABILIZE": 17,
        "QHOVER": 18,
        "QLOITER": 19,
        "QLAND": 20,
        "QRTL": 21,
        "QAUTOTUNE": 22,
        "QACRO": 23,
        "THERMAL": 24,
    },
    ROVER: {
        "MANUAL": 0,
        "ACRO": 1,
        "STEERING": 3,
        "HOLD": 4,
        "LOITER": 5,
        "FOLLOW": 6,
        "SIMPLE": 7,
        "AUTO": 10,
        "RTL": 11,
        "SMART_RTL": 12,
        "GUIDED": 15,
        "INITIALISING": 16,
    },
    SUB: {
        "STABILIZE": 0,
        "ACRO": 1,
        "ALT_HOLD": 2,
        "AUTO": 3,
        "GUIDED": 4,
        "CIRCLE": 7,
        "SURFACE": 9,
        "POSHOLD": 16,
        "MANUAL": 19,
    },
}

# MAV_TYPE to the ArduPilot that flies or drives it; multirotors and helicopters are copters.
VEHICLE_OF_TYPE = {
    1: PLANE,
    10: ROVER,
    11: ROVER,
    12: SUB,
    **dict.fromkeys((19, 20, 21, 22, 23, 24, 25), PLANE),
}
