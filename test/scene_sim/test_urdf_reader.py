"""What the URDF reader keeps, refuses and warns of."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from scene_sim.description import DescriptionError, read_description, read_urdf
from scene_sim.description.lumping import combine_inertials, gazebo_view, lump_fixed_joints
from scene_sim.description.shapes import Inertial
from spatial_types.transforms import Transform

DATA = Path(__file__).parent / "data"
ROOT = Path(__file__).parents[2]
ARM = DATA / "arm.urdf.xacro"
MASS = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'


def robot_file(folder: Path, body: str) -> Path:
    """Write a robot whose body starts on line 2."""
    file = folder / "robot.urdf"
    file.write_text(f'<robot name="r">\n{body}\n</robot>\n')
    return file


def refusal(folder: Path, body: str) -> str:
    file = robot_file(folder, body)
    with pytest.raises(DescriptionError) as error:
        read_urdf(file)
    return str(error.value).replace(str(file), "robot.urdf")


TWO = '<link name="a"/>\n<link name="b"/>\n'
JOINT = '<joint name="j" type="{}"><parent link="{}"/><child link="{}"/>{}</joint>'

REFUSED = {
    "no link": ("", "robot.urdf:1: <robot>: has no <link>"),
    "twice": ('<link name="a"/>\n<link name="a"/>', "robot.urdf:3: <link>: 'a' has the name of"),
    "two roots": (TWO, "robot.urdf:3: <link>: the robot has several root links: a, b"),
    "unknown parent": (TWO + JOINT.format("fixed", "x", "b", ""), "parent 'x' is no link"),
    "two parents": (
        TWO
        + JOINT.format("fixed", "a", "b", "")
        + JOINT.format("fixed", "a", "b", "").replace('"j"', '"k"'),
        "link 'b' is also the child of joint 'j'",
    ),
    "circle": (
        '<link name="c"/>'
        + TWO
        + JOINT.format("fixed", "a", "b", "")
        + JOINT.format("fixed", "b", "a", "").replace('"j"', '"k"'),
        "is part of a circle",
    ),
    "misspelt joint": (TWO + JOINT.format("fixd", "a", "b", ""), "type is 'fixd': expected one of"),
    "no limit": (TWO + JOINT.format("revolute", "a", "b", ""), "has no <limit>"),
    "zero axis": (
        TWO + JOINT.format("continuous", "a", "b", '<axis xyz="0 0 0"/>'),
        "xyz has length 0",
    ),
    "planar": (TWO + JOINT.format("planar", "a", "b", ""), "planar joints are not supported"),
    "unknown material": (
        '<link name="a"><visual><geometry><sphere radius="1"/></geometry>'
        '<material name="gold"/></visual></link>',
        "'gold' is defined nowhere",
    ),
    "negative size": (
        '<link name="a"><visual><geometry><sphere radius="-1"/></geometry></visual></link>',
        "attribute 'radius' is -1: expected more than 0",
    ),
    "colour": (
        '<material name="m"><color rgba="1 1 2 1"/></material><link name="a"/>',
        "expected numbers from 0 to 1",
    ),
    "misspelt reference": (
        '<link name="laser"/>\n<gazebo reference="lasr"/>',
        "robot.urdf:3: <gazebo>: refers to 'lasr', which is no link or joint; did you mean 'laser'",
    ),
    "misspelt sensor": (
        '<link name="a"/>\n<gazebo reference="a">\n<sensor name="s" type="camra"/></gazebo>',
        "robot.urdf:4: <sensor>: type 'camra' is no sensor; did you mean 'camera'?",
    ),
    "not finite": (
        '<link name="a"><visual><origin xyz="0 0 inf"/><geometry/></visual></link>',
        "attribute 'xyz' is '0 0 inf': expected 3 finite numbers",
    ),
}


@pytest.mark.parametrize(("body", "expected"), REFUSED.values(), ids=list(REFUSED))
def test_impossible_robot_is_refused_with_file_and_line(
    tmp_path: Path, body: str, expected: str
) -> None:
    message = refusal(tmp_path, body)
    assert message.startswith("robot.urdf:")
    assert expected in message


def test_xacro_elements_keep_file_and_line_of_their_source(tmp_path: Path) -> None:
    (tmp_path / "part.xacro").write_text(
        '<robot xmlns:xacro="http://www.ros.org/wiki/xacro">\n'
        '<xacro:macro name="part" params="n">\n<link name="${n}">\n'
        '<visual><geometry><box size="1 1 ${n}"/></geometry></visual></link>\n'
        "</xacro:macro></robot>"
    )
    file = tmp_path / "robot.xacro"
    file.write_text(
        '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" name="r">\n'
        '<xacro:include filename="part.xacro"/>\n<xacro:part n="-2"/>\n</robot>'
    )
    with pytest.raises(DescriptionError, match=r"part\.xacro:4: <box>: .*above 0"):
        read_urdf(file)


def test_macro_without_name_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "robot.xacro"
    file.write_text(
        '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" name="r"><xacro:macro/></robot>'
    )
    with pytest.raises(DescriptionError, match=r"robot\.xacro:1: xacro: .*name"):
        read_description(file)


def test_error_inside_xacro_names_file_and_line(tmp_path: Path) -> None:
    file = tmp_path / "robot.xacro"
    file.write_text(
        '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" name="r">\n'
        '<link name="a"/>\n<link name="${x}"/></robot>'
    )
    with pytest.raises(DescriptionError, match=r"robot\.xacro:3: .*xacro: .*x"):
        read_urdf(file)


def test_xacro_arguments_reach_the_model_and_plain_urdf_refuses_them(tmp_path: Path) -> None:
    joint = read_urdf(ARM, {"reach": "0.9"}).model.joint("slide")
    base = read_urdf(ARM).model
    moved = joint.model_from_joint.translation - base.joint("slide").model_from_joint.translation
    assert np.linalg.norm(moved) == pytest.approx(0.4)
    with pytest.raises(DescriptionError, match="takes no xacro arguments"):
        read_urdf(robot_file(tmp_path, '<link name="a"/>'), {"reach": "1"})


def test_all_links_are_kept_and_only_the_lumped_view_merges_them() -> None:
    model = read_urdf(ARM).model
    assert len(model.links) == 6
    lumped = lump_fixed_joints(model)
    assert [link.name for link in lumped.links] == ["base", "upper", "slider", "probe"]
    assert {frame.name: frame.attached_to for frame in lumped.frames} == {
        "bracket": "base",
        "eye": "slider",
    }
    sensor = lumped.link("slider").sensors[0]
    eye = model.link("slider").pose.inverse() @ model.link("eye").pose
    assert (eye @ model.link("eye").sensors[0].pose).translation == pytest.approx(
        sensor.pose.translation
    )


def test_root_link_world_is_the_ground(tmp_path: Path) -> None:
    body = f'<link name="world"/>\n<link name="b">{MASS}</link>' + JOINT.format(
        "fixed", "world", "b", '<origin xyz="1 2 3"/>'
    )
    model = read_urdf(robot_file(tmp_path, body)).model
    assert [link.name for link in model.links] == ["b"]
    assert model.joints[0].parent == "world"
    assert model.link("b").pose.translation == pytest.approx([1, 2, 3])
    assert model.canonical_link == "b"


def test_link_that_gazebo_drops_is_named_with_its_sensors(tmp_path: Path) -> None:
    body = (
        f'<link name="a">{MASS}</link>\n<link name="b"/>\n'
        + JOINT.format("fixed", "a", "b", "")
        + '<gazebo reference="j"><preserveFixedJoint>1</preserveFixedJoint></gazebo>'
        '<gazebo reference="b"><sensor name="s" type="imu"/></gazebo>'
    )
    scene = read_urdf(robot_file(tmp_path, body))
    assert [link.name for link in gazebo_view(scene.model).dropped] == ["b"]
    assert [str(item).split(": ", 1)[1] for item in scene.unsupported] == [
        "<link b>: has no mass: Gazebo drops it with its 1 sensors (give it an <inertial>)"
    ]


def test_gazebo_tags_set_surface_material_and_flags(tmp_path: Path) -> None:
    shape = '<geometry><sphere radius="1"/></geometry>'
    body = (
        f'<link name="a">{MASS}<visual>{shape}</visual><collision>{shape}</collision></link>\n'
        '<gazebo reference="a"><mu1>0.2</mu1><mu2>0.3</mu2><kp>5</kp><material>Gazebo/Red'
        "</material><selfCollide>1</selfCollide><turnGravityOff>true</turnGravityOff>"
        "<laserRetro>1</laserRetro></gazebo><gazebo><static>1</static></gazebo>"
    )
    scene = read_urdf(robot_file(tmp_path, body))
    link = scene.model.links[0]
    surface = link.collisions[0].surface
    assert (surface.mu, surface.mu2, surface.kp) == (0.2, 0.3, 5.0)
    assert link.visuals[0].material is not None
    assert link.visuals[0].material.diffuse == (1.0, 0.0, 0.0, 1.0)
    assert (link.self_collide, link.gravity, scene.model.static) == (True, False, True)
    assert [item.path for item in scene.unsupported] == ["gazebo/laserRetro"]


def test_two_halves_of_a_rod_make_the_rod() -> None:
    # A thin rod of mass m and length l has m l^2 / 12 about its middle.
    half = Inertial(1.0, Transform(), ((1 / 12, 0, 0), (0, 1 / 12, 0), (0, 0, 1e-9)), True)
    turned = Transform.from_rpy((0, 0, 0.5), (0, np.pi, 0.7))
    rod = combine_inertials([(Transform.from_rpy((0, 0, -0.5)), half), (turned, half)])
    assert rod.mass == 2.0
    assert rod.pose.translation == pytest.approx([0, 0, 0], abs=1e-12)
    assert np.diag(rod.inertia)[:2] == pytest.approx([2 * 4 / 12] * 2)


@pytest.mark.parametrize("name", ["station", "phone_robot"])
def test_our_robots_hold_nothing_unsupported(name: str) -> None:
    scene = read_description(ROOT / "urdf" / f"{name}.urdf.xacro")
    assert scene.unsupported == ()
