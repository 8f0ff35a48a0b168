"""A drone flies its rectangle and lands beside the running localizer; two by namespace."""

from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PoseStamped, PoseWithCovarianceStamped
from nav_msgs.msg import Odometry

from ros_interface.qos import LATCHED, RELIABLE, SENSOR_DATA

FLIGHT = 900.0  # a busy machine flies slowly: the scene's time is not ours
BRISK = "/drone/mavlink_bridge: {ros__parameters: {trajectory_speed: 1.5}}"


def test_a_square_is_flown_with_the_localizer_running(launched, tmp_path):
    brisk = tmp_path / "brisk.yaml"
    brisk.write_text(BRISK)
    scene = launched(93, "drone.launch.xml", "shadows:=false", f"overrides:={brisk}")
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


def test_two_drones_fly_in_their_namespaces(launched):
    scene = launched(94, "two_drones.launch.xml", "shadows:=false", "localizer:=false")
    names = ("drone", "drone_2")
    poses = {name: scene.watch(PoseStamped, f"/{name}/pose", RELIABLE) for name in names}
    truth = {name: scene.watch(Odometry, f"/reference/{name}", RELIABLE) for name in names}
    states = {name: scene.watch(DiagnosticStatus, f"/{name}/state", LATCHED) for name in names}

    def heights():
        told = [poses[name][-1].pose.position.z if poses[name] else 0.0 for name in names]
        real = [truth[name][-1].pose.pose.position.z if truth[name] else 0.0 for name in names]
        return [min(pair) for pair in zip(told, real, strict=True)]

    scene.wait_for(lambda: heights()[0] > 1.3 and heights()[1] > 2.0, FLIGHT)
    assert [states[name][-1].hardware_id for name in names] == ["1/1", "2/1"]
    for name in names:
        assert truth[name][-1].child_frame_id == f"{name}/base_link"
    start, other = (truth[name][0].pose.pose.position for name in names)
    assert (start.x, start.y) != (other.x, other.y)
