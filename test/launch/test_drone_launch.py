"""A drone flies its rectangle and lands beside the running localizer; two by namespace."""

import math
import socket

from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PoseStamped, PoseWithCovarianceStamped
from nav_msgs.msg import Odometry
from std_srvs.srv import SetBool

from ros_interface.qos import LATCHED, RELIABLE, SENSOR_DATA

FLIGHT = 900.0  # a busy machine flies slowly: the scene's time is not ours
BRISK = "/drone/mavlink_bridge: {ros__parameters: {trajectory_speed: 1.5}}"


def free_port():
    """Return a UDP port that no other scene on this machine uses."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def test_a_square_is_flown_with_the_localizer_running(launched, tmp_path):
    brisk = tmp_path / "brisk.yaml"
    brisk.write_text(BRISK)
    port = free_port()
    link = (f"link:=udpout:127.0.0.1:{port}", f"bridge_link:=udpin:127.0.0.1:{port}")
    scene = launched(67, "drone.launch.xml", "shadows:=false", f"overrides:={brisk}", *link)
    poses = scene.watch(PoseStamped, "/drone/pose", RELIABLE)
    truth = scene.watch(Odometry, "/reference/drone", RELIABLE)
    target = scene.watch(PoseWithCovarianceStamped, "/ground_truth/position", SENSOR_DATA)
    state = scene.watch(DiagnosticStatus, "/drone/state", LATCHED)
    scene.wait_for(lambda: "the rectangle is flown" in scene.text, FLIGHT)
    assert state
    assert target
    for messages in (
        [message.pose.position for message in poses],
        [message.pose.pose.position for message in truth],
    ):
        assert max(place.x for place in messages) > 2.3
        assert max(place.y for place in messages) > 3.0
        assert max(place.z for place in messages) > 1.4
    scene.wait_for(lambda: "land: done" in scene.text, FLIGHT)


def test_two_drones_have_their_namespaces(launched):
    """Each is where it stands, under its own name and number; only the one that is told arms."""
    scene = launched(
        68,
        "two_drones.launch.xml",
        *("shadows:=false", "localizer:=false", "square:=false"),
        *(f"port:={free_port()}", f"second_port:={free_port()}"),
    )
    names = ("drone", "drone_2")
    poses = {name: scene.watch(PoseStamped, f"/{name}/pose", RELIABLE) for name in names}
    truth = {name: scene.watch(Odometry, f"/reference/{name}", RELIABLE) for name in names}
    states = {name: scene.watch(DiagnosticStatus, f"/{name}/state", LATCHED) for name in names}

    def is_armed(name):
        values = {item.key: item.value for item in states[name][-1].values}
        return values["armed"] == "True"

    scene.wait_for(lambda: all(poses.values()) and all(truth.values()), FLIGHT)
    for name in names:
        told, real = poses[name][-1].pose.position, truth[name][-1].pose.pose.position
        assert math.dist((told.x, told.y), (real.x, real.y)) < 0.2
        assert truth[name][-1].child_frame_id == f"{name}/base_link"
    assert poses["drone"][-1].pose.position.x < 0.0 < poses["drone_2"][-1].pose.position.x
    scene.wait_for(lambda: all(items and items[-1].hardware_id for items in states.values()))
    assert [states[name][-1].hardware_id for name in names] == ["1/1", "2/1"]
    client = scene.node.create_client(SetBool, "/drone_2/arm")
    scene.wait_for(client.service_is_ready)
    client.call_async(SetBool.Request(data=True))
    scene.wait_for(lambda: is_armed("drone_2"), FLIGHT)
    assert not is_armed("drone")
