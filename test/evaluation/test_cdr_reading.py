"""Our decoding of CDR against rosbags', and what it says of bytes that are no message."""

import contextlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rosbags.typesys import Stores, get_typestore

from evaluation.cdr_reading import READERS, CdrError

STORE = get_typestore(Stores.LATEST)
TYPES = STORE.types
SCAN, IMAGE, TRANSFORMS = READERS
NUMBERS = st.floats(allow_nan=False, width=32)
TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=12)


@st.composite
def headers(draw):
    seconds = draw(st.integers(-(2**31), 2**31 - 1))
    stamp = TYPES["builtin_interfaces/msg/Time"](seconds, draw(st.integers(0, 2**32 - 1)))
    return TYPES["std_msgs/msg/Header"](stamp, draw(TEXTS))


@st.composite
def scans(draw):
    ranges, intensities = (
        np.array(draw(st.lists(st.floats(width=32), max_size=9)), dtype=np.float32)
        for _ in range(2)
    )
    sweep = [draw(NUMBERS) for _ in range(7)]
    return TYPES[SCAN](draw(headers()), *sweep, ranges, intensities)


@st.composite
def images(draw):
    data = np.frombuffer(draw(st.binary(max_size=40)), dtype=np.uint8)
    height, width, step = (draw(st.integers(0, 2**32 - 1)) for _ in range(3))
    big = draw(st.integers(0, 1))
    return TYPES[IMAGE](draw(headers()), height, width, draw(TEXTS), big, step, data)


@st.composite
def transforms(draw):
    found = []
    for _ in range(draw(st.integers(0, 3))):
        values = [draw(st.floats(allow_nan=False)) for _ in range(7)]
        shift = TYPES["geometry_msgs/msg/Vector3"](*values[:3])
        turn = TYPES["geometry_msgs/msg/Quaternion"](*values[3:])
        pose = TYPES["geometry_msgs/msg/Transform"](shift, turn)
        make = TYPES["geometry_msgs/msg/TransformStamped"]
        found.append(make(draw(headers()), draw(TEXTS), pose))
    return TYPES[TRANSFORMS](found)


def pose_values(item):
    shift, turn = item.transform.translation, item.transform.rotation
    return (shift.x, shift.y, shift.z, turn.x, turn.y, turn.z, turn.w)


def same_header(found, expected):
    stamp = expected.stamp
    assert (found.stamp.sec, found.stamp.nanosec) == (stamp.sec, stamp.nanosec)
    assert found.frame_id == expected.frame_id


@given(st.one_of(scans(), images(), transforms()), st.booleans())
def test_the_same_fields_as_rosbags(message, little):
    kind = message.__msgtype__
    data = bytes(STORE.serialize_cdr(message, kind, little_endian=little))
    found, expected = READERS[kind](data), STORE.deserialize_cdr(data, kind)
    if kind == TRANSFORMS:
        assert len(found.transforms) == len(expected.transforms)
        for ours, theirs in zip(found.transforms, expected.transforms, strict=True):
            same_header(ours.header, theirs.header)
            assert ours.child_frame_id == theirs.child_frame_id
            assert ours.pose == pose_values(theirs)
        return
    same_header(found.header, expected.header)
    for name in vars(found).keys() - {"header"}:
        ours, theirs = getattr(found, name), getattr(expected, name)
        np.testing.assert_array_equal(ours, theirs, err_msg=name)


@settings(max_examples=300)
@given(st.one_of(scans(), images(), transforms()), st.data())
def test_damaged_bytes_are_refused_or_read_but_raise_nothing_else(message, data):
    kind = message.__msgtype__
    raw = bytearray(STORE.serialize_cdr(message, kind))
    for _ in range(data.draw(st.integers(0, 4))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    cut = bytes(raw[: data.draw(st.integers(0, len(raw)))])
    for content in (cut, memoryview(cut), bytes(raw)):
        with contextlib.suppress(CdrError):
            READERS[kind](content)


@pytest.mark.parametrize("kind", READERS)
def test_every_cut_of_a_message_is_noticed(kind):
    stamp = TYPES["builtin_interfaces/msg/Time"](1, 2)
    header = TYPES["std_msgs/msg/Header"](stamp, "frame")
    four = np.arange(4, dtype=np.float32)
    shift, turn = TYPES["geometry_msgs/msg/Vector3"], TYPES["geometry_msgs/msg/Quaternion"]
    pose = TYPES["geometry_msgs/msg/Transform"](shift(1.0, 2.0, 3.0), turn(0.0, 0.0, 0.0, 1.0))
    message = {
        SCAN: lambda: TYPES[SCAN](header, *[0.5] * 7, four, four),
        IMAGE: lambda: TYPES[IMAGE](header, 2, 2, "mono8", 0, 2, np.arange(4, dtype=np.uint8)),
        TRANSFORMS: lambda: TYPES[TRANSFORMS](
            [TYPES["geometry_msgs/msg/TransformStamped"](header, "child", pose)]
        ),
    }[kind]()
    data = bytes(STORE.serialize_cdr(message, kind))
    for length in range(len(data)):
        with pytest.raises(CdrError):
            READERS[kind](data[:length])
    with pytest.raises(CdrError, match="its fields take"):
        READERS[kind](data + bytes(8))
