"""A station calibrated from a recording: a short drive in simulation, its camera elsewhere."""

import contextlib
import io
import json

import numpy as np
import pytest

from evaluation.bag_reading import open_bag
from evaluation.bag_writing import BagRecorder
from evaluation.calibrate_station import main, told_pan_zero
from evaluation.run_trial import run
from evaluation.station_recording import StationOptions, StationRecording
from evaluation.trial import read_trial
from ground_truth_localizer.laser_parameters import LaserParameters
from ground_truth_localizer.orientation_parameters import OrientationParameters
from ground_truth_localizer.zone_files import zone_from_parameters
from spatial_types.transforms import Transform

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
  start: [-1.8, 1.1, 0.0]
  cruise: 1.0
  acceleration: 1.0
  moves:
    - drive: 3.6
    - {drive: 2.2, turning: 180.0}
    - drive: 2.6
"""
STANDING = DRIVE[: DRIVE.index("    - drive")] + "    - stop: 1.0\n"
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


def recording(bag, **options):
    laser = LaserParameters()
    zone = zone_from_parameters(laser)
    read = StationRecording(
        open_bag(bag), StationOptions(**options), laser, OrientationParameters(), zone
    )
    read.read_scans()
    return read


def test_without_tf_nominal_values_do(bag):
    by_tf = recording(bag)
    mount = Transform.from_rpy((0.0, 0.1, 0.37), (0.0, 0.0, np.pi / 2))
    told = recording(bag, lrf_pose=Transform.planar(0.0, 0.0, 0.0, 0.5), mount=mount)
    turned = Transform.from_rpy((0.0, 0.1, 0.37), (0.0, 0.0, np.pi / 2 - 0.2))
    assert told_pan_zero(told, 9.0) == pytest.approx(0.0)
    assert told_pan_zero(recording(bag, mount=turned), 9.0) == pytest.approx(-0.2)
    assert told_pan_zero(by_tf, 0.1) == 0.1
    assert len(told.places) == len(by_tf.places) > 50
    by_tf.sights(np.zeros(4), 0.05, every=100)  # learns the frame of the images
    for place in by_tf.places[5:-5:10]:
        here, there = (read.map_from_camera(place.stamp) for read in (told, by_tf))
        assert here.translation == pytest.approx(there.translation, abs=1e-9)
        assert here.rotation == pytest.approx(there.rotation, abs=1e-6)


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
