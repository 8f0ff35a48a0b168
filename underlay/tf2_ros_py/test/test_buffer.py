import contextlib
import math
from types import SimpleNamespace

import pytest
from geometry_msgs.msg import TransformStamped
from tf2_ros import (
    Buffer,
    ConnectivityException,
    ExtrapolationException,
    InvalidArgumentException,
    LookupException,
    TransformException,
)
from transforms import at, filled, pose, stamp_of, xyz_of, xyzw_of, yaw_of

LATEST = at(0.0)


def test_gives_back_what_it_was_given():
    buffer = filled(pose("map", "robot", 5.0, (1.0, 2.0, 3.0), 0.5))

    found = buffer.lookup_transform("map", "robot", at(5.0))

    assert found.header.frame_id == "map"
    assert found.child_frame_id == "robot"
    assert stamp_of(found) == 5.0
    assert xyz_of(found) == pytest.approx((1.0, 2.0, 3.0))
    assert yaw_of(found) == pytest.approx(0.5)


def test_inverts_when_asked_from_parent_to_child():
    buffer = filled(pose("map", "robot", 5.0, (1.0, 0.0, 0.0), math.pi / 2))

    found = buffer.lookup_transform("robot", "map", at(5.0))

    assert xyz_of(found) == pytest.approx((0.0, 1.0, 0.0), abs=1e-12)
    assert yaw_of(found) == pytest.approx(-math.pi / 2)


def test_chains_through_a_common_parent():
    buffer = filled(
        pose("map", "a", 1.0, (1.0, 0.0, 0.0), math.pi / 2),
        pose("map", "b", 1.0, (0.0, 2.0, 0.0)),
        static=(pose("a", "sensor", xyz=(0.5, 0.0, 0.0)),),
    )

    found = buffer.lookup_transform("b", "sensor", at(1.0))

    assert xyz_of(found) == pytest.approx((1.0, -1.5, 0.0))


def test_accepts_message_times():
    buffer = filled(pose("map", "robot", 5.0, (1.0, 0.0, 0.0)))
    assert xyz_of(buffer.lookup_transform("map", "robot", at(5.0).to_msg())) == (1.0, 0.0, 0.0)


def test_refuses_other_times():
    with pytest.raises(TypeError, match="nanosec"):
        filled(pose("map", "robot", 5.0)).lookup_transform("map", "robot", 5.0)


def test_interpolates_position_and_the_shorter_turn():
    buffer = filled(
        pose("map", "robot", 1.0, (0.0, 0.0, 0.0), math.radians(170.0)),
        pose("map", "robot", 2.0, (4.0, 0.0, 2.0), math.radians(-170.0)),
    )

    found = buffer.lookup_transform("map", "robot", at(1.25))

    assert xyz_of(found) == pytest.approx((1.0, 0.0, 0.5))
    assert yaw_of(found) == pytest.approx(math.radians(175.0))
    assert stamp_of(found) == 1.25


def test_interpolates_between_data_that_came_in_any_order():
    buffer = filled(
        pose("map", "robot", 3.0, (3.0, 0.0, 0.0)),
        pose("map", "robot", 1.0, (1.0, 0.0, 0.0)),
        pose("map", "robot", 2.0, (9.0, 0.0, 0.0)),
    )
    assert xyz_of(buffer.lookup_transform("map", "robot", at(1.5))) == pytest.approx((5.0, 0, 0))
    assert xyz_of(buffer.lookup_transform("map", "robot", at(2.5))) == pytest.approx((6.0, 0, 0))


def test_holds_the_older_parent_while_the_parent_changes():
    buffer = filled(
        pose("room", "robot", 1.0, (1.0, 0.0, 0.0)),
        pose("hall", "robot", 2.0, (2.0, 0.0, 0.0)),
    )
    assert xyz_of(buffer.lookup_transform("room", "robot", at(1.5))) == (1.0, 0.0, 0.0)
    assert not buffer.can_transform("hall", "robot", at(1.5))
    assert xyz_of(buffer.lookup_transform("hall", "robot", at(2.0))) == (2.0, 0.0, 0.0)


def test_time_zero_is_the_latest_common_time():
    buffer = filled(
        pose("map", "robot", 1.0, (0.0, 0.0, 0.0)),
        pose("map", "robot", 3.0, (2.0, 0.0, 0.0)),
        pose("robot", "arm", 2.0, (0.0, 1.0, 0.0)),
        static=(pose("arm", "hand", xyz=(0.0, 0.0, 1.0)),),
    )

    found = buffer.lookup_transform("map", "hand", LATEST)

    assert stamp_of(found) == 2.0
    assert xyz_of(found) == pytest.approx((1.0, 1.0, 1.0))
    assert buffer.get_latest_common_time("map", "hand").nanoseconds == 2_000_000_000
    assert buffer.get_latest_common_time("hand", "map").nanoseconds == 2_000_000_000


