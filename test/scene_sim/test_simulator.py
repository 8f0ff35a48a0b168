"""Motion, determinism and commands of the embedded simulator."""

import numpy as np
import pytest
from scenes import CAMERA, SECOND, readings, room

from scene_sim.simulator import SimulatorOptions
from spatial_types.angles import wrap_scalar
from spatial_types.parameters import ParameterError
from spatial_types.transforms import Transform

ROBOT = "phone_robot"


def fingerprint(simulator, until, step=None):
    """All readings as comparable values."""
    times = [until] if step is None else range(step, until + step, step)
    taken = [item for time in times for item in simulator.advance(time)]
    return [(item.topic, item.stamp, repr(item.data)) for item in taken]


def test_same_seed_same_readings_other_seed_other_noise():
    first = fingerprint(room(seed=3), SECOND)
    assert fingerprint(room(seed=3), SECOND) == first
    assert fingerprint(room(seed=4), SECOND) != first


def test_reset_repeats_the_run_and_takes_another_seed():
    simulator = room(seed=3)
    simulator.set_velocity(ROBOT, 0.5, 0.3)
    first = fingerprint(simulator, SECOND)
    simulator.reset()
    assert simulator.time == 0
    simulator.set_velocity(ROBOT, 0.5, 0.3)
    assert fingerprint(simulator, SECOND) == first
    simulator.reset(seed=4)
    assert fingerprint(simulator, SECOND) != first


def test_slicing_the_run_changes_nothing():
    whole, sliced = room(seed=1), room(seed=1)
    for simulator in (whole, sliced):
        simulator.set_velocity(ROBOT, 0.4, 0.5)
    assert fingerprint(whole, SECOND) == fingerprint(sliced, SECOND, step=7_000_000)


