"""The classes of traffic, in the order in which they may leave."""

from __future__ import annotations

from enum import IntEnum


class TrafficClass(IntEnum):
    """What a message is for. A lower number goes first; shares of the budget stand above that."""

    HEARTBEAT = 0
    COMMAND = 1
    SETPOINT = 2
    FILE = 3
    TELEMETRY = 4


NEWEST_WINS = frozenset({TrafficClass.HEARTBEAT, TrafficClass.SETPOINT, TrafficClass.TELEMETRY})
"""A newer message of these classes takes the place of one with the same key that still waits."""
