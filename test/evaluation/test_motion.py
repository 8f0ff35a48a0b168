import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.motion import (
    MotionLimits,
    Move,
    PathFollower,
    arc_to,
    plan_motion,
    pose_after,
)
from spatial_types.transforms import Transform

MOVES = [
    Move("stop", 0.5),
    Move("drive", 1.5),
    Move("drive", 1.0, np.pi / 2),
    Move("turn", angle=-np.pi),
    Move("drive", -0.7, 0.3),
]


def test_a_plan_keeps_its_limits_and_ends_at_rest():
    plan = plan_motion((1.0, 2.0, 0.3), MOVES, MotionLimits(0.5, 0.5, 1.5, 3.0))
    tick = np.diff(plan.time)
    assert np.allclose(tick, tick[0])
    assert np.abs(plan.speed).max() <= 0.5 + 1e-9
    assert np.abs(np.diff(plan.speed) / tick).max() <= 0.5 * 1.02
    assert np.abs(np.diff(plan.yaw_rate) / tick).max() <= 3.0 * 1.02
    assert plan.speed[0] == plan.speed[-1] == 0.0
    assert plan.yaw_rate[-1] == 0.0


def test_poses_are_the_integral_of_the_velocities():
    plan = plan_motion((0.0, 0.0, 0.0), MOVES, MotionLimits())
    length = np.sum(np.abs(plan.speed)) * 0.01
    assert length == pytest.approx(3.2, rel=1e-3)
    travelled = np.hypot(np.diff(plan.x), np.diff(plan.y)).sum()
    assert travelled == pytest.approx(length, rel=2e-3)
    assert plan.yaw[-1] == pytest.approx(np.pi / 2 - np.pi + 0.3, abs=0.02)


@given(
    st.floats(-3, 3),
    st.floats(-3, 3),
    st.floats(-3, 3),
    st.floats(-3, 3),
    st.floats(-3, 3),
    st.booleans(),
)
def test_an_arc_ends_where_it_should(x, y, yaw, to_x, to_y, backwards):
    if np.hypot(to_x - x, to_y - y) < 0.1:
        return
    move = arc_to((x, y, yaw), to_x, to_y, backwards)
    if abs(move.angle) > 6.0:
        return
    end = pose_after((x, y, yaw), move)
    assert end[:2] == pytest.approx((to_x, to_y), abs=1e-6)
    assert (move.length < 0) == backwards


def test_the_follower_brings_a_slipping_robot_back():
    plan = plan_motion(
        (0.0, 0.0, 0.0), [Move("drive", 2.0), Move("drive", 2.0, 1.5)], MotionLimits()
    )
    follower = PathFollower(plan)
    pose = Transform.planar(5.0, -3.0, 1.0)  # odometry starts anywhere
    start = pose
    for k in range(int(plan.duration / 0.02)):
        linear, angular = follower.command(k * 0.02, pose)
        step = Transform.planar(0.95 * linear * 0.02, 0.0, 1.1 * angular * 0.02)
        pose = pose @ step
    end = start.inverse() @ pose
    assert end.translation[:2] == pytest.approx((plan.x[-1], plan.y[-1]), abs=0.06)
    assert follower.command(plan.duration, pose) == (0.0, 0.0)
