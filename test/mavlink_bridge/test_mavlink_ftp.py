"""MAVLink FTP: our server and our client, with each other and with pymavlink's client."""

from __future__ import annotations

import random
import struct
import zlib
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from ends import COMPONENT, DRONE, GROUND, Ends
from pymavlink import mavftp

from mavlink_bridge.dialect.definition import load
from mavlink_bridge.files.ftp_operations import FtpEntry
from mavlink_bridge.files.ftp_packet import FtpError, FtpPacket, Opcode, crc32_of, unpack
from mavlink_bridge.files.mavlink_ftp_client import FtpOutcome, MavlinkFtpClient
from mavlink_bridge.files.mavlink_ftp_server import FtpServerParameters, MavlinkFtpServer
from mavlink_bridge.sending.traffic_class import TrafficClass

mavlink = load()
PEER = (DRONE, COMPONENT)


class Service(Ends):
    """A client on the ground and a server on the drone, on a fast link unless told otherwise."""

    def __init__(self, folder: Path, **options: Any) -> None:
        parameters = options.pop("parameters", FtpServerParameters())
        packet_size = options.pop("packet_size", None)
        super().__init__(**{"rate": 50_000.0, "delay": 0.02, **options})
        self.root = folder / "served"
        self.root.mkdir()
        self.folder = folder
        self.server = MavlinkFtpServer(self.drone.sender, DRONE, COMPONENT, self.root, parameters)
        self.client = MavlinkFtpClient(
            self.ground.sender, GROUND, COMPONENT, packet_size=packet_size
        )
        self.outcomes: list[FtpOutcome] = []
        for end, party in ((self.ground, self.client), (self.drone, self.server)):
            end.handlers.append(self.handler(party.handle))
            end.pollers.append(party.poll)

    @staticmethod
    def handler(handle: Callable[..., None]) -> Callable[[Any, float], None]:
        def to_party(frame: Any, now: float) -> None:
            if frame.message.get_type() == "FILE_TRANSFER_PROTOCOL":
                handle(frame.message, frame.system, frame.component, now)

        return to_party

    def file(self, size: int, name: str = "log.bin", seed: int = 1) -> bytes:
        data = random.Random(seed).randbytes(size)
        (self.root / name).write_bytes(data)
        return data

    def do(self, operation: Callable[..., Any], *arguments: Any, seconds: float = 120.0) -> Any:
        before = len(self.outcomes)
        operation(*arguments, PEER, self.outcomes.append)
        assert self.run(seconds, lambda: len(self.outcomes) > before)
        return self.outcomes[-1]


@pytest.fixture
def service(tmp_path):
    return Service(tmp_path)


def requests(service: Service) -> list[FtpPacket]:
    return [unpack(item.payload) for item in service.drone.got("FILE_TRANSFER_PROTOCOL")]


@pytest.mark.parametrize("size", [0, 1, 239, 240, 5000, 60_000])
def test_a_file_is_downloaded(service, size):
    data = service.file(size)
    local = service.folder / "here" / "log.bin"
    outcome = service.do(service.client.download, "/log.bin", local)
    assert outcome == FtpOutcome("", local)
    assert local.read_bytes() == data
    assert list(local.parent.iterdir()) == [local]


@pytest.mark.parametrize("seed", range(3))
def test_a_download_is_whole_through_losses_doubles_and_late_packets(tmp_path, seed):
    bad = {"loss": 0.2, "duplicate": 0.1, "reorder": 0.1, "reorder_delay": 0.3}
    service = Service(tmp_path, seed=seed, **bad)
    data = service.file(40_000)
    outcome = service.do(service.client.download, "log.bin", tmp_path / "log.bin", seconds=600)
    assert outcome.succeeded
    assert (tmp_path / "log.bin").read_bytes() == data


