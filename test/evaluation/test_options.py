"""Options that are no numbers, and results that cannot be written."""

import pytest

from evaluation.calibrate_station import main as calibrate_station
from evaluation.errors import EvaluationError
from evaluation.evaluate_bag import main as evaluate_bag
from evaluation.report import write_json


@pytest.mark.parametrize(
    "option",
    [
        ["--max-rmse", "nan"],
        ["--min-availability", "inf"],
        ["--learn", "-1"],
        ["--learn", "nan"],
        ["--lrf-pose", "nan", "0", "0.5", "0", "0", "0"],
    ],
)
@pytest.mark.parametrize("command", [evaluate_bag, calibrate_station])
def test_an_option_that_is_no_number_is_refused_by_name(command, option, capsys):
    if command is calibrate_station and option[0].startswith(("--max", "--min")):
        option = ["--camera-mount", "nan", "2", "0.37", "0", "0", "1.57"]
    with pytest.raises(SystemExit) as refused:
        command(["nowhere", *option])
    assert refused.value.code == 2
    assert f"argument {option[0]}" in capsys.readouterr().err


def test_figures_that_cannot_be_written_are_told_by_file(tmp_path):
    place = tmp_path / "file"
    place.write_text("")
    with pytest.raises(EvaluationError, match="cannot be written"):
        write_json({}, place / "figures.json")
