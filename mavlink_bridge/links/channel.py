"""One direction of a bad link: losses, delay, reordering, damage and a rate, from one seed."""

from __future__ import annotations

import heapq
import random
from dataclasses import dataclass

from spatial_types.parameters import ParameterError, parameter


@dataclass(frozen=True)
class Conditions:
    """How bad one direction is. Every share is a probability per packet."""

    loss: float = parameter(0.0, "share of packets lost", minimum=0.0, maximum=1.0)
    burst: float = parameter(
        1.0,
        "mean length of a run of losses; 1 loses each packet for itself",
        unit="packets",
        minimum=1.0,
    )
    delay: float = parameter(0.0, "time that every packet takes", unit="s", minimum=0.0)
    jitter: float = parameter(
        0.0, "largest time added to it, uniform; order is kept", unit="s", minimum=0.0
    )
    reorder: float = parameter(
        0.0, "share of packets that later ones overtake", minimum=0.0, maximum=1.0
    )
    reorder_delay: float = parameter(
        0.1, "how long such a packet stays behind", unit="s", minimum=0.0
    )
    duplicate: float = parameter(0.0, "share of packets that come twice", minimum=0.0, maximum=1.0)
    corrupt: float = parameter(0.0, "share of packets with damaged bytes", minimum=0.0, maximum=1.0)
    corrupt_bits: int = parameter(4, "largest number of bits turned in a damaged packet", minimum=1)
    rate: float = parameter(0.0, "bytes carried per second; 0: no limit", unit="B/s", minimum=0.0)
    queue: float = parameter(
        1000.0,
        "bytes that wait for the rate before more are dropped; one packet always may",
        unit="B",
        minimum=0.0,
    )

    def check(self) -> None:
        """Refuse what no two-state model gives: long runs of losses that fill nearly all."""
        if self.burst > 1 and self.loss >= self.burst / (self.burst + 1):
            raise ParameterError(
                f"loss = {self.loss} cannot come in bursts of {self.burst}: the time between "
                "bursts would be less than one packet"
            )


@dataclass
class ChannelStatistics:
    """What became of the packets put in."""

    packets: int = 0
    bytes: int = 0
    lost: int = 0
    overflowed: int = 0
    reordered: int = 0
    duplicated: int = 0
    corrupted: int = 0
    delivered: int = 0


class Channel:
    """Packets go in with `put` and come out of `take` when, if and as the conditions let them.

    Losses in bursts follow Gilbert and Elliott's two-state chain: in the bad state all is lost, in
    the good one nothing is; `loss` is the share in the long run and `burst` the mean length.
    """

    def __init__(self, conditions: Conditions, seed: int) -> None:
        conditions.check()
        self.conditions = conditions
        self.statistics = ChannelStatistics()
        self._random = random.Random(seed)
        self._bad = False
        self._free_at = float("-inf")
        self._last_due = float("-inf")
        self._under_way: list[tuple[float, int, bytes]] = []
        self._count = 0

    def put(self, packet: bytes, now: float) -> None:
        """Send a packet on its way."""
        conditions, statistics = self.conditions, self.statistics
        statistics.packets += 1
        statistics.bytes += len(packet)
        sent = self._through_the_bottleneck(packet, now)
        if sent is None:
            statistics.overflowed += 1
            return
        if self._is_lost():
            statistics.lost += 1
            return
        self._deliver(packet, sent)
        if self._random.random() < conditions.duplicate:
            statistics.duplicated += 1
            self._deliver(packet, sent)

    def take(self, now: float) -> list[bytes]:
        """Return the packets that have arrived by now, in the order of their arrival."""
        arrived = []
        while self._under_way and self._under_way[0][0] <= now:
            arrived.append(heapq.heappop(self._under_way)[2])
        self.statistics.delivered += len(arrived)
        return arrived

    def next_time(self) -> float | None:
        """Return when the next packet arrives; None: nothing is under way."""
        return self._under_way[0][0] if self._under_way else None

    def _through_the_bottleneck(self, packet: bytes, now: float) -> float | None:
        """Return when the packet's last byte has left; None: the queue was full."""
        rate = self.conditions.rate
        if rate == 0:
            return now
        waiting = max(0.0, self._free_at - now) * rate
        if waiting > 0 and waiting + len(packet) > self.conditions.queue:
            return None
        self._free_at = max(self._free_at, now) + len(packet) / rate
        return self._free_at

    def _is_lost(self) -> bool:
        loss, burst = self.conditions.loss, self.conditions.burst
        if burst <= 1 or loss == 0:
            return self._random.random() < loss
        ends, begins = 1 / burst, loss / (burst * (1 - loss))
        self._bad = self._random.random() >= ends if self._bad else self._random.random() < begins
        return self._bad

    def _deliver(self, packet: bytes, sent: float) -> None:
        conditions, chance = self.conditions, self._random.random
        due = sent + conditions.delay + conditions.jitter * chance()
        if chance() < conditions.reorder:
            self.statistics.reordered += 1
            due += conditions.reorder_delay
        else:
            due = self._last_due = max(due, self._last_due)
        if chance() < conditions.corrupt:
            self.statistics.corrupted += 1
            packet = self._damaged(packet)
        self._count += 1
        heapq.heappush(self._under_way, (due, self._count, packet))

    def _damaged(self, packet: bytes) -> bytes:
        if not packet:
            return packet
        damaged = bytearray(packet)
        count = self._random.randint(1, self.conditions.corrupt_bits)
        for bit in self._random.sample(range(8 * len(damaged)), min(count, 8 * len(damaged))):
            damaged[bit // 8] ^= 1 << bit % 8
        return bytes(damaged)
