"""Bytes per second of a link, and each class's guaranteed share of them.

A token bucket that may go into debt: a frame may leave while the balance is not negative, and is
then paid for. So the mean rate is exact, whatever the frames' sizes, and at most one frame and the
small `burst` wait in the link ahead of a command.

A class that waits earns its share of the rate. Once it has earned a frame it is *owed* one and goes
before classes of higher priority, so none starves. What nobody is owed goes by priority.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from mavlink_bridge.sending.traffic_class import TrafficClass
from spatial_types.parameters import ParameterError, parameter

_LARGEST_FRAME = 280
_BETWEEN_POLLS = 0.1
_UNLIMITED_WINDOW = 64


@dataclass(frozen=True)
class BudgetParameters:
    """How many bytes per second may leave, and who is sure of which part."""

    rate: float = parameter(
        0.0, "bytes that may leave in a second; 0: no limit", unit="B/s", minimum=0.0
    )
    burst: float = parameter(
        0.05, "how much unused time may be caught up", unit="s", minimum=0.0, maximum=1.0
    )
    heartbeat_share: float = parameter(
        0.05, "guaranteed part for heartbeats", minimum=0.0, maximum=1.0
    )
    command_share: float = parameter(
        0.3, "guaranteed part for commands and their answers", minimum=0.0, maximum=1.0
    )
    setpoint_share: float = parameter(
        0.2, "guaranteed part for setpoints", minimum=0.0, maximum=1.0
    )
    file_share: float = parameter(0.1, "guaranteed part for file parts", minimum=0.0, maximum=1.0)
    telemetry_share: float = parameter(
        0.1, "guaranteed part for telemetry", minimum=0.0, maximum=1.0
    )

    def check(self) -> None:
        """Raise ParameterError if the shares exceed the whole."""
        total = sum(self.share(item) for item in TrafficClass)
        if total > 1.0 + 1e-9:
            raise ParameterError(f"the shares add up to {total:.3g}; expected at most 1")

    def share(self, traffic_class: TrafficClass) -> float:
        """Return the guaranteed part of a class, 0 to 1."""
        return float(getattr(self, f"{traffic_class.name.lower()}_share"))


class Budget:
    """Tells what may leave now; `now` is any monotonic clock in seconds."""

    def __init__(self, parameters: BudgetParameters = BudgetParameters()) -> None:
        parameters.check()
        self._limited = parameters.rate > 0
        self._rate = parameters.rate
        self._most = parameters.rate * parameters.burst
        self._shares = {item: parameters.share(item) for item in TrafficClass}
        self._credits: dict[TrafficClass, float] = {}
        self._balance = 0.0
        self._last = -math.inf

    def refill(self, now: float, waiting: Iterable[TrafficClass]) -> None:
        """Pay in the time since the last call; only classes that wait earn their share."""
        if not self._limited:
            return
        earned = self._rate * max(0.0, now - self._last) if math.isfinite(self._last) else 0.0
        self._last = max(now, self._last)
        self._balance = min(self._balance + earned, self._most)
        before, self._credits = self._credits, {}
        for item in waiting:
            credit = before.get(item, 0.0) + self._shares[item] * earned
            self._credits[item] = min(credit, _LARGEST_FRAME)

    def open(self) -> bool:
        """True while another frame may leave."""
        return not self._limited or self._balance >= 0.0

    def owed(self, item: TrafficClass, size: int) -> bool:
        """True if the class has earned a frame of `size` bytes out of its guaranteed share."""
        return self._credits.get(item, 0.0) >= min(size, _LARGEST_FRAME)

    def spend(self, item: TrafficClass, size: int) -> None:
        """Pay for a frame that leaves."""
        if self._limited:
            self._balance -= size
            self._credits[item] = max(0.0, self._credits.get(item, 0.0) - size)

    @property
    def bulk_window(self) -> int:
        """How many frames of a file to keep waiting: as many as leave until the next poll."""
        if not self._limited:
            return _UNLIMITED_WINDOW
        return 2 + int(_BETWEEN_POLLS * self._rate / _LARGEST_FRAME)

    def next_opening(self, now: float) -> float:
        """Return when the next frame may leave; `now` or earlier if it already may."""
        return now if self.open() else self._last - self._balance / self._rate
