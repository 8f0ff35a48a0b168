"""Trajectories in files: read, refused by line, and sampled."""

from __future__ import annotations

import math
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mavlink_bridge.files.trajectory_file import (
    TrajectoryError,
    TrajectoryLimits,
    digest_parameters,
    find_trajectory,
    read_trajectory,
)

SQUARE = """\
frame: map
speed: 2.0
points:
  - position: [0, 0, 1.5]
    yaw: 3.0
    hold: 2.0
  - position: [4, 0, 1.5]
    yaw: -3.0
  - position: [4, 3, 1.5]
    speed: 0.5
"""


def write(folder: Path, text: str, name: str = "square.yaml") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_times_follow_from_speeds_and_holds(tmp_path):
    trajectory = read_trajectory(write(tmp_path, SQUARE))
    assert [point.time for point in trajectory.points] == [0.0, 4.0, 10.0]
    assert trajectory.duration == 10.0


def test_where_to_be_between_points(tmp_path):
    trajectory = read_trajectory(write(tmp_path, SQUARE))
    assert trajectory.at(-1.0).position == (0.0, 0.0, 1.5)
    assert trajectory.at(1.9).velocity == (0.0, 0.0, 0.0)
    middle = trajectory.at(3.0)
    assert middle.position == pytest.approx((2.0, 0.0, 1.5))
    assert middle.velocity == pytest.approx((2.0, 0.0, 0.0))
    assert abs(middle.yaw) == pytest.approx(math.pi)  # over the back, not through 0
    assert trajectory.at(7.0).position == pytest.approx((4.0, 1.5, 1.5))
    assert trajectory.at(7.0).yaw == -3.0
    assert trajectory.at(99.0).position == (4.0, 3.0, 1.5)


def test_times_may_be_given(tmp_path):
    text = "points:\n- {position: [0, 0, 1], time: 1}\n- {position: [3, 0, 1], time: 4}\n"
    trajectory = read_trajectory(write(tmp_path, text))
    assert trajectory.at(2.5).position == pytest.approx((1.5, 0.0, 1.0))


POINT = "points:\n- position: [0, 0, 1]\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "1: expected a mapping of keys"),
        ("points: []\n", "1: points: 0 points"),
        ("points: 3\n", "1: points: expected a list"),
        ("points:\n- position: [0, 0]\n", "2: points[0].position: 2 numbers; expected 3"),
        ("points:\n- position: [0, 0, .nan]\n", "is not a list of numbers"),
        ("points:\n- position: [0, 0, .inf]\n", "is not a list of numbers"),
        ("points:\n- position: [0, 0, 0]\n", "z = 0 m; expected 0.3 to 100"),
        ("points:\n- position: [300, 0, 1]\n", "farther than 200 m"),
        (POINT + "  yow: 1\n", "did you mean 'yaw'?"),
        (POINT + "  speed: 50\n", "3: points[0].speed: 50 is above 5"),
        (POINT + "- position: [1, 0, 1]\n  time: 3\n", "time: is missing"),
        ("points:\n- {position: [0, 0, 1], time: 1}\n- {position: [9, 0, 1], time: 2}\n",
         "3: points[1].time: needs 9 m/s"),
        ("points:\n- {position: [0, 0, 1], time: 1}\n- {position: [0, 0, 1], time: 1}\n",
         "expected after 1 s"),
        (POINT + "  hold: 9999\n", "hold: 9999 is above 3600"),
        ("frame: base\n" + POINT, "'base' is not one of map"),
        (POINT + "\tx", "malformed YAML"),
        ("points: !!python/object/apply:os.system [ls]\n", "points[0]: expected a mapping"),
        ("a: &a [1]\nb: *a\n", "2: aliases are not allowed"),
        ("points: " + "[" * 5000, "nest"),
    ],
)  # fmt: skip
def test_what_breaks_a_rule_is_refused_by_line(tmp_path, text, message):
    path = write(tmp_path, text)
    with pytest.raises(TrajectoryError) as caught:
        read_trajectory(path)
    assert message in str(caught.value)
    assert str(caught.value).startswith(str(path))


def test_too_many_points_or_bytes_are_refused(tmp_path):
    with pytest.raises(TrajectoryError, match="expected 1 to 3"):
        read_trajectory(
            write(tmp_path, "points:\n" + "- position: [0, 0, 1]\n" * 4),
            TrajectoryLimits(most_points=3),
        )
    with pytest.raises(TrajectoryError, match="larger than 262144 bytes"):
        read_trajectory(write(tmp_path, "#" * 2_000_000))
    with pytest.raises(TrajectoryError, match="cannot be read"):
        read_trajectory(tmp_path / "nothing.yaml")


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=200))
def test_whatever_comes_is_read_or_refused(tmp_path, content):
    path = tmp_path / "any.yaml"
    path.write_bytes(content)
    with pytest.raises(TrajectoryError):
        read_trajectory(path)


def test_a_command_names_the_file_by_its_hash(tmp_path):
    first, second = write(tmp_path, SQUARE), write(tmp_path, POINT, "other.yml")
    os.utime(first, (1, 1))
    parameters = digest_parameters(read_trajectory(first).digest)
    assert all(0 <= value < 65536 for value in parameters)
    assert find_trajectory(tmp_path, parameters) == first
    assert find_trajectory(tmp_path, (0.0, 0.0, 0.0)) == second
    assert find_trajectory(tmp_path, (1.0, 2.0, 3.0)) is None
    assert find_trajectory(tmp_path / "nowhere", (0.0, 0.0, 0.0)) is None
