"""Draws cameras beside physics: own threads, each with its own OpenGL context and scene state.

MuJoCo lets go of the interpreter while it draws, so physics goes on, and a thread that others keep
from its processor does not hold up the next image. Where drawing falls more than QUEUE_LENGTH
images behind, the next shot holds simulated time up: no image is ever lost, and the real-time
factor tells.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable

from scene_sim.camera import CameraShot, Painter
from scene_sim.gl_backend import RenderingError
from spatial_types.camera import CameraFrame

QUEUE_LENGTH = 4


class RenderThreads:
    """Turn camera shots into frames; they are delivered one at a time, in the shots' order."""

    def __init__(
        self,
        new_painter: Callable[[], Painter],
        deliver: Callable[[CameraShot, CameraFrame], None],
        failed: Callable[[str], None],
        started: Callable[[], None] = lambda: None,
        count: int = 1,
    ) -> None:
        """`deliver`, `failed` and, first of all, `started` are called on the `count` threads."""
        self.waits = 0
        self.error: Exception | None = None
        self._new_painter, self._deliver, self._failed = new_painter, deliver, failed
        self._started = started
        self._shots: queue.Queue[CameraShot] = queue.Queue(QUEUE_LENGTH)
        self._broken, self._closing = threading.Event(), threading.Event()
        self._taking, self._turn = threading.Lock(), threading.Condition()
        self._taken = self._delivered = 0
        self._threads = [
            threading.Thread(target=self._work, name=f"camera{k}", daemon=True)
            for k in range(count)
        ]
        for thread in self._threads:
            thread.start()

    def submit(self, shot: CameraShot) -> None:
        """Queue a shot; the caller waits while the queue is full."""
        if self._shots.full():
            self.waits += 1
        while not self._ending:
            try:
                self._shots.put(shot, timeout=0.1)
                return
            except queue.Full:
                continue

    def stop(self) -> None:
        """Draw no more than the shots in hand, and let nobody wait for more."""
        self._closing.set()

    def close(self) -> None:
        """Stop, and wait until that is done."""
        self.stop()
        for thread in self._threads:
            thread.join()

    @property
    def _ending(self) -> bool:
        return self._closing.is_set() or self._broken.is_set()

    def _work(self) -> None:
        painter: Painter | None = None
        self._started()
        while not self._ending:
            try:
                number, shot = self._take()
                painter = painter or self._new_painter()
                self._hand_over(number, shot, shot.sensor.develop(painter, shot))
            except queue.Empty:
                continue
            except RenderingError as error:
                with self._turn:
                    is_first = not self._ending
                    self._broken.set()
                if is_first:
                    self._failed(str(error))
            except Exception as error:  # told by whoever asks for `error`
                self._broken.set()
                self.error = error
        if painter is not None:
            painter.close()

    def _take(self) -> tuple[int, CameraShot]:
        """Return the next shot and its number; queue.Empty where none comes."""
        with self._taking:
            shot = self._shots.get(timeout=0.1)
            self._taken += 1
            return self._taken - 1, shot

    def _hand_over(self, number: int, shot: CameraShot, frame: CameraFrame) -> None:
        """Deliver a frame after all before it; nothing where an end is asked for meanwhile."""
        with self._turn:
            while self._delivered != number:
                if self._ending:
                    return
                self._turn.wait(timeout=0.1)
            self._deliver(shot, frame)
            self._delivered += 1
            self._turn.notify_all()
