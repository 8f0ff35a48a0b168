"""The station's description takes what a real station's calibration finds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scenes import ROOT, SECOND, readings

from scene_sim.kinematics import Kinematics
from scene_sim.options import ModelSpec, SimulatorOptions
from scene_sim.scene_files import read_model
from scene_sim.simulator import Simulator

STATION = ROOT / "urdf/station.urdf.xacro"


def station(**arguments):
    spec = ModelSpec(STATION, arguments={name: str(value) for name, value in arguments.items()})
    return read_model(spec).model


@settings(max_examples=10, deadline=None)
@given(
    x=st.floats(-0.3, 0.3), y=st.floats(-0.3, 0.3), zero=st.floats(-0.5, 0.5), pan=st.floats(-1, 1)
)
def test_the_camera_stands_and_looks_where_it_is_told(x, y, zero, pan):
    kinematics = Kinematics(station(camera_x=x, camera_y=y, pan_zero=zero))
    joints = {"camera_pan_joint": pan}
    pose = kinematics.link_from_link("lrf_link", "camera_pan_link", joints)
    assert pose.translation[:2] == pytest.approx([x, y], abs=1e-9)
    away = np.pi / 2 + zero + pan
    assert pose.rotation[:2, 0] == pytest.approx([np.cos(away), np.sin(away)], abs=1e-9)


def test_a_biased_laser_reads_that_much_more():
    ranges = []
    for bias in (0.0, 0.05):
        spec = ModelSpec(STATION, arguments={"range_bias": str(bias)})
        world = ROOT / "worlds/ground_truth_room.sdf"
        simulator = Simulator.load(world, [spec], SimulatorOptions(seed=2))
        simulator.camera_mode("on_demand")
        ranges.append(readings(simulator, "lrf/scan", SECOND // 5)[0].ranges)
    seen = np.isfinite(ranges[0]) & np.isfinite(ranges[1])
    assert np.allclose(ranges[1][seen] - ranges[0][seen], 0.05, atol=1e-6)
