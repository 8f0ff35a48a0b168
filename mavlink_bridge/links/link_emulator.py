"""Two ends of a link in memory, as bad as wanted, on whatever clock the caller has."""

from __future__ import annotations

from mavlink_bridge.links.channel import Channel, Conditions
from mavlink_bridge.links.link import LinkLimits, LinkStatistics


class LinkEnd:
    """One end: a `Link` whose packets go into one channel and come out of another."""

    def __init__(self, name: str, out: Channel, into: Channel) -> None:
        self.name = name
        self.statistics = LinkStatistics(connections=1)
        self.connected = True
        self._out = out
        self._into = into

    @property
    def limits(self) -> LinkLimits:
        """The rates that the conditions set."""
        return LinkLimits(
            None, self._out.conditions.rate or None, self._into.conditions.rate or None
        )

    def send(self, packet: bytes, now: float) -> None:
        """Put a packet on its way; nothing tells this end whether it will arrive."""
        if not self.connected:
            self.statistics.dropped(packet, "cut")
            return
        self.statistics.sent(packet)
        self._out.put(packet, now)

    def receive(self, now: float) -> list[bytes]:
        """Return the packets that have arrived by now."""
        packets = self._into.take(now)
        if not self.connected:
            return []
        for packet in packets:
            self.statistics.received(packet)
        return packets

    def files(self) -> list[int]:
        """Nothing of the system stands behind this link."""
        return []

    def next_time(self) -> float | None:
        """Return when the next packet arrives here."""
        return self._into.next_time()

    def close(self) -> None:
        """Cut the link at this end; `connected = True` mends it."""
        self.connected = False


class LinkEmulator:
    """`a` and `b` are the ends: what `a` sends arrives at `b` as `a_to_b` lets it.

    The same seed and the same calls give the same run. Setting an end's `connected` to False cuts
    the link there.
    """

    def __init__(
        self,
        a_to_b: Conditions | None = None,
        b_to_a: Conditions | None = None,
        seed: int = 0,
    ) -> None:
        self.a_to_b = Channel(a_to_b or Conditions(), 2 * seed)
        self.b_to_a = Channel(b_to_a or Conditions(), 2 * seed + 1)
        self.a = LinkEnd("emulated a", self.a_to_b, self.b_to_a)
        self.b = LinkEnd("emulated b", self.b_to_a, self.a_to_b)

    def next_time(self) -> float | None:
        """Return when the next packet arrives at either end; None: nothing is under way."""
        times = [time for time in (self.a.next_time(), self.b.next_time()) if time is not None]
        return min(times, default=None)
