"""What `simulator:=` offers, and what each of them gets."""

import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
LAUNCH = ROOT / "launch"

# Design of the topics: name, ROS type, Gazebo type, direction as the bridge sees it.
TOPICS = {
    "/clock": ("rosgraph_msgs/msg/Clock", "gz.msgs.Clock", "GZ_TO_ROS"),
    "/lrf/scan": ("sensor_msgs/msg/LaserScan", "gz.msgs.LaserScan", "GZ_TO_ROS"),
    "/station/camera/image_raw": ("sensor_msgs/msg/Image", "gz.msgs.Image", "GZ_TO_ROS"),
    "/station/camera/camera_info": (
        "sensor_msgs/msg/CameraInfo",
        "gz.msgs.CameraInfo",
        "GZ_TO_ROS",
    ),
    "/station/pan/command": ("std_msgs/msg/Float64", "gz.msgs.Double", "ROS_TO_GZ"),
    "/joint_states": ("sensor_msgs/msg/JointState", "gz.msgs.Model", "GZ_TO_ROS"),
    "/phone_robot/cmd_vel": ("geometry_msgs/msg/Twist", "gz.msgs.Twist", "ROS_TO_GZ"),
    "/phone_robot/odom": ("nav_msgs/msg/Odometry", "gz.msgs.Odometry", "GZ_TO_ROS"),
    "/reference/target": ("nav_msgs/msg/Odometry", "gz.msgs.Odometry", "GZ_TO_ROS"),
    "/reference/phone_robot": ("nav_msgs/msg/Odometry", "gz.msgs.Odometry", "GZ_TO_ROS"),
}


def choices():
    scene = ElementTree.parse(LAUNCH / "scene.launch.xml")
    return [choice.get("value") for choice in scene.findall("arg[@name='simulator']/choice")]


def test_every_simulator_has_its_launch_file():
    assert choices() == ["embedded", "gz", "gazebo_classic", "none"]
    files = {path.name for path in LAUNCH.glob("simulator_*.launch.xml")}
    assert files == {f"simulator_{name}.launch.xml" for name in choices() if name != "none"}


@pytest.mark.parametrize("path", sorted(LAUNCH.glob("simulator_*")), ids=lambda path: path.stem)
def test_a_simulator_asks_for_nothing_that_the_scene_does_not_give(path):
    include = ElementTree.parse(LAUNCH / "scene.launch.xml").find("include")
    assert "simulator_$(var simulator)" in include.get("file")
    given = {arg.get("name") for arg in include.findall("arg")}
    assert {arg.get("name") for arg in ElementTree.parse(path).findall("arg")} <= given


def test_the_bridge_has_each_topic_of_the_design_once():
    entries = yaml.safe_load((ROOT / "config" / "bridge.yaml").read_text())
    names = [entry["ros_topic_name"] for entry in entries]
    assert len(names) == len(set(names))
    found = {
        entry["ros_topic_name"]: tuple(
            entry[key] for key in ("ros_type_name", "gz_type_name", "direction")
        )
        for entry in entries
    }
    assert {name: found[name] for name in TOPICS} == TOPICS
    for entry in entries:
        assert entry["ros_topic_name"] == f"/{entry['gz_topic_name']}"


def test_everything_bridged_is_named_in_the_models():
    entries = yaml.safe_load((ROOT / "config" / "bridge.yaml").read_text())
    world = (ROOT / "worlds" / "ground_truth_room_full.sdf").read_text()
    named = set(re.findall(r"<(?:odom_)?topic>([^<]+)</", world))
    bridged = {entry["gz_topic_name"] for entry in entries} - {"clock"}
    assert bridged - named == {"station/camera/camera_info"}  # beside the camera's own topic


def test_frames_are_those_of_the_urdf():
    world = (ROOT / "worlds" / "ground_truth_room_full.sdf").read_text()
    frames = set(re.findall(r'<(?:link|frame) name="([^"]+)"', world))
    tags = re.findall(r"<(?:gz_frame_id|optical_frame_id|child_frame_id)>([^<]+)</", world)
    assert len(tags) > 10
    assert set(tags) <= frames


WITHOUT_MUJOCO = """
import sys
sys.modules["mujoco"] = None  # importing it fails
import evaluation.trial_parameters
import ground_truth_localizer.camera_tracker_node
import ground_truth_localizer.laser_localizer_node
import ground_truth_localizer.orientation_estimator_node
import scene_sim.classic_pan_node
import scene_sim.full_worlds
"""


def test_only_the_embedded_simulator_needs_mujoco():
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    subprocess.run([sys.executable, "-c", WITHOUT_MUJOCO], check=True, env=environment)


def test_model_paths_begin_at_the_share_folder_of_the_install():
    hook = (ROOT / "hook" / "resource_path.dsv").read_text().split()
    assert hook == [
        f"prepend-non-duplicate;{name};share"
        for name in ("GZ_SIM_RESOURCE_PATH", "IGN_GAZEBO_RESOURCE_PATH")
    ]
    export = ElementTree.parse(ROOT / "package.xml").find("export/gazebo_ros")
    assert export.get("gazebo_model_path") == "${prefix}/.."


def test_without_a_simulator_only_the_estimators_start(launched):
    scene = launched(86, "scene.launch.xml", "simulator:=none")
    programs = {"robot_state_publisher", "laser_localizer", "orientation_estimator"}
    scene.wait_for(lambda: len(scene.pids) == 4)
    assert set(scene.pids.values()) == {*programs, "camera_tracker"}
    assert scene.stop() == 0
    assert scene.left_behind() == []


def test_a_real_station_with_other_names(launched):
    scene = launched(
        87, "hardware.launch.xml", "scan_topic:=/mine/scan", "joint_states_topic:=/mine/joints"
    )

    def heard():
        return dict(scene.node.get_topic_names_and_types())

    scene.wait_for(lambda: {"/mine/scan", "/mine/joints", "/image_raw"} <= set(heard()))
    assert "/clock" not in heard()
    assert scene.stop() == 0
    assert scene.left_behind() == []
