"""A station calibrated from a recording: a short drive in simulation, its camera elsewhere."""

import contextlib
import io
import json

import numpy as np
import pytest

from evaluation.bag_writing import BagRecorder
from evaluation.calibrate_station import main
from evaluation.run_trial import run
from evaluation.trial import read_trial

DRIVE = """\
trial: offsets
world: ground_truth_room.sdf
models:
  - name: station
    file: station.urdf.xacro
    arguments: {camera_x: -0.030, camera_y: 0.130, pan_zero: -0.0523599, range_bias: 0.02}
    told: {}
  - {name: phone_robot, file: phone_robot.urdf.xacro}
estimate: laser
seed: 4
settle: 0.5
drive:
  start: [-1.9, 1.1, 0.0]
  cruise: 1.0
  acceleration: 1.0
  moves:
    - drive: 3.8
    - {drive: 2.51, turning: 180.0}
    - drive: 3.8
"""
STANDING = DRIVE[: DRIVE.index("    - drive")] + "    - stop: 2.0\n"
LIMITS = ["--set", "calibration.bias_limit=0.03"]  # ten seconds leave more open than two minutes


def record(folder, text):
    trial = folder / "trial.yaml"
    trial.write_text(text)
    with BagRecorder(folder / "bag") as recorder:
        run(read_trial(trial), observers=[recorder.see])
    return folder / "bag"


@pytest.fixture(scope="module")
def bag(tmp_path_factory):
    return record(tmp_path_factory.mktemp("driven"), DRIVE)


@pytest.fixture(scope="module")
def found(bag):
    out = bag.parent / "found.json"
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        assert main([str(bag), "--json", str(out), *LIMITS]) == 0
    return {**json.loads(out.read_text()), "text": text.getvalue()}


def test_the_offsets_are_found(found):
    assert found["camera_x_m"] == pytest.approx(-0.030, abs=0.004)
    assert found["camera_y_m"] == pytest.approx(0.130, abs=0.004)
    assert found["angle_deg"] == pytest.approx(-3.0, abs=0.1)
    assert found["range_bias_m"] == pytest.approx(0.02, abs=4 * found["range_bias_sd_m"])
    away = [found["camera_x_m"] + 0.030, found["camera_y_m"] - 0.130]
    away += [np.radians(found["angle_deg"] + 3.0), found["range_bias_m"] - 0.020]
    squares = np.square(away) / np.diag(found["covariance"])
    assert np.all(squares < 16.0)
    assert found["told"]["camera_y_m"] == pytest.approx(0.10)
    assert found["warnings"] == []


def test_without_tf_nominal_values_do(bag, found, tmp_path):
    out = tmp_path / "found.json"
    nominal = ["--lrf-pose", "0", "0", "0.5", "0", "0", "0"]
    nominal += ["--camera-mount", "0", "0.1", "0.37", "0", "0", str(np.pi / 2)]
    assert main([str(bag), *nominal, "--json", str(out), *LIMITS]) == 0
    again = json.loads(out.read_text())
    for name in ("camera_x_m", "camera_y_m", "angle_deg", "range_bias_m"):
        assert again[name] == pytest.approx(found[name], abs=2e-4)


def test_the_lines_to_paste_are_told(found):
    told = found["text"]
    assert f"camera_x:={found['camera_x_m']:.5f}" in told
    assert f"pan_zero:={np.radians(found['angle_deg']):.6f}" in told
    assert f"sensor.range_bias: {found['range_bias_m']:.5f}" in told


def test_a_standing_target_is_refused(tmp_path, capsys):
    assert main([str(record(tmp_path, STANDING))]) == 1
    told = capsys.readouterr().err
    for name in ("camera_x", "camera_y", "angle", "range_bias"):
        assert name in told


def test_what_the_bag_lacks_is_named(bag, capsys):
    assert main([str(bag), "--image-topic", "/nothing"]) == 2
    assert "--image-topic" in capsys.readouterr().err
    assert main([str(bag), "--pan-joint", "other", "--camera-mount", *["0"] * 6]) == 2
    assert "the target is in none of" in capsys.readouterr().err
    assert main([str(bag), "--set", "calibration.nothing=1"]) == 2
    assert "nothing" in capsys.readouterr().err
    assert main([str(bag), "--zone", "5,5,6,6"]) == 2
    assert "--zone" in capsys.readouterr().err
