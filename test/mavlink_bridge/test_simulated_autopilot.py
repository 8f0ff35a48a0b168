"""The simulated autopilot flown over an emulated link, on a simulated clock."""

from __future__ import annotations

import hashlib
import math

import pytest
from flights import NAN, Flight

from mavlink_bridge.files.trajectory_file import digest_parameters
from mavlink_bridge.links.thin import ThinOptions
from mavlink_bridge.sending.command_result import CommandResult
from mavlink_bridge.simulated_autopilot.pilot import Landed, Mode
from mavlink_bridge.wire.signing import Signing
from mavlink_bridge.wire.signing_setup import SetupState, SigningSetup


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


def test_offboard_needs_setpoints_and_ends_without_them(tmp_path):
    flight = Flight(tmp_path)
    flight.take_off(5.0)
    assert flight.mode("OFFBOARD").result == CommandResult.DENIED
    east = flight.dialect.MAVLink_set_position_target_local_ned_message(
        0, 1, 1, 1, 0xDC7, 0, 0, 0, 0.0, 2.0, 0.0, 0, 0, 0, 0.0, 0.0
    )
    flight.setpoint = east
    flight.run(1.0)
    assert flight.mode("OFFBOARD").succeeded
    flight.run(3.0)
    assert flight.vehicle.body.velocity == pytest.approx((2.0, 0.0, 0.0), abs=0.05)
    flight.setpoint = None  # the application has died
    flight.run(3.0)
    assert flight.pilot.mode is Mode.HOLD
    assert "No setpoints: holding position" in flight.texts()
    assert flight.vehicle.body.velocity == pytest.approx((0.0, 0.0, 0.0), abs=0.05)


def test_ardupilot_obeys_setpoints_in_guided_and_stops_without_them(tmp_path):
    flight = Flight(tmp_path, flavour="ardupilot")
    flight.take_off(5.0)
    flight.setpoint = flight.dialect.MAVLink_set_position_target_local_ned_message(
        0, 1, 1, 8, 0x5C7, 0, 0, 0, 1.0, 0.0, 0.0, 0, 0, 0, 0.0, 0.2
    )
    flight.run(4.0)
    assert math.hypot(*flight.vehicle.body.velocity) == pytest.approx(1.0, abs=0.1)
    assert flight.vehicle.body.yaw_rate == pytest.approx(-0.2, abs=0.01)
    flight.setpoint = None
    flight.run(3.0)
    assert flight.vehicle.mode_name == "GUIDED"
    assert flight.vehicle.body.velocity == pytest.approx((0.0, 0.0, 0.0), abs=0.05)


@pytest.mark.parametrize(
    ("frame", "numbers", "place"),
    [
        (1, (3.0, 4.0, -6.0), (4.0, 3.0, 6.0)),
        (7, (1.0, 0.0, 0.0), (0.0, 1.0, 5.0)),
        (9, (2.0, 1.0, -1.0), (1.0, 2.0, 6.0)),
    ],
)
def test_position_setpoints_in_each_frame(tmp_path, frame, numbers, place):
    """Offsets count from where it was; it looks north, so ahead is north and right is east."""
    flight = Flight(tmp_path, flavour="ardupilot")
    flight.take_off(5.0)
    flight.run(5.0, lambda: flight.near(0.0, 0.0, 5.0, within=0.02))
    flight.send(
        flight.dialect.MAVLink_set_position_target_local_ned_message(
            0, 1, 1, frame, 0xDF8, *numbers, 0, 0, 0, 0, 0, 0, 0.0, 0.0
        )
    )
    flight.run(10.0, lambda: flight.near(*place, within=0.1))


def test_the_theses_setpoint_is_in_ros_axes(tmp_path):
    flight = Flight(tmp_path)
    flight.take_off(5.0)
    half = math.sqrt(0.5)
    flight.setpoint = flight.dialect.MAVLink_dji_pose_stamped_message(
        1, 0, 0, 0, [2.0, -1.0, 4.0], [0.0, 0.0, half, half]
    )
    flight.run(0.5)
    assert flight.mode("OFFBOARD").succeeded
    flight.run(10.0, lambda: flight.near(2.0, -1.0, 4.0, within=0.1))
    flight.run(3.0)
    assert flight.vehicle.body.yaw == pytest.approx(math.pi / 2, abs=0.02)


