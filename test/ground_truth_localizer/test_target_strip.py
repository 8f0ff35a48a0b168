"""The ring of markers unrolled: nothing lost, nothing drawn twice, the right way round."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ground_truth_localizer.marker_pattern import MarkerPattern, PatternParameters
from ground_truth_localizer.target_strip import pieces


def even(count, width):
    return PatternParameters(
        names=tuple(f"marker {k}" for k in range(count)),
        angles=tuple(360.0 * k / count for k in range(count)),
        widths=(width,) * count,
        colours=(0.5,) * (3 * count),
    )


@given(
    count=st.integers(2, 12),
    share=st.floats(0.1, 1.0),
    radius=st.floats(0.02, 0.5),
    longest=st.floats(0.05, 3.0),
    turn=st.floats(-180.0, 180.0),
)
def test_the_pieces_hold_the_whole_ring(count, share, radius, longest, turn):
    plain = even(count, share * 360.0 / count)
    angles = tuple(angle + turn for angle in plain.angles)
    pattern = MarkerPattern(PatternParameters(plain.names, angles, plain.widths, plain.colours))
    strip = pieces(pattern, radius, longest)
    assert strip[-1].stop - strip[0].start == pytest.approx(2 * np.pi * radius)
    for piece, following in itertools.pairwise(strip):
        assert following.start == piece.stop
    covered = 0.0
    for piece in strip:
        assert 0.0 < piece.stop - piece.start <= longest + 1e-6
        for patch in piece.patches:
            assert piece.start <= patch.start < patch.stop <= piece.stop
            middle = np.array((patch.start + patch.stop) / 2 / radius)
            assert pattern.albedo(middle) == pytest.approx(patch.colour)
            covered += patch.stop - patch.start
    assert covered == pytest.approx(share * 2 * np.pi * radius, rel=1e-6)


def test_our_markers_are_not_cut_and_in_order():
    strip = pieces(MarkerPattern(PatternParameters()), 0.10, 0.263)
    names = [patch.name for piece in strip for patch in piece.patches]
    assert names == ["blue", "green", "pink", "yellow", "red", "light_blue"]
    for piece in strip:
        for patch in piece.patches:
            assert patch.stop - patch.start == pytest.approx(0.10 * np.radians(30.0))


def test_a_sheet_that_holds_nothing_is_refused():
    with pytest.raises(ValueError, match="longest"):
        pieces(MarkerPattern(PatternParameters()), 0.10, 0.0)