def test_a_download_is_done_in_bursts(service):
    service.file(60_000)
    service.do(service.client.download, "log.bin", service.folder / "x")
    kinds = [item.opcode for item in requests(service)]
    assert kinds.count(Opcode.BURST_READ_FILE) <= 60_000 / 239 / 100 + 2
    assert Opcode.READ_FILE not in kinds


def test_after_a_pause_the_rest_comes_in_a_burst_not_in_single_reads(service):
    data = service.file(300_000)
    service.client.download("log.bin", service.folder / "x", PEER, service.outcomes.append)
    service.run(0.3)
    service.emulator.b.connected = False
    service.run(1.0)
    service.emulator.b.connected = True
    assert service.run(60.0, lambda: service.outcomes)
    assert (service.folder / "x").read_bytes() == data
    kinds = [item.opcode for item in requests(service)]
    assert kinds.count(Opcode.READ_FILE) < 10


def test_the_server_keeps_to_the_size_that_was_asked_for(tmp_path):
    service = Service(tmp_path, packet_size=100)
    data = service.file(5000)
    assert service.do(service.client.download, "log.bin", tmp_path / "x").succeeded
    assert (tmp_path / "x").read_bytes() == data
    assert max(len(frame.raw) for frame in service.ground.received) == 100


def test_a_server_that_ignores_the_size_is_borne(service):
    data = service.file(5000)
    begin = service.server._begin_burst

    def deaf(request: FtpPacket, peer: Any, now: float) -> None:
        begin(replace(request, size=239), peer, now)

    service.server._operations[Opcode.BURST_READ_FILE] = deaf
    client = MavlinkFtpClient(service.ground.sender, GROUND, COMPONENT, packet_size=100)
    service.ground.handlers[:] = [service.handler(client.handle)]
    service.ground.pollers[:] = [client.poll]
    assert service.do(client.download, "log.bin", service.folder / "x").succeeded
    assert (service.folder / "x").read_bytes() == data


def test_late_answers_are_not_taken_for_the_current_one(service):
    (service.root / "a").write_bytes(b"a" * 10)
    (service.root / "b").write_bytes(b"b" * 20)
    first = service.do(service.client.crc32, "a")
    late = service.ground.got("FILE_TRANSFER_PROTOCOL")[-1]
    service.client.crc32("b", PEER, service.outcomes.append)
    service.client.poll(service.now)
    service.client.handle(late, *PEER, service.now)
    assert len(service.outcomes) == 1
    assert service.client.strays == 1
    assert service.run(5.0, lambda: len(service.outcomes) == 2)
    assert service.outcomes[1].value == crc32_of(service.root / "b") != first.value


def test_answers_from_others_are_left_alone(service):
    service.client.crc32("a", PEER, service.outcomes.append)
    service.client.poll(0.0)
    forged = FtpPacket(2, 0, Opcode.ACK, bytes(4), request=Opcode.CALC_FILE_CRC32).pack()
    for target, source in ((GROUND, 99), (42, DRONE)):
        message = mavlink.MAVLink_file_transfer_protocol_message(0, target, COMPONENT, forged)
        service.client.handle(message, source, COMPONENT, 0.0)
    assert service.outcomes == []


@pytest.mark.parametrize("loss", [0.0, 0.2])
def test_a_file_is_uploaded_and_read_back(tmp_path, loss):
    service = Service(tmp_path, loss=loss, seed=2)
    local = tmp_path / "mission.yaml"
    local.write_bytes(random.Random(5).randbytes(3000))
    outcome = service.do(service.client.upload, local, "/mission.yaml", seconds=600)
    assert outcome == FtpOutcome("", "/mission.yaml")
    assert (service.root / "mission.yaml").read_bytes() == local.read_bytes()
    assert Opcode.CALC_FILE_CRC32 in [item.opcode for item in requests(service)]


def test_an_upload_that_is_not_what_was_sent_is_a_failure(service):
    local = service.folder / "x"
    local.write_bytes(b"right" * 100)
    service.server._operations[Opcode.WRITE_FILE] = lambda request, *_: service.server._ack(request)
    outcome = service.do(service.client.upload, local, "x")
    assert outcome.error.startswith("checksum")


