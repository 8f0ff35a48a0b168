import array

import numpy as np
import pytest
from builtin_interfaces.msg import Time
from geometry_msgs.msg import Pose
from hypothesis import given
from hypothesis import strategies as st
from sensor_msgs.msg import LaserScan

from ros_interface.errors import MessageError
from ros_interface.geometry_messages import (
    UNKNOWN_VARIANCE,
    message_from_pose,
    planar_covariance,
    pose_from_message,
    stamped_transform,
    transform_from_message,
)
from ros_interface.scan_messages import message_from_scan, scan_from_message
from ros_interface.stamps import LAST_SECOND, nanoseconds_from_stamp, stamp_from_nanoseconds
from spatial_types.scan import Scan
from spatial_types.transforms import Transform


@given(st.integers(0, LAST_SECOND * 10**9 - 1))
def test_stamps_are_exact(nanoseconds):
    assert nanoseconds_from_stamp(stamp_from_nanoseconds(nanoseconds)) == nanoseconds


@pytest.mark.parametrize("second", [-1, 2**31 - 1])
def test_stamps_that_no_clock_tells_are_refused(second):
    with pytest.raises(MessageError, match=r"header\.stamp\.sec"):
        nanoseconds_from_stamp(Time(sec=second))


def example_scan(increment=0.5):
    return Scan(7, "lrf_link", -1.0, increment, 1e-4, 0.1, 0.1, 10.0, np.array([1.0, np.inf, 2.5]))


@pytest.mark.parametrize("increment", [0.5, -0.5])
def test_scan_round_trip(increment):
    back = scan_from_message(message_from_scan(example_scan(increment)))
    assert back.stamp == 7
    assert np.allclose(back.angles, example_scan(increment).angles)
    assert back.ranges.tolist() == [1.0, np.inf, 2.5]


def test_ranges_are_handed_over_as_one_block(monkeypatch):
    given = []
    monkeypatch.setattr(LaserScan, "ranges", property(fset=lambda _, value: given.append(value)))
    message_from_scan(example_scan())
    # rclpy checks a list number by number and takes an array as it is.
    assert isinstance(given[-1], array.array)
    assert given[-1].typecode == "f"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"ranges": []}, "ranges is empty"),
        ({"ranges": [1.0] * 9}, "9 values: expected 3"),
        ({"intensities": [1.0]}, "intensities has 1"),
        ({"angle_increment": 0.0}, "angle_increment = 0"),
        ({"angle_min": float("nan")}, "angle_min = nan"),
        ({"range_max": 0.0}, "range_max = 0"),
        ({"time_increment": 31.0}, "time_increment = 31.0: expected at most 60 s"),
    ],
)
def test_unusable_scans_are_refused(change, words):
    message: LaserScan = message_from_scan(example_scan())
    for name, value in change.items():
        setattr(message, name, value)
    with pytest.raises(MessageError, match=words):
        scan_from_message(message)


def test_angle_max_may_name_the_beam_after_the_last():
    message = message_from_scan(example_scan())
    message.angle_max += message.angle_increment
    assert len(scan_from_message(message).ranges) == 3


def test_pose_round_trip_and_refusal():
    pose = Transform.from_rpy((1, 2, 3), (0.1, 0.2, 0.3))
    back = pose_from_message(message_from_pose(pose))
    assert np.allclose(back.rotation, pose.rotation)
    empty = Pose()
    empty.orientation.w = 0.0
    with pytest.raises(MessageError, match="no direction"):
        pose_from_message(empty)
    empty.position.x = float("nan")
    with pytest.raises(MessageError, match="up to 1e\\+09 m"):
        pose_from_message(empty)


@pytest.mark.parametrize("place", [float("nan"), float("inf"), -1e10, 1e300])
def test_places_beyond_this_earth_are_refused(place):
    pose = Pose()
    pose.orientation.w = 1.0
    pose.position.y = 6.4e6  # a northing, as in UTM
    pose_from_message(pose)
    pose.position.y = place
    with pytest.raises(MessageError, match="position"):
        pose_from_message(pose)


def test_stamped_transform_names_both_frames():
    message = stamped_transform(Transform.planar(1, 2, 0.5), 3, "map", "target")
    assert (message.header.frame_id, message.child_frame_id) == ("map", "target")
    assert np.isclose(transform_from_message(message.transform).yaw, 0.5)


def test_covariance_says_what_is_unknown():
    position = np.array(planar_covariance([[1.0, 0.5], [0.5, 2.0]])).reshape(6, 6)
    assert position[0, 1] == position[1, 0] == 0.5
    assert position[5, 5] == UNKNOWN_VARIANCE
    pose = np.array(planar_covariance(np.diag([1.0, 2.0, 3.0]))).reshape(6, 6)
    assert pose[5, 5] == 3.0
