"""The verbs that look at the graph, against a running program."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import domain, finish, read_until, wait_for


@pytest.fixture(scope="module")
def talker():
    process = subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("talker.py"))],
        env={**os.environ, **domain()},
        stdout=subprocess.PIPE,
        text=True,
    )
    read_until(process, "ready")
    yield process
    process.terminate()
    process.communicate()


def test_lists(ros2, talker):
    """A busy machine may take longer than the command waits: ask again then."""

    def is_listed(line, *words):
        return wait_for(lambda: line in ros2.run(*words)[1].splitlines())

    assert is_listed("/test/talker", "node", "list")
    assert is_listed("/test/counter [std_msgs/msg/Header]", "topic", "list", "-t")
    assert is_listed("/test/switch [std_srvs/srv/SetBool]", "service", "list", "-t")


def test_info(ros2, talker):
    code, output = ros2.run("topic", "info", "/test/status")
    assert (code, output) == (
        0,
        "Type: std_msgs/msg/String\nPublisher count: 1\nSubscription count: 0\n",
    )
    assert ros2.run("topic", "info", "/no_such") == (1, "Unknown topic '/no_such'\n")


def test_echo_takes_the_publishers_quality_of_service(ros2, talker):
    """A latched message arrives late only with the right durability."""
    assert ros2.run("topic", "echo", "--once", "/test/status") == (0, "data: ready\n---\n")


def test_echo_of_a_field_an_array_and_a_condition(ros2, talker):
    code, output = ros2.run(*("topic", "echo", "/test/image", "--once", "--field", "height"))
    assert (code, output) == (0, "240\n---\n")
    code, output = ros2.run("topic", "echo", "/test/image", "--once", "--no-arr")
    assert code == 0
    assert "data: '<sequence type: uint8, length: 230400>'" in output
    code, output = ros2.run(
        *("topic", "echo", "/test/counter", "--once", "--csv"),
        *("--filter", "int(m.frame_id) % 7 == 0"),
    )
    assert code == 0
    assert int(output.strip().split(",")[-1]) % 7 == 0


def test_echo_of_what_nobody_publishes(ros2):
    code, output = ros2.run("topic", "echo", "/no_such", "--once")
    assert code == 1
    assert "does not appear to be published yet" in output
    assert "Could not determine the type for the passed topic" in output


def test_echo_of_a_wrong_field(ros2, talker):
    code, output = ros2.run("topic", "echo", "/test/status", "--field", "no", "--once")
    assert code == 1
    assert "Invalid field 'no'" in output


def test_hz(ros2, talker):
    process = ros2.start("topic", "hz", "/test/counter", "-w", "20")
    lines = [*read_until(process, "average rate"), process.stdout.readline()]
    process.send_signal(signal.SIGINT)
    finish(process)
    rate = float(lines[-2].removeprefix("average rate: "))
    assert 5 < rate < 40
    assert lines[-1].startswith("\tmin: ")


def test_parameters(ros2, talker):
    get = ("param", "get", "/test/talker")
    assert ros2.run(*get, "gain", "--timeout", "15") == (0, "Double value is: 1.5\n")
    assert ros2.run(*get, "names", "--timeout", "15") == (0, "String values are: ['a', 'b']\n")
    assert ros2.run(*get, "no_such", "--timeout", "15")[0] == 1
    assert ros2.run("param", "set", "/test/talker", "gain", "2.5", "--timeout", "15") == (
        0,
        "Set parameter successful\n",
    )
    assert ros2.run(*get, "gain", "--hide-type", "--timeout", "15") == (0, "2.5\n")
    code, output = ros2.run("param", "list", "/test/talker")
    assert code == 0
    assert {"  gain", "  names"} <= set(output.splitlines())
    code, output = ros2.run("param", "get", "/nobody", "gain")
    assert (code, output) == (1, "Node not found\n")


def test_service_call(ros2, talker):
    code, output = ros2.run("service", "call", "/test/switch", "std_srvs/srv/SetBool", "data: true")
    assert code == 0
    assert "std_srvs.srv.SetBool_Response(success=True, message='done')" in output
    code, output = ros2.run("service", "call", "/test/switch", "std_srvs/srv/SetBool", "dat: true")
    assert code == 1
    assert "Failed to populate field" in output


def test_pub_once_reaches_an_echo(ros2):
    echo = ros2.start("topic", "echo", "/said", "std_msgs/msg/Header", "--once")
    code, output = ros2.run(
        *("topic", "pub", "--once", "/said", "std_msgs/msg/Header"),
        "{stamp: {sec: 5}, frame_id: here}",
    )
    assert code == 0
    assert "publishing #1: std_msgs.msg.Header(" in output
    heard = finish(echo)
    assert "stamp:\n  sec: 5\n  nanosec: 0\nframe_id: here\n---\n" in heard


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["std_msgs/msg/Nothing", "{}"], "The passed message type is invalid"),
        (["std_msgs/msg/String", "text"], "needs to be a dictionary in YAML format"),
        (["std_msgs/msg/String", "{date: 1}"], "Failed to populate field"),
    ],
)
def test_pub_of_nonsense(ros2, arguments, words):
    code, output = ros2.run("topic", "pub", "/said", *arguments)
    assert code == 1
    assert words in output


@pytest.mark.parametrize("words", [("topic", "hz"), ("topic", "echo"), ("topic", "pub", "-r", "9")])
def test_ctrl_c_is_clean(ros2, talker, words):
    values = ["std_msgs/msg/Header"] if "pub" in words else []
    process = ros2.start(*words, "/test/counter", *values)
    read_until(process, {"hz": "rate", "echo": "---", "pub": "publishing"}[words[1]])
    process.send_signal(signal.SIGINT)
    rest = finish(process)
    assert "Traceback" not in rest
    assert "Error" not in rest


def test_run(ros2):
    assert ros2.run("run", "things", "broken")[0] == 7
    code, output = ros2.run("run", "things", "show", "a", "--ros-args", "-r", "__ns:=/b")
    assert code == 0
    assert '"words": ["a", "--ros-args", "-r", "__ns:=/b"]' in output
    assert ros2.run("run", "things", "no_such") == (1, "No executable found\n")
    assert ros2.run("run", "no_such", "show") == (1, "Package 'no_such' not found\n")


def test_run_passes_termination_on(ros2):
    process = ros2.start("run", "things", "sleeper")
    read_until(process, "ready")
    process.terminate()
    finish(process)
    assert process.returncode != 0


def test_package_prefix(ros2):
    prefix = str(ros2.folder / "prefix")
    assert ros2.run("pkg", "prefix", "things") == (0, f"{prefix}\n")
    assert ros2.run("pkg", "prefix", "--share", "things") == (0, f"{prefix}/share/things\n")
    assert ros2.run("pkg", "prefix", "no_such") == (1, "Package not found\n")


def test_executables(ros2):
    names = ["broken", "show", "sleeper", "stubborn"]
    code, output = ros2.run("pkg", "executables", "things")
    assert (code, output) == (0, "".join(f"things {name}\n" for name in names))
    folder = ros2.folder / "prefix" / "lib" / "things"
    code, output = ros2.run("pkg", "executables", "things", "--full-path")
    assert (code, output) == (0, "".join(f"{folder / name}\n" for name in names))
    assert "things show\n" in ros2.run("pkg", "executables")[1]
    code, output = ros2.run("pkg", "executables", "no_such")
    assert code == 1
    assert output == "Package 'no_such' not found\n"
    assert "things" in ros2.run("pkg", "list")[1].splitlines()


def test_interfaces(ros2):
    code, output = ros2.run("interface", "show", "geometry_msgs/msg/Twist", "--no-comments")
    vector = "".join(f"\tfloat64 {axis}\n" for axis in "xyz")
    assert (code, output) == (0, f"Vector3  linear\n{vector}Vector3  angular\n{vector}")
    code, output = ros2.run("interface", "show", "std_srvs/srv/SetBool")
    assert code == 0
    assert "bool data # e.g. for hardware enabling / disabling\n---\nbool success" in output
    code, output = ros2.run("interface", "list", "-s")
    assert code == 0
    assert output.startswith("Services:\n    ")
    assert "\n    std_srvs/srv/SetBool\n" in output
    assert "/msg/" not in output
    assert ros2.run("interface", "show", "std_msgs/msg/Nothing")[0] == 1
    assert "Expected three parts" in ros2.run("interface", "show", "Twist")[1]


def test_no_actions(ros2):
    assert ros2.run("action", "list") == (0, "")
    assert ros2.run("action", "list", "-c") == (0, "0\n")


def test_an_interrupt_while_the_command_still_loads_is_quiet(ros2):
    slow = ros2.folder / "slow" / "rclpy"
    slow.mkdir(parents=True)
    wait = "import threading\nprint('loading', flush=True)\n"
    (slow / "__init__.py").write_text(wait + "while not threading.Event().wait(0.05): pass\n")
    ros2.environment["PYTHONPATH"] = f"{slow.parent}:{ros2.environment.get('PYTHONPATH', '')}"
    process = ros2.start("topic", "list")
    read_until(process, "loading")
    process.send_signal(signal.SIGINT)
    assert finish(process) == ""
    assert process.returncode == -signal.SIGINT
