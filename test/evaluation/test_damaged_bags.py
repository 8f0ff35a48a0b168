"""Bags with flipped bytes and cut ends: read as far as they go, and said so."""

import contextlib
from zlib import crc32

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rosbags.rosbag2 import CompressionFormat, CompressionMode, Reader, StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore

from evaluation.bag_reading import open_bag
from evaluation.bag_salvage import HEADER, MESSAGE, SCHEMA, Cut, salvage, storage_files
from evaluation.errors import BagError
from evaluation.evaluate_bag import main
from evaluation.mcap_reading import CHUNK_HEAD, chunks_in_order

KINDS = ("plain", "summed", "zstd", "sqlite")
SECOND = 10**9
DAMAGE = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def copy_of(bag, target, kind):
    """Copy a second of a bag without its images."""
    store = get_typestore(Stores.LATEST)
    plugin = StoragePlugin.SQLITE3 if kind == "sqlite" else StoragePlugin.MCAP
    writer = Writer(target, version=8, storage_plugin=plugin)
    if kind == "zstd":
        writer.set_compression(CompressionMode.STORAGE, CompressionFormat.ZSTD)
    with Reader(bag) as reader, writer:
        chosen = [item for item in reader.connections if "Image" not in item.msgtype]
        made = {c.id: writer.add_connection(c.topic, c.msgtype, typestore=store) for c in chosen}
        for connection, time, data in reader.messages(chosen, stop=reader.start_time + SECOND):
            writer.write(made[connection.id], time, data)
    if kind == "summed":
        add_checksums(target)
    return target


def add_checksums(bag):
    """Put into an MCAP file's chunks the checksums that rosbags leaves out."""
    (file,) = storage_files(bag)
    content = bytearray(file.read_bytes())
    for place in chunks_in_order(file):
        start = place.offset + CHUNK_HEAD.size + 8
        total = crc32(content[start : place.offset + place.length])
        content[place.offset + 24 : place.offset + 28] = total.to_bytes(4, "little")
    file.write_bytes(content)


@pytest.fixture(scope="session")
def sound(recorded, tmp_path_factory):
    """A short bag of each kind."""
    folder = tmp_path_factory.mktemp("sound")
    return {kind: copy_of(recorded[1], folder / kind, kind) for kind in KINDS}


@pytest.fixture(scope="session")
def whole(sound):
    return {kind: list(all_messages(open_bag(bag))) for kind, bag in sound.items()}


def all_messages(bag):
    return bag.messages(list(bag.topics))


@st.composite
def damages(draw):
    """Flips at parts of the file, near its ends more often; where it is cut; without metadata?"""
    near = st.floats(0, 0.05)
    part = st.one_of(st.floats(0, 1), near, near.map(lambda value: 1 - value))
    flips = draw(st.lists(st.tuples(part, st.integers(1, 255)), max_size=6))
    return flips, draw(st.one_of(st.just(1.0), st.floats(0, 1))), draw(st.booleans())


def damaged(bag, target, damage):
    """Copy a bag with its storage file damaged."""
    flips, cut, with_metadata = damage
    target.mkdir(exist_ok=True)
    (file,) = storage_files(bag)
    content = bytearray(file.read_bytes())
    for part, mask in flips:
        content[int(part * (len(content) - 1))] ^= mask
    (target / file.name).write_bytes(content[: int(cut * len(content))])
    metadata = target / "metadata.yaml"
    metadata.unlink(missing_ok=True)
    if with_metadata:
        metadata.write_bytes((bag / "metadata.yaml").read_bytes())
    return target


@pytest.mark.parametrize("kind", KINDS)
@DAMAGE
@given(damage=damages())
def test_what_is_missing_is_told_and_nothing_is_raised(sound, whole, tmp_path, kind, damage):
    path = damaged(sound[kind], tmp_path / "bag", damage)
    (file,) = storage_files(path)
    try:
        bag = open_bag(path)
    except BagError as error:
        assert file.name in str(error)  # noqa: PT017 - it may as well be opened
        return
    found = list(all_messages(bag))
    for message in found:
        with contextlib.suppress(BagError):
            bag.deserialize(message)
    same = [item.data for item in found] == [item.data for item in whole[kind]]
    if len(found) < len(whole[kind]) or (kind == "summed" and not same):
        assert any(file.name in note or path.name in note for note in bag.notes)


@pytest.mark.parametrize("with_metadata", [True, False])
@pytest.mark.parametrize("kind", ["plain", "summed", "zstd"])
def test_one_flipped_bit_anywhere_in_a_chunk(sound, whole, tmp_path, kind, with_metadata):
    (file,) = storage_files(sound[kind])
    size = file.stat().st_size
    (place, *_) = chunks_in_order(file)
    noticed = 0
    for position in range(place.offset + 17, place.offset + place.length, place.length // 60):
        damage = [(position / (size - 1), 0x40)], 1.0, with_metadata
        try:
            bag = open_bag(damaged(sound[kind], tmp_path / "bag", damage))
        except BagError:  # nothing is left where the only chunk is refused
            noticed += 1
            continue
        found = [item.data for item in all_messages(bag)]
        noticed += bool(bag.notes)
        if not bag.notes:
            assert kind != "summed"  # the numbers of a message, which nothing vouches for
            assert len(found) == len(whole[kind])
    assert noticed > 0


def test_a_record_of_another_kind_in_a_chunk_is_noticed(sound, tmp_path):
    """A message whose kind was changed is not there any more; no checksum tells."""
    bag = damaged(sound["plain"], tmp_path / "bag", ([], 1.0, True))
    (file,) = storage_files(bag)
    content = bytearray(file.read_bytes())
    position = chunks_in_order(file)[0].offset + CHUNK_HEAD.size + 8
    while content[position] != MESSAGE:
        position += HEADER.size + HEADER.unpack_from(content, position)[1]
    content[position] = SCHEMA
    file.write_bytes(content)
    opened = open_bag(bag)
    assert len(list(all_messages(opened))) < sum(open_bag(sound["plain"]).counts.values())
    assert any(bag.name in note for note in opened.notes)


def test_a_bag_without_metadata_whose_messages_cannot_be_recognised_is_refused_by_name(
    sound, tmp_path
):
    """A changed record kind is skipped, as unknown kinds must be; nothing else is in the file."""
    bag = damaged(sound["plain"], tmp_path / "bag", ([], 1.0, False))
    (file,) = storage_files(bag)
    content = bytearray(file.read_bytes())
    for place in chunks_in_order(file):
        content[place.offset - HEADER.size] = 0x7F
    file.write_bytes(content)
    with pytest.raises(BagError, match=f"nothing can be read: no message in {file.name}"):
        open_bag(bag)


@pytest.mark.parametrize("kind", KINDS)
@DAMAGE
@given(damage=damages())
def test_the_salvage_reader_raises_nothing_but_where_it_was_cut(sound, tmp_path, kind, damage):
    (file,) = storage_files(damaged(sound[kind], tmp_path / "bag", damage))
    with contextlib.suppress(Cut):
        for raw in salvage(file):
            assert len(raw.data) <= file.stat().st_size or kind == "zstd"


@pytest.mark.parametrize("kind", ["plain", "sqlite"])
@settings(DAMAGE, max_examples=25)
@given(damage=damages())
def test_a_damaged_bag_is_evaluated_or_refused(sound, tmp_path, capsys, kind, damage):
    code = main([str(damaged(sound[kind], tmp_path / "bag", damage)), "--estimate", "laser"])
    error = capsys.readouterr().err
    assert code == 0 or (code == 2 and error.startswith("error: "))
