"""A head by a script."""

import math

import numpy as np
import pytest

from spatial_types.parameters import ParameterError
from spatial_types.transforms import matrix_from_rpy
from vr_view.head_sources.scripted import ScriptedHead


def test_it_goes_from_line_to_line_and_begins_again():
    head = ScriptedHead(["0 0 0 0", "2, 90, 30, 10, 1.0, 0.5, 1.8"])
    middle = head.pose(1.0)
    np.testing.assert_allclose(middle.translation, [0.5, 0.25, 1.7])
    rpy = (math.radians(5), math.radians(15), math.radians(45))
    np.testing.assert_allclose(middle.rotation, matrix_from_rpy(rpy))
    np.testing.assert_allclose(head.pose(3.0).rotation, middle.rotation)


def test_one_line_stands_still():
    head = ScriptedHead(["0 10 0 0"])
    assert head.pose(7.0).yaw == pytest.approx(math.radians(10))
    assert head.pose(0.0).translation.tolist() == [0.0, 0.0, 1.6]


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        ([], "expected lines of"),
        (["0 0 0"], "line 1 = '0 0 0'"),
        (["0 0 0 0", "1 a 0 0"], "line 2 = '1 a 0 0'"),
        (["0 0 0 nan"], "line 1"),
        (["1 0 0 0", "1 0 0 0"], "seconds that grow"),
    ],
)
def test_a_wrong_script_is_refused_by_its_line(lines, text):
    with pytest.raises(ParameterError, match=text):
        ScriptedHead(lines)