def test_folders_are_listed_page_after_page(service):
    for number in range(60):
        service.file(number, f"file_{number:02}.bin")
    (service.root / "folder").mkdir()
    (service.root / ".hidden").write_text("")
    outcome = service.do(service.client.list_directory, "/")
    expected = [FtpEntry(f"file_{number:02}.bin", number) for number in range(60)]
    assert outcome.value == [*expected, FtpEntry("folder", None)]


def test_small_operations(service):
    data, client = service.file(100), service.client
    assert service.do(client.create_directory, "flights").succeeded
    assert service.do(client.rename, "log.bin", "flights/1.bin").succeeded
    outcome = service.do(client.crc32, "flights/1.bin")
    assert outcome.value == zlib.crc32(data, 0xFFFFFFFF) ^ 0xFFFFFFFF
    assert service.do(client.remove_directory, "flights").error.startswith("fail errno")
    assert service.do(client.remove, "flights/1.bin").succeeded
    assert service.do(client.remove_directory, "flights").succeeded
    assert list(service.root.iterdir()) == []


def test_what_is_repeated_is_not_done_twice(tmp_path):
    service = Service(tmp_path, loss=0.5, seed=1)
    for number in range(5):
        service.file(10, f"{number}")
        assert service.do(service.client.remove, f"{number}").succeeded
        assert service.do(service.client.create_directory, f"d{number}").succeeded


@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("nothing", "file not found"),
        ("../outside", "file protected"),
        ("out/passwd", "file protected"),
        ("folder", "fail"),
    ],
)
def test_what_cannot_be_read_is_refused(service, path, error):
    (service.folder / "outside").write_text("secret")
    (service.root / "folder").mkdir()
    (service.root / "out").symlink_to("/etc")
    outcome = service.do(service.client.download, path, service.folder / "x")
    assert outcome.error == error
    assert not (service.folder / "x").exists()


def test_a_server_for_reading_refuses_all_changes(tmp_path):
    service = Service(tmp_path, parameters=FtpServerParameters(writable=False))
    service.file(10)
    client = service.client
    operations = [
        (client.remove, "log.bin"),
        (client.create_directory, "d"),
        (client.rename, "log.bin", "x"),
        (client.upload, service.root / "log.bin", "y"),
    ]
    for operation, *arguments in operations:
        assert service.do(operation, *arguments).error == "file protected"
    assert [path.name for path in service.root.iterdir()] == ["log.bin"]


def test_files_above_the_limit_are_refused(tmp_path):
    service = Service(tmp_path, parameters=FtpServerParameters(largest_size=1000))
    local = tmp_path / "big"
    local.write_bytes(bytes(2000))
    assert service.do(service.client.upload, local, "big").error == "fail errno 27"


def test_nobody_there_is_told(tmp_path):
    service = Service(tmp_path, loss=1.0)
    outcome = service.do(service.client.list_directory, "/")
    assert outcome.error == "no answer, asked 10 times"
    assert not service.client.busy


