"""Poses that come in as messages."""

import math

import pytest
from geometry_msgs.msg import PoseStamped

from ros_interface.errors import MessageError
from scene_sim.messages import FARTHEST, pose_in_world


def pose_at(x, frame="map"):
    message = PoseStamped()
    message.header.frame_id = frame
    message.pose.position.x = x
    return message


@pytest.mark.parametrize("x", [2.0 * FARTHEST, -1e11, 1e300, math.inf, math.nan])
def test_poses_that_would_break_the_scene_are_refused(x):
    with pytest.raises(MessageError, match="position"):
        pose_in_world(pose_at(x))


def test_poses_in_the_map_are_taken():
    assert pose_in_world(pose_at(-FARTHEST)).translation.tolist() == [-FARTHEST, 0.0, 0.0]
    with pytest.raises(MessageError, match="frame_id"):
        pose_in_world(pose_at(0.0, "odom"))
