"""Timers that go by wall time, also where a simulation sets the node's clock."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy.clock import Clock, ClockType
from rclpy.timer import Timer


def wall_timer(node: Any, period: float, callback: Callable[[], Any]) -> Timer:
    """Call `callback` every `period` seconds, whether or not `/clock` stands still."""
    timer: Timer = node.create_timer(
        period, callback, clock=Clock(clock_type=ClockType.STEADY_TIME)
    )
    return timer
