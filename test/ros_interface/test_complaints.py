import numpy as np

from ros_interface.complaints import LONGEST_GAP, QUIET, Complaints


def told(complaints, times, patience=0.0, name="trouble"):
    return [t for t in times if complaints.is_due(name, t, patience)]


def test_what_goes_on_is_told_at_growing_intervals():
    times = told(Complaints(), np.arange(0.0, 400.0, 0.05))
    gaps = np.diff(times)
    assert times[0] == 0.0
    assert np.allclose(gaps[:4], [2.0, 4.0, 8.0, 16.0], atol=0.06)
    assert np.allclose(gaps[6:], LONGEST_GAP, atol=0.06)


def test_what_begins_anew_is_told_at_once():
    complaints = Complaints()
    assert told(complaints, [0.0, 0.5, 1.0]) == [0.0]
    assert told(complaints, [1.0 + QUIET + 0.1]) == [1.0 + QUIET + 0.1]


def test_a_short_lack_is_never_told_and_a_lasting_one_is():
    assert told(Complaints(), np.arange(0.0, 1.9, 0.03), patience=2.0) == []
    assert np.isclose(told(Complaints(), np.arange(0.0, 5.0, 0.01), patience=2.0)[0], 2.0)
    # Two short ones do not add up.
    times = [*np.arange(0.0, 1.5, 0.03), *np.arange(5.0, 6.5, 0.03)]
    assert told(Complaints(), times, patience=2.0) == []


def test_one_kind_does_not_hide_another():
    complaints = Complaints()
    assert complaints.is_due("this", 0.0)
    assert complaints.is_due("that", 0.1)
