"""An end with everything on it, against another one."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from mavlink_bridge.dialect.definition import load
from mavlink_bridge.endpoint import Endpoint, EndpointParameters
from mavlink_bridge.links.channel import Conditions
from mavlink_bridge.links.link_emulator import LinkEmulator
from mavlink_bridge.links.thin import ThinLink, ThinOptions
from mavlink_bridge.sending.budget import BudgetParameters
from mavlink_bridge.sending.command_result import CommandResult
from mavlink_bridge.sending.traffic_class import TrafficClass
from mavlink_bridge.wire.signing import Signing

mavlink = load()
PEER = (1, 1)
CHUNK = 82


def pair(folder: Path, rate: float, signed: bool = False) -> tuple[Endpoint, Endpoint]:
    emulator = LinkEmulator(Conditions(delay=0.02), Conditions(delay=0.02))
    ends = []
    for number, (link, system) in enumerate(((emulator.a, 255), (emulator.b, 1))):
        signing = Signing(bytes(range(32)), number, 1) if signed else None
        thin = ThinLink(link, ThinOptions(100, rate, rate))
        ends.append(Endpoint(thin, system, 1, folder / str(system), signing=signing))
    return ends[0], ends[1]


def run(ends: tuple[Endpoint, Endpoint], seconds: float, until: Any) -> None:
    start = ends[0].now
    for tick in range(1, int(seconds / 0.01)):
        for end in ends:
            end.poll(start + 0.01 * tick)
        if until():
            return
    pytest.fail("it did not happen")


def test_the_link_tells_rate_and_part_size(tmp_path):
    ground, _ = pair(tmp_path, 1000.0)
    path = tmp_path / "x.bin"
    path.write_bytes(bytes(CHUNK * 4))
    assert ground.files.send(path, PEER, 0.0).parts == 4
    signed, _ = pair(tmp_path, 1000.0, signed=True)
    assert signed.files.send(path, PEER, 0.0).parts == 5


def test_a_rate_that_is_set_stands_above_the_links(tmp_path):
    link = ThinLink(LinkEmulator().a, ThinOptions(100, 1000.0, 1000.0))
    parameters = EndpointParameters(budget=BudgetParameters(rate=400.0))
    end = Endpoint(link, 255, 1, tmp_path, parameters)
    for tick in range(1000):
        now = 0.01 * tick
        while end.sender.waiting(TrafficClass.FILE) < 3:
            text = mavlink.MAVLink_statustext_message(6, b"x" * 40)
            end.submit(text, TrafficClass.FILE, now)
        end.poll(now)
    assert link.statistics.bytes_sent == pytest.approx(4000, rel=0.05)


@pytest.mark.parametrize("signed", [False, True])
def test_commands_files_and_ftp_side_by_side(tmp_path, signed):
    ground, drone = pair(tmp_path, 20_000.0, signed)
    ground.poll(0.0)
    executed: list[float] = []

    def execute(execution: Any, _: float) -> CommandResult:
        executed.append(execution.message.param1)
        return CommandResult.ACCEPTED

    drone.receiver.register(400, execute)
    data = random.Random(1).randbytes(3000)
    for name in ("up.bin", "255/down.bin"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    ended: list[Any] = []
    ground.files.send(tmp_path / "up.bin", PEER, 0.0).on_end = ended.append
    drone.ftp_client.download("down.bin", tmp_path / "1" / "got.bin", (255, 1), ended.append)
    arm = mavlink.MAVLink_command_long_message(*PEER, 400, 0, 1.0, 0, 0, 0, 0, 0, 0)
    ground.command(arm, 0.0, on_success=ended.append)
    run((ground, drone), 30.0, lambda: len(ended) == 3)
    assert executed == [1.0]
    assert (tmp_path / "1" / "up.bin").read_bytes() == data
    assert (tmp_path / "1" / "got.bin").read_bytes() == data
