"""Chunks taken apart in memory against rosbags' own reading of the same bag."""

import numpy as np
import pytest
from rosbags.rosbag2 import Reader, StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore

from evaluation.bag_reading import open_bag
from evaluation.bag_salvage import storage_files
from evaluation.mcap_reading import chunks_in_order

STORE = get_typestore(Stores.LATEST)
TOPICS = ("/a", "/b")


def write_bag(path, count=400, shuffle=0):
    """Write strings on two topics; with `shuffle`, each up to so many places from its time."""
    random = np.random.default_rng(5)
    kind = "std_msgs/msg/String"
    places = np.argsort(np.arange(count) + random.uniform(0, shuffle, count), kind="stable")
    with Writer(path, version=9, storage_plugin=StoragePlugin.MCAP) as writer:
        links = [writer.add_connection(name, kind, typestore=STORE) for name in TOPICS]
        for k in places.tolist():
            text = STORE.types[kind](data=f"{k} " + "x" * 5000)
            writer.write(links[k % 2], 1000 + k, STORE.serialize_cdr(text, kind))
    return path


def through_rosbags(path, topics):
    with Reader(path) as reader:
        chosen = [item for item in reader.connections if item.topic in topics]
        return [(c.topic, c.msgtype, t, data) for c, t, data in reader.messages(chosen)]


@pytest.mark.parametrize("shuffle", [0, 6])
@pytest.mark.parametrize("topics", [TOPICS, ("/b",)])
def test_same_messages_in_the_same_order_as_rosbags(tmp_path, topics, shuffle):
    bag = open_bag(write_bag(tmp_path / "bag", shuffle=shuffle))
    assert bag.plain
    read = [tuple(raw) for raw in bag._raw(topics, {})]
    assert len(read) == 200 * len(topics)
    assert read == through_rosbags(bag.path, topics)
    assert bag.notes == []


def test_chunks_that_overlap_in_time_are_left_to_rosbags(tmp_path):
    (file,) = storage_files(write_bag(tmp_path / "bag"))
    places = chunks_in_order(file)
    assert places is not None
    assert len(places) > 1
    (mixed,) = storage_files(write_bag(tmp_path / "mixed", shuffle=400))
    assert chunks_in_order(mixed) is None


def test_a_damaged_chunk_ends_the_reading_with_a_note(tmp_path):
    bag = open_bag(write_bag(tmp_path / "bag"))
    (file,) = storage_files(bag.path)
    last = chunks_in_order(file)[-1]
    content = bytearray(file.read_bytes())
    content[last.offset + 24] ^= 0xFF  # the sum of the chunk's bytes, else 0: not given
    file.write_bytes(content)
    assert 0 < len(list(bag._raw(TOPICS, {}))) < 400
    assert "damaged" in bag.notes[0]
