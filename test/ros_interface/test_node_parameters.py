from dataclasses import dataclass, field

import pytest
import rclpy
from rcl_interfaces.msg import ParameterEvent
from rclpy.node import Node
from rclpy.parameter import Parameter

from ros_interface.errors import ConfigurationError
from ros_interface.node_main import CONFIGURATION_EXIT_CODE, run_node
from ros_interface.parameters import declare_parameters
from spatial_types.parameters import parameter


@dataclass(frozen=True)
class Zone:
    margin: float = parameter(0.09, "distance to the wall", unit="m", minimum=0.0, maximum=1.0)
    corners: tuple = parameter([0.0, 1.0], "corners")


@dataclass(frozen=True)
class Settings:
    method: str = parameter("model", "estimator", choices=("thesis", "model"))
    zone: Zone = field(default_factory=Zone)


@pytest.fixture
def ros():
    rclpy.init()
    yield
    rclpy.try_shutdown()


def node_with(**overrides):
    values = [Parameter(name.replace("__", "."), value=value) for name, value in overrides.items()]
    return Node("settings_node", parameter_overrides=values)


def test_defaults_and_overrides(ros):
    node = node_with(zone__margin=1, zone__corners=[2.0, 3.0, 4.0])
    settings = declare_parameters(node, Settings)
    assert settings.zone == Zone(1.0, (2.0, 3.0, 4.0))
    assert node.get_parameter("method").value == "model"
    assert "distance to the wall [m]" in node.describe_parameter("zone.margin").description


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        ({"method": "magic"}, "settings_node: method = 'magic': expected one of thesis, model"),
        ({"zone__margin": 9.0}, "zone.margin = 9.0 m: expected at most 1.0 m"),
        ({"zone__margin": "a"}, "zone.margin = 'a': expected float"),
        ({"zone__margn": 0.1}, "unknown parameter 'zone.margn'; did you mean 'zone.margin'"),
        ({"colour": "red"}, "unknown parameter 'colour'; known: method, zone.margin, zone.corners"),
    ],
)
def test_impossible_parameters_are_named(ros, overrides, words):
    with pytest.raises(ConfigurationError, match=words):
        declare_parameters(node_with(**overrides), Settings)


def test_bad_configuration_is_one_line_and_a_code(capsys):
    def refuse():
        raise ConfigurationError("zone.margin = 9 m: expected at most 1 m")

    assert run_node(refuse) == CONFIGURATION_EXIT_CODE
    assert capsys.readouterr().err == "error: zone.margin = 9 m: expected at most 1 m\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--params-file", "/nowhere/parameters.yaml"], "/nowhere/parameters.yaml"),
        (["-p", "nonsense"], "nonsense"),
    ],
)
def test_unreadable_ros_arguments_are_refused_without_a_traceback(capsys, arguments, words):
    code = run_node(lambda: Node("never_made"), ["--ros-args", *arguments])
    assert code == CONFIGURATION_EXIT_CODE
    assert words in capsys.readouterr().err


def test_a_name_that_no_topic_may_have_is_refused(capsys):
    def make():
        node = Node("listener")
        node.create_subscription(ParameterEvent, "not a topic!", print, 1)
        return node

    assert run_node(make) == CONFIGURATION_EXIT_CODE
    assert "not a topic!" in capsys.readouterr().err
