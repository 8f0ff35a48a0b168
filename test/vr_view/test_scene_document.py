"""The scene as the page gets it, of the same files that the simulators read."""

import json
from pathlib import Path

import pytest

from scene_sim.model_lists import model_from_text
from vr_view.server.assets import Assets
from vr_view.server.scene_document import main, scene_document

ROOT = Path(__file__).resolve().parents[2]
ROBOT = "urdf/phone_robot.urdf.xacro 0 2 0"


@pytest.fixture(scope="module")
def room():
    assets = Assets()
    models = [model_from_text(text, ROOT) for text in ("urdf/station.urdf.xacro", ROBOT)]
    return scene_document(ROOT / "worlds/ground_truth_room.sdf", models, assets), assets


def model_of(document, name):
    return next(model for model in document["models"] if model["name"] == name)


def link_of(model, name):
    return next(link for link in model["links"] if link["name"] == name)


def test_walls_stand_where_the_world_puts_them_and_follow_no_frame(room):
    east = link_of(model_of(room[0], "room"), "east")
    assert east["frame"] is None
    assert east["pose"] == pytest.approx([4.05, 1.96, 1.25, 0, 0, 0, 1])
    assert east["visuals"][0]["shape"] == {"type": "box", "size": [0.1, 4.08, 2.5]}
    assert east["visuals"][0]["material"]["colour"] == [0.56, 0.62, 0.5, 1.0]


def test_links_of_robots_have_the_names_of_tf(room):
    robot = model_of(room[0], "phone_robot")
    assert robot["pose"][:3] == [0.0, 2.0, 0.0]
    assert robot["root"] == "phone_robot/base_footprint"
    wheel = link_of(robot, "phone_robot/left_wheel_link")
    assert wheel["frame"] == "phone_robot/left_wheel_link"
    assert wheel["parent"] == "phone_robot/base_link"
    assert wheel["visuals"][0]["shape"]["type"] == "cylinder"


def test_lights_and_looks_of_the_world(room):
    lights = {light["name"]: light for light in room[0]["lights"]}
    assert lights["ceiling_light"]["type"] == "spot"
    assert lights["ceiling_light"]["outer_angle"] == 2.3
    assert room[0]["background"] == [0.35, 0.45, 0.6]


def test_a_mesh_has_an_url_that_tells_no_path_and_leads_to_its_file(room):
    document, assets = room
    target = link_of(model_of(document, "phone_robot"), "phone_robot/target_link")
    shapes = [visual["shape"] for visual in target["visuals"]]
    meshes = [shape for shape in shapes if shape["type"] == "mesh"]
    assert len(meshes) == 6
    _, kind, key, path = meshes[0]["url"].split("/", 3)
    assert kind == "assets"
    assert str(ROOT) not in json.dumps(document)
    assert assets.file(key, path) == ROOT / "urdf/meshes/marker_patch.obj"


@pytest.mark.parametrize(
    "path",
    [
        "../setup.py",
        "meshes/../../setup.py",
        "/etc/passwd",
        "meshes/make_marker_patch.py",
        "meshes",
        "",
        "meshes/none.obj",
        "meshes/\0.obj",
        "x" * 5000 + ".obj",
    ],
)
def test_no_other_file_can_be_read(room, path):
    assets = room[1]
    key = assets.url(ROOT / "urdf/meshes/marker_patch.obj").split("/")[2]
    assert assets.file(key, path) is None
    assert assets.file("0" * 16, "meshes/marker_patch.obj") is None


def test_a_link_that_leads_out_of_the_folder_leads_nowhere(tmp_path):
    folder = tmp_path / "model" / "meshes"
    folder.mkdir(parents=True)
    (tmp_path / "secret.png").write_bytes(b"secret")
    (folder / "a.obj").write_text("v 0 0 0\n")
    (folder / "b.png").symlink_to(tmp_path / "secret.png")
    assets = Assets()
    key = assets.url(folder / "a.obj").split("/")[2]
    assert assets.file(key, "meshes/a.obj") == folder / "a.obj"
    assert assets.file(key, "meshes/b.png") is None


def test_the_command_prints_the_document(capsys):
    assert main([str(ROOT / "worlds/ground_truth_room.sdf"), "--model", f"{ROOT}/{ROBOT}"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [model["name"] for model in document["models"]] == ["floor", "room", "phone_robot"]


def test_a_file_that_is_not_there_is_one_line_and_a_code(capsys):
    assert main(["no_such_world.sdf"]) == 1
    assert "no_such_world.sdf" in capsys.readouterr().err
