"""The trajectories that turn the pan motor in Gazebo Classic."""

import math

from hypothesis import given
from hypothesis import strategies as st

from scene_sim.classic_pan_node import PERIOD_NS, sweep, trajectory

angles = st.floats(-1.66, 1.66)


@given(start=angles, goal=angles, step=st.floats(0.001, 1.0))
def test_a_sweep_ends_at_its_goal_and_never_goes_faster(start, goal, step):
    places = sweep(start, goal, step)
    assert places[-1] == goal or math.isclose(places[-1], goal, abs_tol=1e-12)
    for before, after in zip([start, *places], places, strict=False):
        assert abs(after - before) <= step * (1.0 + 1e-6)
        assert (after - before) * (goal - start) >= 0.0


def test_the_points_of_a_trajectory_follow_one_another_at_equal_times():
    message = trajectory("camera_pan_joint", [0.1, 0.2])
    assert message.header.frame_id == "world"
    assert list(message.joint_names) == ["camera_pan_joint"]
    assert [list(point.positions) for point in message.points] == [[0.1], [0.2]]
    waits = {point.time_from_start.nanosec for point in message.points}
    assert waits == {PERIOD_NS}