def test_latest_common_time_of_two_branches():
    newest = (("map", "odom", 9.0), ("odom", "a", 5.0), ("odom", "b", 4.0), ("b", "c", 6.0))
    buffer = filled(
        *(pose(parent, child, 1.0) for parent, child, _ in newest),
        *(pose(parent, child, seconds) for parent, child, seconds in newest),
    )
    assert stamp_of(buffer.lookup_transform("a", "c", LATEST)) == 4.0


def test_static_poses_hold_at_every_time():
    buffer = filled(static=(pose("map", "station", 7.0, (1.0, 0.0, 0.0)),))
    for seconds in (0.0, 1.0, 1e6):
        found = buffer.lookup_transform("map", "station", at(seconds))
        assert xyz_of(found) == (1.0, 0.0, 0.0)
        assert stamp_of(found) == seconds


def test_a_static_pose_may_become_a_moving_one():
    buffer = filled(static=(pose("map", "robot", xyz=(1.0, 0.0, 0.0)),))
    buffer.set_transform(pose("map", "robot", 5.0, (2.0, 0.0, 0.0)), "test")
    assert xyz_of(buffer.lookup_transform("map", "robot", at(5.0))) == (2.0, 0.0, 0.0)
    assert not buffer.can_transform("map", "robot", at(1.0))


def test_same_frame_is_identity_even_when_unknown():
    found = Buffer().lookup_transform("nowhere", "nowhere", at(4.0))
    assert xyzw_of(found) == (0.0, 0.0, 0.0, 1.0)
    assert stamp_of(found) == 4.0


def test_full_lookup_goes_by_the_fixed_frame():
    buffer = filled(
        pose("map", "robot", 1.0, (1.0, 0.0, 0.0)),
        pose("map", "robot", 2.0, (5.0, 0.0, 0.0)),
    )

    found = buffer.lookup_transform_full("robot", at(2.0), "robot", at(1.0), "map")

    assert xyz_of(found) == pytest.approx((-4.0, 0.0, 0.0))
    assert buffer.can_transform_full("robot", at(2.0), "robot", at(1.0), "map")
    assert not buffer.can_transform_full("robot", at(3.0), "robot", at(1.0), "map")


def test_says_that_a_frame_does_not_exist():
    buffer = filled(pose("map", "robot", 1.0))
    with pytest.raises(
        LookupException, match=r'"ghost" passed to lookupTransform.* does not exist'
    ):
        buffer.lookup_transform("map", "ghost", at(1.0))
    can, why = buffer.can_transform("ghost", "map", at(1.0), return_debug_tuple=True)
    assert not can
    assert "ghost" in why
    assert "frame does not exist" in why


def test_says_that_trees_are_not_connected():
    buffer = filled(pose("map", "robot", 1.0), pose("moon", "rover", 1.0))
    with pytest.raises(
        ConnectivityException, match=r"'robot' and 'rover'.*not part of the same tree"
    ):
        buffer.lookup_transform("robot", "rover", at(1.0))
    with pytest.raises(ConnectivityException, match="two or more unconnected trees"):
        buffer.lookup_transform("robot", "rover", LATEST)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (3.5, r"into the future.  Requested time 3.500000 but the latest data is at time 3.000000"),
        (0.5, r"into the past.  Requested time 0.500000 but the earliest data is at time 1.000000"),
    ],
)
def test_says_which_time_it_would_need(seconds, text):
    buffer = filled(pose("map", "robot", 1.0), pose("map", "robot", 3.0))
    with pytest.raises(ExtrapolationException, match=text):
        buffer.lookup_transform("map", "robot", at(seconds))
    with pytest.raises(ExtrapolationException, match=r"from frame \[map\] to frame \[robot\]"):
        buffer.lookup_transform("robot", "map", at(seconds))


def test_one_pose_alone_is_not_extrapolated():
    buffer = filled(pose("map", "robot", 1.0))
    with pytest.raises(ExtrapolationException, match=r"only time 1.000000 is in the buffer"):
        buffer.lookup_transform("map", "robot", at(1.5))


@pytest.mark.parametrize("name", ["", "/map"])
def test_refuses_impossible_names(name):
    buffer = filled(pose("map", "robot", 1.0))
    with pytest.raises(InvalidArgumentException, match="in tf2 frame_ids cannot"):
        buffer.lookup_transform(name, "robot", at(1.0))
    assert not buffer.can_transform(name, "robot", at(1.0))


def test_all_errors_are_transform_exceptions():
    for error in (
        LookupException,
        ConnectivityException,
        ExtrapolationException,
        InvalidArgumentException,
    ):
        assert issubclass(error, TransformException)


def test_strips_a_leading_slash_from_data():
    buffer = filled(pose("/map", "/robot", 1.0, (1.0, 0.0, 0.0)))
    assert xyz_of(buffer.lookup_transform("map", "robot", at(1.0))) == (1.0, 0.0, 0.0)


def test_reports_a_loop():
    buffer = filled(
        pose("a", "b", 1.0), pose("b", "c", 1.0), pose("c", "a", 1.0), pose("x", "y", 1.0)
    )
    with pytest.raises(LookupException, match="contains a loop"):
        buffer.lookup_transform("y", "a", at(1.0))
    with pytest.raises(LookupException, match="contains a loop"):
        buffer.lookup_transform("y", "a", LATEST)


