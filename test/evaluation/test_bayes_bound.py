import numpy as np
import pytest

from evaluation.bayes_bound import bayes_estimate, circle_ranges, cramer_rao
from evaluation.errors import EvaluationError

STEP = np.radians(0.5)
ANGLES = np.arange(360) * STEP
DIRECTIONS = np.column_stack([np.cos(ANGLES), np.sin(ANGLES)])


def scan(rng, centre, sigma=0.03, wall=1.5):
    distance = np.hypot(*centre)
    background = np.full(360, distance + wall)
    hit = circle_ranges(np.array([centre]), DIRECTIONS, 0.1)[0]
    clean = np.where(np.isnan(hit), background, hit)
    return clean + rng.normal(0, sigma, 360), background


def test_ranges_to_a_circle():
    ranges = circle_ranges(np.array([[0.0, 2.0]]), DIRECTIONS, 0.1)[0]
    assert ranges[180] == pytest.approx(1.9)
    assert np.isnan(ranges[0])
    assert np.count_nonzero(np.isfinite(ranges)) == 11


@pytest.mark.parametrize("distance", [1.0, 3.0])
def test_the_posterior_is_calibrated(distance):
    """Mean posterior variance equals mean squared error only if the likelihood is the true one."""
    rng = np.random.default_rng(7)
    errors, variances = [], []
    for _ in range(120):
        bearing = rng.uniform(0.5, 2.6)
        centre = distance * np.array([np.cos(bearing), np.sin(bearing)])
        ranges, background = scan(rng, centre)
        found = bayes_estimate(ANGLES, ranges, background, tuple(centre), 0.1, 0.03)
        errors.append(found.mean)
        variances.append(found.std**2)
    ratio = np.mean(np.square(errors), axis=0) / np.mean(variances, axis=0)
    assert np.all((ratio > 0.6) & (ratio < 1.6))
    assert np.all(np.abs(np.mean(errors, axis=0)) < [0.004, 0.0015])


def test_the_estimate_does_not_lean_on_the_guess():
    rng = np.random.default_rng(2)
    centre = np.array([0.4, 1.9])
    ranges, background = scan(rng, centre)
    found = []
    for shift in ((0.0, 0.0), (0.01, -0.02)):
        guess = centre + shift
        mean = bayes_estimate(ANGLES, ranges, background, tuple(guess), 0.1, 0.03).mean
        bearing = np.arctan2(guess[1], guess[0])
        along, left = np.array([np.cos(bearing), np.sin(bearing)]), None
        left = np.array([-along[1], along[0]])
        found.append(guess + mean[0] * along + mean[1] * left)
    assert np.allclose(found[0], found[1], atol=2e-4)


def test_a_guess_far_off_is_refused():
    rng = np.random.default_rng(2)
    ranges, background = scan(rng, np.array([0.0, 2.0]))
    with pytest.raises(EvaluationError, match="rim"):
        bayes_estimate(ANGLES, ranges, background, (0.0, 2.14), 0.1, 0.03)


@pytest.mark.parametrize(
    ("distance", "along", "across"),
    [(1, 6.5, 9.9), (2, 9.4, 13.7), (3, 11.4, 15.1), (4, 13.7, 19.9)],
)
def test_cramer_rao_bound_is_that_of_the_table(distance, along, across):
    found = np.array(cramer_rao(distance, 0.1, 0.03, STEP)) * 1e3
    assert found == pytest.approx([along, across], abs=0.1)
