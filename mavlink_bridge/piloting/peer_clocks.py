"""What the drone's clocks say in ours: asked by TIMESYNC, and learnt from all that bears a time."""

from __future__ import annotations

from typing import Any

from mavlink_bridge.endpoint import Endpoint
from mavlink_bridge.mapping.telemetry import SourceTime
from mavlink_bridge.peers import Peer
from mavlink_bridge.piloting.time_sync import TimeSync
from mavlink_bridge.sending.traffic_class import TrafficClass
from mavlink_bridge.wire.frame import Frame

EAGER_QUESTIONS = 10  # about the time, one a second; then
QUESTION_PERIOD = 5.0


class PeerClocks:
    """Two clocks of one drone: `boot` since it was switched on, `utc`. `ours` is ns of our own."""

    def __init__(self, endpoint: Endpoint, system: int) -> None:
        """`system` is our own number, for questions that name whom they ask."""
        self.boot, self.utc = TimeSync(), TimeSync()
        self.ours = 0
        self._endpoint, self._system = endpoint, system
        self._peer: Peer | None = None
        self._question_due = 0.0
        endpoint.handlers.add(self._on_timesync, "TIMESYNC")

    def restart(self, now: float) -> None:
        """Our clock was set back: what is known of theirs is void."""
        self.boot.restart()
        self.utc.restart()
        self._question_due = now

    def stamp(self, time: SourceTime | None) -> int:
        """Return our time (ns) of what was measured at a time of theirs; None: just now."""
        if time is None:
            return self.ours
        clock = self.utc if time.is_utc else self.boot
        clock.heard(time.nanoseconds, self.ours)
        return max(0, clock.ours(time.nanoseconds, self.ours))

    def poll(self, peer: Peer | None, now: float) -> None:
        """Ask the drone for its time where that is due."""
        self._peer = peer
        if peer is None or not peer.present or now < self._question_due or not self.ours:
            return
        eager = self.boot.exchanges < EAGER_QUESTIONS
        self._question_due = now + (1.0 if eager else QUESTION_PERIOD)
        sent = self.ours
        self._endpoint.submit(
            self._endpoint.dialect.MAVLink_timesync_message(0, sent),
            TrafficClass.TELEMETRY,
            now,
            on_sent=lambda _: self.boot.asked(sent, self.ours),
        )

    def _on_timesync(self, frame: Frame, _: Any) -> None:
        message = frame.message
        if getattr(message, "target_system", 0) not in (0, self._system):
            return
        if not self.ours:
            return  # no time yet; an answer without one would be taken for a question
        if message.tc1 == 0:
            answer = self._endpoint.dialect.MAVLink_timesync_message(self.ours, message.ts1)
            now = self._endpoint.now
            self._endpoint.submit(answer, TrafficClass.COMMAND, now, key="timesync")
        elif self._peer is not None and frame.system == self._peer.system:
            self.boot.answered(message.tc1, message.ts1, self.ours)
