"""MAVSDK as ground station of the simulated autopilot: one flight, with all that it offers."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from real_time import free_port, simulated_autopilot, wait_for

HOME = (47.3977, 8.5456, 488.0)
METRE = 1.0 / 111_180.0  # of latitude, in degrees


class Station:
    """MAVSDK with the plugins that the flight uses."""

    def __init__(self, port: int) -> None:
        from mavsdk import ComponentType, Configuration, Mavsdk
        from mavsdk.plugins.action import Action
        from mavsdk.plugins.ftp import Ftp
        from mavsdk.plugins.mission import Mission
        from mavsdk.plugins.offboard import Offboard
        from mavsdk.plugins.param import Param
        from mavsdk.plugins.telemetry import Telemetry

        kind = ComponentType.GROUND_STATION
        self.mavsdk = Mavsdk(Configuration.create_with_component_type(kind))
        assert self.mavsdk.add_any_connection(f"udpin://127.0.0.1:{port}").name == "SUCCESS"
        self.system = self.mavsdk.first_autopilot(30.0)
        assert self.system is not None
        self.action = Action(self.system)
        self.ftp = Ftp(self.system)
        self.mission = Mission(self.system)
        self.offboard = Offboard(self.system)
        self.param = Param(self.system)
        self.telemetry = Telemetry(self.system)

    def north_east_down(self) -> tuple[float, float, float]:
        place = self.telemetry.position_velocity_ned().position
        return place.north_m, place.east_m, place.down_m

    def wait_at(self, *place: float, within: float = 0.5) -> None:
        wait_for(f"at {place}", lambda: math.dist(self.north_east_down(), place) < within)

    def transfer(self, start: Any, *arguments: Any) -> None:
        ended: list[str] = []
        start(*arguments, lambda result, *_: result.name != "NEXT" and ended.append(result.name))
        wait_for("the end of the transfer", lambda: ended)
        assert ended == ["SUCCESS"]


@pytest.fixture(params=["px4", "ardupilot"])
def station(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Station]:
    port = free_port()
    home = ",".join(map(str, HOME))
    (tmp_path / "drone").mkdir()
    options = ("--flavour", request.param, "--home", home)
    with simulated_autopilot(f"udpout:127.0.0.1:{port}", tmp_path / "drone", *options):
        made = Station(port)
        yield made
        made.mavsdk.destroy()


def test_mavsdk_flies_it(station: Station, tmp_path: Path) -> None:
    _sees_it(station)
    _sets_parameters(station)
    _takes_off_and_goes(station)
    _flies_offboard(station)
    _flies_a_mission(station)
    _moves_files(station, tmp_path)
    assert station.action.land().name == "SUCCESS"
    wait_for("landed and disarmed", lambda: not station.telemetry.armed())
    assert station.telemetry.landed_state().name == "ON_GROUND"


def _sees_it(station: Station) -> None:
    telemetry = station.telemetry
    wait_for("health", telemetry.health_all_ok)
    home = wait_for("home", lambda: telemetry.home() if telemetry.home().latitude_deg else None)
    assert (home.latitude_deg, home.longitude_deg) == pytest.approx(HOME[:2], abs=1e-6)
    assert home.absolute_altitude_m == pytest.approx(HOME[2], abs=0.1)
    assert telemetry.battery().remaining_percent == pytest.approx(100.0, abs=2.0)
    assert not telemetry.armed()


def _sets_parameters(station: Station) -> None:
    listed = station.param.get_all_params()
    names = {param.name for param in [*listed.int_params, *listed.float_params]}
    assert {"NAV_DLL_ACT", "MPC_XY_CRUISE"} <= names
    station.param.set_param_float("MPC_XY_CRUISE", 6.5)
    assert station.param.get_param_float("MPC_XY_CRUISE") == 6.5
    station.param.set_param_int("NAV_DLL_ACT", 0)  # whatever a busy machine does
    assert station.param.get_param_int("NAV_DLL_ACT") == 0
    station.action.set_takeoff_altitude(4.0)


def _takes_off_and_goes(station: Station) -> None:
    telemetry = station.telemetry
    assert station.action.arm().name == "SUCCESS"
    assert station.action.takeoff().name == "SUCCESS"
    wait_for("in the air", lambda: telemetry.landed_state().name == "IN_AIR")
    station.wait_at(0.0, 0.0, -4.0)
    latitude, longitude, altitude = HOME
    station.action.goto_location(latitude + 6.0 * METRE, longitude, altitude + 5.0, 90.0)
    station.wait_at(6.0, 0.0, -5.0)


def _flies_offboard(station: Station) -> None:
    from mavsdk.plugins.offboard import PositionNedYaw, VelocityNedYaw

    station.offboard.set_position_ned(PositionNedYaw(3.0, 1.0, -5.0, 0.0))
    assert station.offboard.start().name == "SUCCESS"
    wait_for("offboard", lambda: station.telemetry.flight_mode().name == "OFFBOARD")
    station.wait_at(3.0, 1.0, -5.0)
    station.offboard.set_velocity_ned(VelocityNedYaw(0.0, -1.0, 0.0, 0.0))

    def drifts_west() -> bool:
        velocity = station.telemetry.position_velocity_ned().velocity
        return abs(velocity.east_m_s + 1.0) < 0.1 and abs(velocity.north_m_s) < 0.1

    wait_for("west at 1 m/s", drifts_west)
    assert station.offboard.stop().name == "SUCCESS"


def _flies_a_mission(station: Station) -> None:
    from mavsdk.plugins.mission import MissionItem, MissionPlan

    latitude, longitude, _ = HOME
    items = [
        MissionItem(
            latitude_deg=latitude + north * METRE,
            longitude_deg=longitude,
            relative_altitude_m=5.0,
            speed_m_s=4.0,
            is_fly_through=True,
            acceptance_radius_m=0.5,
        )
        for north in (6.0, 9.0, 4.0)
    ]
    assert station.mission.upload_mission(MissionPlan(items)).name == "SUCCESS"
    downloaded = station.mission.download_mission().mission_items
    assert [item.latitude_deg for item in downloaded] == pytest.approx(
        [item.latitude_deg for item in items], abs=1.5e-7
    )
    assert [item.speed_m_s for item in downloaded] == [4.0] * 3
    assert station.mission.start_mission().name == "SUCCESS"
    wait_for("the mission's end", station.mission.is_mission_finished)
    station.wait_at(4.0, 0.0, -5.0, within=1.5)


def _moves_files(station: Station, folder: Path) -> None:
    data = random.Random(4).randbytes(20_000)
    here = folder / "up.bin"
    here.write_bytes(data)
    station.transfer(station.ftp.upload_async, str(here), "/")
    assert (folder / "drone" / "up.bin").read_bytes() == data
    listed = station.ftp.list_directory("/").entries
    assert [(entry.name, entry.size_bytes) for entry in listed] == [("up.bin", len(data))]
    assert station.ftp.are_files_identical(str(here), "/up.bin")
    for burst in (False, True):
        there = folder / f"down_{burst}"
        there.mkdir()
        station.transfer(station.ftp.download_async, "/up.bin", str(there), burst)
        assert (there / "up.bin").read_bytes() == data
