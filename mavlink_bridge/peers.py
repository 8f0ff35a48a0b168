"""Who is at the other end of a link: heard when, missing what, gone, back again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mavlink_bridge.autopilots.flavours import GENERIC, Flavour, recognise
from mavlink_bridge.wire.frame import Frame

HEARTBEAT = 0
LOST_AFTER = 5.0
SEQUENCES = 256


@dataclass
class Peer:
    """One (system, component).

    `missed` counts sequence numbers that never came: losses, or messages that a router in between
    kept for itself, so behind a router it is no measure of the link.
    """

    system: int
    component: int
    first_heard: float
    last_heard: float
    present: bool = True
    frames: int = 0
    missed: int = 0
    sequence: int | None = None
    heartbeat: Any = None
    heartbeat_at: float | None = None
    flavour: Flavour = GENERIC

    @property
    def mode(self) -> str:
        """Name of the flight mode as the last heartbeat told it; empty before the first."""
        if self.heartbeat is None:
            return ""
        return self.flavour.mode_name(self.heartbeat)

    @property
    def armed(self) -> bool | None:
        """Whether the motors may turn, by the last heartbeat; None before the first."""
        return None if self.heartbeat is None else bool(self.heartbeat.base_mode & 0x80)


OnChange = Callable[[Peer], None]


class PeerTable:
    """Every valid message proves that its sender lives, not heartbeats alone.

    A peer that was silent for `lost_after` seconds has gone, and the next message, whatever it is,
    brings it back: `on_change` is told of both, and of the first time.
    """

    def __init__(self, lost_after: float = LOST_AFTER, on_change: OnChange | None = None) -> None:
        self.peers: dict[tuple[int, int], Peer] = {}
        self._lost_after = lost_after
        self._on_change = on_change or (lambda _peer: None)

    def heard(self, frame: Frame, now: float) -> Peer:
        """Take note of a frame and return who sent it."""
        key = (frame.system, frame.component)
        peer = self.peers.get(key)
        returned = peer is None or not peer.present
        if peer is None:
            peer = self.peers[key] = Peer(frame.system, frame.component, now, now)
        peer.last_heard = now
        peer.present = True
        peer.frames += 1
        _count_missed(peer, frame.sequence, anew=returned)
        if frame.message_id == HEARTBEAT:
            peer.heartbeat, peer.heartbeat_at = frame.message, now
        peer.flavour = recognise(peer.flavour, frame)
        if returned:
            self._on_change(peer)
        return peer

    def check(self, now: float) -> None:
        """Notice who has gone; to be called often."""
        for peer in self.peers.values():
            if peer.present and now - peer.last_heard > self._lost_after:
                peer.present = False
                self._on_change(peer)

    def autopilot(self, system: int | None = None) -> Peer | None:
        """Return the present autopilot, of a system or of any; None when there is none."""
        for peer in self.peers.values():
            if peer.present and system in (None, peer.system) and _is_autopilot(peer):
                return peer
        return None


def _is_autopilot(peer: Peer) -> bool:
    return peer.heartbeat is not None and peer.heartbeat.autopilot != 8  # MAV_AUTOPILOT_INVALID


def _count_missed(peer: Peer, sequence: int, *, anew: bool) -> None:
    """Count the gap before this number; one that was overtaken is taken off again."""
    if peer.sequence is not None and not anew:
        ahead = (sequence - peer.sequence) % SEQUENCES
        if ahead >= SEQUENCES // 2:
            peer.missed = max(0, peer.missed - 1)
            return
        peer.missed += max(0, ahead - 1)
    peer.sequence = sequence
