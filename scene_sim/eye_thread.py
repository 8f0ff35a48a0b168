"""Draws the eyes beside physics and the scene's own cameras, for as long as somebody looks.

Only the newest viewpoint counts: whatever came while a picture was drawn is skipped but for the
last, so pictures are never older than the drawing of one. The thread waits for nothing but a
viewpoint, and nobody waits for it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from scene_sim.eyes import EyePainter, EyeView, Image
from scene_sim.gl_backend import RenderingError
from scene_sim.physics import Snapshot

SIDES = ("left", "right")


class EyeRequest(NamedTuple):
    """A viewpoint that is to be drawn.

    `stamp` (ns) is that of its pose, `heard` the steady time (s) at which it came.
    """

    stamp: int
    left: EyeView
    right: EyeView
    heard: float


@dataclass(frozen=True)
class EyePictures:
    """What both eyes see: images by side, and the steady times (s) of drawing."""

    request: EyeRequest
    images: dict[str, Image]
    begun: float
    drawn: float


class EyeThread:
    """Turns viewpoints into pictures, the newest first and only."""

    def __init__(
        self,
        new_painter: Callable[[], EyePainter],
        deliver: Callable[[EyePictures], None],
        failed: Callable[[str], None],
        started: Callable[[], None] = lambda: None,
        period: float = 0.0,
    ) -> None:
        """Call `deliver`, `failed` and, first of all, `started` on the drawing thread.

        `period` is the shortest time (s) from the start of one drawing to that of the next.
        """
        self.skipped = 0
        self.error: Exception | None = None
        self._new_painter, self._deliver, self._failed = new_painter, deliver, failed
        self._started, self._period = started, period
        self._condition = threading.Condition()
        self._request: EyeRequest | None = None
        self._snapshot: Snapshot | None = None
        self._closing = False
        self._thread = threading.Thread(target=self._work, name="eyes", daemon=True)
        self._thread.start()

    def show(self, snapshot: Snapshot) -> None:
        """Take the newest state of the scene."""
        with self._condition:
            self._snapshot = snapshot
            if self._request is not None:
                self._condition.notify()

    def ask(self, request: EyeRequest) -> None:
        """Take the newest viewpoint, in place of one that waits still."""
        with self._condition:
            if self._request is not None:
                self.skipped += 1
            self._request = request
            self._condition.notify()

    def close(self) -> None:
        """Stop after the picture in hand."""
        with self._condition:
            self._closing = True
            self._condition.notify()
        self._thread.join()

    def _next(self) -> tuple[EyeRequest, Snapshot] | None:
        with self._condition:
            self._condition.wait_for(
                lambda: self._closing or not (self._request is None or self._snapshot is None)
            )
            request, self._request = self._request, None
            if self._closing or request is None or self._snapshot is None:
                return None
            return request, self._snapshot

    def _work(self) -> None:
        painter: EyePainter | None = None
        self._started()
        try:
            painter = self._new_painter()
            while (job := self._next()) is not None:
                begun = time.monotonic()
                self._deliver(self._drawn(painter, *job, begun))
                self._rest(begun)
        except RenderingError as error:
            self._failed(str(error))
        except Exception as error:  # told by whoever asks for `error`
            self.error = error
        if painter is not None:
            painter.close()

    def _drawn(
        self, painter: EyePainter, request: EyeRequest, snapshot: Snapshot, begun: float
    ) -> EyePictures:
        images = painter.draw_pair(request.left, request.right, snapshot)
        return EyePictures(request, dict(zip(SIDES, images, strict=True)), begun, time.monotonic())

    def _rest(self, begun: float) -> None:
        end = begun + self._period
        with self._condition:
            self._condition.wait_for(lambda: self._closing, max(end - time.monotonic(), 0.0))
