"""Cameras that fly after the viewpoint by velocity commands, as Gazebo's must."""

from pathlib import Path

import numpy as np
import pytest
from geometry_msgs.msg import PoseStamped, Twist
from nav_msgs.msg import Odometry
from node_room import NodeRoom

from scene_sim.simulator import ModelSpec, Simulator, SimulatorOptions
from spatial_types.transforms import Transform
from vr_view.stereo.chase import Chase, ChaseOptions
from vr_view.viewpoint_chase_node import ViewpointChaseNode

ROOT = Path(__file__).resolve().parents[2]
SECOND = 1_000_000_000
DOMAIN = 93
EYES = "viewpoint_eyes"


def head(seconds):
    """A head that walks and looks around: 1 m/s, 1 rad/s at most."""
    place = (np.sin(seconds), 2.0 + 0.5 * np.sin(0.7 * seconds), 1.5 + 0.1 * np.sin(3.0 * seconds))
    return Transform.from_rpy(place, (0.0, 0.4 * np.sin(seconds), 1.0 * np.sin(seconds)))


@pytest.fixture(scope="module")
def simulator():
    """The room with the cameras, whose VelocityControl the embedded simulator plays too."""
    eyes = ModelSpec(ROOT / "urdf/viewpoint_eyes.urdf.xacro", pose=Transform.planar(0, 1, 0, 1.2))
    world = ROOT / "worlds/ground_truth_room.sdf"
    made = Simulator.load(world, [eyes], SimulatorOptions())
    made.camera_mode("on_demand")
    return made


def follow(simulator, chase, seconds, late=0.0):
    """Run the loop as the topics do; yield how far apart viewpoint and cameras are (m, rad)."""
    end = simulator.time + round(seconds * SECOND)
    for reading in simulator.advance(end):
        if reading.topic != f"{EYES}/odometry":
            continue
        now = reading.stamp / SECOND
        chase.wish(head(now - late), now - late)
        linear, angular = chase.command(reading.data.pose, now)
        simulator.set_body_velocity(EYES, linear, angular)
        away = head(now).inverse() @ reading.data.pose
        angle = np.arccos(np.clip((np.trace(away.rotation) - 1.0) / 2.0, -1.0, 1.0))
        yield float(np.linalg.norm(away.translation)), float(angle)


@pytest.mark.parametrize("late", [0.0, 0.02])
def test_the_cameras_keep_up_with_a_head(simulator, late):
    simulator.reset()
    apart = np.array(list(follow(simulator, Chase(ChaseOptions()), 4.0, late)))
    settled = apart[150:]
    assert settled[:, 0].max() < 0.02
    assert settled[:, 1].max() < 0.03


def test_without_a_viewpoint_they_stand(simulator):
    chase = Chase(ChaseOptions(timeout=0.3))
    linear, angular = chase.command(head(0.0), 0.0)
    assert not linear.any()
    assert not angular.any()
    chase.wish(head(1.0), 1.0)
    assert chase.command(head(0.0), 1.2)[0].any()
    assert not chase.command(head(0.0), 1.4)[0].any()


def test_speeds_are_limited_and_in_the_body_s_axes():
    chase = Chase(ChaseOptions(speed=2.0, spin=1.0))
    chase.wish(Transform.planar(10.0, 0.0, 3.0), 1.0)
    linear, angular = chase.command(Transform.planar(0.0, 0.0, np.pi / 2), 1.0)
    np.testing.assert_allclose(linear, [0.0, -2.0, 0.0], atol=1e-9)
    np.testing.assert_allclose(angular, [0.0, 0.0, 1.0], atol=1e-9)


def test_both_eyes_are_where_they_belong(simulator):
    simulator.reset()
    left, right = (simulator.link_pose(EYES, f"{EYES}/{side}_link") for side in ("left", "right"))
    np.testing.assert_allclose(left.translation - right.translation, [0.0, 0.064, 0.0], atol=1e-9)
    assert {"viewpoint/left/image_raw", "viewpoint/right/image_raw"} <= set(simulator.cameras)
    for topic in simulator.cameras:
        assert simulator.render(topic).pixels.shape == (480, 640, 3)


def test_the_node_commands_what_the_loop_says():
    room = NodeRoom(DOMAIN, ViewpointChaseNode)
    try:
        commands = room.listen(Twist, f"/{EYES}/cmd_vel")
        wish, body = PoseStamped(), Odometry()
        for message in (wish, body):
            message.header.frame_id = "map"
            message.header.stamp.sec = 3
        wish.pose.position.x = 1.0

        def look():
            room.send("/viewpoint/head", wish)
            room.send(f"/{EYES}/odometry", body)

        room.wait(lambda: commands and commands[-1].linear.x > 0.0, look)
        assert commands[-1].linear.x == pytest.approx(12.0)
        assert commands[-1].linear.y == 0.0
        bad = PoseStamped()
        bad.header.frame_id = "camera"
        counts = room.node._diagnostics.counts
        room.wait(
            lambda: counts["bad poses of the viewpoint"], lambda: room.send("/viewpoint/head", bad)
        )
    finally:
        room.close()
