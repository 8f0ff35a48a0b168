"""Options that are no numbers, and results that cannot be written."""

import pytest

from evaluation.calibrate_station import main as calibrate_station
from evaluation.errors import EvaluationError
from evaluation.evaluate_bag import main as evaluate_bag
from evaluation.report import write_json

POSE = ["nan", "0", "0.5", "0", "0", "0"]


@pytest.mark.parametrize(
    ("command", "option"),
    [
        (evaluate_bag, ["--max-rmse", "nan"]),
        (evaluate_bag, ["--min-availability", "inf"]),
        (evaluate_bag, ["--learn", "-1"]),
        (evaluate_bag, ["--lrf-pose", *POSE]),
        (evaluate_bag, ["--camera-pose", *POSE]),
        (calibrate_station, ["--learn", "nan"]),
        (calibrate_station, ["--lrf-pose", *POSE]),
        (calibrate_station, ["--camera-mount", *POSE]),
    ],
)
def test_an_option_that_is_no_number_is_refused_by_name(command, option, capsys):
    with pytest.raises(SystemExit) as refused:
        command(["nowhere", *option])
    assert refused.value.code == 2
    assert f"argument {option[0]}" in capsys.readouterr().err


def test_figures_that_cannot_be_written_are_told_by_file(tmp_path):
    place = tmp_path / "file"
    place.write_text("")
    with pytest.raises(EvaluationError, match="cannot be written"):
        write_json({}, place / "figures.json")
