"""A real link that is made bad on purpose, to try out how the rest gets on with it."""

from __future__ import annotations

from dataclasses import dataclass

from mavlink_bridge.links.channel import Channel, Conditions
from mavlink_bridge.links.link import Link, LinkLimits, LinkStatistics
from spatial_types.parameters import parameter


@dataclass(frozen=True)
class BadOptions(Conditions):
    """The conditions of what is sent, and the seed of their chances."""

    seed: int = parameter(0, "seed; the same one loses the same packets", minimum=0)


class BadLink:
    """Wraps a link: what is sent goes through a `Channel` first. Received packets are untouched."""

    def __init__(self, inner: Link, options: BadOptions) -> None:
        self.name = f"bad:{inner.name}"
        self.channel = Channel(options, options.seed)
        self._inner = inner

    @property
    def statistics(self) -> LinkStatistics:
        """Those of the link inside; `channel.statistics` tells what happened before."""
        return self._inner.statistics

    @property
    def connected(self) -> bool:
        """Whether the link inside is."""
        return self._inner.connected

    @property
    def limits(self) -> LinkLimits:
        """Those of the link inside."""
        return self._inner.limits

    def send(self, packet: bytes, now: float) -> None:
        """Put a packet on its way."""
        self.channel.put(packet, now)
        self._deliver(now)

    def receive(self, now: float) -> list[bytes]:
        """Return what came; also sends on what has been delayed long enough."""
        self._deliver(now)
        return self._inner.receive(now)

    def files(self) -> list[int]:
        """Return those of the link inside."""
        return self._inner.files()

    def next_time(self) -> float | None:
        """Return when a delayed packet is due, or the link inside wants to be polled."""
        times = [self.channel.next_time(), self._inner.next_time()]
        return min((time for time in times if time is not None), default=None)

    def close(self) -> None:
        """Close the link inside; what is under way is lost."""
        self._inner.close()

    def _deliver(self, now: float) -> None:
        for packet in self.channel.take(now):
            self._inner.send(packet, now)
