"""What every link offers. Nothing here waits, and nothing reads a clock: `now` is an argument.

`now` is seconds of any clock that never goes back, the same one in every call: a monotonic clock in
a node, a simulated one in a trial.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


class LinkError(ValueError):
    """A link's address cannot be used; the text names it and what was expected."""


@dataclass
class LinkStatistics:
    """Counts since the link was made. What is dropped was never sent, and nobody else says so."""

    packets_sent: int = 0
    bytes_sent: int = 0
    packets_received: int = 0
    bytes_received: int = 0
    packets_dropped: int = 0
    bytes_dropped: int = 0
    connections: int = 0
    last_error: str = ""

    def sent(self, packet: bytes) -> None:
        """Count a packet that went out."""
        self.packets_sent += 1
        self.bytes_sent += len(packet)

    def received(self, packet: bytes) -> None:
        """Count a packet, or a piece of a stream, that came."""
        self.packets_received += 1
        self.bytes_received += len(packet)

    def dropped(self, packet: bytes, reason: str) -> None:
        """Count a packet that could not be sent."""
        self.packets_dropped += 1
        self.bytes_dropped += len(packet)
        self.last_error = reason


@dataclass(frozen=True)
class LinkLimits:
    """What a link can carry; None: no limit that it knows of.

    `packet_size` in bytes; `up` and `down` in bytes per second, up being what this end sends.
    `keeps_packets`: what is sent as one packet comes as one, or not at all.
    """

    packet_size: int | None = None
    up: float | None = None
    down: float | None = None
    keeps_packets: bool = True


class Link(Protocol):
    """One way to carry packets to the other end and back. Losing them is allowed."""

    @property
    def statistics(self) -> LinkStatistics:
        """Counts since the link was made."""

    @property
    def connected(self) -> bool:
        """Whether a packet sent now would go somewhere."""

    @property
    def limits(self) -> LinkLimits:
        """What the link can carry."""

    @property
    def name(self) -> str:
        """The address, for messages to people."""

    def send(self, packet: bytes, now: float) -> None:
        """Send one packet; it never waits. What cannot be sent is dropped and counted."""

    def receive(self, now: float) -> list[bytes]:
        """Return what has come, in pieces as they came: datagrams, or pieces of a stream."""

    def files(self) -> list[int]:
        """Return the file descriptors that become readable when something comes."""

    def next_time(self) -> float | None:
        """Return when the link wants to be polled even if nothing comes; None: never."""

    def close(self) -> None:
        """Free what the link holds; it cannot be used afterwards."""
