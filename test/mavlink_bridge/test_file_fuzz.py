"""Whatever a stranger sends, nothing raises and nothing is written outside the folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mavlink_bridge.dialect.definition import load
from mavlink_bridge.files.file_transfer import FileTransfer
from mavlink_bridge.files.ftp_packet import FtpPacket
from mavlink_bridge.files.mavlink_ftp_client import MavlinkFtpClient
from mavlink_bridge.files.mavlink_ftp_server import MavlinkFtpServer
from mavlink_bridge.sending.sender import Sender
from mavlink_bridge.wire.frame_writer import FrameWriter

mavlink = load()
OURSELVES, STRANGER = (1, 1), (255, 190)
ONE_FOLDER = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
BYTE, WORD = st.integers(0, 255), st.integers(0, 2**32 - 1)
SMALL = st.integers(0, 6) | WORD
NAME = st.sampled_from([b"a", b"../x", b"/etc/x", b"", b"\xff", b"a/b", b".x", b"a\0b"])


def sender() -> Sender:
    return Sender(FrameWriter(1, 1).write)


def inside(folder: Path) -> set[str]:
    return {item.name for item in folder.iterdir()}


def parts(draw: Any) -> Any:
    kind = draw(st.integers(0, 6))
    transfer = draw(st.integers(126, 130) | BYTE)
    if kind == 0:
        size, part = draw(st.integers(0, 400) | WORD), draw(st.integers(1, 249) | BYTE)
        digest = [draw(st.integers(0, 1))] * 16
        return mavlink.MAVLink_file_parts_request_message(
            size, *OURSELVES, transfer, part, draw(BYTE), digest, draw(NAME)
        )
    if kind == 1:
        data = bytes([draw(BYTE)]) * 249
        return mavlink.MAVLink_file_part_message(draw(SMALL), 1, transfer, data)
    if kind == 2:
        return mavlink.MAVLink_file_parts_reply_message(
            draw(SMALL), *OURSELVES, transfer, draw(BYTE), draw(BYTE)
        )
    if kind == 3:
        intervals = draw(st.binary(min_size=72, max_size=72))
        words = draw(SMALL), draw(SMALL), draw(SMALL)
        return mavlink.MAVLink_file_parts_missing_message(
            *words, *OURSELVES, transfer, draw(BYTE), intervals
        )
    if kind == 4:
        return mavlink.MAVLink_file_parts_finished_message(*OURSELVES, transfer, draw(BYTE))
    if kind == 5:
        return mavlink.MAVLink_file_parts_cancel_message(*OURSELVES, transfer)
    return mavlink.MAVLink_file_parts_fetch_message(*OURSELVES, transfer, draw(BYTE), draw(NAME))


@ONE_FOLDER
@given(data=st.data())
def test_any_messages_of_the_file_transfer(tmp_path, data):
    folder = tmp_path / "files"
    folder.mkdir(exist_ok=True)
    (folder / "a").write_bytes(b"there")
    (tmp_path / "out.bin").write_bytes(bytes(300))
    queue = sender()
    transfer = FileTransfer(queue, *OURSELVES, folder)
    transfer.send(tmp_path / "out.bin", STRANGER, 0.0)
    transfer.fetch("b", STRANGER, 0.0)
    for step in range(data.draw(st.integers(1, 25))):
        now = step * data.draw(st.floats(0.0, 30.0))
        transfer.handle(parts(data.draw), *STRANGER, now)
        transfer.poll(now)
        transfer.progress(now)
        queue.poll(now)
    transfer.close()
    assert inside(tmp_path) == {"files", "out.bin"}
    assert inside(folder) <= {"a", ".incoming"}


PATHS = st.sampled_from(
    [b"a", b"..", b"../out", b"/", b"", b"d", b"d/../../x", b"a\0../y", b"d\0e"]
)


@ONE_FOLDER
@given(
    st.lists(
        st.tuples(
            *(st.integers(0, 9), st.integers(0, 3), st.integers(0, 17) | BYTE, BYTE, SMALL),
            PATHS | st.binary(max_size=239),
        ),
        max_size=30,
    )
)
@pytest.mark.parametrize("party", [MavlinkFtpServer, MavlinkFtpClient])
def test_any_requests_and_answers_of_ftp(tmp_path, party, packets):
    folder = tmp_path / "files"
    (folder / "d").mkdir(parents=True, exist_ok=True)
    (folder / "a").write_bytes(b"there")
    queue = sender()
    if party is MavlinkFtpServer:
        end: Any = MavlinkFtpServer(queue, *OURSELVES, folder)
    else:
        end = MavlinkFtpClient(queue, *OURSELVES)
        end.download("x", folder / "x", STRANGER)
        end.list_directory("/", STRANGER)
    for step, (sequence, session, opcode, size, offset, content) in enumerate(packets):
        packet = FtpPacket(sequence, session, opcode, content, offset, size, size % 17)
        message = mavlink.MAVLink_file_transfer_protocol_message(0, *OURSELVES, packet.pack())
        end.handle(message, *STRANGER, 0.1 * step)
        end.poll(0.1 * step)
        queue.poll(0.1 * step)
    if party is MavlinkFtpServer:
        end.close()
    assert inside(tmp_path) == {"files"}
