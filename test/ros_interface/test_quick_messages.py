"""Messages of a fast stream read back as they were meant."""

import pytest
from geometry_msgs.msg import PoseStamped, TransformStamped
from hypothesis import given
from hypothesis import strategies as st
from sensor_msgs.msg import CameraInfo
from tf2_msgs.msg import TFMessage

from ros_interface.geometry_messages import stamped_transform
from ros_interface.quick_messages import QuickMessage
from ros_interface.stamps import nanoseconds_from_stamp
from spatial_types.transforms import Transform

NUMBER = st.floats(allow_nan=False, allow_infinity=False)
STAMP = st.integers(0, 2**31 * 10**9 - 1)
FRAMES = st.text("abcdefgh/_", max_size=20)


@given(FRAMES, STAMP, st.tuples(*[NUMBER] * 3), st.tuples(*[NUMBER] * 4))
def test_a_pose_is_written_whatever_its_frame_is_called(frame, stamp, position, quaternion):
    message = PoseStamped()
    message.header.frame_id = frame
    quick = QuickMessage(message)
    quick.placed(stamp, position, quaternion)
    found = quick.read()
    assert found.header.frame_id == frame
    assert nanoseconds_from_stamp(found.header.stamp) == stamp
    place, turn = found.pose.position, found.pose.orientation
    assert (place.x, place.y, place.z) == position
    assert (turn.x, turn.y, turn.z, turn.w) == quaternion


@given(FRAMES, FRAMES, STAMP)
def test_a_transform_is_written_too(parent, child, stamp):
    quick = QuickMessage(
        TFMessage(transforms=[stamped_transform(Transform(), 5, parent, child)]), stamp_at=4
    )
    quick.placed(stamp, (1.0, 2.0, 3.0), (0.5, -0.5, 0.5, -0.5))
    (found,) = quick.read().transforms
    assert isinstance(found, TransformStamped)
    assert (found.header.frame_id, found.child_frame_id) == (parent, child)
    assert nanoseconds_from_stamp(found.header.stamp) == stamp
    assert found.transform.translation.z == 3.0
    assert found.transform.rotation.w == -0.5


def test_a_stamp_alone_leaves_the_rest():
    message = CameraInfo(width=640, height=480, distortion_model="plumb_bob", d=[0.0] * 5)
    message.header.frame_id = "eye"
    message.p[3] = -20.0
    quick = QuickMessage(message)
    quick.stamped(12_000_000_034)
    found = quick.read()
    assert (found.header.stamp.sec, found.header.stamp.nanosec) == (12, 34)
    found.header.stamp = message.header.stamp
    assert found == message


def test_what_was_handed_out_does_not_change_with_the_next():
    quick = QuickMessage(PoseStamped())
    first = quick.stamped(1)
    assert quick.stamped(2) != first
    assert isinstance(first, bytes)


def test_negative_stamps_are_not_of_ros():
    with pytest.raises(Exception, match="format"):
        QuickMessage(PoseStamped()).stamped(2**31 * 10**9)
