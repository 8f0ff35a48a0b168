"""Poses that come in as messages, and what those do that are too far off."""

import math
from collections import deque

import numpy as np
import pytest
from geometry_msgs.msg import PoseStamped
from scenes import SECOND, small_world

from ros_interface.errors import MessageError
from scene_sim.messages import FARTHEST, pose_in_world
from spatial_types.transforms import Transform


def test_a_scene_that_physics_put_back_says_so(tmp_path):
    ball = """<model name="ball"><link name="l"><inertial><mass>1</mass></inertial><collision
      name="c"><geometry><sphere><radius>0.1</radius></sphere></geometry></collision></link></model>"""
    simulator = small_world(tmp_path, ball)
    deque(simulator.advance(SECOND // 10), maxlen=0)
    assert not simulator.has_broken_down
    simulator.set_model_pose("ball", Transform(translation=np.array([1e11, 0.0, 0.0])))
    deque(simulator.advance(SECOND // 5), maxlen=0)
    assert simulator.has_broken_down
    simulator.reset()
    assert not simulator.has_broken_down


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
