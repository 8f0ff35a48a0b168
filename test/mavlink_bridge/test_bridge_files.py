"""Files to and from a drone through the bridge, and a trajectory's file that the bridge flies."""

from __future__ import annotations

import math
from typing import Any

import pytest
from bridge_pair import Pair, ready

from mavlink_bridge.dialect.definition import load
from mavlink_bridge.files.file_sender import TransferError
from mavlink_bridge.files.safe_names import UnsafeNameError
from mavlink_bridge.files.transfer_protocol import TransferState
from mavlink_bridge.mapping.setpoints import PositionSetpoint
from spatial_types.transforms import Transform

DRONE = (1, 1)
FLY = load().MAV_CMD_FLY_TRAJECTORY
CONTENT = bytes(range(256)) * 40
# The drone is 20 m east and 10 m north of where it started.
LINE = """\
speed: 1.0
points:
  - {position: [20, 10, 1.5], yaw: 0.0}
  - position: [24, 10, 1.5]
"""


def folders(pair: Pair, tmp_path: Any) -> tuple[Any, Any]:
    for name in ("bridge", "drone"):
        (tmp_path / name).mkdir(exist_ok=True)
    return tmp_path / "bridge", tmp_path / "drone"


@pytest.mark.parametrize("protocol", ["parts", "ftp"])
def test_files_go_there_and_back(tmp_path, protocol):
    pair = ready(tmp_path, delay=0.02, file_protocol=protocol)
    ours, theirs = folders(pair, tmp_path)
    (ours / "up.bin").write_bytes(CONTENT)
    (theirs / "down.bin").write_bytes(CONTENT[::-1])
    pair.bridge.files.send("up.bin", DRONE, pair.now)
    pair.bridge.files.fetch("down.bin", DRONE, pair.now)
    seen: set[str] = set()

    def over() -> bool:
        seen.update(item.state.value for item in pair.bridge.files.progress(pair.now))
        return len(pair.heard.files) == 2

    assert pair.run(60.0, over)
    assert (theirs / "up.bin").read_bytes() == CONTENT
    assert (ours / "down.bin").read_bytes() == CONTENT[::-1]
    assert seen & {"sending", "receiving", "asking"}
    ended = {(item.name, item.outgoing): item for item in pair.bridge.files.recent}
    assert set(ended) == {("up.bin", True), ("down.bin", False)}
    for item in ended.values():
        assert (item.state, item.done, item.size) == (TransferState.DONE, 10240, 10240)


@pytest.mark.parametrize("protocol", ["parts", "ftp"])
def test_what_is_cancelled_ends_and_says_so(tmp_path, protocol):
    pair = ready(tmp_path, rates=(1000.0, 8000.0), delay=0.02, rate=2.0, file_protocol=protocol)
    ours, _ = folders(pair, tmp_path)
    (ours / "up.bin").write_bytes(CONTENT)
    pair.bridge.files.send("up.bin", DRONE, pair.now)
    pair.run(3.0)
    assert pair.bridge.files.progress(pair.now)
    pair.bridge.files.cancel(pair.now)
    assert pair.bridge.files.progress(pair.now) == []
    assert [item.reason for item in pair.bridge.files.recent] == ["cancelled"]


@pytest.mark.parametrize("protocol", ["parts", "ftp"])
def test_names_lead_nowhere_else(tmp_path, protocol):
    pair = ready(tmp_path, file_protocol=protocol)
    folders(pair, tmp_path)
    (tmp_path / "secret").write_text("mine")
    for name in ("../secret", "", ".", "/", str(tmp_path / "secret")):
        with pytest.raises((UnsafeNameError, TransferError)):
            pair.bridge.files.send(name, DRONE, pair.now)
    for name in ("", "/", "..", "a/.."):
        with pytest.raises(UnsafeNameError):
            pair.bridge.files.fetch(name, DRONE, pair.now)


def flying(tmp_path: Any, **options: Any) -> Pair:
    """A drone that PX4 flies and that goes where its setpoints say."""
    pair = ready(tmp_path, autopilot=12, **options)
    pair.run(1.5)
    pair.drone.obeys = True
    return pair