def test_without_the_ground_station_it_comes_home_and_says_so(tmp_path):
    flight = Flight(tmp_path)
    flight.take_off(5.0)
    assert flight.command_int(192, 0, -1, 1, 0, NAN, *flight.place(20.0, 0.0, 5.0)).succeeded
    flight.run(20.0, lambda: flight.near(20.0, 0.0, 5.0))
    flight.beats = False
    flight.run(15.0, lambda: flight.pilot.mode is Mode.RETURN)
    flight.run(1.0, lambda: "Ground station lost: returning" in flight.texts())
    flight.run(60.0, lambda: not flight.pilot.armed)
    assert flight.near(0.0, 0.0, 0.0, within=0.6)
    flight.beats = True
    flight.run(3.0, lambda: "Ground station is back" in flight.texts())


def test_a_low_battery_brings_it_home(tmp_path):
    flight = Flight(tmp_path, battery_level=0.2)
    flight.take_off(5.0)
    flight.pilot.battery.level = 0.14
    flight.run(2.0, lambda: flight.pilot.mode is Mode.RETURN)
    flight.pilot.battery.level = 0.06
    flight.run(2.0, lambda: flight.pilot.mode is Mode.LAND)
    flight.run(60.0, lambda: not flight.pilot.armed)
    assert flight.command(400, 1).result == CommandResult.DENIED


def test_the_fence_refuses_and_holds(tmp_path):
    flight = Flight(tmp_path)
    flight.take_off(5.0)
    flight.vehicle.table.set("GF_MAX_HOR_DIST", 15.0)
    flight.run(0.1)
    outside = flight.command_int(192, 0, -1, 1, 0, NAN, *flight.place(20.0, 0.0, 5.0))
    assert outside.result == CommandResult.DENIED
    flight.run(1.0, lambda: "Refused: more than 15 m from home" in flight.texts())
    flight.setpoint = flight.dialect.MAVLink_set_position_target_local_ned_message(
        0, 1, 1, 1, 0xDC7, 0, 0, 0, 6.0, 0.0, 0.0, 0, 0, 0, 0.0, 0.0
    )
    flight.run(0.5)
    assert flight.mode("OFFBOARD").succeeded
    flight.run(20.0, lambda: flight.pilot.mode is Mode.HOLD)
    flight.run(3.0)
    assert 12.0 < flight.position[1] < 15.0


def test_wind_is_countered_as_far_as_it_can_be(tmp_path):
    flight = Flight(tmp_path, seed=3)
    flight.take_off(5.0)
    flight.vehicle.set_wind(4.0, 0.0, 0.5)
    flight.run(10.0)
    assert flight.near(0.0, 0.0, 5.0, within=0.2)
    roll, _ = flight.vehicle.body.tilt  # it looks north and leans into the wind, to the left
    assert roll < -0.05
    flight.vehicle.set_wind(12.0, 0.0)  # more than it can fly against
    flight.run(5.0)
    assert flight.position[0] > 5.0


def test_a_simulators_pose_is_taken_and_velocities_close_the_loop(tmp_path):
    """Here the body only integrates; the simulator's pose lags and is what counts."""
    flight = Flight(tmp_path)
    flight.take_off(5.0)
    body, real = flight.vehicle.body, list(flight.position)
    assert flight.command_int(192, 0, -1, 1, 0, NAN, *flight.place(5.0, 0.0, 5.0)).succeeded

    def simulate() -> bool:
        real[:] = [place + 0.02 * speed for place, speed in zip(real, body.velocity, strict=True)]
        body.correct((real[0] + 0.02, real[1], real[2]), body.yaw)
        return abs(real[0] - 4.98) < 0.05

    flight.run(15.0, simulate)


def test_message_intervals_and_requests(tmp_path):
    flight = Flight(tmp_path)
    flight.run(1.0)
    assert flight.command(511, 32, 100_000).succeeded
    assert flight.command(511, 30, -1).succeeded
    flight.messages.clear()
    flight.run(5.0)
    assert len(flight.got("LOCAL_POSITION_NED")) == pytest.approx(50, abs=2)
    assert not flight.got("ATTITUDE")
    assert flight.command(510, 32).succeeded
    flight.run(1.0, lambda: flight.got("MESSAGE_INTERVAL"))
    assert flight.got("MESSAGE_INTERVAL")[-1].interval_us == 100_000
    assert flight.command(512, 331).succeeded
    flight.run(1.0, lambda: flight.got("ODOMETRY"))
    assert flight.command(512, 9999).result == CommandResult.DENIED


