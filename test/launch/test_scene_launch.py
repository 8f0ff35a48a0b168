"""scene.launch.xml: the real graph finds the robot where it stands, runs a trial, and ends."""

import json
import math

import pytest
from launched import PATIENCE, is_stand_in
from nav_msgs.msg import Odometry
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64
from std_srvs.srv import Trigger

from ros_interface.qos import RELIABLE, SENSOR_DATA

PROGRAMS = {
    "scene_sim",
    "robot_state_publisher",
    "laser_localizer",
    "orientation_estimator",
    "camera_tracker",
}


def planar(message):
    pose = message.pose.pose
    return (
        pose.position.x,
        pose.position.y,
        2.0 * math.atan2(pose.orientation.z, pose.orientation.w),
    )


def test_the_robot_is_found_where_it_stands(launched):
    scene = launched(81, "scene.launch.xml", "robot_pose:=0.5 2 0.3", "shadows:=false")
    estimates = scene.watch(Odometry, "/ground_truth/odometry", RELIABLE)
    references = scene.watch(Odometry, "/reference/target", SENSOR_DATA)
    joints = scene.watch(JointState, "/joint_states", SENSOR_DATA)

    def is_found():
        if not (estimates and references):
            return False
        (x, y, yaw), (x0, y0, yaw0) = planar(estimates[-1]), planar(references[-1])
        turned = math.remainder(yaw - yaw0, 2.0 * math.pi)
        return math.hypot(x - x0, y - y0) < 0.03 and abs(turned) < math.radians(2.0)

    scene.wait_for(is_found)
    scene.wait_for(lambda: any("camera_pan_joint" in state.name for state in joints))
    # The estimate is given as good: a covariance that does not say "unknown".
    assert 0.0 < estimates[-1].pose.covariance[0] < 0.03**2
    assert set(scene.pids.values()) == PROGRAMS
    assert scene.stop() == 0
    assert scene.left_behind() == []
    assert "Traceback" not in scene.text
    assert scene.text.count("process has finished cleanly") == len(scene.pids)


def test_a_reset_of_the_simulator_is_survived_by_all(launched):
    scene = launched(88, "scene.launch.xml", "robot_pose:=0 2 0", "shadows:=false")
    estimates = scene.watch(Odometry, "/ground_truth/odometry", RELIABLE)
    pans = scene.watch(Float64, "/station/pan/command", RELIABLE)
    reset = scene.node.create_client(Trigger, "/scene_sim/reset")
    for _ in range(2):
        # Later than what counts as merely out of order.
        scene.wait_for(lambda: estimates and estimates[-1].header.stamp.sec >= 3)
        scene.wait_for(reset.service_is_ready)
        answer = reset.call_async(Trigger.Request())
        scene.wait_for(answer.done)
        assert answer.result().success
        estimates.clear()
        pans.clear()
        scene.wait_for(lambda: any(message.header.stamp.sec < 3 for message in estimates))
        scene.wait_for(lambda: pans)
    assert scene.stop() == 0
    assert scene.text.count("time went back: everything begins anew") == 4
    assert "TF_OLD_DATA" not in scene.text
    assert "without transform" not in scene.text
    assert scene.text.count("ready: ") == 4


TRIAL = """
trial: one_point
description: One point, a few samples.
world: ground_truth_room.sdf
seed: 3
samples: 3
settle: 0.5
sensors: {shadows: false}
points:
  A: [0.0, 1.5, 0.0]
"""


def test_a_trial_runs_through_the_graph_and_ends_it(launched, tmp_path):
    trial, figures = tmp_path / "one_point.yaml", tmp_path / "figures.json"
    trial.write_text(TRIAL)
    scene = launched(82, "scene.launch.xml", f"trial:={trial}", f"json:={figures}")
    scene.wait_for(figures.is_file)
    assert scene.process.wait(timeout=60) == 0
    assert scene.left_behind() == []
    found = json.loads(figures.read_text())
    assert found["trial"] == "one_point"
    assert found["points"]["A"]["samples"] >= 1


def test_a_wrong_trial_is_refused_before_anything_starts(launched, tmp_path):
    trial = tmp_path / "wrong.yaml"
    trial.write_text(TRIAL.replace("settle", "setle"))
    scene = launched(83, "scene.launch.xml", f"trial:={trial}")
    assert scene.process.wait(timeout=60) == 1
    assert "wrong.yaml" in scene.text
    assert "setle" in scene.text
    assert scene.pids == {}


def test_a_world_that_does_not_exist_ends_the_launch_with_an_error(launched):
    scene = launched(86, "scene.launch.xml", "world:=bad.sdf", "localizer:=false")
    code = scene.process.wait(timeout=PATIENCE)
    # The real `ros2 launch` tells of the dead node and yet ends with 0.
    assert code == (1 if is_stand_in() else 0)
    assert "'worlds/bad.sdf': no such file" in scene.text
    assert "was required: shutting down" in scene.text
    assert scene.left_behind() == []


@pytest.mark.parametrize("file", ["scene.launch.xml", "localizer.launch.xml"])
def test_a_parameter_file_that_does_not_exist_is_refused(launched, file):
    scene = launched(87, file, "overrides:=no/such.yaml")
    assert scene.process.wait(timeout=PATIENCE) == 1
    assert "no/such.yaml" in scene.text
    assert scene.pids == {}


def test_a_misspelt_argument_is_answered_with_the_one_that_was_meant(launched):
    if not is_stand_in():
        return  # the real one takes any name without a word
    scene = launched(89, "scene.launch.xml", "scan_topc:=/scan")
    assert scene.process.wait(timeout=PATIENCE) == 1
    assert "argument 'scan_topc' is not declared; did you mean 'scan_topic'? known: " in scene.text
    assert scene.pids == {}