def command(*parameters: float) -> Any:
    values = [*parameters, *[0.0] * (7 - len(parameters))]
    return load().MAVLink_command_long_message(245, 191, FLY, 0, *values)


def test_a_file_that_was_sent_to_the_bridge_is_flown_by_a_command(tmp_path):
    """The other end sends a trajectory and orders it; the autopilot knows only setpoints."""
    pair = flying(tmp_path)
    _, theirs = folders(pair, tmp_path)
    (theirs / "line.yaml").write_text(LINE)
    pair.drone.end.files.send(theirs / "line.yaml", (245, 191), pair.now)
    assert pair.run(20.0, lambda: pair.heard.files)
    outcomes: list[Any] = []
    percent: list[Any] = []
    pair.drone.end.command(
        command(),
        pair.now,
        on_success=outcomes.append,
        on_failure=outcomes.append,
        on_progress=percent.append,
    )
    assert pair.run(30.0, lambda: outcomes)
    assert outcomes[0].succeeded
    told = [item for item in percent if item is not None]
    assert told == sorted(told)
    assert told[-1] > 50
    assert math.dist(pair.drone.position, (10.0, 24.0, -1.5)) < 0.3
    modes = [(item.param2, item.param3) for item in pair.drone.got(176)]
    assert modes == [(6.0, 0.0), (4.0, 3.0)]  # OFFBOARD, and at the end AUTO.LOITER
    assert not pair.bridge.setpoints.is_live


def test_it_is_in_the_map_wherever_the_local_frame_lies(tmp_path):
    """East of the drone is the map's y: what the map calls x is local south."""
    turned = Transform.planar(30.0, -10.0, math.pi / 2, 1.0)
    pair = flying(tmp_path, map_from_local=turned)
    ours, _ = folders(pair, tmp_path)
    (ours / "line.yaml").write_text(LINE)
    assert pair.bridge.file_flight.fly(ours / "line.yaml", pair.now)
    assert pair.run(30.0, lambda: pair.bridge.file_flight.percent is None)
    north, east, down = pair.drone.position
    assert (north, east, down) == pytest.approx((6.0, 20.0, -0.5), abs=0.3)
    headings = {
        round(abs(math.degrees(message.yaw)))
        for _, message in pair.drone.setpoints
        if not message.type_mask & 0x400
    }
    assert headings == {180}  # it looks along the map's x


def test_a_bad_file_is_refused_before_anything_flies(tmp_path):
    pair = flying(tmp_path)
    ours, _ = folders(pair, tmp_path)
    (ours / "bad.yaml").write_text(LINE.replace("1.5]", "500]"))
    outcomes: list[Any] = []
    order = {"on_success": outcomes.append, "on_failure": outcomes.append}
    pair.drone.end.command(command(), pair.now, **order)
    assert pair.run(10.0, lambda: outcomes)
    assert outcomes[0].reason == "denied"
    assert "bad.yaml:3" in pair.heard.changes[-1]
    assert pair.drone.setpoints == []


@pytest.mark.parametrize("how", ["setpoint", "silence", "cancel"])
def test_what_ends_it(tmp_path, how):
    pair = flying(tmp_path)
    ours, _ = folders(pair, tmp_path)
    (ours / "line.yaml").write_text(LINE)
    outcomes: list[Any] = []
    order = {"on_success": outcomes.append, "on_failure": outcomes.append}
    pending = pair.drone.end.command(command(), pair.now, **order)
    pair.run(4.0)
    assert pair.bridge.file_flight.percent is not None
    if how == "setpoint":
        pair.bridge.give(PositionSetpoint((20.0, 10.0, 2.0)), pair.now)
    elif how == "silence":
        pair.drone.is_silent = True
        pair.run(6.0)
        pair.drone.is_silent = False
    else:
        pair.drone.end.commands.cancel(pending, pair.now)
    assert pair.run(10.0, lambda: outcomes)
    assert not outcomes[0].succeeded
    assert pair.bridge.file_flight.percent is None
    pair.run(2.0)
    assert not pair.bridge.setpoints.is_live
