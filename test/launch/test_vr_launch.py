"""scene.launch.xml vr:=true: the viewpoint, its hands and its page, in simulated time."""

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PoseStamped
from sensor_msgs.msg import CameraInfo
from std_msgs.msg import String

from ros_interface.geometry_messages import pose_from_message
from ros_interface.qos import LATCHED, RELIABLE

DISTANCE = 2.0  # m, the orbit's default
LASER = (0.0, 0.0, 0.5)  # lrf_link in the map


def test_a_scripted_head_orbits_a_frame_of_the_scene(launched):
    scene = launched(
        90,
        "scene.launch.xml",
        "localizer:=false",
        "shadows:=false",
        "vr:=true",
        "vr_head:=scripted",
        "vr_mode:=orbit",
        "vr_target:=lrf_link",
        "vr_port:=0",
    )
    heads = scene.watch(PoseStamped, "/viewpoint/head", RELIABLE)
    infos = scene.watch(CameraInfo, "/viewpoint/left/camera_info", LATCHED)
    states = scene.watch(String, "/viewpoint/mode_state", LATCHED)

    statuses = scene.watch(DiagnosticArray, "/diagnostics", RELIABLE)

    def yaws():
        return {round(pose_from_message(head.pose).yaw, 2) for head in heads}

    scene.wait_for(lambda: infos and states and len(yaws()) > 3)
    for head in heads:
        ahead = pose_from_message(head.pose).inverse().apply(LASER)
        np.testing.assert_allclose(ahead, [DISTANCE, 0.0, 0.0], atol=1e-6)
    # All spin, so that an interrupt finds none of them half made.
    nodes = {"viewpoint", "hands", "head_source", "page_server", "scene_sim"}
    scene.wait_for(lambda: nodes <= {s.name for array in statuses for s in array.status})
    assert infos[-1].header.frame_id == "viewpoint/left_eye_optical"
    assert states[-1].data == "orbit"
    assert heads[-1].header.stamp.sec < 10_000  # simulated time
    programs = {"viewpoint_node", "hands_node", "head_source", "page_server"}
    assert programs <= set(scene.pids.values())
    assert "the page: http://localhost:" in scene.text
    assert scene.stop() == 0
    assert scene.left_behind() == []
    assert "Traceback" not in scene.text
