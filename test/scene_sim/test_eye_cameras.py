"""What the two eyes see: where a known point is in each, and that the newest viewpoint wins."""

import threading

import numpy as np
import pytest
from scenes import SECOND, room, small_world

from scene_sim.eye_thread import EyeRequest, EyeThread
from scene_sim.eyes import EyePainter, EyeQuality, EyeView
from spatial_types.frustum import Frustum
from spatial_types.transforms import Transform

OUT, IN, UP, DOWN = 1.2, 0.8, 0.9, 0.7
FRUSTA = {"left": Frustum(OUT, IN, UP, DOWN), "right": Frustum(IN, OUT, UP, DOWN)}
QUALITY = EyeQuality(width=320, height=240)
OPTICAL_FROM_EYE = np.array([[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]])
BALL = """<model name="ball"><static>true</static><pose>{} {} {} 0 0 0</pose><link name="l">
  <visual name="v"><geometry><sphere><radius>0.04</radius></sphere></geometry>
  <material><diffuse>1 0 0 1</diffuse><ambient>1 0 0 1</ambient><emissive>1 0 0 1</emissive>
  </material></visual></link></model>"""
PATIENCE = 150.0


def eyes(head: Transform, distance: float = 0.064) -> dict[str, EyeView]:
    half = {"left": 0.5 * distance, "right": -0.5 * distance}
    return {
        side: EyeView(head @ Transform(translation=np.array([0.0, half[side], 0.0])), FRUSTA[side])
        for side in ("left", "right")
    }


def projected(view: EyeView, point, quality=QUALITY):
    x, y, z = OPTICAL_FROM_EYE @ view.map_from_eye.inverse().apply(point)
    model = view.frustum.camera(quality.width, quality.height)
    return (model.matrix @ [x / z, y / z, 1.0])[:2]


def red_middle(image):
    rows, columns = np.nonzero((image[:, :, 0] > 120) & (image[:, :, 1] < 90))
    assert len(rows) > 10
    return np.array([columns.mean(), rows.mean()])


@pytest.mark.parametrize(
    ("head", "point"),
    [
        (Transform.planar(0.0, 0.0, 0.0, 1.5), (1.5, 0.3, 1.6)),
        (Transform.from_rpy((-1.0, 0.5, 1.2), (0.3, 0.2, 1.1)), (-0.3, 1.9, 1.0)),
    ],
)
def test_a_known_point_in_each_eye(tmp_path, head, point):
    simulator = small_world(tmp_path, BALL.format(*point))
    painter = EyePainter(simulator.physics.model, QUALITY)
    views = eyes(head)
    images = painter.draw_pair(views["left"], views["right"], simulator.snapshot())
    painter.close()
    found = [red_middle(image) for image in images]
    for middle, side in zip(found, ("left", "right"), strict=True):
        np.testing.assert_allclose(middle, projected(views[side], point), atol=0.7)
    # The eyes' frusta differ by more than the disparity; straight ahead, left is farther right.
    ahead = [
        middle[0] - projected(views[side], head.apply([1e6, 0.0, 0.0]))[0]
        for middle, side in zip(found, ("left", "right"), strict=True)
    ]
    assert ahead[0] > ahead[1]


def test_size_and_shape_of_pictures(tmp_path):
    simulator = small_world(tmp_path, BALL.format(1.5, 0.0, 1.5))
    painter = EyePainter(simulator.physics.model, EyeQuality(width=200, height=120, samples=4))
    views = eyes(Transform.planar(0.0, 0.0, 0.0, 1.5))
    pair = painter.draw_pair(views["left"], views["right"], simulator.snapshot())
    painter.close()
    assert [image.shape for image in pair] == [(120, 200, 3)] * 2


def test_the_scene_s_own_images_stay_the_same():
    plain = room(shadows=False).render("station/camera/image_raw").pixels
    simulator = room(shadows=False)
    painter = EyePainter(simulator.physics.model, QUALITY)
    views = eyes(Transform.planar(0.0, 0.0, 1.0, 1.5))
    painter.draw_pair(views["left"], views["right"], simulator.snapshot())
    np.testing.assert_array_equal(simulator.render("station/camera/image_raw").pixels, plain)
    painter.close()


class SlowPainter:
    """Draws when it is told to, and notes what it was given."""

    def __init__(self):
        self.begun, self.may_draw = threading.Semaphore(0), threading.Semaphore(0)
        self.drawn = []
        self.closed = False

    def draw_pair(self, left, right, snapshot):
        self.begun.release()
        assert self.may_draw.acquire(timeout=PATIENCE)
        self.drawn.append((left, snapshot))
        return np.zeros((1, 1, 3), np.uint8), np.zeros((1, 1, 3), np.uint8)

    def close(self):
        self.closed = True


def test_the_newest_viewpoint_wins_and_no_queue_grows():
    painter, delivered, done = SlowPainter(), [], threading.Semaphore(0)

    def deliver(pictures):
        delivered.append(pictures.request.stamp)
        done.release()

    thread = EyeThread(lambda: painter, deliver, pytest.fail)
    thread.show("before")
    thread.ask(EyeRequest(0, "view 0", None, 0.0))
    assert painter.begun.acquire(timeout=PATIENCE)
    thread.show("after")
    for stamp in range(1, 50):
        thread.ask(EyeRequest(stamp, f"view {stamp}", None, 0.0))
    for _ in range(2):
        painter.may_draw.release()
        assert done.acquire(timeout=PATIENCE)
    thread.close()
    assert delivered == [0, 49]
    assert painter.drawn == [("view 0", "before"), ("view 49", "after")]
    assert thread.skipped == 48
    assert painter.closed


def test_a_painter_that_breaks_is_told():
    def broken():
        raise OSError("no such device")

    thread = EyeThread(broken, lambda _: None, pytest.fail)
    thread.close()
    assert isinstance(thread.error, OSError)


def test_looking_changes_no_reading():
    """Snapshots for the eyes leave the run as it is, to the last bit."""
    plain, watched = room(seed=7), room(seed=7)
    for simulator in (plain, watched):
        simulator.set_velocity("phone_robot", 0.3, 0.4)
    for step in range(1, 40):
        until = step * SECOND // 100
        one, two = list(plain.advance(until)), list(watched.advance(until))
        watched.snapshot()
        assert [item.topic for item in one] == [item.topic for item in two]
        for a, b in zip(one, two, strict=True):
            if a.topic == "lrf/scan":
                np.testing.assert_array_equal(a.data.ranges, b.data.ranges)
    pose, other = plain.truth("phone_robot")[0], watched.truth("phone_robot")[0]
    np.testing.assert_array_equal(pose.translation, other.translation)
