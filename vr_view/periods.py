"""How steady a stream is, from the times of its messages."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

SECOND = 1e9
TOLERANCE = 2_000_000  # ns


def period_figures(times: Sequence[int], rate: float) -> dict[str, float]:
    """Return what the times (ns) of messages that are due at `rate` (Hz) tell.

    `rate_hz` as it was, `within_2ms` the share of periods that differ from the due one by 2 ms at
    most, `skipped` how many messages the gaps would have held. ValueError for fewer than two times.
    """
    if len(times) < 2:
        raise ValueError(f"{len(times)} messages: expected at least two to tell a period")
    periods = np.diff(np.asarray(times, dtype=np.int64)).astype(float)
    due = SECOND / rate
    gaps = np.rint(periods / due).astype(int) - 1
    return {
        "rate_hz": SECOND / float(periods.mean()) if periods.sum() else float("inf"),
        "within_2ms": float(np.mean(np.abs(periods - due) <= TOLERANCE)),
        "skipped": int(gaps[gaps > 0].sum()),
        "longest_ms": float(periods.max()) / 1e6,
    }
