"""Runs of accepted beams."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ground_truth_localizer.scan_segments import Run, find_runs


def runs(distances, closed=False, max_gap=1):
    distances = np.array(distances, dtype=float)
    return find_runs(distances > 0.0, distances, 0.3, closed, max_gap)


def test_gaps_jumps_and_seams():
    assert runs([0, 0, 0]) == []
    assert runs([0, 2, 2, 0, 2, 0, 0, 2]) == [Run(1, 4, 3), Run(7, 7, 1)]
    assert runs([2, 2, 1, 1]) == [Run(0, 1, 2), Run(2, 3, 2)]
    assert runs([2, 0, 0, 0, 2, 2], closed=True) == [Run(4, 6, 3)]
    assert runs([2, 0, 0, 0, 2, 2]) == [Run(0, 0, 1), Run(4, 5, 2)]
    assert runs([2, 0, 0, 0, 1, 1], closed=True) == [Run(0, 0, 1), Run(4, 5, 2)]


def test_one_odd_beam_does_not_split_a_run():
    assert runs([2, 2, 0.5, 2, 2]) == [Run(0, 4, 4)]
    assert runs([2, 2, 0.5, 0.5, 2, 2]) == [Run(0, 1, 2), Run(2, 3, 2), Run(4, 5, 2)]


@given(st.lists(st.sampled_from([0.0, 1.0, 2.0]), max_size=40), st.booleans())
def test_every_accepted_beam_is_in_a_run_once(values, closed):
    found = runs(values, closed)
    count = max(len(values), 1)
    covered = [beam % count for run in found for beam in range(run.start, run.stop + 1)]
    assert len(covered) == len(set(covered))
    accepted = {i for i, value in enumerate(values) if value > 0}
    assert accepted <= set(covered)
