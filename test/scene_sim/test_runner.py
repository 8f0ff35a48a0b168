"""The physics thread does what it is told to, however slowly simulated time goes."""

import threading
from types import SimpleNamespace

from scene_sim.runner import Runner

LIMIT = 20.0  # s, after which something hangs
HOURS_A_SLICE = 1e-6  # real-time factor at which a slice takes almost three hours


class Scene:
    """A simulator whose time passes and in which nothing happens."""

    def __init__(self):
        self.time = 0

    def camera_mode(self, mode):
        assert mode == "deferred"

    def advance(self, until):
        self.time = until
        return iter(())

    def reset(self):
        self.time = 0


def running():
    published, far = threading.Event(), threading.Event()

    def publish(clock, _):
        published.set()
        if clock > 1_000_000_000:
            far.set()

    drawing = SimpleNamespace(stop=lambda: None, close=lambda: None)
    runner = Runner(Scene(), HOURS_A_SLICE, publish, drawing)
    runner.start(paused=False)
    assert published.wait(LIMIT)
    return runner, far


def test_a_scene_that_crawls_takes_commands_and_ends():
    runner, _ = running()
    slices = runner.simulator.time
    assert runner.do_and_wait(lambda: None, LIMIT)
    assert runner.do_and_wait(lambda: None, LIMIT)
    assert runner.simulator.time - slices <= 2 * 10_000_000  # told things, it goes no faster
    assert runner.do_and_wait(runner.reset, LIMIT)
    closing = threading.Thread(target=runner.close, daemon=True)
    closing.start()
    closing.join(LIMIT)
    assert not closing.is_alive()
    assert runner.error is None


def test_a_scene_that_crawls_can_be_made_faster():
    runner, far = running()
    runner.set_factor(0.0)
    assert far.wait(LIMIT)
    runner.close()
