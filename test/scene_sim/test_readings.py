"""States of joints that are told together."""

import numpy as np

from scene_sim.readings import JointStates, Reading, with_joints_joined


def joints(stamp, names, start, topic="joint_states"):
    positions = np.arange(start, start + len(names), dtype=float)
    return Reading("publisher", topic, stamp, JointStates(stamp, names, positions, -positions))


def test_joints_of_one_moment_and_topic_become_one_reading_in_the_first_ones_place():
    other = Reading("imu", "imu", 5, "a reading of another kind")
    pan, wheels = joints(5, ("pan",), 1.0), joints(5, ("left", "right"), 2.0)
    first, second = with_joints_joined([pan, other, wheels])
    assert second is other
    assert first.data.names == ("pan", "left", "right")
    assert first.data.positions.tolist() == [1.0, 2.0, 3.0]
    assert first.data.velocities.tolist() == [-1.0, -2.0, -3.0]
    assert pan.data.names == ("pan",)


def test_other_moments_and_topics_stay_apart():
    given = [joints(5, ("a",), 1.0), joints(10, ("a",), 2.0), joints(5, ("b",), 3.0, "arm/joints")]
    assert with_joints_joined(given) == given
