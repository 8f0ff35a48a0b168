"""MAVProxy as ground station of the simulated autopilot, with commands typed into it."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from mavproxy_program import MavProxy, mission_there_and_back
from real_time import free_port, simulated_autopilot


@pytest.fixture
def mavproxy(tmp_path: Path) -> Iterator[MavProxy]:
    port = free_port(socket.SOCK_STREAM)
    (tmp_path / "drone").mkdir()
    options = ("--flavour", "ardupilot", "--home", "46.05,14.47,300")
    with simulated_autopilot(f"tcpin:127.0.0.1:{port}", tmp_path / "drone", *options):
        program = MavProxy(port, tmp_path)
        yield program
        program.close()


def test_mavproxy_flies_it(mavproxy: MavProxy, tmp_path: Path) -> None:
    mavproxy.expect("Received 18 parameters")
    mavproxy.type("param set MPC_XY_CRUISE 7")
    mavproxy.expect("MPC_XY_CRUISE    7.0", again="param show MPC_XY_CRUISE")
    mavproxy.type("param set NAV_DLL_ACT 0")  # whatever a busy machine does
    mavproxy.expect("NAV_DLL_ACT      0", again="param show NAV_DLL_ACT")
    mission_there_and_back(mavproxy, tmp_path)
    mavproxy.type("mode GUIDED")
    mavproxy.expect("Mode GUIDED")
    mavproxy.type("arm throttle")
    mavproxy.expect("ARMED")
    mavproxy.type("takeoff 4")
    mavproxy.expect("NAV_TAKEOFF: ACCEPTED")
    mavproxy.expect("landed_state : 2", again="status EXTENDED_SYS_STATE")
    mavproxy.type("guided 46.05005 14.47 6")
    mavproxy.expect("DO_REPOSITION: ACCEPTED")
    mavproxy.expect("lat : 460500", again="status GLOBAL_POSITION_INT")
    mavproxy.type("mode LAND")
    mavproxy.expect("Mode LAND")
    mavproxy.expect("DISARMED")
