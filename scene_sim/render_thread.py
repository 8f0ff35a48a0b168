"""Draws cameras beside physics: its own thread, its own OpenGL context, its own scene state.

MuJoCo lets go of the interpreter while it draws, so physics goes on. Where drawing falls more than
QUEUE_LENGTH images behind, the next shot holds simulated time up: no image is ever lost, and the
real-time factor tells.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable

from scene_sim.camera import CameraShot, Painter
from scene_sim.gl_backend import RenderingError
from spatial_types.camera import CameraFrame

QUEUE_LENGTH = 4


class RenderThread:
    """Turns camera shots into frames, in order."""

    def __init__(
        self,
        new_painter: Callable[[], Painter],
        deliver: Callable[[CameraShot, CameraFrame], None],
        failed: Callable[[str], None],
        started: Callable[[], None] = lambda: None,
    ) -> None:
        """`deliver`, `failed` and, first of all, `started` are called on the drawing thread."""
        self.waits = 0
        self.error: Exception | None = None
        self._new_painter, self._deliver, self._failed = new_painter, deliver, failed
        self._started = started
        self._shots: queue.Queue[CameraShot] = queue.Queue(QUEUE_LENGTH)
        self._broken, self._closing = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._work, name="cameras", daemon=True)
        self._thread.start()

    def submit(self, shot: CameraShot) -> None:
        """Queue a shot; the caller waits while the queue is full."""
        if self._shots.full():
            self.waits += 1
        while not (self._broken.is_set() or self._closing.is_set()):
            try:
                self._shots.put(shot, timeout=0.1)
                return
            except queue.Full:
                continue

    def stop(self) -> None:
        """Draw no more than the shot in hand, and let nobody wait for more."""
        self._closing.set()

    def close(self) -> None:
        """Stop, and wait until that is done."""
        self.stop()
        self._thread.join()

    def _work(self) -> None:
        painter: Painter | None = None
        self._started()
        while not (self._closing.is_set() or self._broken.is_set()):
            try:
                shot = self._shots.get(timeout=0.1)
                painter = painter or self._new_painter()
                self._deliver(shot, shot.sensor.develop(painter, shot.snapshot))
            except queue.Empty:
                continue
            except RenderingError as error:
                self._broken.set()
                self._failed(str(error))
            except Exception as error:  # told by whoever asks for `error`
                self._broken.set()
                self.error = error
        if painter is not None:
            painter.close()
