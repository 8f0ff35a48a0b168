"""Hands on topics: wishes in, where physics let them go out; in step, so no machine is too slow."""

from contextlib import nullcontext

import pytest
import rclpy
from geometry_msgs.msg import PoseStamped
from node_graph import Listener
from scenes import SECOND, room
from std_msgs.msg import Bool, Empty, String

from ros_interface.diagnostics import OK, NodeDiagnostics
from ros_interface.qos import LATCHED
from scene_sim.hand_topics import HandTopics

DOMAIN = "90"
HAND = "/scene_sim/left_hand"


class Scene(Listener):
    """The room with hands and their topics, and a person's left hand that wishes and hears."""

    def __init__(self):
        super().__init__(DOMAIN)
        self.simulator = room(x=0.0, y=2.0, hands=True)
        self.server = rclpy.create_node("scene", context=self.context)
        self.executor.add_node(self.server)
        self.diagnostics = NodeDiagnostics(self.server, lambda: (OK, ""))
        self.topics = HandTopics(self.server, self.simulator, 0.5, self.diagnostics, nullcontext)
        create = self.node.create_publisher
        self.targets = create(PoseStamped, f"{HAND}/target", 10)
        self.grip, self.let_go = (
            create(Bool, f"{HAND}/grip", 10),
            create(Empty, f"{HAND}/let_go", 10),
        )
        self.listen(PoseStamped, f"{HAND}/pose")
        self.listen(String, f"{HAND}/held", LATCHED)
        self.height = self.wish = 1.0

    @property
    def held(self):
        return self.heard[f"{HAND}/held"][-1].data

    def step(self, publishes=True):
        """Ten milliseconds: a target nearer to the wish, and what came of it."""
        self.height += min(max(self.wish - self.height, -0.02), 0.02)
        if publishes:
            message = PoseStamped()
            message.header.frame_id = "map"
            message.pose.position.y, message.pose.position.z = 2.0, self.height
            self.targets.publish(message)
        for _ in range(4):
            self.executor.spin_once(timeout_sec=0.005)
        for _ in self.simulator.advance(self.simulator.time + SECOND // 100):
            pass
        self.topics.observe()

    def until(self, condition, publishes=True):
        self.wait(lambda: condition() or self.step(publishes))

    def grasp(self):
        """Lay the hand on the target, whose lid is 0.55 m high, and close it."""
        self.grip.publish(Bool(data=False))
        self.wish = 0.6
        self.until(lambda: self.hand_height() < 0.605)
        self.until(lambda: self.held == "phone_robot" or self.grip.publish(Bool(data=True)))

    def hand_height(self):
        poses = self.heard[f"{HAND}/pose"]
        return poses[-1].pose.position.z if poses else 0.0

    def close(self):
        self.server.destroy_node()
        super().close()


@pytest.fixture
def scene():
    made = Scene()
    made.until(lambda: made.hand_height() > 0.9 and made.heard[f"{HAND}/held"])
    yield made
    made.close()


def test_a_hand_lifts_the_robot_and_lets_go_when_told(scene):
    assert scene.held == ""
    scene.grasp()
    scene.wish = 1.2
    scene.until(lambda: scene.hand_height() > 1.15)
    assert scene.held == "phone_robot"
    assert scene.simulator.link_pose("phone_robot", "phone_robot/base_link").translation[2] > 0.5
    scene.until(lambda: scene.held == "" or scene.let_go.publish(Empty()))


def test_a_person_who_is_gone_holds_nothing(scene):
    scene.grasp()
    scene.until(lambda: scene.held == "", publishes=False)
    count = len(scene.heard[f"{HAND}/pose"])
    for _ in range(10):
        scene.step(publishes=False)
    assert len(scene.heard[f"{HAND}/pose"]) <= count + 1  # one may have been on its way


def test_targets_in_other_frames_are_refused(scene):
    bad = PoseStamped()
    bad.header.frame_id = "viewpoint"
    counts = scene.diagnostics.counts
    scene.until(lambda: counts["target of the left hand refused"] or scene.targets.publish(bad))


def test_reset_while_the_hand_holds(scene):
    scene.grasp()
    scene.simulator.reset()
    scene.until(lambda: scene.held == "")
