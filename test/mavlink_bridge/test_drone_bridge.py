"""A bridge and a drone on a simulated clock."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import pytest
from bridge_pair import START, Pair, ready
from plain_drone import BOOT

from mavlink_bridge.files.trajectory_file import Trajectory, TrajectoryPoint
from mavlink_bridge.mapping.setpoints import PositionSetpoint, VelocitySetpoint
from mavlink_bridge.piloting.drone_state import Fix, Odometry, Pose
from mavlink_bridge.piloting.streams import StreamParameters

ROOT = math.sqrt(0.5)


def test_telemetry_in_ros_axes(tmp_path):
    pair = ready(tmp_path, delay=0.02)
    pair.run(1.0)
    odometry = pair.heard.last(Odometry)
    assert odometry.pose.position == (20.0, 10.0, 0.0)  # east, north, up
    assert odometry.pose.orientation == pytest.approx((0.0, 0.0, ROOT, ROOT))  # north
    assert odometry.linear_velocity == pytest.approx((1.0, 0.0, 0.0))
    assert odometry.angular_velocity == (0.0, 0.0, -0.5)  # clockwise seen from above
    fix = pair.heard.last(Fix)
    assert (fix.latitude, fix.longitude) == pytest.approx((47.0, 15.0))
    assert math.isnan(fix.altitude)  # nothing has told the geoid's height


def test_stamps_are_of_the_measurement(tmp_path):
    pair = ready(tmp_path, delay=0.1)
    pair.run(20.0)
    errors = []
    for stamp, product in pair.heard.products[-100:]:
        if isinstance(product, Pose):
            errors.append((stamp - START) * 1e-9 % 0.05)
    assert pair.bridge.clocks.boot.uncertainty == pytest.approx(0.1, abs=0.02)
    late = pair.now - (pair.heard.products[-1][0] - START) * 1e-9
    assert 0.09 < late < 0.17  # as old as the link makes it


@pytest.mark.parametrize("loss", [0.0, 0.2])
def test_time_sync_survives_a_thin_link(tmp_path, loss):
    """1 KB/s up with commands in the way; a round trip's half would be off by far more."""
    pair = ready(tmp_path, rates=(1000.0, 8000.0), delay=0.05, loss=loss, rate=5.0)
    pair.given = PositionSetpoint((0.0, 0.0, 1.0), 0.0)
    pair.run(40.0)
    true_offset = START - round(BOOT * 1e9)
    theirs = round((pair.now + BOOT) * 1e9)
    received = START + round(pair.now * 1e9) + 10**12
    error = pair.bridge.clocks.boot.ours(theirs, received) - theirs - true_offset
    assert abs(error) * 1e-9 < 0.05
    assert pair.bridge.clocks.boot.uncertainty < 0.15
    assert pair.bridge.clocks.boot.jumps == 0


def test_a_reboot_starts_the_clock_anew(tmp_path):
    pair = ready(tmp_path, delay=0.02)
    pair.run(5.0)
    pair.drone.boot = lambda now: now - 4.0
    pair.run(5.0)
    assert pair.bridge.clocks.boot.jumps >= 1
    late = pair.now - (pair.heard.products[-1][0] - START) * 1e-9
    assert 0.0 < late < 0.15


def test_loss_and_return(tmp_path):
    pair = ready(tmp_path)
    for _ in range(3):
        pair.heard.changes.clear()
        pair.drone.is_silent = True
        assert pair.run(10.0, lambda: not pair.bridge.peer.present)
        assert pair.heard.changes == ["drone 1 (generic) is silent: lost"]
        told, word = pair.ask(pair.bridge.commander.land)
        assert (told, word) == (False, "no drone")
        pair.drone.is_silent = False
        assert pair.run(3.0, lambda: pair.bridge.peer.present)
        assert pair.heard.changes[-1] == "drone 1 (generic) is there"


def test_heartbeats_stop_with_the_owners_health(tmp_path):
    pair = ready(tmp_path)
    counts = []
    pair.drone.end.handlers.add(lambda frame, _: counts.append(frame), "HEARTBEAT")
    pair.run(5.0)
    assert 4 <= len(counts) <= 6
    pair.healthy = False
    pair.run(0.1)
    counts.clear()
    pair.run(5.0)
    assert counts == []


def test_arm_take_off_land(tmp_path):
    pair = ready(tmp_path)
    commander = pair.bridge.commander
    assert pair.ask(lambda now, done: commander.arm(True, now, done)) == (True, "accepted")
    assert pair.drone.armed
    began = pair.now
    assert pair.ask(commander.take_off) == (True, "done")
    assert pair.now - began == pytest.approx(1.5 * 0.95, abs=0.2)  # at the height, not before
    assert pair.ask(commander.land) == (True, "done")
    assert pair.ask(commander.return_home)[0]


@pytest.mark.parametrize(("autopilot", "altitude"), [(0, 1.5), (12, 401.5), (3, 1.5)])
def test_take_off_says_what_each_autopilot_means_by_altitude(tmp_path, autopilot, altitude):
    pair = ready(tmp_path, autopilot=autopilot)
    pair.run(1.5)
    assert pair.ask(pair.bridge.commander.take_off)[0]
    (takeoff,) = pair.drone.got(22)
    assert takeoff.param7 == pytest.approx(altitude)
    assert math.isnan(takeoff.param5) == (autopilot != 3)
    assert len(pair.drone.got(176)) == (autopilot == 3)  # ArduPilot takes off in GUIDED


