"""The thin link's figures, with a small file; docs/thin_link.md has the full ones."""

from __future__ import annotations

import json

import pytest

from mavlink_bridge import thin_link_trial
from mavlink_bridge.thin_link_trial import TrialOptions, main, run_trial

KEYS = {
    *("seconds", "bytes_per_second", "identical", "commands", "acknowledged", "ack_median_s"),
    *("ack_p99_s", "setpoints_sent", "telemetry_received"),
}
# 1.5 MB in 35 and in 46 minutes; a small file's few seconds at both ends weigh more.
RATE, RATE_WITH_LOSS = 1_500_000 / (35 * 60), 1_500_000 / (46 * 60)


@pytest.fixture(scope="module")
def quiet():
    return run_trial(TrialOptions(size=30_000, seed=1))


def test_a_file_uses_the_link_while_commands_are_answered_at_once(quiet):
    assert quiet["identical"]
    assert quiet["bytes_per_second"] > RATE
    assert quiet["commands"] == quiet["acknowledged"] >= 20
    assert quiet["ack_median_s"] < 1.0
    assert quiet["ack_p99_s"] < 3.0
    assert quiet["setpoints_sent"] == 0
    assert quiet["telemetry_received"] > 20 * quiet["seconds"]
    assert quiet["overflowed_packets"] == 0


@pytest.mark.parametrize("seed", range(3))
def test_a_fifth_of_all_packets_lost_each_way(seed):
    figures = run_trial(TrialOptions(size=30_000, loss=0.2, seed=seed))
    assert figures["identical"]
    assert figures["bytes_per_second"] > 0.9 * RATE_WITH_LOSS
    assert figures["commands"] == figures["acknowledged"] >= 20
    assert figures["executed_once"]


def test_setpoints_starve_neither_file_nor_commands(quiet):
    figures = run_trial(TrialOptions(size=6_000, setpoint_hz=10.0, seed=1))
    assert figures["identical"]
    assert figures["bytes_per_second"] > 100
    assert figures["commands"] == figures["acknowledged"]
    assert figures["ack_median_s"] < 2 * quiet["ack_median_s"]
    assert figures["ack_p99_s"] < 2 * quiet["ack_p99_s"]
    assert figures["setpoints_sent"] > 8 * figures["seconds"]
    assert figures["setpoint_delay_longest_s"] < 0.2


def test_more_setpoints_than_the_link_carries_leave_the_file_its_share():
    figures = run_trial(TrialOptions(size=3_000, setpoint_hz=50.0, seed=1))
    assert figures["identical"]
    assert figures["bytes_per_second"] > 70  # a tenth of the link, less what frames cost
    assert figures["commands"] == figures["acknowledged"]
    assert figures["setpoint_delay_longest_s"] < 0.2


def test_the_same_options_give_the_same_figures():
    options = TrialOptions(size=2_000, loss=0.3, seed=7)
    first, second = run_trial(options), run_trial(options)
    for figures in (first, second):
        del figures["cpu_s"]
    assert first == second


def test_the_command_writes_its_figures(tmp_path, capsys):
    out = tmp_path / "figures.json"
    assert main(["--size", "1000", "--loss", "0.1", "--seed", "3", "--json", str(out)]) == 0
    figures = json.loads(out.read_text())
    assert figures.keys() >= KEYS
    assert figures["commands"] >= 20
    told = capsys.readouterr()
    assert '"identical": true' in told.out
    assert "1000 B at 1000 B/s" in told.err


def test_it_says_how_far_it_is(capsys, monkeypatch):
    monkeypatch.setattr(thin_link_trial, "PARTS_PER_LINE", 10)
    figures = run_trial(TrialOptions(size=3_000))
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == figures["file_parts_sent"] // 10 > 0
    assert "10 parts of the file sent" in lines[0]


def test_impossible_options_are_refused(capsys):
    with pytest.raises(SystemExit):
        main(["--size", "1000", "--loss", "1.5"])
    assert "--loss" in capsys.readouterr().err
