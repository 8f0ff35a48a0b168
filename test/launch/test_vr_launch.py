"""scene.launch.xml vr:=true: the viewpoint looks at the estimate, in simulated time."""

import re

import numpy as np
from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import Odometry
from sensor_msgs.msg import CameraInfo
from std_msgs.msg import String

from ros_interface.geometry_messages import pose_from_message
from ros_interface.qos import LATCHED, RELIABLE

DISTANCE = 2.0  # m, the orbit's default


def test_a_scripted_head_orbits_the_estimated_target(launched):
    scene = launched(
        90,
        "scene.launch.xml",
        "robot_pose:=0.5 2 0.3",
        "shadows:=false",
        "vr:=true",
        "vr_head:=scripted",
        "vr_mode:=orbit",
    )
    heads = scene.watch(PoseStamped, "/viewpoint/head", RELIABLE)
    infos = scene.watch(CameraInfo, "/viewpoint/left/camera_info", LATCHED)
    states = scene.watch(String, "/viewpoint/mode_state", LATCHED)
    estimates = scene.watch(Odometry, "/ground_truth/odometry", RELIABLE)

    def looks_at_the_target():
        if not (heads and estimates):
            return False
        target = estimates[-1].pose.pose.position
        head = pose_from_message(heads[-1].pose)
        ahead = head.inverse().apply([target.x, target.y, target.z])
        return np.allclose(ahead, [DISTANCE, 0.0, 0.0], atol=0.05)

    scene.wait_for(looks_at_the_target)
    yaws = {round(pose_from_message(head.pose).yaw, 2) for head in heads}
    scene.wait_for(lambda: infos and states)
    assert infos[-1].header.frame_id == "viewpoint/left_eye_optical"
    assert states[-1].data == "orbit"
    scene.wait_for(
        lambda: len({round(pose_from_message(head.pose).yaw, 2) for head in heads}) > len(yaws)
    )
    assert heads[-1].header.stamp.sec < 10_000  # simulated time
    mine = {"viewpoint_node", "hands_node", "head_source"}
    assert mine <= set(scene.pids.values())
    assert scene.stop() == 0
    assert scene.left_behind() == []
    assert "Traceback" not in scene.text
    ended = re.findall(r"\[([\w-]+)-\d+\]: process has finished cleanly", scene.text)
    assert mine <= set(ended)