def test_cancel_ends_a_take_off(tmp_path):
    pair = ready(tmp_path)
    pair.drone.climb = 0.0
    outcome: list[Any] = []
    pair.bridge.commander.take_off(pair.now, lambda *word: outcome.append(word))
    pair.run(1.0)
    assert pair.ask(pair.bridge.commander.cancel)[0]
    assert outcome == [(False, "cancelled")]
    assert pair.drone.got(193)[0].param1 == 0.0  # paused where it is


def test_a_take_off_that_never_gets_there_fails(tmp_path):
    pair = ready(tmp_path)
    pair.drone.climb = 0.01
    assert pair.ask(pair.bridge.commander.take_off, 70.0) == (False, "not done after 60 s")


@pytest.mark.parametrize(("autopilot", "mode"), [(12, "OFFBOARD"), (3, "GUIDED")])
def test_modes_by_name(tmp_path, autopilot, mode):
    pair = ready(tmp_path, autopilot=autopilot)
    pair.run(1.5)
    assert pair.ask(pair.bridge.commander.follow)[0]
    pair.run(1.5)
    assert pair.bridge.peer.mode == mode
    told, word = pair.ask(lambda now, done: pair.bridge.commander.set_mode("GUIDET", now, done))
    assert not told
    assert "GUIDET" in word


def test_setpoints_on_the_wire(tmp_path):
    pair = ready(tmp_path)
    pair.bridge.give(PositionSetpoint((3.0, 4.0, 2.0), 0.0), pair.now)
    pair.run(0.1)
    message = pair.drone.setpoints[-1][1]
    assert (message.x, message.y, message.z) == (4.0, 3.0, -2.0)
    assert pair.drone.heading_of_last == pytest.approx(90.0)  # east
    assert message.type_mask == 0x9F8
    pair.bridge.give(VelocitySetpoint((1.0, 0.0, 0.5), 0.2), pair.now)
    pair.run(0.1)
    message = pair.drone.setpoints[-1][1]
    assert (message.vx, message.vy, message.vz) == pytest.approx((0.0, 1.0, -0.5))
    assert message.yaw_rate == pytest.approx(-0.2)
    assert message.type_mask == 0x5C7


def test_a_setpoint_lives_for_its_lifetime_and_no_longer(tmp_path):
    """It is repeated above 2 Hz meanwhile; then the drone is told to hover (D22, D23)."""
    pair = ready(tmp_path)
    given = pair.now
    pair.bridge.give(PositionSetpoint((0.0, 0.0, 1.0)), given)
    pair.run(5.0)
    times = [when - given for when, _ in pair.drone.setpoints]
    assert max(times) <= 0.52
    assert max(b - a for a, b in pairwise(times)) < 0.25
    assert len(pair.drone.got(193)) == 1
    assert "not renewed" in pair.heard.changes[-1]


def test_a_thin_link_carries_only_the_newest_setpoint(tmp_path):
    pair = ready(tmp_path, rates=(1000.0, 8000.0), delay=0.05)
    for tick in range(500):
        pair.bridge.give(PositionSetpoint((tick * 0.01, 0.0, 1.0)), pair.now)
        pair.run(0.01)
    arrived = [(when, message.y) for when, message in pair.drone.setpoints]
    start = pair.now - 5.0
    delays = [when - start - east for when, east in arrived if when > start + 1.0]
    assert max(delays) < 0.35


def test_a_trajectory_is_flown_to_its_end(tmp_path):
    pair = ready(tmp_path, autopilot=12)
    pair.run(1.5)
    points = (
        TrajectoryPoint((0.0, 0.0, 1.0), 0.0, 0.0, 0.0),
        TrajectoryPoint((2.0, 0.0, 1.0), 0.0, 4.0, 0.0),
    )
    pair.bridge.fly(Trajectory("t", "map", points, b""), pair.now)
    pair.run(4.0)  # two to stand by
    assert pair.bridge.setpoints.progress(pair.now) == pytest.approx(0.5, abs=0.02)
    pair.run(4.0)
    assert pair.drone.setpoints[-1][1].y == pytest.approx(2.0)
    assert not pair.bridge.setpoints.is_live
    asked = [(item.param2, item.param3) for item in pair.drone.got(176)]
    assert asked == [(6.0, 0.0), (4.0, 3.0)]  # OFFBOARD, and at the end AUTO.LOITER


def test_rates_are_asked_for_when_the_drone_appears(tmp_path):
    pair = ready(tmp_path, stream=StreamParameters(attitude=20.0, battery=1.0))
    pair.run(2.0)
    asked = {(item.param1, item.param2) for item in pair.drone.got(511)}
    assert asked == {(31.0, 50_000.0), (147.0, 1_000_000.0)}


def test_without_a_drone_setpoints_are_refused(tmp_path):
    pair = Pair(tmp_path)
    pair.bridge.give(PositionSetpoint((0.0, 0.0, 1.0)), 0.0)
    assert pair.heard.refusals == ["setpoint without drone: no drone is heard"]
