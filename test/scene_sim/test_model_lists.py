"""Files that the node's parameters name: found, or told what there is."""

import re

import pytest

from scene_sim.model_lists import files_from_text, find_file
from spatial_types.parameters import ParameterError


@pytest.fixture
def share(tmp_path):
    (tmp_path / "worlds").mkdir()
    for name in ("room.sdf", "hall.sdf", "notes.txt"):
        (tmp_path / "worlds" / name).touch()
    return tmp_path


def test_a_file_below_the_share_is_found(share):
    assert find_file("worlds/room.sdf", share) == share / "worlds/room.sdf"
    several = files_from_text("worlds/room.sdf worlds/hall.sdf", share)
    assert several == [share / "worlds/room.sdf", share / "worlds/hall.sdf"]


def test_a_misspelt_one_is_told_with_those_of_its_kind(share):
    told = f"'worlds/rom.sdf': no such file, nor '{share}/worlds/rom.sdf'; in '{share}/worlds' are "
    with pytest.raises(ParameterError, match=re.escape(told + "hall.sdf, room.sdf") + "$"):
        find_file("worlds/rom.sdf", share)


def test_where_there_are_none_nothing_is_offered(share):
    with pytest.raises(ParameterError, match=re.escape("nor '" + str(share / "my/rom.sdf")) + "'$"):
        find_file("my/rom.sdf", share)
