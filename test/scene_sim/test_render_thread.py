"""The drawing thread ends when asked, and lets go of who waits for it."""

import threading
from types import SimpleNamespace

from scene_sim.render_thread import QUEUE_LENGTH, RenderThread

LIMIT = 20.0  # s, after which something hangs


def test_stopping_lets_go_of_physics_that_waits_for_a_full_queue():
    drawing, drawn = threading.Event(), threading.Event()

    class Slow:
        def develop(self, painter, snapshot):
            drawing.set()
            assert drawn.wait(LIMIT)

    shot = SimpleNamespace(sensor=Slow(), snapshot=None)
    painter = SimpleNamespace(close=lambda: None)
    thread = RenderThread(lambda: painter, lambda shot, frame: None, print)
    thread.submit(shot)
    assert drawing.wait(LIMIT)
    for _ in range(QUEUE_LENGTH):
        thread.submit(shot)
    physics = threading.Thread(target=thread.submit, args=(shot,))
    physics.start()
    thread.stop()
    physics.join(LIMIT)
    assert not physics.is_alive()
    drawn.set()
    thread.close()
    assert thread.error is None
