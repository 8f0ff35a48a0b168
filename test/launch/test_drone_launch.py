"""drone.launch.xml: the drone flies its rectangle and lands, and the localizer runs beside."""

from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PoseStamped, PoseWithCovarianceStamped
from nav_msgs.msg import Odometry

from ros_interface.qos import LATCHED, RELIABLE, SENSOR_DATA

FLIGHT = 400.0  # a busy machine flies slowly: the scene's time is not ours
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
