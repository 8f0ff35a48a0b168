"""MAVLink FTP with MAVSDK at the other end, both ways, over UDP."""

from __future__ import annotations

import random
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from mavsdk.component_type import ComponentType
from mavsdk.mavsdk import Configuration, Mavsdk
from mavsdk.plugins.ftp import Ftp, FtpError, FtpResult
from mavsdk.plugins.ftp_server import FtpServer

from mavlink_bridge.endpoint import Endpoint
from mavlink_bridge.links.link_url import open_link
from mavlink_bridge.links.waiting import wait
from mavlink_bridge.sending.traffic_class import TrafficClass

PATIENCE = 90.0


class Party:
    """An endpoint of ours that polls in a thread of its own, with a heartbeat."""

    def __init__(self, url: str, system: int, kind: int, folder: Path) -> None:
        self._link = open_link(url)
        self.end = Endpoint(self._link, system, 1, folder)
        self._heartbeat = self.end.dialect.MAVLink_heartbeat_message(kind, 12, 0, 0, 4, 3)
        self._todo: list[Callable[[], Any]] = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def do(self, operation: Callable[..., Any], *arguments: Any) -> Any:
        """Run an FTP operation in the thread that owns the endpoint; return its outcome."""
        ended, outcome = threading.Event(), []

        def done(result: Any) -> None:
            outcome.append(result)
            ended.set()

        self._todo.append(lambda: operation(*arguments, done))
        assert ended.wait(PATIENCE)
        return outcome[0]

    def close(self) -> None:
        self._stop.set()
        self._thread.join()
        self.end.close()

    def _run(self) -> None:
        due = 0.0
        while not self._stop.is_set():
            now = time.monotonic()
            if now >= due:
                self.end.submit(self._heartbeat, TrafficClass.HEARTBEAT, now)
                due = now + 0.2
            while self._todo:
                self._todo.pop()()
            self.end.poll(now)
            wait([self._link], now, 0.01)


@pytest.fixture
def port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@pytest.fixture
def server(tmp_path: Path, port: int) -> Iterator[Party]:
    party = Party(f"udpout:127.0.0.1:{port}", 1, 2, tmp_path / "root")
    yield party
    party.close()


def finished(start: Callable[..., Any], *arguments: Any) -> Any:
    """Start one of MAVSDK's operations and return its last result."""
    ended, results = threading.Event(), []

    def step(result: Any, *_: Any) -> None:
        results.append(result)
        if result != FtpResult.NEXT:
            ended.set()

    start(*arguments, step)
    assert ended.wait(PATIENCE)
    return results[-1]


def random_file(path: Path, size: int) -> bytes:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(random.Random(size).randbytes(size))
    return path.read_bytes()


def test_mavsdk_uses_our_server(tmp_path, port, server):
    root, here = tmp_path / "root", tmp_path / "here"
    here.mkdir()
    data, sent = random_file(root / "log.bin", 20_000), random_file(tmp_path / "up.bin", 5000)
    sdk = Mavsdk(Configuration.create_with_component_type(ComponentType.GROUND_STATION))
    try:
        sdk.add_any_connection(f"udpin://127.0.0.1:{port}")
        ftp = Ftp(sdk.first_autopilot(PATIENCE))
        for burst in (True, False):
            assert finished(ftp.download_async, "/log.bin", str(here), burst) == FtpResult.SUCCESS
            assert (here / "log.bin").read_bytes() == data
            (here / "log.bin").unlink()
        assert finished(ftp.upload_async, str(tmp_path / "up.bin"), "/") == FtpResult.SUCCESS
        assert (root / "up.bin").read_bytes() == sent
        assert ftp.are_files_identical(str(tmp_path / "up.bin"), "/up.bin")
        ftp.create_directory("/folder")
        ftp.rename("/up.bin", "/folder/up.bin")
        names = {entry.name for entry in ftp.list_directory("/").entries}
        assert names == {"log.bin", "folder"}
        ftp.remove_file("/folder/up.bin")
        ftp.remove_directory("/folder")
        with pytest.raises(FtpError, match="FILE_PROTECTED"):
            ftp.remove_file("/../up.bin")
        assert [path.name for path in root.iterdir()] == ["log.bin"]
    finally:
        sdk.destroy()


def test_our_client_uses_mavsdks_server(tmp_path, port):
    root = tmp_path / "served"
    data, sent = random_file(root / "log.bin", 20_000), random_file(tmp_path / "up.bin", 5000)
    party = Party(f"udpin:127.0.0.1:{port}", 255, 6, tmp_path / "ours")
    sdk = Mavsdk(Configuration.create_with_component_type(ComponentType.AUTOPILOT))
    try:
        sdk.add_any_connection(f"udpout://127.0.0.1:{port}")
        component = sdk.server_component()
        FtpServer(component).set_root_dir(str(root))
        client, peer = party.end.ftp_client, (1, 1)
        assert party.do(client.download, "/log.bin", tmp_path / "got.bin", peer).succeeded
        assert (tmp_path / "got.bin").read_bytes() == data
        assert party.do(client.upload, tmp_path / "up.bin", "/up.bin", peer).succeeded
        assert (root / "up.bin").read_bytes() == sent
        listed = party.do(client.list_directory, "/", peer).value
        assert {(entry.name, entry.size) for entry in listed} == {
            ("log.bin", 20_000),
            ("up.bin", 5000),
        }
        assert party.do(client.remove, "/up.bin", peer).succeeded
        nothing = party.do(client.download, "/nothing", tmp_path / "x", peer)
        assert nothing.error == "file not found"
    finally:
        party.close()
        sdk.destroy()
