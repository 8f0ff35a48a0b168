from pathlib import Path

import numpy as np
import pytest

from evaluation import run_trial
from evaluation.errors import TrialError
from evaluation.trial import read_trial

TRIALS = Path(__file__).resolve().parents[2] / "config/trials"
GOOD = """\
trial: small
world: ground_truth_room.sdf
samples: 5
points:
  A: [0.0, 1.0, 90.0]
"""


def write(tmp_path, text):
    path = tmp_path / "small.yaml"
    path.write_text(text)
    return path


@pytest.mark.parametrize("path", sorted(TRIALS.glob("*.yaml")), ids=lambda p: p.stem)
def test_every_trial_of_ours_is_read(path):
    trial = read_trial(path)
    assert trial.name == path.stem
    if trial.plan is not None:
        distance = np.hypot(trial.plan.x, trial.plan.y)
        assert distance.min() > 0.5
        assert np.all(np.abs(trial.plan.x) < 3.6)


def test_the_drive_is_the_one_that_was_asked_for():
    plan = read_trial(TRIALS / "driving.yaml").plan
    distance = np.hypot(plan.x, plan.y)
    assert plan.duration >= 60.0
    assert np.abs(plan.speed).max() == pytest.approx(0.5)
    assert distance.min() >= 1.0
    assert distance.max() <= 4.0
    assert plan.speed.min() < -0.4


def test_defaults_and_units(tmp_path):
    trial = read_trial(write(tmp_path, GOOD))
    assert trial.kind == "points"
    assert trial.points[0].yaw == pytest.approx(np.pi / 2)
    assert trial.method == "model"
    assert [place.name for place in trial.models] == ["station", "phone_robot"]


def test_overrides_reach_any_depth(tmp_path):
    path = write(tmp_path, GOOD)
    trial = read_trial(path, {"samples": 7, "parameters.laser.filter.memory_scans": 3})
    assert trial.samples == 7
    assert trial.variants[0].parameters["laser"] == {"filter.memory_scans": 3}
    with pytest.raises(TrialError, match=r"--set samples\.x.*holds no keys"):
        read_trial(path, {"samples.x": 1})
    with pytest.raises(TrialError, match="unknown key 'sample'"):
        read_trial(path, {"sample": 1})


def test_what_an_option_gave_is_not_blamed_on_a_line_of_the_file(tmp_path, capsys):
    path = write(tmp_path, GOOD)
    with pytest.raises(TrialError, match=r"yaml: --set samples: is 0; expected how many"):
        read_trial(path, {"samples": 0})
    with pytest.raises(TrialError, match=r"yaml: --set learn_scans: .*not a whole number"):
        read_trial(path, {"learn_scans": 2.5})
    for text in ("0", "-3", "some"):
        with pytest.raises(SystemExit):
            run_trial.main([str(path), "--samples", text])
        told = capsys.readouterr().err
        assert f"argument --samples: '{text}' is not a whole number of at least 1" in told


def test_variants_build_on_the_trials_parameters(tmp_path):
    text = GOOD + "memory_scans: 5\nvariants:\n  - {name: one, estimate: laser, memory_scans: 1}\n"
    trial = read_trial(write(tmp_path, text))
    assert trial.variants[0].parameters["laser"]["filter.memory_scans"] == 5
    assert trial.variants[1].parameters["laser"]["filter.memory_scans"] == 1
    assert trial.variants[1].estimate == "laser"


@pytest.mark.parametrize(
    ("change", "line", "text"),
    [
        (("samples: 5", "sampels: 5"), 3, "unknown key 'sampels'; did you mean 'samples'?"),
        (("samples: 5", "samples: lots"), 3, "'lots' is not a number"),
        (("samples: 5", "samples: 2.5"), 3, "not a whole number"),
        (("samples: 5", "samples: -1"), 3, "below 0"),
        (("samples: 5", "samples: 5\nmethod: magic"), 4, "'magic' is not one of thesis, model"),
        (("samples: 5", "samples: 5\nsamples: 6"), 4, "given twice"),
        (("world: ground", "world: no_ground"), 2, "no_ground_truth_room.sdf"),
        (("[0.0, 1.0, 90.0]", "[0.0, 1.0]"), 5, "2 numbers; expected 3"),
        (("[0.0, 1.0, 90.0]", "[0.0, 1.0"), 6, "malformed YAML"),
        (("points:\n  A: [0.0, 1.0, 90.0]\n", ""), 1, "expected one of points, drive, bound"),
        (("trial: small\n", ""), 1, "trial: is missing"),
        (("samples: 5", "samples: 5\x00"), 3, "characters are not allowed"),
        (("samples: 5", "sensors: {noise: 1}"), 3, "unknown key 'sensors.noise'"),
    ],
)
def test_malformed_files_are_refused_with_their_line(tmp_path, change, line, text):
    path = write(tmp_path, GOOD.replace(*change))
    with pytest.raises(TrialError) as caught:
        read_trial(path)
    assert f"{path}:{line}:" in str(caught.value)
    assert text in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(TrialError, match=r"none\.yaml: cannot be read"):
        read_trial(tmp_path / "none.yaml")


@pytest.mark.parametrize(
    "move",
    [
        "{to: [0, 1]}",
        "{stop: 1.0e+12}",
        "{drive: 1.0e-12}",
        "{fly: 1}",
        "{drive: 1, turn: 2}",
        "{drive: 0}",
        "{stop: -1}",
        "{drive: 1, speed: 2}",
    ],
)
def test_malformed_moves_are_refused(tmp_path, move):
    text = GOOD.replace(
        "points:\n  A: [0.0, 1.0, 90.0]", f"drive:\n  start: [0, 1, 0]\n  moves: [{move}]"
    )
    with pytest.raises(TrialError, match=r"small\.yaml:6:"):
        read_trial(write(tmp_path, text))