def test_drawing_on_demand_changes_no_other_reading():
    drawn, plain = room(seed=1), room(seed=1)
    expected = fingerprint(plain, SECOND // 2)
    taken = []
    for time in range(50_000_000, SECOND // 2 + 1, 50_000_000):
        taken += fingerprint(drawn, time)
        drawn.render(CAMERA)
    assert taken == expected


def test_stamps_lie_on_exact_grids():
    simulator = room()
    simulator.camera_mode("deferred")
    stamps: dict[str, list[int]] = {}
    for item in simulator.advance(2 * SECOND):
        stamps.setdefault(item.topic, []).append(item.stamp)
    for topic, rate in ((CAMERA, 30), ("lrf/scan", 10), ("reference/target", 100)):
        assert stamps[topic] == [round(k * SECOND / rate) for k in range(2 * rate + 1)]
    assert simulator.time == 2 * SECOND


def test_robot_rests_upright_where_it_is_put():
    simulator = room()
    readings(simulator, "lrf/scan", SECOND)
    simulator.set_model_pose(ROBOT, Transform.planar(-3.0, 3.0, 0.7))
    readings(simulator, "lrf/scan", 2 * SECOND)
    pose, velocity, spin = simulator.truth("target")
    assert pose.translation == pytest.approx([-3.0, 3.0, 0.37], abs=2e-5)
    assert pose.yaw == pytest.approx(0.7, abs=1e-5)
    assert pose.rotation[2, 2] == pytest.approx(1.0, abs=1e-9)
    assert np.abs([*velocity, *spin]).max() < 1e-5


def test_put_down_while_driving_it_stands():
    simulator = room()
    simulator.set_velocity(ROBOT, 0.5, 0.0)
    readings(simulator, "lrf/scan", SECOND)
    simulator.set_model_pose(ROBOT, Transform.planar(1.0, 1.0, 0.0))
    readings(simulator, "lrf/scan", 2 * SECOND)
    assert simulator.truth(ROBOT)[0].translation == pytest.approx([1.0, 1.0, 0.0], abs=1e-4)


def test_driving_is_smooth_obeys_the_limits_and_the_wheels_know():
    simulator = room(-2.0, 2.0, seed=2)
    truth, wheels = [], []
    plan = ((0.5, 0.0), (0.5, 0.8), (-0.5, 0.0), (0.0, 1.5), (0.0, 0.0))
    for index, (linear, angular) in enumerate(plan, start=1):
        simulator.set_velocity(ROBOT, linear, angular)
        for item in simulator.advance(index * 2 * SECOND):
            if item.topic == "reference/phone_robot":
                truth.append(item.data)
            elif item.topic == "phone_robot/odom":
                wheels.append(item.data)
    speeds = np.array([item.linear_velocity for item in truth])
    accelerations = np.diff(speeds[:, 0]) / 0.01
    assert np.abs(accelerations).max() < 1.05
    assert np.abs(speeds[:, 1]).max() < 2e-3
    assert np.abs(speeds[150:200, 0] - 0.5).max() < 1e-3
    tilt = np.array([item.pose.rotation[2, 2] for item in truth])
    assert np.degrees(np.arccos(np.minimum(tilt, 1.0))).max() < 0.05
    start = Transform.planar(-2.0, 2.0, 0.0)
    for_wheels = start.inverse() @ truth[-1].pose
    assert wheels[-1].pose.translation[:2] == pytest.approx(for_wheels.translation[:2], abs=0.01)
    assert wrap_scalar(wheels[-1].pose.yaw - for_wheels.yaw) == pytest.approx(0.0, abs=0.01)


def test_pan_turns_at_its_speed_to_the_target_and_no_further_than_its_limits():
    simulator = room()
    simulator.set_joint_target("camera_pan_joint", 1.0)
    states = readings(simulator, "joint_states", 2 * SECOND)
    pan = [s for s in states if s.names == ("camera_pan_joint",)]
    speeds = np.array([s.velocities[0] for s in pan])
    assert speeds.max() == pytest.approx(np.pi, rel=0.02)
    assert pan[-1].positions[0] == pytest.approx(1.0, abs=1e-4)
    assert max(s.positions[0] for s in pan) < 1.0 + 0.01
    simulator.set_joint_target("camera_pan_joint", 4.0)
    readings(simulator, "joint_states", 4 * SECOND)
    assert simulator.joint_positions()["camera_pan_joint"] == pytest.approx(
        np.radians(95), abs=1e-3
    )


def test_kinematics_from_joint_readings_agree_with_the_truth():
    simulator = room()
    simulator.set_joint_target("camera_pan_joint", -0.8)
    readings(simulator, "joint_states", SECOND)
    kinematics = simulator.kinematics("station")
    told = kinematics.root_from_link("camera_optical_frame", simulator.joint_positions())
    truth = simulator.link_pose("station", "camera_optical_frame")
    assert told.translation == pytest.approx(truth.translation, abs=1e-9)
    assert told.rotation == pytest.approx(truth.rotation, abs=1e-9)
    assert truth.translation == pytest.approx([0.0, 0.10, 0.37])


def test_camera_looks_into_the_room_at_zero_and_left_for_positive_pan():
    kinematics = room().kinematics("station")
    ahead = kinematics.root_from_link("camera_optical_frame", {})
    assert ahead.rotate([0, 0, 1]) == pytest.approx([0, 1, 0], abs=1e-12)
    assert ahead.rotate([1, 0, 0]) == pytest.approx([1, 0, 0], abs=1e-12)
    left = kinematics.root_from_link("camera_optical_frame", {"camera_pan_joint": np.pi / 2})
    assert left.rotate([0, 0, 1]) == pytest.approx([-1, 0, 0], abs=1e-12)


def test_imu_feels_gravity_and_acceleration():
    simulator = room(-2.0, 2.0)
    still = readings(simulator, "phone_robot/imu", SECOND)
    mean = np.mean([item.linear_acceleration for item in still], axis=0)
    assert mean == pytest.approx([0.0, 0.0, 9.81], abs=0.01)
    simulator.set_velocity(ROBOT, 0.8, 0.0)
    moving = readings(simulator, "phone_robot/imu", 2 * SECOND)
    pushed = np.mean([item.linear_acceleration[0] for item in moving[20:70]])
    assert pushed == pytest.approx(1.0, abs=0.02)
    simulator.set_velocity(ROBOT, 0.0, 1.0)
    turning = readings(simulator, "phone_robot/imu", 5 * SECOND)
    assert np.mean([i.angular_velocity[2] for i in turning[-50:]]) == pytest.approx(1.0, abs=0.01)


def test_infrared_sensors_see_floor_and_wall():
    simulator = room(3.7, 2.0)
    taken = {item.topic: item.data for item in simulator.advance(0)}
    for index in range(1, 5):
        ground = taken[f"phone_robot/ground_ir_{index}"]
        assert ground.ranges == pytest.approx(0.039, abs=0.006)
    gap = 4.0 - 3.7 - 0.121
    assert taken["phone_robot/front_ir_2"].ranges.min() == pytest.approx(gap, abs=0.02)
    far = {item.topic: item.data for item in room(0.0, 2.0).advance(0)}
    assert np.isinf(far["phone_robot/front_ir_2"].ranges).all()


def test_listening_to_few_topics_gives_those_alone_and_unchanged():
    every = [i for i in fingerprint(room(seed=1), SECOND) if i[0] == "lrf/scan"]
    few = room(seed=1)
    few.listen_to(["/lrf/scan"])
    assert fingerprint(few, SECOND) == every
    with pytest.raises(KeyError, match=r"no topic lrf/scann; known: .*lrf/scan"):
        few.listen_to(["lrf/scann"])


@pytest.mark.parametrize(
    ("act", "known"),
    [
        (lambda s: s.set_velocity("robot", 0, 0), "phone_robot"),
        (lambda s: s.set_joint_target("pan", 0), "camera_pan_joint"),
        (lambda s: s.set_model_pose("robot", Transform()), "phone_robot"),
        (lambda s: s.truth("cylinder"), "target"),
        (lambda s: s.set_light("sun"), "ceiling_light"),
        (lambda s: s.render("camera"), CAMERA),
    ],
)
def test_wrong_names_are_answered_with_the_known_ones(act, known):
    with pytest.raises(KeyError, match=known):
        act(room())


def test_static_and_bolted_models_do_not_move():
    simulator = room()
    assert simulator.movable_models == [ROBOT]
    for name in ("room", "station"):
        with pytest.raises(ValueError, match="cannot be moved"):
            simulator.set_model_pose(name, Transform())


def test_options_are_checked():
    with pytest.raises(ParameterError, match="scan_mode = 'fast': expected one of instant, swept"):
        SimulatorOptions(scan_mode="fast")
    with pytest.raises(ParameterError, match="supersampling = 0"):
        SimulatorOptions(supersampling=0)
