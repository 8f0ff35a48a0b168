"""What the trial runner hears on the graph: stamps and arrival times, estimates, the reference."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from evaluation.recording import StateChange


@dataclass
class Arrivals:
    """Stamps (ns) of one topic's messages, and when they arrived (ns, system clock).

    With `keep` their bytes are held too: to decode them takes time, which is better spent after
    the run than beside the nodes that are measured.
    """

    keep: bool = False
    stamps: list[int] = field(default_factory=list)
    times: list[int] = field(default_factory=list)
    messages: list[bytes] = field(default_factory=list)

    def add(self, stamp: int, now: int, data: bytes) -> None:
        """Note one message."""
        self.stamps.append(stamp)
        self.times.append(now)
        if self.keep:
            self.messages.append(data)

    def pace(self) -> float | None:
        """Seconds of the stamps' clock in each second of arrivals; None for fewer than two."""
        if len(self.stamps) < 2 or self.times[-1] <= self.times[0]:
            return None
        return (self.stamps[-1] - self.stamps[0]) / (self.times[-1] - self.times[0])

    def lost(self) -> int:
        """Messages that are missing, judged by gaps between stamps against the usual period."""
        gaps = np.diff(np.array(self.stamps, dtype=float))
        if len(gaps) < 3:
            return 0
        period = float(np.median(gaps))
        return int(np.sum(np.maximum(np.round(gaps / period) - 1, 0))) if period > 0 else 0


@dataclass
class GraphLog:
    """Everything that counts for the score."""

    scans: Arrivals = field(default_factory=Arrivals)
    images: Arrivals = field(default_factory=Arrivals)
    poses: Arrivals = field(default_factory=lambda: Arrivals(keep=True))
    positions: Arrivals = field(default_factory=lambda: Arrivals(keep=True))
    reference: Arrivals = field(default_factory=lambda: Arrivals(keep=True))
    states: list[StateChange] = field(default_factory=list)

    def add_state(self, stamp: int, state: str, reason: str) -> None:
        """Note a state, unless it is the last one said again."""
        if not self.states or self.states[-1].state != state:
            self.states.append(StateChange(stamp, state, reason))

    def health(self) -> dict[str, Any]:
        """Counts, losses, the delay from the arrival of data to that of its pose.

        `real_time_factor` is that of the scans: a simulator waits where the machine cannot follow.
        """
        return {
            "real_time_factor": self.scans.pace(),
            "scans": len(self.scans.stamps),
            "scans_lost": self.scans.lost(),
            "images": len(self.images.stamps),
            "images_lost": self.images.lost(),
            "pose_delay_ms": delays(self.images, self.poses),
            "position_delay_ms": delays(self.scans, self.positions),
        }


def delays(data: Arrivals, results: Arrivals) -> dict[str, float] | None:
    """Percentiles of the time from a datum's arrival to that of the result with its stamp, ms."""
    came = dict(zip(data.stamps, data.times, strict=True))
    found = [
        1e-6 * (now - came[stamp])
        for stamp, now in zip(results.stamps, results.times, strict=True)
        if stamp in came
    ]
    if not found:
        return None
    median, most = np.percentile(found, [50, 99])
    within = float(np.mean(np.array(found) <= 20.0))
    return {
        "median": float(median),
        "p99": float(most),
        "max": float(np.max(found)),
        "share_within_20_ms": within,
        "count": float(len(found)),
    }
