"""What is sent without being asked, and how often: MAVLink's message intervals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mavlink_bridge.sending.sender import Sender
from mavlink_bridge.sending.traffic_class import TrafficClass

FASTEST = 0.004


class Streams:
    """A timer for each message id. What comes too late for its time is not caught up."""

    def __init__(
        self, sender: Sender, makers: dict[int, Callable[[], Any]], rates: dict[int, float]
    ) -> None:
        """`rates` in Hz; 0 is off."""
        self._sender = sender
        self._makers = makers
        self._defaults = {number: 1.0 / rate if rate else 0.0 for number, rate in rates.items()}
        self._intervals = dict(self._defaults)
        self._due: dict[int, float] = {}

    def knows(self, number: int) -> bool:
        """Whether a message of this id can be made."""
        return number in self._makers

    def interval(self, number: int) -> float:
        """Return the seconds between two, 0 for off."""
        return self._intervals.get(number, 0.0)

    def set_interval(self, number: int, interval_us: float) -> bool:
        """Set by MAV_CMD_SET_MESSAGE_INTERVAL: -1 off, 0 the default; False: unknown message."""
        if number not in self._makers:
            return False
        if interval_us == 0:
            self._intervals[number] = self._defaults.get(number, 0.0)
        else:
            self._intervals[number] = max(FASTEST, interval_us * 1e-6) if interval_us > 0 else 0.0
        self._due.pop(number, None)
        return True

    def poll(self, now: float) -> None:
        """Queue what is due."""
        for number, interval in self._intervals.items():
            if interval and now >= self._due.get(number, now):
                due = self._due.get(number, now) + interval
                self._due[number] = due if due > now else now + interval
                self.send(number, now)

    def send(self, number: int, now: float) -> None:
        """Queue one message now."""
        self._sender.submit(self._makers[number](), TrafficClass.TELEMETRY, now)
