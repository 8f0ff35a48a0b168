import math

import pytest
from robot_state_publisher.urdf_tree import UrdfError, joints_from_urdf, with_mimics


def robot(joints: str, links: str = "abc") -> str:
    return (
        '<robot name="r">'
        + "".join(f'<link name="{link}"/>' for link in links)
        + joints
        + '<gazebo reference="a"><sensor/></gazebo></robot>'
    )


def joint(kind: str, inside: str = "", name: str = "j", parent: str = "a", child: str = "b") -> str:
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f"{inside}</joint>"
    )


def test_revolute_joint_turns_about_its_axis_at_its_origin():
    text = robot(
        joint("revolute", '<origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/><axis xyz="0 0 2"/>'),
        "ab",
    )
    pose = joints_from_urdf(text)["j"].pose(math.pi / 6)
    assert pose.translation == pytest.approx((1.0, 2.0, 3.0))
    assert pose.rotation == pytest.approx((0.0, 0.0, math.sin(math.pi / 3), math.cos(math.pi / 3)))


def test_prismatic_joint_slides_along_its_turned_axis():
    text = robot(joint("prismatic", '<origin xyz="1 0 0" rpy="0 0 1.5707963267948966"/>'), "ab")
    pose = joints_from_urdf(text)["j"].pose(0.5)
    assert pose.translation == pytest.approx((1.0, 0.5, 0.0))


def test_roll_pitch_yaw_turn_about_fixed_axes():
    text = robot(joint("fixed", '<origin rpy="1.5707963267948966 0 1.5707963267948966"/>'), "ab")
    assert joints_from_urdf(text)["j"].pose().rotation == pytest.approx((0.5, 0.5, 0.5, 0.5))


def test_mimics_follow_also_at_second_hand():
    text = robot(
        joint("continuous", '<mimic joint="k" multiplier="2"/>')
        + joint("continuous", '<mimic joint="l" offset="1"/>', "k", "b", "c")
        + joint("continuous", "", "l", "c", "d"),
        "abcd",
    )
    assert with_mimics(joints_from_urdf(text), {"l": 0.5}) == {"l": 0.5, "k": 1.5, "j": 3.0}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not XML"),
        ("<robot>", "not XML"),
        ("<sdf/>", "<sdf>, not <robot>"),
        ("<robot/>", "no links"),
        (robot(joint("fixed"), "abc"), r"one root link, but has \['a', 'c'\]"),
        (robot(joint("fixed") + joint("fixed", name="k"), "ab"), "'b' is the child of two joints"),
        (robot(joint("fixed") + joint("fixed"), "ab"), "'j' is there twice"),
        (robot(joint("fixed", child="x"), "ab"), "'j' names the link 'x'"),
        (robot(joint("fixed") + joint("fixed", "", "k", "b", "a"), "ab"), "but has a loop"),
        (robot(joint("spring"), "ab"), "'j' has the unknown type 'spring'"),
        (robot(joint("fixed", '<origin xyz="1 2"/>'), "ab"), "xyz of joint 'j' must be three"),
        (robot(joint("fixed", '<origin xyz="1 2 x"/>'), "ab"), "xyz of joint 'j' must be a number"),
        (robot(joint("revolute", '<axis xyz="0 0 0"/>'), "ab"), "axis of length zero"),
        (robot('<joint name="j" type="fixed"/>', "ab"), "'j' has no <parent>"),
    ],
)
def test_names_what_is_wrong(text, message):
    with pytest.raises(UrdfError, match=message):
        joints_from_urdf(text)
