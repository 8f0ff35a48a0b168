"""The simulated autopilot flown over an emulated link, on a simulated clock."""

from __future__ import annotations

import math

import pytest
from flights import NAN, Flight

from mavlink_bridge.sending.command_result import CommandResult
from mavlink_bridge.simulated_autopilot.pilot import Landed, Mode


@pytest.mark.parametrize("flavour", ["px4", "ardupilot", "generic"])
def test_arm_take_off_go_land(tmp_path, flavour):
    flight = Flight(tmp_path, flavour=flavour)
    flight.take_off(5.0)
    assert flight.near(0.0, 0.0, 5.0)
    go = flight.command_int(192, 0, -1, 1, 0, NAN, *flight.place(10.0, -4.0, 8.0))
    assert go.succeeded
    flight.run(20.0, lambda: flight.near(10.0, -4.0, 8.0))
    assert flight.command(21).succeeded
    flight.run(30.0, lambda: not flight.pilot.armed)
    assert flight.near(10.0, -4.0, 0.0)
    assert flight.pilot.landed is Landed.ON_GROUND


def test_take_off_is_told_done_at_its_height_and_not_before(tmp_path):
    flight = Flight(tmp_path)
    assert flight.command(400, 1).succeeded
    assert flight.command(22, 0, 0, 0, NAN, NAN, NAN, 308.0).succeeded
    flight.run(20.0, lambda: flight.pilot.mode is Mode.HOLD)
    states = [message.landed_state for message in flight.got("EXTENDED_SYS_STATE")]
    flight.run(1.0)
    assert set(states) == {1, 3}
    assert flight.got("EXTENDED_SYS_STATE")[-1].landed_state == 2
    assert flight.near(0.0, 0.0, 8.0)


def test_going_somewhere_needs_flight(tmp_path):
    flight = Flight(tmp_path)
    place = flight.place(10.0, 0.0, 5.0)
    assert flight.command_int(192, 0, -1, 1, 0, NAN, *place).result == CommandResult.DENIED
    assert "Refused: disarmed" in flight.texts()


def test_disarming_in_the_air_must_be_forced(tmp_path):
    flight = Flight(tmp_path)
    flight.take_off(5.0)
    assert flight.command(400, 0).result == CommandResult.DENIED
    assert flight.pilot.armed
    assert flight.command(400, 0, 21196).succeeded
    flight.run(10.0, lambda: flight.vehicle.body.on_ground)


def test_telemetry_in_the_wires_axes(tmp_path):
    """East 10, north 4, up 6, looking east: fixed values against mixed up axes."""
    flight = Flight(tmp_path)
    flight.take_off(6.0)
    assert flight.command_int(
        192, 3, -1, 1, 0, math.pi / 2, *flight.place(10.0, 4.0, -294.0)[:2], 6.0
    )
    flight.run(30.0, lambda: flight.near(10.0, 4.0, 6.0, within=0.05))
    flight.run(3.0)
    local = flight.got("LOCAL_POSITION_NED")[-1]
    assert (local.x, local.y, local.z) == pytest.approx((4.0, 10.0, -6.0), abs=0.1)
    assert flight.got("ATTITUDE")[-1].yaw == pytest.approx(math.pi / 2, abs=0.02)
    turned = flight.got("ATTITUDE_QUATERNION")[-1]
    half = math.sqrt(0.5)
    wanted = (half, 0.0, 0.0, half)
    assert (turned.q1, turned.q2, turned.q3, turned.q4) == pytest.approx(wanted, abs=0.02)
    place = flight.got("GLOBAL_POSITION_INT")[-1]
    assert place.hdg == pytest.approx(9000, abs=100)
    assert place.relative_alt == pytest.approx(6000, abs=100)
    assert place.lat / 1e7 - 46.0503 == pytest.approx(4.0 / 111_170, rel=0.05)
    felt = flight.got("HIGHRES_IMU")[-1]
    assert felt.zacc == pytest.approx(-9.81, abs=0.1)


def test_the_heartbeat_tells_flavour_mode_and_arming(tmp_path):
    flight = Flight(tmp_path, flavour="ardupilot")
    flight.run(2.0)
    peer = flight.ground.connection.peers.peers[1, 1]
    assert (peer.flavour.name, peer.mode, peer.armed) == ("ardupilot copter", "LOITER", False)
    flight.take_off(3.0)
    flight.run(1.5)
    assert (peer.mode, peer.armed) == ("GUIDED", True)
