"""A progress bar on standard error; a line at the start and at the end where that is a file."""

from __future__ import annotations

import sys
import time
from typing import TextIO

WIDTH = 30


class Progress:
    """Show how much of `total` is done; `work` says what there is to do, where no bar is drawn."""

    def __init__(
        self, total: float, label: str, work: str = "begins", stream: TextIO | None = None
    ) -> None:
        self._total = max(total, 1e-9)
        self._label = label
        self._stream = stream if stream is not None else sys.stderr
        self._visible = self._stream.isatty()
        self._start = self._last = time.monotonic()
        if not self._visible:
            self._tell(work)

    def update(self, done: float) -> None:
        """Draw the bar, at most ten times a second."""
        if not self._visible:
            return
        now = time.monotonic()
        if now - self._last < 0.1:
            return
        self._last = now
        part = min(1.0, done / self._total)
        left = (now - self._start) * (1 - part) / part if part > 0 else 0.0
        bar = "#" * round(WIDTH * part) + "." * (WIDTH - round(WIDTH * part))
        self._stream.write(f"\r{self._label} [{bar}] {100 * part:5.1f} %  {left:4.0f} s left ")
        self._stream.flush()

    def close(self) -> None:
        """Clear the bar, or say that the work is done."""
        if not self._visible:
            self._tell(f"done in {time.monotonic() - self._start:.1f} s")
        else:
            self._stream.write("\r" + " " * (len(self._label) + WIDTH + 30) + "\r")
            self._stream.flush()

    def _tell(self, text: str) -> None:
        print(f"{self._label}: {text}", file=self._stream, flush=True)
