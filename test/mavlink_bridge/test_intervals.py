"""Intervals against plain sets, their packed form, and names that must not be written."""

from __future__ import annotations

import itertools
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mavlink_bridge.files.intervals import Intervals
from mavlink_bridge.files.safe_names import UnsafeNameError, checked_name, path_below
from mavlink_bridge.files.transfer_protocol import pack_intervals, unpack_intervals

SPANS = st.tuples(st.integers(0, 60), st.integers(0, 60))


@given(st.lists(st.tuples(st.booleans(), SPANS), max_size=30))
def test_intervals_are_the_set_that_they_stand_for(steps):
    intervals, numbers = Intervals(), set()
    for adds, (start, stop) in steps:
        (intervals.add if adds else intervals.discard)(start, stop)
        span = set(range(start, stop))
        numbers = numbers | span if adds else numbers - span
    spans = list(intervals)
    assert {n for start, stop in spans for n in range(start, stop)} == numbers
    assert len(intervals) == len(numbers)
    assert all(a[1] < b[0] for a, b in itertools.pairwise(spans))
    assert {n for n in range(61) if n in intervals} == numbers
    tail = {n for start, stop in intervals.from_number(30) for n in range(start, stop)}
    assert tail == {n for n in numbers if n >= 30}


def test_pop_takes_the_smallest():
    intervals = Intervals([(3, 5), (9, 10)])
    assert [intervals.pop() for _ in range(3)] == [3, 4, 9]
    assert not intervals
    with pytest.raises(IndexError):
        intervals.pop()


@given(
    st.lists(
        st.tuples(st.integers(0, 300_000), st.integers(1, 200_000)).map(lambda p: (p[0], sum(p))),
        max_size=60,
    )
)
def test_packed_intervals_say_the_same(spans):
    before = Intervals(spans)
    after = Intervals()
    total = 0
    for start, count, data, parts in pack_intervals(before):
        assert count <= 18
        assert len(data) == 72
        total += parts
        for span in unpack_intervals(start, count, list(data)):
            after.add(*span)
    assert before == after
    assert total == len(before)


def test_a_count_that_lies_is_refused():
    with pytest.raises(ValueError, match="count = 200"):
        unpack_intervals(0, 200, bytes(72))


@pytest.mark.parametrize(
    "name",
    [
        *("", "..", "a/b", "a\\b", "/a", "C:x", ".hidden", "-rf", "~root", "*"),
        *("a\0b", "a\nb", "NUL", "com1.txt", "x" * 49, "end.", "end ", "a\u202eb", "\ud800"),
    ],
)
def test_unsafe_names_are_refused(name):
    with pytest.raises(UnsafeNameError):
        checked_name(name)


@pytest.mark.parametrize("name", ["mission.yaml", "Flug 3_b-2.tar.gz", "Übung.yaml", "飛行.yaml"])
def test_plain_names_are_taken(name):
    assert checked_name(name) == name


def test_paths_stay_below_their_root(tmp_path):
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    os.symlink("/etc", root / "out")
    os.symlink(root / "sub", root / "in")
    assert path_below(root, "/sub/file.txt") == root / "sub" / "file.txt"
    assert path_below(root, "") == root
    assert path_below(root, "in/x") == root / "in" / "x"
    for name in ("../x", "sub/../../x", "out/passwd", "out", "a\0b", "a/" * 4000 + "b", "\ud800"):
        with pytest.raises(UnsafeNameError):
            path_below(root, name)
