"""A file that holds MAVLink frames, over a link that loses bytes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mavlink_bridge.dialect.definition import load
from mavlink_bridge.endpoint import Endpoint, EndpointParameters
from mavlink_bridge.files.transfer_protocol import TransferParameters, TransferState, masked
from mavlink_bridge.links.channel import Conditions
from mavlink_bridge.links.link_emulator import LinkEmulator
from mavlink_bridge.sending.command_result import CommandResult
from mavlink_bridge.wire.frame_writer import FrameWriter

MAVLINK = load()
ARM = FrameWriter(255, 190).write(
    MAVLINK.MAVLink_command_long_message(1, 1, 400, 0, 1, 0, 0, 0, 0, 0, 1)
)


@settings(deadline=None, suppress_health_check=list(HealthCheck))
@given(st.binary(max_size=249), st.binary(min_size=16, max_size=16), st.integers(0, 2**32 - 1))
def test_the_mask_is_its_own_inverse(data, digest, part):
    assert masked(masked(data, digest, part), digest, part) == data


def test_the_mask_is_that_of_the_dialect():
    """SHAKE-128 of the digest and the part's number, as `openssl dgst -shake128` has it."""
    assert masked(bytes(8), bytes(16), 1).hex() == "3c5b6b33dc0e6d87"


def transfer(folder: Any, mask: bool) -> tuple[int, bool]:
    """Return how many commands were found in a file of frames, and whether the file arrived."""
    folder.mkdir()
    (folder / "recording.tlog").write_bytes(ARM * 2000)
    link = LinkEmulator(Conditions(corrupt=0.3, delay=0.01), Conditions(delay=0.01), 3)
    parameters = EndpointParameters(files=TransferParameters(mask=mask))
    ground = Endpoint(link.a, 255, 190, folder, parameters)
    drone = Endpoint(link.b, 1, 1, folder / "drone", parameters)
    found: list[Any] = []

    def arm(execution: Any, _now: float) -> CommandResult:
        found.append(execution)
        return CommandResult.ACCEPTED

    drone.receiver.register(400, arm)
    outgoing = ground.files.send(folder / "recording.tlog", (1, 1), 0.0)
    for step in range(20_000):
        ground.poll(step * 0.01)
        drone.poll(step * 0.01)
        if outgoing.state in (TransferState.DONE, TransferState.FAILED):
            break
    there = folder / "drone" / "recording.tlog"
    return len(found), there.is_file() and there.read_bytes() == ARM * 2000


@pytest.mark.parametrize("mask", [True, False])
def test_frames_inside_a_file_are_none_on_the_link(tmp_path, mask):
    """Unmasked they are: that is what the mask is for."""
    found, arrived = transfer(tmp_path / "files", mask)
    assert arrived
    assert (found > 0) != mask
