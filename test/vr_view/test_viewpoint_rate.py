"""viewpoint_rate as a program: it measures a running viewpoint, or one that it starts."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from ros_graph import RosGraph

from vr_view.viewpoint_node import ViewpointNode

DOMAIN = 66
ROOT = Path(__file__).resolve().parents[2]
KEYS = {"rate_hz", "within_2ms", "bare_rate_hz", "bare_within_2ms", "skipped"}


def start(folder, *arguments):
    environment = {**os.environ, "ROS_DOMAIN_ID": str(DOMAIN)}
    environment["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    out = folder / "figures" / "rate.json"
    process = subprocess.Popen(
        [sys.executable, "-m", "vr_view.viewpoint_rate_node", "--json", str(out), *arguments],
        env=environment,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    return process, out


def test_it_measures_the_viewpoint_that_runs(tmp_path):
    graph = RosGraph(DOMAIN)
    graph.start(ViewpointNode)
    process, out = start(tmp_path, "--seconds", "2")
    graph.until(lambda: process.poll() is not None)
    graph.close()
    text, errors = process.communicate()
    assert process.returncode == 0, errors
    figures = json.loads(out.read_text())
    assert set(figures) >= KEYS
    assert 0.0 <= figures["within_2ms"] <= 1.0
    assert 0.0 < figures["rate_hz"] < 100.0
    assert 0.0 < figures["bare_rate_hz"] < 100.0
    assert "bare timer" in text
    assert "starting one" not in errors


def test_where_none_runs_it_starts_one_and_ends_it(tmp_path):
    process, out = start(tmp_path, "--seconds", "1", "--rate", "50")
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    assert "starting one for the measurement" in errors
    assert 0.0 < json.loads(out.read_text())["rate_hz"] < 60.0


@pytest.mark.parametrize("wrong", [("--seconds", "0"), ("--rate", "-1"), ("--secs", "3")])
def test_wrong_arguments_are_refused(tmp_path, wrong):
    process, out = start(tmp_path, *wrong)
    process.communicate(timeout=120)
    assert process.returncode == 2
    assert not out.exists()
