"""What the SDF reader refuses, what it names as unused, and what libsdformat cannot tell us."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from scene_sim.description import DescriptionError, ResourceFinder, Scene, read_sdf
from scene_sim.description.scene import Model
from scene_sim.description.sensors import Camera, Lidar
from scene_sim.description.shapes import Mesh

DATA = Path(__file__).parent / "data"
ROOT = Path(__file__).parents[2]


def model_file(folder: Path, body: str, version: str = "1.7") -> Path:
    """Write a model whose body starts on line 3."""
    file = folder / "model.sdf"
    file.write_text(f'<sdf version="{version}">\n<model name="m">\n{body}\n</model>\n</sdf>\n')
    return file


def read_model(folder: Path, body: str, version: str = "1.7") -> Scene:
    return read_sdf(model_file(folder, body, version))


def refusal(folder: Path, body: str, version: str = "1.7") -> str:
    file = model_file(folder, body, version)
    with pytest.raises(DescriptionError) as error:
        read_sdf(file)
    return str(error.value).replace(str(file), "model.sdf")


LINK = '<link name="l"/>'
VISUAL = '<link name="l"><visual name="v"><geometry>{}</geometry></visual></link>'
SENSOR = '<link name="l">\n<sensor name="s" type="{}">{}</sensor></link>'
LIDAR = (
    "<ray><scan><horizontal><samples>{}</samples></horizontal></scan>"
    "<range><min>{}</min><max>{}</max></range>{}</ray>"
)

REFUSED = {
    "malformed": ("<link name='l'>", "model.sdf:4: not well-formed XML: mismatched tag"),
    "unnamed": ("<link/>", "model.sdf:3: <link>: has no attribute 'name'"),
    "no link": ("", "model.sdf:2: model 'm' has no link"),
    "reserved": ('<link name="world"/>', "model.sdf:3: 'world' is a reserved name"),
    "twice": (LINK + "\n" + LINK, "model.sdf:4: link 'l' has the name of the link at"),
    "two kinds": (LINK + '\n<frame name="l"/>', "model.sdf:4: frame 'l' has the name of the link"),
    "unknown frame": (
        '<link name="l"><pose relative_to="up">0 0 0 0 0 0</pose></link>',
        "model.sdf:3: model 'm' has no frame 'up'; known: __model__, l",
    ),
    "circle": (
        '<link name="a"><pose relative_to="b"/></link>\n'
        '<link name="b"><pose relative_to="a"/></link>',
        "refer to each other in a circle (a -> b)",
    ),
    "attached in a circle": (
        LINK + '<frame name="a" attached_to="b"/>\n<frame name="b" attached_to="a"/>',
        "in a circle",
    ),
    "five numbers": (
        '<link name="l"><pose>0 0 0 0 0</pose></link>',
        "<pose>: is '0 0 0 0 0': expected 6 finite numbers",
    ),
    "not finite": ('<link name="l"><pose>0 0 nan 0 0 0</pose></link>', "expected 6 finite numbers"),
    "no shape": (VISUAL.format(""), "<geometry>: is empty"),
    "misspelt shape": (VISUAL.format("<cylindre/>"), "did you mean <cylinder>?"),
    "negative radius": (
        VISUAL.format("<sphere><radius>-1</radius></sphere>"),
        "<radius>: is -1: expected more than 0",
    ),
    "flat box": (VISUAL.format("<box><size>1 0 1</size></box>"), "expected numbers above 0"),
    "missing mesh": (
        VISUAL.format("<mesh><uri>model://none/a.obj</uri></mesh>"),
        "'model://none/a.obj' was not found; looked at",
    ),
    "mesh on a server": (
        VISUAL.format("<mesh><uri>https://x.example/a.obj</uri></mesh>"),
        "lies on a server",
    ),
    "no mass": (
        '<link name="l"><inertial><mass>0</mass></inertial></link>',
        "<mass>: is 0: expected more than 0",
    ),
    "impossible inertia": (
        '<link name="l"><inertial><inertia><ixx>1</ixx><iyy>1</iyy><izz>3</izz></inertia>'
        "</inertial></link>",
        "largest principal moment",
    ),
    "misspelt sensor": (
        SENSOR.format("gpu_lidr", ""),
        "model.sdf:4: <sensor>: type 'gpu_lidr' is no sensor; did you mean 'gpu_lidar'?",
    ),
    "sensor without its block": (SENSOR.format("lidar", ""), "needs <lidar> or <ray>"),
    "no beams": (SENSOR.format("ray", LIDAR.format(0, 0, 1, "")), "<samples>: is 0"),
    "range the wrong way": (SENSOR.format("ray", LIDAR.format(9, 2, 1, "")), "not above min 2"),
    "unknown noise": (
        SENSOR.format("ray", LIDAR.format(9, 0, 1, "<noise><type>pink</type></noise>")),
        "type is 'pink': expected one of none, gaussian",
    ),
    "negative noise": (
        SENSOR.format("ray", LIDAR.format(9, 0, 1, "<noise><stddev>-1</stddev></noise>")),
        "<stddev>: is -1: expected at least 0",
    ),
    "joint of unknown links": (
        LINK + '\n<joint name="j" type="fixed"><parent>x</parent><child>l</child></joint>',
        "model.sdf:4: model 'm' has no frame 'x'",
    ),
    "joint of one link": (
        LINK + '\n<joint name="j" type="fixed"><parent>l</parent><child>l</child></joint>',
        "joins link 'l' with itself",
    ),
    "misspelt joint": (
        LINK + '<joint name="j" type="revolut"><parent>world</parent><child>l</child></joint>',
        "did you mean 'revolute'?",
    ),
    "limits the wrong way": (
        LINK + '<joint name="j" type="revolute"><parent>world</parent><child>l</child><axis>'
        "<limit><lower>1</lower><upper>0</upper></limit></axis></joint>",
        "lower 1 is above upper 0",
    ),
    "flag": ("<static>maybe</static>" + LINK, "<static>: is 'maybe': expected true or false"),
    "plugin without a file": (LINK + '<plugin name="p"/>', "has no attribute 'filename'"),
    "include of nothing": (
        LINK + "\n<include><uri>model://none</uri></include>",
        "model.sdf:4: 'model://none' was not found",
    ),
    "entity": (LINK + "&lt;&bomb;", "not well-formed XML"),
}


@pytest.mark.parametrize(("body", "expected"), REFUSED.values(), ids=list(REFUSED))
def test_impossible_model_is_refused_with_file_and_line(
    tmp_path: Path, body: str, expected: str
) -> None:
    message = refusal(tmp_path, body)
    assert expected in message
    assert message.startswith("model.sdf:")


@pytest.mark.parametrize(
    ("version", "expected"),
    [("1.5", "expected 1.6 to 1.9"), ("new", "expected a version such as 1.7"), ("", "version")],
)
def test_old_or_absent_version_is_refused(tmp_path: Path, version: str, expected: str) -> None:
    assert expected in refusal(tmp_path, LINK, version)


def test_newer_version_is_read_with_a_warning(tmp_path: Path) -> None:
    scene = read_model(tmp_path, LINK, "1.12")
    assert scene.version == "1.12"
    assert ["newer than 1.9" in item.reason for item in scene.unsupported] == [True]


def test_entity_declaration_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "bomb.sdf"
    file.write_text('<!DOCTYPE x [\n<!ENTITY a "aa">\n]>\n<sdf version="1.7"/>')
    with pytest.raises(DescriptionError, match=r"bomb.sdf:2: declares an XML entity"):
        read_sdf(file)


UNUSED = {
    "misspelt": ("<sttic>1</sttic>", "3: <model/sttic>: is not an element", "'static'"),
    "unused": ("<gripper/>", "3: <model/gripper>: is not used", "embedded simulator"),
    "foreign": ("<a:b/>", "3: <model/a:b>: belongs to another tool", ""),
    "attribute": (
        '<frame name="f" atached_to="l"/>',
        "3: <frame atached_to=>: unknown attribute",
        "did you mean 'attached_to'?",
    ),
    "again": ("<static>0</static>\n<static>1</static>", "4: <model/static>: appears again", ""),
    "sensor": (
        '<link name="k"><sensor name="s" type="sonar"><sonar/></sensor></link>',
        "3: <sensor>: sensor 's' of type 'sonar' is not supported",
        "left out",
    ),
    "polyline": (
        '<link name="k"><visual name="v"><geometry><polyline/></geometry></visual></link>',
        "3: <polyline>: this shape is not supported",
        "left out",
    ),
    "bright": (
        '<link name="k"><light name="b" type="point"><diffuse>9 1 1 1</diffuse></light></link>',
        "3: <diffuse>: '9 1 1 1' is brighter than 1",
        "clamped",
    ),
    "nested static": (
        '<model name="n"><static>1</static><link name="k"/></model>',
        "3: <model>: a static model nested in one that moves",
        "read as moving",
    ),
}


@pytest.mark.parametrize(("body", "start", "end"), UNUSED.values(), ids=list(UNUSED))
def test_what_is_not_used_is_named_with_file_and_line(
    tmp_path: Path, body: str, start: str, end: str
) -> None:
    unsupported = read_model(tmp_path, body + LINK).unsupported
    assert len(unsupported) == 1, unsupported
    text = str(unsupported[0])
    assert f"model.sdf:{start}" in text
    assert end in text


@pytest.mark.parametrize("file", sorted((ROOT / "worlds").glob("*.sdf")), ids=lambda f: f.stem)
def test_our_worlds_hold_nothing_unsupported(file: Path) -> None:
    assert read_sdf(file).unsupported == ()


def corpus(name: str) -> Scene:
    return read_sdf(DATA / f"{name}.sdf", ResourceFinder([DATA]))


def test_every_part_keeps_its_place() -> None:
    lines = (DATA / "frames_1_7.sdf").read_text().splitlines()
    model = corpus("frames_1_7").model
    link = model.link("arm")
    for part in (model, link, *link.visuals, *link.sensors, *model.joints, *model.frames):
        assert f'name="{part.name}"' in lines[part.source.line - 1]


def test_lidar_resolution_and_noise_are_read() -> None:
    sensor = corpus("frames_1_7").model.link("arm").sensors[0]
    assert isinstance(sensor.spec, Lidar)
    assert sensor.frame_id == "scan_link"
    assert sensor.spec.horizontal.count == 180
    assert (sensor.spec.noise.kind, sensor.spec.noise.stddev) == ("gaussian", 0.03)


def test_camera_names_its_optical_frame_and_info_topic(tmp_path: Path) -> None:
    block = (
        "<camera><image><width>8</width><height>4</height></image>"
        "<optical_frame_id>eye</optical_frame_id>"
        "<camera_info_topic>info</camera_info_topic></camera>"
    )
    scene = read_model(tmp_path, SENSOR.format("camera", block))
    camera = scene.model.links[0].sensors[0].spec
    assert isinstance(camera, Camera)
    assert (camera.optical_frame_id, camera.info_topic) == ("eye", "info")
    assert scene.unsupported == ()


def test_joint_may_share_its_links_name_up_to_1_6(tmp_path: Path) -> None:
    body = (
        '<link name="a"><pose>1 0 0 0 0 0</pose></link><link name="b"/>'
        '<joint name="b" type="fixed"><pose>0 2 0 0 0 0</pose>'
        "<parent>b</parent><child>a</child></joint>"
    )
    model = read_model(tmp_path, body, "1.6").model
    assert model.joint("b").model_from_joint.translation == pytest.approx([1, 2, 0])
    assert "has the name of" in refusal(tmp_path, body, "1.7")


def test_nested_model_may_be_an_end_of_a_joint(tmp_path: Path) -> None:
    body = (
        '<link name="l"/><model name="n"><pose>0 0 1 0 0 0</pose><link name="k"/></model>'
        '<joint name="j" type="fixed"><parent>n</parent><child>l</child></joint>'
    )
    assert read_model(tmp_path, body, "1.8").model.joint("j").parent == "n::k"


def test_include_beside_the_file_and_by_absolute_path(tmp_path: Path) -> None:
    crate = DATA / "crate" / "model.sdf"
    (tmp_path / "crate.sdf").write_text(crate.read_text())
    uris = ("crate.sdf", "file://crate.sdf", f"file://{crate}", str(crate))
    includes = "".join(
        f"<include><uri>{uri}</uri><name>c{index}</name></include>"
        for index, uri in enumerate(uris)
    )
    file = tmp_path / "world.sdf"
    file.write_text(f'<sdf version="1.7"><world name="w">{includes}</world></sdf>')
    assert [model.name for model in read_sdf(file).world.models] == ["c0", "c1", "c2", "c3"]


def test_file_that_includes_itself_is_refused(tmp_path: Path) -> None:
    body = LINK + "\n<include><uri>model.sdf</uri><name>n</name></include>"
    assert "model.sdf:4: <uri>: 'model.sdf' includes itself" in refusal(tmp_path, body)


def test_include_takes_over_plugins_and_static(tmp_path: Path) -> None:
    models = {model.name: model for model in corpus("include_1_9").world.models}
    assert [p.filename for p in models["by_the_grip"].plugins] == ["libcart.so", "libextra.so"]
    assert models["as_it_is"].static
    assert sorted(plugin.scope for plugin in models["train"].plugins) == ["", "wagon"]


def test_package_uri_is_found_around_the_file_and_by_the_ament_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "src" / "thing"
    (package / "sdf").mkdir(parents=True)
    (package / "package.xml").write_text("<package><name>thing</name></package>")
    (package / "a.obj").write_text("")
    share = tmp_path / "install" / "share" / "other"
    share.mkdir(parents=True)
    (share / "b.obj").write_text("")
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path / "install"))
    for uri, expected in (
        ("package://thing/a.obj", package / "a.obj"),
        ("package://other/b.obj", share / "b.obj"),
    ):
        body = VISUAL.format(f"<mesh><uri>{uri}</uri></mesh>")
        mesh = read_model(package / "sdf", body).model.links[0].visuals[0].geometry
        assert isinstance(mesh, Mesh)
        assert mesh.file == expected.resolve()


def test_model_path_variable_is_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GZ_SIM_RESOURCE_PATH", f"/nowhere:{DATA}")
    scene = read_model(tmp_path, LINK + "<include><uri>model://crate</uri></include>")
    assert [link.name for link in scene.model.links] == ["l", "crate::box"]


def test_plugin_parameters_are_nested(tmp_path: Path) -> None:
    body = (
        LINK + '<plugin filename="f" name="n"><a>1</a><a>2</a><b unit="m"><c>x</c></b>'
        '<d unit="s">3</d></plugin>'
    )
    plugin = read_model(tmp_path, body).model.plugins[0]
    assert plugin.parameters == {
        "a": ["1", "2"],
        "b": {"@unit": "m", "c": "x"},
        "d": {"@unit": "s", "#text": "3"},
    }
    assert plugin.element.number("d", 0.0) == 3.0
    with pytest.raises(DescriptionError, match=r"model.sdf:3: <b> is '': expected a finite number"):
        plugin.element.number("b", 0.0)


def test_rotation_stays_orthonormal_through_deep_nesting(tmp_path: Path) -> None:
    body = '<link name="l"><pose>1 0 0 0.3 0.2 0.1</pose></link>'
    for index in range(12):
        body = f'<model name="n{index}"><pose>0 0 1 0.5 0.1 0.9</pose>{body}</model>'
    model: Model = read_model(tmp_path, body, "1.9").model
    rotation = model.links[0].pose.rotation
    assert np.allclose(rotation @ rotation.T, np.eye(3), atol=1e-12)
    assert model.links[0].name.count("::") == 12
