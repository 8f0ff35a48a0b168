"""Our transforms over time against tf2's buffer."""

import numpy as np
import pytest
import tf2_py
from geometry_msgs.msg import TransformStamped
from hypothesis import given, settings
from hypothesis import strategies as st
from rclpy.duration import Duration
from rclpy.time import Time

from evaluation.transform_tree import TransformError, TransformTree
from ros_interface.geometry_messages import transform_from_message
from ros_interface.stamps import stamp_from_nanoseconds

TURN = (0.0, 0.0, np.sin(0.2), np.cos(0.2))
NUMBERS = st.floats(-3, 3)
POSES = st.tuples(*[NUMBERS] * 7).filter(lambda pose: np.linalg.norm(pose[3:]) > 0.1)
STAMPS = st.integers(1, 50).map(lambda k: k * 10**8)
# A station: map > base > pan > camera beside map > lrf, and a frame of another tree.
LINKS = {"base": "map", "pan": "base", "camera": "pan", "lrf": "map", "alone": "elsewhere"}


def stamped(parent, child, stamp, pose):
    message = TransformStamped()
    message.header.frame_id, message.child_frame_id = parent, child
    message.header.stamp = stamp_from_nanoseconds(stamp)
    moved, turned = message.transform.translation, message.transform.rotation
    moved.x, moved.y, moved.z = pose[:3]
    turned.x, turned.y, turned.z, turned.w = np.array(pose[3:]) / np.linalg.norm(pose[3:])
    return message


@settings(max_examples=150)
@given(
    st.fixed_dictionaries(dict.fromkeys(LINKS, POSES)),
    st.dictionaries(st.sampled_from(["base", "pan", "alone"]), st.dictionaries(STAMPS, POSES)),
    st.lists(
        st.tuples(st.sampled_from(["map", *LINKS]), st.sampled_from(["map", *LINKS]), STAMPS),
        max_size=5,
    ),
)
def test_the_same_answers_as_tf2(static, moving, questions):
    tree, buffer = TransformTree(), tf2_py.BufferCore(Duration(seconds=60))
    for child, parent in LINKS.items():
        if moving.get(child):
            for stamp, pose in moving[child].items():
                tree.set_moving(parent, child, stamp, pose)
                buffer.set_transform(stamped(parent, child, stamp, pose), "test")
        else:
            tree.set_static(parent, child, static[child])
            buffer.set_transform_static(stamped(parent, child, 0, static[child]), "test")
    for target, source, stamp in questions:
        try:
            asked = Time(nanoseconds=stamp)
            expected = buffer.lookup_transform_core(target, source, asked).transform
        except tf2_py.TransformException:
            with pytest.raises(TransformError):
                tree.lookup(target, source, stamp)
            continue
        expected, found = transform_from_message(expected), tree.lookup(target, source, stamp)
        np.testing.assert_allclose(found.rotation, expected.rotation, atol=1e-7)
        np.testing.assert_allclose(found.translation, expected.translation, atol=1e-6)


def test_what_is_missing_is_named():
    tree = TransformTree()
    with pytest.raises(TransformError, match="frame 'map' does not exist; frames: none"):
        tree.lookup("map", "lrf", 0)
    tree.set_static("map", "lrf", (0, 0, 0.5, 0, 0, 0, 1))
    tree.set_static("attic", "box", (0, 0, 0.5, 0, 0, 0, 1))
    with pytest.raises(TransformError, match="'nowhere' does not exist; frames: attic, box, lrf"):
        tree.lookup("nowhere", "lrf", 0)
    with pytest.raises(TransformError, match="'map' and 'box' are not connected"):
        tree.lookup("map", "box", 0)
    for stamp in (10**9, 2 * 10**9):
        tree.set_moving("lrf", "pan", stamp, (0, 0, 0, *TURN))
    with pytest.raises(TransformError, match=r"at 2\.5.* s: known from 1\.0.* to 2\.0.* s"):
        tree.lookup("map", "pan", 2_500_000_000)


@pytest.mark.parametrize(
    ("parent", "child", "pose"),
    [
        ("map", "map", (0, 0, 0, 0, 0, 0, 1)),
        ("", "lrf", (0, 0, 0, 0, 0, 0, 1)),
        ("map", "lrf", (0, float("nan"), 0, 0, 0, 0, 1)),
        ("map", "lrf", (0, 0, 0, 0, 0, 0, 0)),
    ],
)
def test_a_transform_that_is_none_is_not_taken(parent, child, pose):
    tree = TransformTree()
    with pytest.raises(TransformError):
        tree.set_static(parent, child, pose)
    with pytest.raises(TransformError):
        tree.set_moving(parent, child, 1, pose)
    with pytest.raises(TransformError, match="does not exist"):
        tree.lookup("map", "lrf", 1)


def test_a_loop_of_frames_is_no_way():
    tree = TransformTree()
    for parent, child in (("a", "b"), ("b", "a"), ("map", "lrf")):
        tree.set_static(parent, child, (0, 0, 0, 0, 0, 0, 1))
    with pytest.raises(TransformError, match="not connected"):
        tree.lookup("map", "a", 1)


def test_of_one_stamp_the_later_told_holds_and_a_new_parent_starts_anew():
    tree = TransformTree()
    tree.set_moving("map", "robot", 5, (1, 0, 0, 0, 0, 0, 1))
    tree.set_moving("map", "robot", 5, (2, 0, 0, 0, 0, 0, 1))
    assert tree.lookup("map", "robot", 5).translation[0] == 2
    assert not tree.is_fixed("map", "robot")
    tree.set_moving("odom", "robot", 6, (3, 0, 0, 0, 0, 0, 1))
    assert tree.lookup("odom", "robot", 6).translation[0] == 3
    with pytest.raises(TransformError):
        tree.lookup("map", "robot", 5)
    tree.set_static("map", "robot", (4, 0, 0, 0, 0, 0, 1))
    assert tree.is_fixed("map", "robot")
    assert tree.lookup("map", "robot", 77).translation[0] == 4
