import dataclasses
import io
import re

import numpy as np
import pytest

from evaluation.plots import bins_of, plots_of
from evaluation.progress import Progress
from evaluation.recording import Samples
from evaluation.report import Comparison, render
from evaluation.run_trial import main as run_trial
from evaluation.run_trial import run
from evaluation.tables import error_table, shown
from evaluation.trial import read_trial
from evaluation.trial_parameters import main as trial_parameters

POINT = """\
trial: point
world: ground_truth_room.sdf
samples: 3
settle: 1.0
points:
  E: [-3.0, 1.0, 0.0]
variants:
  - {name: laser_alone, estimate: laser}
"""


@pytest.fixture(scope="module")
def outcome(tmp_path_factory):
    path = tmp_path_factory.mktemp("point") / "point.yaml"
    path.write_text(POINT)
    return run(read_trial(path))


def page_of(score, comparison=None, **figures):
    return render(dataclasses.replace(score, figures=score.figures | figures), {}, {}, comparison)


def text_of(page):
    return re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", page))


@pytest.mark.parametrize(
    ("value", "form", "text"),
    [(-0.0, ".1f", "0.0"), (-0.00004, ".4f", "0.0000"), (-0.06, ".1f", "-0.1"), (None, ".1f", "-")],
)
def test_what_rounds_to_nothing_has_no_sign(value, form, text):
    assert shown(value, form) == text


def test_one_is_not_told_as_many(outcome):
    gap = {"gaps": [{}], "max_time_to_recover_s": 0.3}
    text = text_of(page_of(outcome.score, lost=1, outages=gap))
    assert "1 gap without an estimate" in text
    assert "lost 1 time." in text
    assert "lost 2 times." in text_of(page_of(outcome.score, lost=2))


@pytest.mark.parametrize(
    ("seed", "method", "word"),
    [(1, "model", "Simulated"), (None, "model", "Replayed"), (None, "recorded", "Read")],
)
def test_the_page_says_where_the_data_came_from(outcome, seed, method, word):
    text = text_of(page_of(outcome.score, seed=seed, method=method))
    assert f"{word} 0.3 s in" in text


def test_angles_of_the_thesis_are_told_within_half_a_turn(outcome):
    text = text_of(page_of(outcome.score))
    assert "359.08" not in text
    assert "-0.92" in text


def test_reasons_read_well_without_their_numbers(outcome):
    reasons = {
        "too few beams: … of …": 3,
        "too few beams: … of … at …": 2,
        "seen in … of … scans": 4,
        "more than … targets": 1,
        "has not moved yet": 7,
    }
    text = text_of(page_of(outcome.score, refused_reasons=reasons))
    assert "…" not in text
    assert "too few beams 5 seen in too few scans so far 4" in text
    assert "more targets than are followed 1" in text
    assert "has not moved yet 7" in text


def test_a_row_has_one_name_in_page_and_table(outcome):
    text = text_of(page_of(outcome.score))
    table = error_table(outcome.figures)
    for name in ("whole", "laser_alone"):
        assert name in text
        assert name in table
    assert not re.search(r"\b(main|all)\b", text)
    assert "n/a" not in text


def test_a_comparison_stands_in_the_page(outcome):
    comparison = Comparison(("turning", "here", "thesis"), [("angle, worst", "1.5 deg", "92 deg")])
    assert "angle, worst 1.5 deg 92 deg" in text_of(page_of(outcome.score, comparison))
    assert "turning here thesis" not in text_of(page_of(outcome.score))


def test_a_drive_has_no_samples_to_choose(capsys):
    assert run_trial(["driving", "--samples", "3"]) == 2
    assert "samples: a drive gives one sample a scan" in capsys.readouterr().err


@pytest.mark.parametrize("command", [run_trial, trial_parameters])
def test_a_name_that_is_none_of_ours_is_answered_with_those_that_are(command, capsys):
    assert command(["nonsense"]) == 2
    told = capsys.readouterr().err
    assert "trial 'nonsense': neither a file nor one of ours (" in told
    assert "driving, driving_and_rotating" in told


def test_where_no_bar_is_seen_start_and_end_are_told():
    stream = io.StringIO()
    progress = Progress(10.0, "driving", "12.5 s to simulate", stream)
    assert stream.getvalue() == "driving: 12.5 s to simulate\n"
    progress.update(5.0)
    progress.close()
    assert re.fullmatch(r"driving: .*\ndriving: done in \d+\.\d s\n", stream.getvalue())


def test_few_samples_fill_few_bins():
    assert [bins_of(count) for count in (1, 4, 1000, 10**6)] == [2, 3, 33, 40]


def test_plots_are_of_one_width(outcome):
    widths = {int.from_bytes(data[16:20]) for data in plots_of(outcome.score).values()}
    assert len(widths) == 1


@pytest.mark.parametrize(("seed", "begin"), [(1, 0), (None, 5_000_000_000)])
def test_time_counts_as_in_the_film_or_from_a_bags_first_scan(outcome, seed, begin):
    stamps = np.array([5, 6, 7]) * 1_000_000_000
    samples = Samples(stamps, stamps, np.zeros(3, dtype=np.int64), ("all",))
    recording = dataclasses.replace(outcome.score.recording, seed=seed, samples=samples)
    assert recording.begin == begin
    score = dataclasses.replace(outcome.score, recording=recording)
    events = [{"at_s": 5.5, "reason": "hidden"}]
    text = text_of(
        render(dataclasses.replace(score, figures=score.figures | {"lost_events": events}), {}, {})
    )
    assert f"{5.5 - begin * 1e-9:.2f} hidden" in text
