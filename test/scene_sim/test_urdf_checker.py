"""Every URDF, for every simulator, passes urdfdom's checker and libsdformat's conversion."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import sdf_oracle
from sdf_oracle import Oracle, lacking

from scene_sim.description.xacro_source import expanded_text

ROOT = Path(__file__).parents[2]
ROBOTS = ("station", "phone_robot")
SIMULATORS = ("embedded", "gz", "gazebo_classic")
CASES = [(robot, simulator) for robot in ROBOTS for simulator in SIMULATORS]


def expanded(robot: str, simulator: str) -> str:
    return expanded_text(ROOT / "urdf" / f"{robot}.urdf.xacro", {"simulator": simulator})


@pytest.mark.parametrize(("robot", "simulator"), CASES)
def test_urdfdom_accepts_it(robot: str, simulator: str, tmp_path: Path) -> None:
    if shutil.which("check_urdf") is None:
        lacking("needs check_urdf (Debian: liburdfdom-tools)")
    file = tmp_path / "robot.urdf"
    file.write_text(expanded(robot, simulator))
    result = subprocess.run(["check_urdf", str(file)], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    assert f"robot name is: {robot}" in result.stdout


@pytest.mark.parametrize(("robot", "simulator"), CASES)
def test_libsdformat_keeps_its_sensors(robot: str, simulator: str, tmp_path: Path) -> None:
    program, reason = sdf_oracle.build()
    if program is None:
        lacking(f"libsdformat oracle {reason}")
    file = tmp_path / "robot.urdf"
    file.write_text(expanded(robot, simulator))
    oracle = Oracle(program, tmp_path)
    try:
        report = oracle.report(file)
    finally:
        oracle.close()
    assert report["errors"] == []
    found = {sensor["name"] for link in report["model"]["links"] for sensor in link["sensors"]}
    assert found == set(re.findall(r'<sensor name="([^"]+)"', file.read_text()))


@pytest.mark.parametrize("robot", ROBOTS)
def test_only_gazebo_classic_gets_its_plugins(robot: str) -> None:
    for simulator in SIMULATORS:
        plugins = re.findall(r'<plugin [^>]*filename="([^"]+)"', expanded(robot, simulator))
        is_classic = [name.startswith("libgazebo_ros_") for name in plugins]
        assert plugins
        assert all(flag == (simulator == "gazebo_classic") for flag in is_classic)


def test_names_of_plugins_are_names_that_ros_accepts() -> None:
    for robot in ROBOTS:
        text = expanded(robot, "gazebo_classic")
        names = re.findall(r'<plugin filename="[^"]+" name="([^"]+)"', text)
        assert names
        assert all(re.fullmatch(r"[A-Za-z_]\w*", name) for name in names)
        assert len(names) == len(set(names))