def test_sessions_are_limited_and_come_back(tmp_path):
    service = Service(tmp_path, parameters=FtpServerParameters(most_sessions=2))
    service.file(10)

    def ask(opcode: int, sequence: int, session: int = 0) -> FtpPacket:
        request = FtpPacket(sequence, session, opcode, b"log.bin")
        message = mavlink.MAVLink_file_transfer_protocol_message(
            0, DRONE, COMPONENT, request.pack()
        )
        service.server.handle(message, GROUND, COMPONENT, service.now)
        service.run(0.2)
        return unpack(service.ground.got("FILE_TRANSFER_PROTOCOL")[-1].payload)

    assert [ask(Opcode.OPEN_FILE_RO, number).session for number in (1, 3)] == [0, 1]
    full = ask(Opcode.OPEN_FILE_RO, 5)
    assert (full.opcode, full.data[0]) == (Opcode.NAK, FtpError.NO_SESSIONS_AVAILABLE)
    assert ask(Opcode.TERMINATE_SESSION, 7, 1).opcode == Opcode.ACK
    assert ask(Opcode.READ_FILE, 9, 1).data == bytes([FtpError.INVALID_SESSION])
    assert ask(Opcode.RESET_SESSIONS, 11).opcode == Opcode.ACK
    assert ask(Opcode.OPEN_FILE_RO, 13).data == struct.pack("<I", 10)
    assert ask(99, 15).data == bytes([FtpError.UNKNOWN_COMMAND])
    service.run(130.0, step=1.0)  # unused for long: closed
    assert ask(Opcode.READ_FILE, 17).data == bytes([FtpError.INVALID_SESSION])


def test_a_payload_that_lies_about_its_size_is_refused(service):
    payload = bytearray(FtpPacket(1, 0, Opcode.WRITE_FILE).pack())
    payload[4] = 255
    message = mavlink.MAVLink_file_transfer_protocol_message(0, DRONE, COMPONENT, bytes(payload))
    service.server.handle(message, GROUND, COMPONENT, 0.0)
    service.run(0.2)
    answer = unpack(service.ground.got("FILE_TRANSFER_PROTOCOL")[-1].payload)
    assert answer.data == bytes([FtpError.INVALID_DATA_SIZE])


def test_a_file_that_shrinks_meanwhile_ends_the_download(service):
    service.file(300_000)
    service.client.download("log.bin", service.folder / "x", PEER, service.outcomes.append)
    service.run(0.3)
    (service.root / "log.bin").write_bytes(b"short")
    assert service.run(60.0, lambda: service.outcomes)
    assert service.outcomes[0].error == "the file is shorter than it was"
    assert [item.name for item in service.folder.iterdir()] == ["served"]


def test_a_burst_leaves_room_for_commands(tmp_path):
    service = Service(tmp_path, rate=1000.0)
    service.file(60_000)
    service.client.download("log.bin", tmp_path / "x", PEER, service.outcomes.append)
    service.run(3.0)
    assert service.drone.sender.waiting(3) <= 4


class Master:
    """What pymavlink's client needs of a connection, over the emulated link."""

    source_system, source_component = GROUND, COMPONENT

    def __init__(self, service: Service) -> None:
        self._service = service
        self._came: deque[Any] = deque()
        self.mav = self
        service.ground.handlers[:] = [lambda frame, _: self._came.append(frame.message)]
        service.ground.pollers.clear()

    def file_transfer_protocol_send(self, *fields: Any) -> None:
        message = mavlink.MAVLink_file_transfer_protocol_message(*fields)
        self._service.ground.sender.submit(message, TrafficClass.FILE, self._service.now)

    def recv_match(self, **_: Any) -> Any:
        self._service.run(0.1, lambda: self._came)
        return self._came.popleft() if self._came else None


def test_another_client_uses_our_server(tmp_path, monkeypatch):
    service = Service(tmp_path)
    clock = SimpleNamespace(time=lambda: service.now, sleep=service.run)
    monkeypatch.setattr(mavftp, "time", clock)
    data = service.file(20_000)
    local, here = tmp_path / "up.bin", tmp_path / "down.bin"
    local.write_bytes(random.Random(9).randbytes(4000))
    client = mavftp.MAVFTP(Master(service), DRONE, COMPONENT)
    for command in (
        ["get", "/log.bin", str(here)],
        ["put", str(local), "/up.bin"],
        ["mkdir", "/folder"],
        ["rename", "/up.bin", "/folder/up.bin"],
    ):
        assert client.cmd_ftp(command).error_code == 0
        client.process_ftp_reply(command[0], timeout=60)
    assert here.read_bytes() == data
    assert (service.root / "folder" / "up.bin").read_bytes() == local.read_bytes()