def test_a_ground_station_finds_parameters_and_version(tmp_path):
    flight = Flight(tmp_path)
    flight.send(flight.dialect.MAVLink_param_request_list_message(1, 1))
    flight.run(3.0, lambda: len(flight.got("PARAM_VALUE")) == len(flight.vehicle.table.names))
    listed = {message.param_index for message in flight.got("PARAM_VALUE")}
    assert listed == set(range(len(flight.vehicle.table.names)))
    assert flight.command(512, 148).succeeded
    flight.run(1.0, lambda: flight.got("AUTOPILOT_VERSION"))
    assert bytes(flight.got("AUTOPILOT_VERSION")[0].flight_custom_version) == b"truthbed"


def test_a_parameter_out_of_range_keeps_its_value(tmp_path):
    flight = Flight(tmp_path)
    flight.send(flight.dialect.MAVLink_param_set_message(1, 1, b"NAV_ACC_RAD", 1e6, 9))
    flight.run(1.0, lambda: flight.got("PARAM_VALUE"))
    assert flight.got("PARAM_VALUE")[0].param_value == 0.5
    assert flight.texts() == ["NAV_ACC_RAD = 1e+06: expected 0.05 to 200"]


def test_a_trajectory_that_was_sent_as_a_file_is_flown(tmp_path):
    flight = Flight(tmp_path)
    (tmp_path / "drone" / "square.yaml").write_text(
        "points:\n" + "".join(f"  - position: {place}\n" for place in ([0, 0, 2], [3, 0, 2]))
    )
    (tmp_path / "drone" / "bad.yml").write_text("points:\n  - position: [0, 0, -2]\n")
    flight.take_off(5.0)
    bad = read_digest(tmp_path / "drone" / "bad.yml")
    assert flight.command(50100, *bad).result == CommandResult.DENIED
    good = read_digest(tmp_path / "drone" / "square.yaml")
    assert flight.command(50100, *good).succeeded
    flight.run(10.0, lambda: flight.near(0.0, 0.0, 2.0, within=0.2))
    flight.run(10.0, lambda: flight.pilot.mode is Mode.HOLD)
    assert flight.near(3.0, 0.0, 2.0)


def read_digest(path):
    return digest_parameters(hashlib.sha256(path.read_bytes()).digest())


def test_a_key_is_taken_while_disarmed_and_refused_while_armed(tmp_path):
    key = bytes(range(32))
    signings = (Signing(None, 1, 1), Signing(None, 0, 1))
    flight = Flight(tmp_path, takes_keys=True, signing=signings)
    for armed in (True, False):
        assert flight.command(400, float(armed)).succeeded
        setup = SigningSetup(flight.dialect, signings[0], key, 1)
        setup.start(flight.now)

        def ended(setup=setup) -> bool:
            for message in setup.poll(flight.now):
                flight.send(message)
            return setup.state is not SetupState.TRYING

        flight.run(5.0, ended)
        assert setup.state is (SetupState.REFUSED if armed else SetupState.ON)
    assert flight.command(400, 1).succeeded


def test_the_same_flight_over_a_bad_link(tmp_path):
    flight = Flight(tmp_path, seed=5, loss=0.2, delay=0.05, duplicate=0.1)
    flight.take_off(5.0)
    assert flight.command_int(192, 0, -1, 1, 0, NAN, *flight.place(5.0, 5.0, 5.0)).succeeded
    flight.run(20.0, lambda: flight.near(5.0, 5.0, 5.0))
    assert flight.command(20).succeeded
    flight.run(90.0, lambda: not flight.pilot.armed)


def test_a_thin_link_still_flies_it_and_tells_the_newest(tmp_path):
    """1 kB/s from the drone is less than its streams want: answers pass, old telemetry does not."""
    flight = Flight(tmp_path, thin=ThinOptions(100, 1000.0, 1000.0), delay=0.05)
    flight.take_off(5.0)
    go = flight.command_int(192, 0, -1, 1, 0, NAN, *flight.place(8.0, 0.0, 5.0))
    assert go.succeeded
    assert go.duration < 1.0
    flight.run(20.0, lambda: flight.near(8.0, 0.0, 5.0))
    flight.run(2.0)
    ages = []
    for _ in range(20):
        flight.run(0.3)
        newest = flight.got("LOCAL_POSITION_NED")[-1]
        ages.append(flight.now - newest.time_boot_ms / 1000.0)
    assert max(ages) < 1.5
    assert not flight.emulator.b.statistics.packets_dropped
