"""A bridge by the scene's clock: slow, standing still, set back."""

from __future__ import annotations

from itertools import pairwise

from bridge_pair import ready
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mavlink_bridge.files.trajectory_file import Trajectory, TrajectoryPoint
from mavlink_bridge.mapping.setpoints import PositionSetpoint
from mavlink_bridge.piloting.bridge_time import SceneTime
from mavlink_bridge.piloting.drone_state import Odometry, Pose

SECOND = 1_000_000_000
THERE = Trajectory(
    "t",
    "map",
    (
        TrajectoryPoint((0.0, 0.0, 1.0), 0.0, 0.0, 0.0),
        TrajectoryPoint((2.0, 0.0, 1.0), 0.0, 20.0, 0.0),
    ),
    b"",
)


@settings(deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.integers(0, 10**12), min_size=2))
def test_seconds_never_go_back_and_pass_as_the_clock_does(readings):
    time = SceneTime()
    seconds = [time.advance(reading) for reading in readings]
    steps = [after - before for before, after in pairwise(readings)]
    passed = [after - before for before, after in pairwise(seconds)]
    for step, gone in zip(steps, passed, strict=True):
        assert abs(gone - max(0, step) * 1e-9) < 1e-6
    assert time.resets == sum(step < 0 for step in steps)


def test_while_the_scene_stands_still_nothing_is_lost_and_nothing_flies(tmp_path):
    pair = ready(tmp_path)
    pair.bridge.fly(THERE, pair.now)
    pair.run(5.0)
    part = pair.bridge.setpoints.progress(pair.now)
    sent = len(pair.drone.setpoints)
    for _ in range(5000):  # a minute of ours
        pair.bridge.poll(pair.now, pair.clock())
        pair.drone.step(pair.now)
    assert pair.bridge.setpoints.progress(pair.now) == part
    assert len(pair.drone.setpoints) <= sent + 1
    assert pair.bridge.peer.present
    pair.run(18.0)
    assert pair.heard.changes[-1] == "the trajectory is flown"


def test_after_a_reset_of_the_scene_all_begins_anew(tmp_path):
    pair = ready(tmp_path)
    pair.drone.climb = 0.0
    outcome = []
    pair.bridge.commander.take_off(pair.now, lambda *word: outcome.append(word))
    pair.run(3.0)
    pair.bridge.fly(THERE, pair.now)
    pair.clock_start = SECOND - round(pair.now * 1e9)  # the scene is one second old
    pair.heard.products.clear()
    pair.bridge.restart(pair.now)
    assert outcome == [(False, "the scene began anew")]
    assert not pair.bridge.setpoints.is_live
    pair.run(2.0)
    stamps = [stamp for stamp, product in pair.heard.products if isinstance(product, Pose)]
    assert len(stamps) > 30  # at 20 Hz, in spite of the older stamps before
    assert all(0 < stamp <= 3.1 * SECOND for stamp in stamps)
    assert pair.heard.last(Odometry).pose.position == (20.0, 10.0, 0.0)
    pair.bridge.give(PositionSetpoint((0.0, 0.0, 1.0)), pair.now)
    before = len(pair.drone.setpoints)
    pair.run(0.1)
    assert len(pair.drone.setpoints) > before


def test_before_the_scene_has_a_time_no_time_is_told(tmp_path):
    """An answer of zero would be taken for a question, and answered, for ever."""
    pair = ready(tmp_path)
    asked = []
    pair.drone.end.handlers.add(lambda frame, _: asked.append(frame.message), "TIMESYNC")
    pair.run(0.5)
    asked.clear()
    question = pair.drone.end.dialect.MAVLink_timesync_message(0, 5)
    pair.drone.end.connection.send(question, pair.now)
    for _ in range(50):
        pair.bridge.poll(pair.now, 0)
        pair.drone.step(pair.now)
    assert asked == []
