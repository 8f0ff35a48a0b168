"""Transforms and data of a time that begins anew, in any order of arrival."""

import contextlib

import pytest
import tf2_ros
from rclpy.time import Time

from ros_interface.geometry_messages import stamped_transform
from ros_interface.time_jumps import RestartingBuffer, StampWatch
from spatial_types.transforms import Transform

SECOND = 10**9
POSE = Transform.from_rpy((1.0, 0.0, 0.0), (0.0, 0.0, 0.0))


@pytest.fixture
def buffer():
    made = RestartingBuffer()
    made.set_transform_static(stamped_transform(POSE, 0, "map", "wall"), "test")
    return made


def put(buffer, *seconds, frame="turret"):
    for time in seconds:
        buffer.set_transform(stamped_transform(POSE, int(time * SECOND), "map", frame), "test")


def knows(buffer, seconds, frame="turret"):
    return buffer.can_transform("map", frame, Time(nanoseconds=int(seconds * SECOND)))


def test_transforms_that_come_before_the_first_data_are_kept(buffer):
    watch = StampWatch(buffer)
    put(buffer, 99.0, 100.0)
    assert not watch.see(100 * SECOND)
    put(buffer, 1.0, 1.2)
    assert watch.see(int(1.1 * SECOND))
    assert knows(buffer, 1.1)
    assert not knows(buffer, 99.5)
    assert knows(buffer, 0.0, frame="wall")


def test_data_that_come_first_make_room_for_their_transforms(buffer):
    watch = StampWatch(buffer)
    put(buffer, 99.0, 100.0)
    watch.see(100 * SECOND)
    assert watch.see(1 * SECOND)
    assert not knows(buffer, 99.5)
    put(buffer, 0.9, 1.1)
    assert knows(buffer, 1.0)


def test_late_data_of_the_time_before_take_nothing_away(buffer):
    watch = StampWatch(buffer)
    put(buffer, 99.0, 100.0)
    watch.see(99 * SECOND)
    put(buffer, 1.0, 1.2)
    assert not watch.see(100 * SECOND)
    assert watch.see(int(1.1 * SECOND))
    assert knows(buffer, 1.1)


def test_a_little_out_of_order_is_no_new_time(buffer):
    watch = StampWatch(buffer)
    put(buffer, 9.0, 10.0, 9.5)
    watch.see(10 * SECOND)
    assert not watch.see(int(9.2 * SECOND))
    assert knows(buffer, 9.2)


def test_frames_that_lag_behind_others_are_no_new_time(buffer):
    for step in range(20):
        put(buffer, 100.0 + 0.1 * step, frame="fast")
        put(buffer, 90.0 + 0.1 * step, frame="slow")
    assert knows(buffer, 101.0, frame="fast")
    assert knows(buffer, 91.0, frame="slow")


def test_impossible_stamps_reach_the_buffer_as_they_are(buffer):
    message = stamped_transform(POSE, 0, "map", "turret")
    message.header.stamp.sec = -5
    with contextlib.suppress(tf2_ros.TransformException):
        buffer.set_transform(message, "test")
    put(buffer, 1.0, 2.0)
    assert knows(buffer, 1.5)
