"""Bags with flipped bytes and cut ends: what the reader finds, and how it says what is wrong."""

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from ros2cli.bag_files import open_bag
from ros2cli.bag_salvage import DamageError, salvage
from ros2cli.cli import CommandError
from rosbags.rosbag2 import StoragePlugin
from test_bag import write_bag

STORAGES = {".mcap": StoragePlugin.MCAP, ".db3": StoragePlugin.SQLITE3}
PARTS = st.one_of(st.floats(0, 1), st.floats(0, 0.05), st.floats(0.95, 1))
FLIPS = st.lists(st.tuples(PARTS, st.integers(1, 255)), max_size=6)
CUTS = st.one_of(st.just(1.0), st.floats(0, 1))
DAMAGE = settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sound")
    for suffix, storage in STORAGES.items():
        write_bag(folder / suffix[1:], count=60, storage=storage)
    return folder


def damaged(bag, target, flips, cut, with_metadata):
    (file,) = (item for item in bag.iterdir() if item.suffix in STORAGES)
    content = bytearray(file.read_bytes())
    for part, mask in flips:
        content[int(part * (len(content) - 1))] ^= mask
    target.mkdir(exist_ok=True)
    (target / file.name).write_bytes(content[: int(cut * len(content))])
    (target / "metadata.yaml").unlink(missing_ok=True)
    if with_metadata:
        (target / "metadata.yaml").write_bytes((bag / "metadata.yaml").read_bytes())
    return target


@pytest.mark.parametrize("suffix", STORAGES)
@DAMAGE
@given(flips=FLIPS, cut=CUTS, with_metadata=st.booleans())
@example(flips=[(0.3, 0x10)], cut=1.0, with_metadata=False)
def test_a_damaged_bag_raises_what_the_command_tells(
    sound, tmp_path, suffix, flips, cut, with_metadata
):
    path = damaged(sound / suffix[1:], tmp_path / "bag", flips, cut, with_metadata)
    try:
        bag = open_bag(path)
        found = list(bag.messages(list(bag.counts)))
    except CommandError as error:
        assert str(path) in str(error)  # noqa: PT017 - it may as well be read
        return
    assert {message.topic for message in found} <= set(bag.counts)


@pytest.mark.parametrize("suffix", STORAGES)
@DAMAGE
@given(flips=FLIPS, cut=CUTS)
def test_the_salvage_reader_names_file_and_place(sound, tmp_path, suffix, flips, cut):
    path = damaged(sound / suffix[1:], tmp_path / "bag", flips, cut, False)
    (file,) = path.iterdir()
    found = []
    try:
        found.extend(salvage(file))
    except DamageError as error:
        assert f"{file.name} is damaged after " in str(error)  # noqa: PT017 - it may be sound


def test_info_says_where_a_bag_is_damaged(sound, tmp_path):
    """A channel whose declaration is gone: its messages belong to no topic."""
    path = damaged(sound / "mcap", tmp_path / "bag", [], 1.0, False)
    (file,) = path.iterdir()
    content = file.read_bytes()
    # Records of channels: 0x04, length, number of the channel.
    start = content.index(b"/b") - 4 - 2 - 2 - 8 - 1
    assert content[start] == 0x04
    file.write_bytes(content[:start] + b"\x7f" + content[start + 1 :])
    bag = open_bag(path)
    assert {topic.name for topic in bag.counts} == {"/a"}
    assert f"{file.name} is damaged after 1 messages, the last at 1000000000 ns" in bag.cut
