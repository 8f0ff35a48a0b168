"""Lamps moved to where they shade the target from a side: at most twice the error, and honest."""

import dataclasses

import pytest

from evaluation.resources import find_trial
from evaluation.run_trial import run
from evaluation.trial import Light, read_trial

LIGHTS = {
    "station lamp right": ("station_light", (2.5, 0.3, 1.0)),
    "station lamp left": ("station_light", (-1.5, 0.5, 1.2)),
    "station lamp far left and low": ("station_light", (-3.0, 1.5, 0.5)),
    "ceiling lamp left and low": ("ceiling_light", (-2.5, 1.0, 1.6)),
    "ceiling lamp right and low": ("ceiling_light", (3.2, 0.6, 1.6)),
}


def figures(lights=(), seed=5):
    path = find_trial("static_points")
    trial = read_trial(path, {"samples": 4, "settle": 1.0})
    trial = dataclasses.replace(trial, lights=lights, variants=trial.variants[:1])
    return run(trial, seed=seed).figures


@pytest.fixture(scope="module")
def unmoved():
    return figures()


@pytest.mark.parametrize("name", LIGHTS)
def test_moved_light_costs_at_most_twice_the_error(name, unmoved):
    lamp, position = LIGHTS[name]
    moved = figures((Light(lamp, position, None),))
    for error in ("angle_mae_deg", "x_mae_m", "y_mae_m"):
        assert moved[error] <= 2.0 * unmoved[error], error
    assert moved["nees"] <= 6.0
    assert moved["lost"] == 0
