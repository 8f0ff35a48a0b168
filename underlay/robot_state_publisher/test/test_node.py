"""The program as a process, on topics only: these tests hold for the real one as well."""

import math
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from ament_index_python.packages import get_package_prefix
from builtin_interfaces.msg import Time
from rcl_interfaces.msg import Parameter, ParameterType, ParameterValue
from rcl_interfaces.srv import SetParameters
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

LATCHED = QoSProfile(depth=10, durability=DurabilityPolicy.TRANSIENT_LOCAL)
ROBOT = """<robot name="r">
  <link name="base"/><link name="arm"/><link name="finger"/><link name="sensor"/>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="arm"/>
    <origin xyz="0 0 1"/><axis xyz="0 0 1"/>
    <limit lower="-3" upper="3" effort="1" velocity="1"/>
  </joint>
  <joint name="grip" type="prismatic">
    <parent link="arm"/><child link="finger"/><axis xyz="1 0 0"/>
    <limit lower="-3" upper="3" effort="1" velocity="1"/>
    <mimic joint="shoulder" multiplier="2" offset="0.5"/>
  </joint>
  <joint name="mount" type="fixed">
    <parent link="arm"/><child link="sensor"/><origin xyz="0.1 0 0"/>
  </joint>
</robot>"""

Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    prefix = Path(get_package_prefix("robot_state_publisher"))
    program = prefix / "lib" / "robot_state_publisher" / "robot_state_publisher"
    started: list[subprocess.Popen[str]] = []

    def start(description: str = ROBOT, **parameters: object) -> subprocess.Popen[str]:
        lines = "".join(f"    {name}: {value}\n" for name, value in parameters.items())
        indented = description.replace("\n", "\n      ")
        file = tmp_path / f"parameters_{len(started)}.yaml"
        file.write_text(
            f"/**:\n  ros__parameters:\n{lines}    robot_description: |\n      {indented}\n"
        )
        process = subprocess.Popen(
            [program, "--ros-args", "--params-file", file],
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        process.communicate(timeout=90)


class Robot:
    """The other side: sends joint states and hears transforms."""

    def __init__(self, graph) -> None:
        self.graph = graph
        self.node = graph.node("robot")
        self.heard: list = []
        self.fixed: list = []
        self.joints = self.node.create_publisher(JointState, "joint_states", 10)
        self.node.create_subscription(
            TFMessage, "/tf", lambda message: self.heard.extend(message.transforms), 10
        )
        self.node.create_subscription(
            TFMessage, "/tf_static", lambda message: self.fixed.extend(message.transforms), LATCHED
        )

    def send(self, seconds: float, position: float = 0.0, names: tuple[str, ...] = ("shoulder",)):
        state = JointState(name=names, position=[position])
        state.header.stamp = Time(sec=int(seconds), nanosec=round(seconds % 1 * 1e9))
        self.joints.publish(state)

    def find(self, child: str, seconds: float):
        stamp = Time(sec=int(seconds), nanosec=round(seconds % 1 * 1e9))
        for one in self.heard:
            if one.child_frame_id == child and one.header.stamp == stamp:
                return one
        return None

    def answers(self, seconds: float, child: str = "arm", position: float = 0.0) -> bool:
        """Sends until the transforms of this stamp are heard."""

        def sent() -> bool:
            self.send(seconds, position)
            return self.find(child, seconds) is not None

        return self.graph.spin_until(sent)


def test_moving_joints_carry_the_stamp_of_their_states(graph, start):
    start()
    robot = Robot(graph)

    assert robot.answers(10.0, position=math.pi / 2)

    arm = robot.find("arm", 10.0)
    assert arm.header.frame_id == "base"
    assert arm.transform.translation.z == pytest.approx(1.0)
    assert arm.transform.rotation.z == pytest.approx(math.sqrt(0.5))
    finger = robot.find("finger", 10.0)
    assert finger.header.frame_id == "arm"
    assert finger.transform.translation.x == pytest.approx(math.pi + 0.5)
    assert robot.find("sensor", 10.0) is None


def test_fixed_joints_are_latched_with_the_prefix(graph, start):
    start(frame_prefix="left/")
    robot = Robot(graph)

    assert graph.spin_until(lambda: bool(robot.fixed))

    assert [one.child_frame_id for one in robot.fixed] == ["left/sensor"]
    assert robot.fixed[0].header.frame_id == "left/arm"
    assert robot.fixed[0].transform.translation.x == pytest.approx(0.1)
    assert robot.answers(10.0, "left/arm")


def test_description_is_latched(graph, start):
    start()
    heard: list[String] = []
    graph.node("reader").create_subscription(
        String,
        "robot_description",
        heard.append,
        QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL),
    )
    assert graph.spin_until(lambda: bool(heard))
    assert heard[0].data.strip() == ROBOT


def test_older_and_too_frequent_states_are_left_out(graph, start):
    start(publish_frequency=10.0)
    robot = Robot(graph)
    assert robot.answers(10.0)

    for seconds in (9.0, 10.05, 10.1):
        robot.send(seconds)

    assert graph.spin_until(lambda: robot.find("arm", 10.1) is not None)
    assert robot.find("arm", 9.0) is None
    assert robot.find("arm", 10.05) is None


def test_unknown_joints_and_broken_states_do_no_harm(graph, start):
    process = start()
    robot = Robot(graph)
    assert robot.answers(10.0)

    robot.send(11.0, names=("wheel",))
    robot.send(12.0, names=("shoulder", "grip"))

    assert robot.answers(13.0)
    assert robot.find("arm", 12.0) is None
    assert process.poll() is None


def test_robot_may_be_replaced_but_not_by_nonsense(graph, start):
    start()
    robot = Robot(graph)
    client = robot.node.create_client(SetParameters, "/robot_state_publisher/set_parameters")
    assert graph.spin_until(client.service_is_ready)

    def replace(description: str) -> bool:
        value = ParameterValue(type=ParameterType.PARAMETER_STRING, string_value=description)
        request = SetParameters.Request(
            parameters=[Parameter(name="robot_description", value=value)]
        )
        answer = client.call_async(request)
        assert graph.spin_until(answer.done)
        return answer.result().results[0].successful

    assert not replace("")
    assert not replace("<robot>")
    assert robot.answers(10.0)
    assert replace(ROBOT.replace('"arm"', '"forearm"'))
    assert robot.answers(20.0, "forearm")


@pytest.mark.parametrize(
    ("description", "parameters"),
    [("<robot>", {}), (ROBOT, {"publish_frequency": 2000.0})],
    ids=["no robot", "frequency"],
)
def test_ends_with_an_error_on_bad_parameters(start, description, parameters):
    process = start(description, **parameters)
    _, text = process.communicate(timeout=90)
    assert process.returncode != 0
    assert ("robot" if description != ROBOT else "publish_frequency") in text


def test_ctrl_c_amid_a_flood_of_states_is_a_clean_end(graph, start):
    """The interrupt comes in the midst of taking a message more often than not."""
    processes = [start() for _ in range(4)]
    robot = Robot(graph)

    def all_answer() -> bool:
        for _ in range(50):
            robot.send(1.0)
        return robot.joints.get_subscription_count() == len(processes) and bool(robot.heard)

    assert graph.spin_until(all_answer)
    for process in processes:
        for _ in range(200):
            robot.send(2.0)
        process.send_signal(signal.SIGINT)
    for process in processes:
        while process.poll() is None:  # it may come again until the very end
            process.send_signal(signal.SIGINT)
        _, text = process.communicate(timeout=90)
        assert process.returncode == 0, text
        assert "Traceback" not in text
