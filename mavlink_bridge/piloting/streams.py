"""Asking the autopilot for the messages that we live on, at rates that the link can carry."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Protocol

from spatial_types.parameters import parameter

MESSAGE_IDS = {
    "attitude": 31,
    "local_position": 32,
    "global_position": 33,
    "gps": 24,
    "imu": 105,
    "battery": 147,
    "landed": 245,
    "home": 242,
}
GAP = 0.1  # seconds between two requests, so that they never fill a thin link


@dataclass(frozen=True)
class StreamParameters:
    """How often each message is asked for. 0: as the autopilot likes."""

    attitude: float = parameter(0.0, "ATTITUDE_QUATERNION", unit="Hz", minimum=0.0)
    local_position: float = parameter(0.0, "LOCAL_POSITION_NED", unit="Hz", minimum=0.0)
    global_position: float = parameter(0.0, "GLOBAL_POSITION_INT", unit="Hz", minimum=0.0)
    gps: float = parameter(0.0, "GPS_RAW_INT", unit="Hz", minimum=0.0)
    imu: float = parameter(0.0, "HIGHRES_IMU", unit="Hz", minimum=0.0)
    battery: float = parameter(0.0, "BATTERY_STATUS", unit="Hz", minimum=0.0)
    landed: float = parameter(0.0, "EXTENDED_SYS_STATE", unit="Hz", minimum=0.0)
    home: float = parameter(0.0, "HOME_POSITION", unit="Hz", minimum=0.0)


class Requester(Protocol):
    """Sends a command whose end interests nobody."""

    def request(self, command: str, values: tuple[float, ...], now: float) -> None:
        """Send it."""


class StreamRequests:
    """Asks once for each message when the drone appears or returns."""

    def __init__(self, parameters: StreamParameters = StreamParameters()) -> None:
        self._rates = {
            item.name: float(getattr(parameters, item.name)) for item in fields(parameters)
        }
        self._open: list[str] = []
        self._due = 0.0

    def start(self, now: float) -> None:
        """Ask for everything anew."""
        self._open = [name for name, rate in self._rates.items() if rate > 0.0]
        self._due = now

    def poll(self, now: float, requester: Requester) -> None:
        """Send the next request when it is due."""
        if not self._open or now < self._due:
            return
        self._due = now + GAP
        name = self._open.pop(0)
        interval = math.ceil(1e6 / self._rates[name])
        requester.request("SET_MESSAGE_INTERVAL", (float(MESSAGE_IDS[name]), float(interval)), now)
