"""How the laser_localizer node starts: what it refuses, and its shipped parameters."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")


from laser_bench import DOMAIN

ROOT = Path(__file__).resolve().parents[2]


def started(*parameters):
    """Run the node with parameters that it ought to refuse."""
    settings = [part for parameter in parameters for part in ("-p", parameter)]
    return subprocess.run(
        [
            *(sys.executable, "-m", "ground_truth_localizer.laser_localizer_node"),
            *("--ros-args", *settings),
        ],
        cwd=ROOT,
        env={**os.environ, "ROS_DOMAIN_ID": str(DOMAIN)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        (["method:=magic"], "method"),
        (["sensor.sigma:=-1.0"], "sensor.sigma"),
        (["zone.rectangle:=[1.0, 2.0]"], "zone.rectangle"),
        (["speed:=3.0"], "speed"),
        (["zone.kind:=file", "zone.file:=/nowhere/zone.yaml"], "/nowhere/zone.yaml"),
    ],
)
def test_wrong_parameters_end_the_process_with_a_message(parameters, words):
    done = started(*parameters)
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_shipped_parameter_file_is_the_defaults():
    import dataclasses

    import yaml

    from ground_truth_localizer.laser_localizer_node import LaserNodeParameters
    from spatial_types.parameters import from_mapping

    path = ROOT / "config" / "laser_localizer.yaml"
    values = yaml.safe_load(path.read_text())["laser_localizer"]["ros__parameters"]
    shipped = from_mapping(LaserNodeParameters, values, f"{path}: ")
    assert dataclasses.asdict(shipped) == dataclasses.asdict(LaserNodeParameters())
