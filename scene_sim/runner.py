"""Runs a simulator on a thread at a chosen pace: pause, step, reset, commands. No ROS here."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from typing import Any

from scene_sim.camera import CameraShot
from scene_sim.pacing import Pacer
from scene_sim.readings import Reading
from scene_sim.render_threads import RenderThreads
from scene_sim.schedule import SECOND
from scene_sim.simulator import Simulator

SLICE = 10_000_000  # ns of simulated time between two looks at commands and the clock
STEP = 10_000_000  # ns of simulated time for one step while paused
IDLE = 0.02  # s between looks while paused
LONGEST_NAP = 0.1  # s between looks at commands while simulated time is far slower than ours


class Runner:
    """The physics thread. All public methods may be called from other threads."""

    def __init__(
        self,
        simulator: Simulator,
        factor: float,
        publish: Callable[[int, list[Reading]], None],
        renderer: RenderThreads,
        started: Callable[[], None] = lambda: None,
        observe: Callable[[], None] = lambda: None,
    ) -> None:
        """All functions are called on the physics thread.

        `started()` at its start, `publish(clock_ns, readings)` after every slice, `observe()`
        between slices, and now and then while paused.
        """
        self.simulator = simulator
        self.renderer = renderer
        self.pacer = Pacer(factor)
        self.error: Exception | None = None
        self._publish, self._started, self._observe = publish, started, observe
        self._commands: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._paused = threading.Event()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._work, name="physics", daemon=True)
        simulator.camera_mode("deferred")

    def start(self, paused: bool) -> None:
        """Begin to run, or to wait for the end of the pause."""
        if paused:
            self._paused.set()
        self._thread.start()

    def close(self) -> None:
        """Stop physics, then drawing."""
        self._stop.set()
        self.renderer.stop()  # physics may be waiting for it
        if self._thread.is_alive():
            self._thread.join()
        self.renderer.close()

    @property
    def paused(self) -> bool:
        """Whether simulated time stands still."""
        return self._paused.is_set()

    def pause(self, paused: bool) -> None:
        """Stop or go on."""
        if paused:
            self._paused.set()
        else:
            self._commands.put(self.pacer.restart)
            self._paused.clear()

    def set_factor(self, factor: float) -> None:
        """Choose the real-time factor; 0 runs as fast as possible."""
        self._commands.put(lambda: setattr(self.pacer, "factor", factor))

    def do(self, command: Callable[[], Any]) -> None:
        """Have `command` done between two slices, in order, whether paused or not."""
        self._commands.put(command)

    def do_and_wait(self, command: Callable[[], Any], timeout: float = 5.0) -> bool:
        """As `do`, and wait until it is done; False where that takes too long."""
        done = threading.Event()

        def run() -> None:
            command()
            done.set()

        self._commands.put(run)
        return done.wait(timeout)

    def step(self) -> None:
        """Advance by STEP; call it through `do`."""
        self._advance(STEP)

    def reset(self) -> None:
        """Go back to time zero and the described poses; call it through `do`."""
        self.simulator.reset()
        self.pacer.restart()
        self._publish(0, [])

    def _work(self) -> None:
        self._started()
        try:
            while not self._stop.is_set():
                self._run_commands()
                if self._paused.is_set():
                    self._observe()
                    self._stop.wait(IDLE)
                    continue
                self._advance(SLICE)
                self._observe()
                self._keep_pace()
        except Exception as error:  # told by the node, which then ends
            self.error = error

    def _keep_pace(self) -> None:
        """Wait until it is time for the next slice; a slow scene still does what it is told to."""
        while not (self._stop.is_set() or self._paused.is_set()):
            wait = self.pacer.wait(self.simulator.time / SECOND, time.monotonic())
            if wait <= 0.0:
                return
            time.sleep(min(wait, LONGEST_NAP))
            if wait > LONGEST_NAP:
                self._run_commands()

    def _run_commands(self) -> None:
        while not self._commands.empty():
            self._commands.get()()

    def _advance(self, duration: int) -> None:
        readings = []
        for reading in self.simulator.advance(self.simulator.time + duration):
            if isinstance(reading.data, CameraShot):
                self.renderer.submit(reading.data)
            else:
                readings.append(reading)
        self._publish(self.simulator.time, readings)
