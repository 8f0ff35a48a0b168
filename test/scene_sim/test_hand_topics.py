"""Hands on topics: wishes in, where physics let them go out."""

import signal

import pytest
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import PoseStamped
from node_graph import PATIENCE, Listener, start
from std_msgs.msg import Bool, String

from ros_interface.qos import LATCHED

DOMAIN = "90"


@pytest.fixture
def listener():
    made = Listener(DOMAIN)
    yield made
    made.close()


@pytest.fixture
def simulator():
    process = start(DOMAIN, "hands:=true")
    yield process
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
        process.wait(PATIENCE)


class Person:
    """Wishes the left hand somewhere, every 20 ms, moving no faster than an arm."""

    def __init__(self, node, place):
        self.place, self.wish, self.is_there = list(place), list(place), True
        self.targets = node.create_publisher(PoseStamped, "/scene_sim/left_hand/target", 10)
        self.grip = node.create_publisher(Bool, "/scene_sim/left_hand/grip", 10)
        node.create_timer(0.02, self.publish)

    def publish(self):
        if not self.is_there:
            return
        for axis in range(3):
            way = self.wish[axis] - self.place[axis]
            self.place[axis] += min(max(way, -0.04), 0.04)
        message = PoseStamped()
        message.header.frame_id = "map"
        position = message.pose.position
        position.x, position.y, position.z = self.place
        self.targets.publish(message)


def test_a_hand_grips_the_robot_and_is_taken_away(listener, simulator):
    person = Person(listener.node, (0.0, 2.0, 1.0))
    listener.listen(PoseStamped, "/scene_sim/left_hand/pose")
    listener.listen(String, "/scene_sim/left_hand/held", LATCHED)
    listener.listen(DiagnosticArray, "/diagnostics")
    heard = listener.heard
    poses, held = heard["/scene_sim/left_hand/pose"], heard["/scene_sim/left_hand/held"]
    listener.wait(lambda: poses and held)
    assert held[-1].data == ""
    assert poses[-1].header.frame_id == "map"

    person.wish[2] = 0.58  # on top of the target; its lid is at 0.55
    listener.wait(lambda: poses[-1].pose.position.z < 0.62)
    person.grip.publish(Bool(data=True))
    listener.wait(lambda: held[-1].data == "phone_robot")
    person.wish[2] = 1.2
    listener.wait(lambda: poses[-1].pose.position.z > 1.15)
    assert held[-1].data == "phone_robot"

    person.is_there = False  # the link is gone: what is held is let go
    listener.wait(lambda: held[-1].data == "")
    count = len(poses)
    bad = PoseStamped()
    bad.header.frame_id = "viewpoint"
    person.targets.publish(bad)
    listener.wait(
        lambda: any(
            "target of the left hand refused" in [pair.key for pair in item.status[0].values]
            for item in heard["/diagnostics"]
        )
    )
    assert len(poses) == count