def spoilt(field: str, value: float) -> TransformStamped:
    transform = pose("map", "robot", 1.0)
    part, name = field.split(".")
    setattr(getattr(transform.transform, part), name, value)
    return transform


@pytest.mark.parametrize(
    "bad",
    [
        pose("map", "map", 1.0),
        pose("", "robot", 1.0),
        pose("map", "", 1.0),
        spoilt("translation.x", math.nan),
        spoilt("rotation.z", math.nan),
        spoilt("rotation.w", 0.0),
    ],
    ids=["self", "no parent", "no child", "nan", "nan turn", "no turn"],
)
def test_ignores_bad_transforms(bad):
    buffer = filled(bad)
    assert not buffer.can_transform("map", "robot", LATEST)


@pytest.mark.filterwarnings("ignore:translation should be")
def test_refuses_what_only_looks_like_a_transform():
    real = pose("map", "robot", 1.0)
    lookalike = SimpleNamespace(
        header=real.header,
        child_frame_id="robot",
        transform=SimpleNamespace(
            translation=SimpleNamespace(x=0.0, y=0.0, z=0.0), rotation=real.transform.rotation
        ),
    )
    with pytest.raises(TypeError, match="translation must"):
        Buffer().set_transform(lookalike, "test")


def test_makes_unit_quaternions_of_others():
    buffer = filled(spoilt("rotation.w", 2.0))
    assert xyzw_of(buffer.lookup_transform("map", "robot", at(1.0))) == (0.0, 0.0, 0.0, 1.0)


@pytest.mark.parametrize("part", [1e200, 1e-200, math.inf, -math.inf])
def test_turns_beyond_what_a_float_can_square_raise_nothing_of_their_own(part):
    buffer = filled(pose("map", "arm", 1.0), spoilt("rotation.w", part))
    for source in ("robot", "arm"):
        with contextlib.suppress(TransformException):
            buffer.lookup_transform("map", source, LATEST)
    assert buffer.can_transform("map", "arm", LATEST)


def test_forgets_what_is_older_than_the_cache_time():
    buffer = filled(
        *(pose("map", "robot", 0.1 * tick, (0.1 * tick, 0, 0)) for tick in range(1, 500))
    )
    buffer.set_transform(pose("map", "robot", 50.0), "test")

    assert buffer.can_transform("map", "robot", at(41.0))
    assert not buffer.can_transform("map", "robot", at(39.0))


def test_does_not_take_data_older_than_the_cache_time():
    buffer = filled(pose("map", "robot", 50.0), pose("map", "robot", 30.0))
    assert not buffer.can_transform("map", "robot", at(30.0))
    assert not buffer.can_transform("map", "robot", at(45.0))


def test_holds_ten_seconds_unless_told_otherwise():
    buffer = Buffer()
    for seconds in (1.0, 10.5, 11.5, 12.0):
        buffer.set_transform(pose("map", "robot", seconds), "test")
    assert buffer.can_transform("map", "robot", at(11.0))
    assert not buffer.can_transform("map", "robot", at(1.2))


def test_clear_keeps_only_what_is_static():
    buffer = filled(pose("map", "robot", 1.0), static=(pose("map", "station"),))

    buffer.clear()

    assert buffer.can_transform("map", "station", at(1.0))
    assert not buffer.can_transform("map", "robot", at(1.0))
    buffer.set_transform(pose("map", "robot", 0.5), "test")
    assert buffer.can_transform("map", "robot", at(0.5))


def test_names_all_frames():
    buffer = filled(pose("map", "robot", 1.0), static=(pose("robot", "arm"),))
    assert "Frame robot exists with parent map." in buffer.all_frames_as_string()
    described = buffer.all_frames_as_yaml()
    assert "robot: \n  parent: 'map'\n  broadcaster: 'test'\n" in described
    assert "arm: \n  parent: 'robot'" in described


def test_futures_come_true_with_the_data():
    buffer = Buffer()
    asked = buffer.wait_for_transform_async("map", "robot", at(1.0))
    full = buffer.wait_for_transform_full_async("map", at(1.0), "robot", at(1.0), "map")
    assert not asked.done()

    buffer.set_transform(pose("map", "other", 1.0), "test")
    assert not asked.done()
    buffer.set_transform(pose("map", "robot", 1.0, (3.0, 0.0, 0.0)), "test")

    assert xyz_of(asked.result()) == (3.0, 0.0, 0.0)
    assert xyz_of(full.result()) == (3.0, 0.0, 0.0)
    assert buffer.wait_for_transform_async("map", "robot", at(1.0)).done()


def test_awaited_lookup_resumes_with_the_data():
    buffer = Buffer()
    lookup = buffer.lookup_transform_async("map", "robot", at(1.0))
    lookup.send(None)
    buffer.set_transform(pose("map", "robot", 1.0, (3.0, 0.0, 0.0)), "test")
    with pytest.raises(StopIteration) as finished:
        lookup.send(None)
    assert xyz_of(finished.value.value) == (3.0, 0.0, 0.0)
