"""The shipped worlds, robots and bridge fit together; small readers say what is wrong."""

import numpy as np
import pytest
from scenes import ROOT, SECOND, WORLDS, readings, room, small_world

from scene_sim.bridge import read_bridge
from scene_sim.description import DescriptionError, read_description
from scene_sim.model_lists import model_from_text
from scene_sim.options import ModelSpec, SimulatorOptions
from scene_sim.pacing import LARGEST_LAG, Pacer
from scene_sim.schedule import Periodic, Schedule
from scene_sim.simulator import Simulator
from spatial_types.parameters import ParameterError
from spatial_types.transforms import Transform


@pytest.mark.parametrize("world", WORLDS)
def test_every_world_runs_without_a_warning(world):
    simulator = room(0.0, 2.0, world=world)
    assert simulator.warnings == []
    scans = readings(simulator, "lrf/scan", SECOND)
    assert len(scans) == 11
    assert simulator.truth("target")[0].translation == pytest.approx([0.0, 2.0, 0.37], abs=1e-4)


@pytest.mark.parametrize("world", WORLDS)
def test_white_is_nowhere_but_on_the_target(world):
    models = read_description(ROOT / f"worlds/{world}.sdf").world.models
    models += read_description(ROOT / "urdf/station.urdf.xacro").world.models
    models += read_description(ROOT / "urdf/phone_robot.urdf.xacro").world.models
    grey = set()
    for model in models:
        for link in model.links:
            for visual in link.visuals:
                assert visual.material is not None, visual.source
                colour = visual.material.diffuse[:3]
                if max(colour) - min(colour) < 0.02:
                    grey.add(f"{link.name}/{visual.name}")
    assert grey == {"phone_robot/target_link/cylinder"}


def test_bridge_names_every_topic_of_the_scene_once():
    bridge = read_bridge(ROOT / "config/bridge.yaml")
    simulator = room()
    outputs = {topic.gz_topic for topic in bridge if topic.direction == "GZ_TO_ROS"} - {"clock"}
    infos = {camera.info_topic for camera in simulator.cameras.values()}
    assert outputs == simulator.topics | infos
    inputs = {topic.gz_topic for topic in bridge if topic.direction == "ROS_TO_GZ"}
    assert inputs == {"station/pan/command", "phone_robot/cmd_vel"}
    assert len({topic.ros_topic for topic in bridge}) == len(bridge)


@pytest.mark.parametrize(
    ("file", "model"),
    [
        ("bridge_drone", "drone"),
        ("bridge_drone_2", "drone_2"),
        ("bridge_eyes", "viewpoint_eyes"),
    ],
)
def test_a_further_bridge_names_every_topic_of_its_model_once(file, model):
    bridge = read_bridge(ROOT / f"config/{file}.yaml")
    spec = ModelSpec(ROOT / f"urdf/{model}.urdf.xacro", pose=Transform.planar(0.0, 2.0, 0.0, 1.2))
    simulator = Simulator.load(ROOT / "worlds/ground_truth_room.sdf", [spec], SimulatorOptions())
    outputs = {topic.gz_topic for topic in bridge if topic.direction == "GZ_TO_ROS"}
    assert outputs == simulator.topics
    inputs = {topic.gz_topic for topic in bridge if topic.direction == "ROS_TO_GZ"}
    assert inputs == {flyer.topic for flyer in simulator.flyers}
    assert all(topic.ros_topic == f"/{topic.gz_topic}" for topic in bridge)
    assert len({topic.ros_topic for topic in bridge}) == len(bridge)


def test_what_is_not_played_is_named_with_its_place(tmp_path):
    body = """<model name="box"><link name="body"><velocity_decay><linear>0.1</linear>
    </velocity_decay><visual name="v"><cast_shadows>false</cast_shadows><geometry><box>
    <size>1 1 1</size></box></geometry></visual>
    <sensor name="height" type="altimeter"><update_rate>10</update_rate></sensor></link>
    <plugin filename="gz-sim-buoyancy-system" name="gz::sim::systems::Buoyancy"/></model>"""
    warnings = "\n".join(small_world(tmp_path, body).warnings)
    for what in ("link 'body': <velocity_decay>", "<cast_shadows> off", "altimeter", "Buoyancy"):
        assert what in warnings
    assert all("world.sdf:" in line for line in warnings.splitlines())


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("ros_topic_name: /a", "expected a list"),
        ("- {ros_topic_name: /a}", "entry 1: expected text for 'gz_topic_name'"),
        ("- {topic_name: /a, ros_type_name: b/c, direction: UP}", "entry 1: direction 'UP'"),
        ("- {topic_name: /a, ros_typ_name: b/c}", "entry 1: unknown key 'ros_typ_name'"),
        ("- [", "cannot be read"),
    ],
)
def test_bridge_errors_name_file_and_entry(tmp_path, text, complaint):
    file = tmp_path / "bridge.yaml"
    file.write_text(text)
    with pytest.raises(DescriptionError, match=complaint) as caught:
        read_bridge(file)
    assert "bridge.yaml" in str(caught.value)


def test_model_entries():
    spec = model_from_text(
        "urdf/phone_robot.urdf.xacro 1 -2 0.5 namespace:=second prefix:=second/ name:=second", ROOT
    )
    assert spec.name == "second"
    assert spec.arguments == {"namespace": "second", "prefix": "second/"}
    assert spec.pose.translation == pytest.approx([1.0, -2.0, 0.0])
    assert spec.pose.yaw == pytest.approx(0.5)
    for wrong in ("urdf/phone_robot.urdf.xacro 1 2", "urdf/phone_robot.urdf.xacro a b c", ""):
        with pytest.raises(ParameterError, match="expected FILE"):
            model_from_text(wrong, ROOT)
    with pytest.raises(ParameterError, match=r"robot\.xacro"):
        model_from_text("robot.xacro", ROOT)


def test_pacer_keeps_the_factor_and_does_not_burst_after_a_lag():
    pacer = Pacer(2.0)
    assert pacer.wait(0.0, 100.0) == 0.0
    assert pacer.wait(0.2, 100.05) == pytest.approx(0.05)
    assert pacer.wait(0.4, 100.3) == 0.0  # a little late: caught up later
    assert pacer.wait(1.0, 100.4) == pytest.approx(0.1)
    assert pacer.wait(1.2, 101.0 + LARGEST_LAG) == 0.0
    assert pacer.slips == 1
    assert pacer.wait(1.4, 101.0 + LARGEST_LAG) == pytest.approx(0.1)
    assert Pacer(0.0).wait(5.0, 0.0) == 0.0


def test_pacer_measures_what_it_gets():
    pacer = Pacer(0.0)
    assert pacer.measured is None
    for tick in range(50):
        pacer.wait(0.3 * tick, 0.1 * tick)
    assert pacer.measured == pytest.approx(3.0)


def test_schedule_is_exact_and_ordered():
    schedule = Schedule()
    names = {}
    for name, rate in (("a", 30.0), ("b", 10.0)):
        task = Periodic(rate, lambda stamp: stamp)
        names[task] = name
        schedule.add(task)
    taken = [(stamp, names[task]) for stamp, task in schedule.take(SECOND)]
    assert [stamp for stamp, name in taken if name == "a"] == [
        round(k * SECOND / 30) for k in range(31)
    ]
    assert taken[:2] == [(0, "a"), (0, "b")]
    assert [stamp for stamp, _ in taken] == sorted(stamp for stamp, _ in taken)
    assert np.diff([stamp for stamp, name in taken if name == "b"]).tolist() == [10**8] * 10
