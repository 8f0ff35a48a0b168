"""worlds/*_full.sdf: up to date, and the same models as the URDFs."""

from __future__ import annotations

import numpy as np
import pytest

from scene_sim.description import read_sdf, read_urdf
from scene_sim.description.scene import Model
from scene_sim.full_worlds import MODELS, ROOMS, ROOT, full_world

ROBOTS = [(name, ROOT / file) for file, name, _ in MODELS]


@pytest.mark.parametrize("room", ROOMS)
def test_file_is_what_make_worlds_writes(room: str) -> None:
    assert (ROOT / "worlds" / f"{room}_full.sdf").read_text() == full_world(room)


def test_every_room_has_its_full_world() -> None:
    rooms = {path.stem for path in (ROOT / "worlds").glob("*.sdf")}
    rooms -= {"overview_camera"}  # a camera, no room
    assert rooms == {*ROOMS, *(f"{room}_full" for room in ROOMS)}


def model_named(name: str) -> Model:
    scene = read_sdf(ROOT / "worlds" / "ground_truth_room_full.sdf")
    return next(model for model in scene.world.models if model.name == name)


@pytest.mark.parametrize(("name", "file"), ROBOTS, ids=[name for name, _ in ROBOTS])
def test_links_are_those_of_the_urdf(name: str, file) -> None:
    urdf, sdf = read_urdf(file).model, model_named(name)
    massive = [link for link in urdf.links if link.inertial.mass > 0.0]
    assert [link.name for link in sdf.links] == [link.name for link in massive]
    for ours, theirs in zip(massive, sdf.links, strict=True):
        assert theirs.inertial.mass == pytest.approx(ours.inertial.mass)
        assert np.allclose(theirs.inertial.inertia, ours.inertial.inertia, atol=1e-10)
        assert np.allclose(theirs.pose.translation, ours.pose.translation, atol=1e-9)
        assert np.allclose(theirs.pose.rotation, ours.pose.rotation, atol=1e-9)
        for kind in ("visuals", "collisions"):
            mine, other = getattr(ours, kind), getattr(theirs, kind)
            assert [shape.name for shape in mine] == [shape.name for shape in other]
            for shape, copy in zip(mine, other, strict=True):
                assert np.allclose(shape.pose.translation, copy.pose.translation, atol=1e-9)
                assert np.allclose(shape.pose.rotation, copy.pose.rotation, atol=1e-9)
    frames = {link.name for link in urdf.links} - {link.name for link in massive} - {"world"}
    assert {frame.name for frame in sdf.frames} == frames


@pytest.mark.parametrize(("name", "file"), ROBOTS, ids=[name for name, _ in ROBOTS])
def test_sensors_and_plugins_are_those_of_the_urdf(name: str, file) -> None:
    urdf, sdf = read_urdf(file).model, model_named(name)
    for ours, theirs in zip(
        [link for link in urdf.links if link.inertial.mass > 0.0], sdf.links, strict=True
    ):
        for mine, copy in zip(ours.sensors, theirs.sensors, strict=True):
            assert type(mine) is type(copy)
            for field in ("name", "topic", "update_rate", "frame_id"):
                assert getattr(mine, field) == getattr(copy, field)
    assert [plugin.filename for plugin in sdf.plugins] == [
        plugin.filename for plugin in urdf.plugins
    ]


@pytest.mark.parametrize(("name", "file"), ROBOTS, ids=[name for name, _ in ROBOTS])
def test_moving_joints_are_those_of_the_urdf(name: str, file) -> None:
    urdf, sdf = read_urdf(file).model, model_named(name)
    moving = {joint.name: joint for joint in sdf.joints if joint.axis is not None}
    assert set(moving) == {joint.name for joint in urdf.joints if joint.axis is not None}
    for joint in urdf.joints:
        if joint.axis is None:
            continue
        copy = moving[joint.name]
        # Gazebo's physics holds a joint of SDF's type `continuous` fast.
        kind = "revolute" if joint.type == "continuous" else joint.type
        assert (copy.type, copy.parent, copy.child) == (kind, joint.parent, joint.child)
        for limit in ("lower", "upper", "effort", "velocity", "damping", "friction"):
            assert getattr(copy.axis, limit) == pytest.approx(getattr(joint.axis, limit))
