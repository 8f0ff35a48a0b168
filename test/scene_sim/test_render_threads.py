"""The drawing threads keep the order, end when asked, and let go of who waits for them."""

import threading
from types import SimpleNamespace

import numpy as np
import pytest
from scenes import CAMERA, readings, room

from scene_sim.gl_backend import RenderingError
from scene_sim.render_threads import QUEUE_LENGTH, RenderThreads

LIMIT = 20.0  # s, after which something hangs


def test_stopping_lets_go_of_physics_that_waits_for_a_full_queue():
    drawing, drawn = threading.Event(), threading.Event()

    class Slow:
        def develop(self, painter, shot):
            drawing.set()
            assert drawn.wait(LIMIT)

    shot = SimpleNamespace(sensor=Slow(), snapshot=None)
    painter = SimpleNamespace(close=lambda: None)
    thread = RenderThreads(lambda: painter, lambda shot, frame: None, print)
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


class Drawing:
    """Shots that are drawn when their number is let go; what came of them lies in lists."""

    def __init__(self, count):
        self.let_go = [threading.Event() for _ in range(8)]
        self.begun = [threading.Event() for _ in range(8)]
        self.delivered, self.told, self.closed = [], [], []
        self.all_there = threading.Event()
        self.threads = RenderThreads(self.new_painter, self.deliver, self.told.append, count=count)

    def new_painter(self):
        return SimpleNamespace(close=lambda: self.closed.append(threading.get_ident()))

    def develop(self, painter, shot):
        self.begun[shot.number].set()
        assert self.let_go[shot.number].wait(LIMIT)
        if shot.failure:
            raise shot.failure
        return shot.number

    def deliver(self, shot, frame):
        self.delivered.append(frame)
        if len(self.delivered) == 4:
            self.all_there.set()

    def submit(self, number, failure=None):
        self.threads.submit(SimpleNamespace(sensor=self, number=number, failure=failure))


def test_frames_come_in_the_shots_order_whichever_is_drawn_first():
    drawing = Drawing(count=2)
    for number in range(4):
        drawing.submit(number)
    assert all(begun.wait(LIMIT) for begun in drawing.begun[:2])
    drawing.let_go[1].set()
    for number in (2, 3):
        drawing.let_go[number].set()
    assert drawing.delivered == []
    drawing.let_go[0].set()
    assert drawing.all_there.wait(LIMIT)
    drawing.threads.close()
    assert drawing.delivered == [0, 1, 2, 3]
    assert len(set(drawing.closed)) == len(drawing.closed) == 2


@pytest.mark.parametrize(
    ("failure", "told"), [(RenderingError("no GL"), ["no GL"]), (ValueError("bug"), [])]
)
def test_where_one_thread_fails_all_end_and_it_is_told_once(failure, told):
    drawing = Drawing(count=2)
    drawing.submit(0, failure)
    drawing.submit(1, failure)
    assert all(begun.wait(LIMIT) for begun in drawing.begun[:2])
    drawing.let_go[1].set()
    drawing.let_go[0].set()
    for thread in drawing.threads._threads:
        thread.join(LIMIT)
        assert not thread.is_alive()
    for _ in range(QUEUE_LENGTH + 1):
        drawing.submit(2)  # waits for nobody
    assert (drawing.told, drawing.delivered) == (told, [])
    assert (drawing.threads.error is failure) == (not told)


def test_images_are_the_same_whichever_thread_drew_them():
    alone, several = room(seed=1), room(seed=1)
    alone.camera_mode("rate")
    several.camera_mode("deferred")
    expected = readings(alone, CAMERA, 400_000_000)
    shots = readings(several, CAMERA, 400_000_000)
    frames, complete = [], threading.Event()

    def deliver(shot, frame):
        frames.append(frame)
        if len(frames) == len(shots):
            complete.set()

    threads = RenderThreads(several.new_painter, deliver, print, count=3)
    for shot in shots:
        threads.submit(shot)
    assert complete.wait(LIMIT)
    threads.close()
    assert [frame.stamp for frame in frames] == [frame.stamp for frame in expected]
    assert len(frames) == 13
    for frame, other in zip(frames, expected, strict=True):
        assert np.array_equal(frame.pixels, other.pixels)
