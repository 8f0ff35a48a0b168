"""The filter in plain numbers beside the same in matrices."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ground_truth_localizer.driving_filter import Course, log_density
from ground_truth_localizer.posterior_grid import Place
from ground_truth_localizer.target_state import constant_velocity

SEEDS = st.integers(0, 10**6)


def random_course(rng):
    mean, root = rng.normal(size=4), rng.normal(size=(4, 4))
    covariance = root @ root.T + 1e-3 * np.eye(4)
    return Course(*mean, *covariance[np.triu_indices(4)]), mean, covariance


def matrices(course):
    covariance = np.zeros((4, 4))
    covariance[np.triu_indices(4)] = course[4:]
    return np.array(course[:4]), covariance + np.triu(covariance, 1).T


@given(SEEDS, st.integers(-(10**9), 10**9))
def test_a_course_is_carried_as_by_matrices(seed, nanoseconds):
    course, mean, covariance = random_course(np.random.default_rng(seed))
    step, noise = constant_velocity(nanoseconds, 0.3)
    later_mean, later_covariance = matrices(course.after(nanoseconds, 0.3))
    assert later_mean == pytest.approx(step @ mean, abs=1e-9)
    assert later_covariance == pytest.approx(step @ covariance @ step.T + noise, abs=1e-9)


@given(SEEDS)
def test_a_place_is_taken_in_as_by_matrices(seed):
    rng = np.random.default_rng(seed)
    course, mean, covariance = random_course(rng)
    root, measured = rng.normal(size=(2, 2)), rng.normal(size=2)
    spread = root @ root.T + 1e-2 * np.eye(2)
    place = Place(*measured, spread[0, 0], spread[0, 1], spread[1, 1])
    total = covariance[:2, :2] + spread
    gain = covariance[:, :2] @ np.linalg.inv(total)
    off = measured - mean[:2]
    found, density = course.seen_at(place)
    found_mean, found_covariance = matrices(found)
    assert found_mean == pytest.approx(mean + gain @ off, abs=1e-7)
    assert found_covariance == pytest.approx(covariance - gain @ covariance[:2], abs=1e-7)
    expected = -0.5 * (off @ np.linalg.solve(total, off) + np.log(np.linalg.det(total)))
    assert density == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_the_density_is_greatest_in_the_middle():
    middle = log_density(0.0, 0.0, 2.0, 0.5, 1.0)[0]
    assert middle == pytest.approx(-0.5 * np.log(1.75))
    assert log_density(0.1, -0.2, 2.0, 0.5, 1.0)[0] < middle
