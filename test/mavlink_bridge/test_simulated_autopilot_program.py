"""The simulated autopilot as a program, with pymavlink as its ground station."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pymavlink import mavutil

from mavlink_bridge.simulated_autopilot.program import main
from mavlink_bridge.wire.key_file import write_key

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 90.0


@contextmanager
def program(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Run the program, and end it."""
    process = subprocess.Popen(
        [sys.executable, "-m", "mavlink_bridge.simulated_autopilot.program", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    assert process.stdout is not None
    try:
        assert process.stdout.readline().startswith(f"simulated_autopilot: {arguments[1]}, px4")
        yield process
    finally:
        process.terminate()
        _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, errors
    assert not errors


def expect(station: Any, kind: str, condition: str = "True") -> Any:
    """Wait for a message; `condition` is pymavlink's, over the newest of each kind."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        station.mav.heartbeat_send(6, 8, 0, 0, 4)
        message = station.recv_match(type=kind, condition=condition, blocking=True, timeout=1.0)
        if message is not None:
            return message
    return pytest.fail(f"no {kind} with {condition}")


def command(station: Any, number: int, *numbers: float) -> int:
    """Send a command and return its result."""
    values = [*numbers, *[0.0] * (7 - len(numbers))]
    station.mav.command_long_send(1, 1, number, 0, *values)
    return int(expect(station, "COMMAND_ACK", f"COMMAND_ACK.command=={number}").result)


def test_pymavlink_flies_it(tmp_path):
    station = mavutil.mavlink_connection("udpin:127.0.0.1:0", source_system=255)
    port = station.port.getsockname()[1]
    link = f"udpout:127.0.0.1:{port}"
    with program("--link", link, "--files", str(tmp_path), "--home", "47.4,8.5,400"):
        beat = expect(station, "HEARTBEAT")
        assert (beat.type, beat.autopilot) == (2, 12)
        assert command(station, 400, 1) == 0
        height = float("nan")
        assert command(station, 22, 0, 0, 0, height, height, height, height) == 0
        expect(station, "EXTENDED_SYS_STATE", "EXTENDED_SYS_STATE.landed_state==2")
        place = expect(station, "GLOBAL_POSITION_INT")
        assert place.relative_alt == pytest.approx(2500, abs=300)
        assert command(station, 192, -1, 1, 0, height, 47.40005, 8.5, 403.0) == 0
        expect(station, "GLOBAL_POSITION_INT", "GLOBAL_POSITION_INT.lat>474000460")
        assert command(station, 21) == 0
        expect(station, "HEARTBEAT", "not HEARTBEAT.base_mode & 128")
    station.close()


def test_a_reboot_begins_anew_on_the_same_link(tmp_path):
    station = mavutil.mavlink_connection("udpin:127.0.0.1:0", source_system=255)
    link = f"udpout:127.0.0.1:{station.port.getsockname()[1]}"
    with program("--link", link, "--files", str(tmp_path)):
        expect(station, "HEARTBEAT")
        station.mav.param_set_send(1, 1, b"NAV_ACC_RAD", 0.25, 9)
        expect(station, "PARAM_VALUE", "abs(PARAM_VALUE.param_value - 0.25) < 1e-6")
        assert command(station, 246, 1) == 0
        station.messages.pop("HEARTBEAT", None)
        expect(station, "HEARTBEAT")
        station.mav.param_request_read_send(1, 1, b"NAV_ACC_RAD", -1)
        expect(station, "PARAM_VALUE", "PARAM_VALUE.param_value==0.5")
    station.close()


def test_with_a_key_it_signs_and_hears_nobody_else(tmp_path):
    key_file = tmp_path / "drone.key"
    write_key(key_file, bytes(range(32)))
    station = mavutil.mavlink_connection("udpin:127.0.0.1:0", source_system=255)
    link = f"udpout:127.0.0.1:{station.port.getsockname()[1]}"
    with program("--link", link, "--files", str(tmp_path), "--sign", str(key_file)):
        expect(station, "HEARTBEAT")
        station.mav.param_request_read_send(1, 1, b"NAV_ACC_RAD", -1)  # unsigned
        station.setup_signing(bytes(range(32)))
        station.mav.param_request_read_send(1, 1, b"SYS_HITL", -1)
        answer = expect(station, "PARAM_VALUE")
        assert answer.get_signed()
        assert answer.param_id == "SYS_HITL"
    station.close()


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--link", "carrier:pigeon"], "carrier:pigeon"),
        (["--link", "udpin:127.0.0.1:0", "--home", "1,2"], "--home '1,2'"),
        (["--link", "udpin:127.0.0.1:0", "--system", "300"], "system = 300"),
        (["--link", "udpin:127.0.0.1:0", "--sign", "/no/such.key"], "/no/such.key"),
        (["--link", "udpin:127.0.0.1:0", "--wind", "strong"], "--wind 'strong'"),
    ],
)
def test_what_cannot_be_is_one_line_and_a_code(tmp_path, capsys, arguments, named):
    assert main([*arguments, "--files", str(tmp_path)]) == 2
    errors = capsys.readouterr().err
    assert named in errors
    assert errors.count("\n") == 1
