"""MAVLink FTP client: list, download in bursts, upload, and the small operations.

One operation runs at a time, others wait. Every one ends in exactly one call of its `on_done`. An
answer counts only if it bears the number that follows the request's; whatever else comes, late
answers above all, changes nothing.
"""

from __future__ import annotations

import struct
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mavlink_bridge.addressing import is_for
from mavlink_bridge.dialect.definition import load
from mavlink_bridge.files.ftp_operations import (
    Download,
    Listing,
    Operation,
    Request,
    Simple,
    Upload,
)
from mavlink_bridge.files.ftp_packet import FtpPacket, Opcode, data_size_for, unpack
from mavlink_bridge.sending.sender import Entry, Sender
from mavlink_bridge.sending.traffic_class import TrafficClass
from spatial_types.parameters import parameter

_Peer = tuple[int, int]


@dataclass(frozen=True)
class FtpClientParameters:
    """How long an answer may take, and how often a request is repeated."""

    timeout: float = parameter(
        1.5, "how long an answer may take once the request has left", unit="s", minimum=0.01
    )
    repeats: int = parameter(9, "how often an unanswered request is sent again", minimum=0)


@dataclass(frozen=True)
class FtpOutcome:
    """How an operation ended: `value` is what it was for, `error` is empty if it succeeded."""

    error: str
    value: Any = None

    @property
    def succeeded(self) -> bool:
        """True if it was done."""
        return not self.error


OnDone = Callable[[FtpOutcome], None]


@dataclass
class _Job:
    operation: Operation
    peer: _Peer
    on_done: OnDone | None


class MavlinkFtpClient:
    """Call `handle` with each FILE_TRANSFER_PROTOCOL message, and `poll`."""

    def __init__(
        self,
        sender: Sender,
        system: int,
        component: int,
        parameters: FtpClientParameters | None = None,
        packet_size: int | None = None,
    ) -> None:
        """`packet_size` tells how much data a request asks for at once."""
        self._sender = sender
        self._system = system
        self._component = component
        self._parameters = parameters or FtpClientParameters()
        self._data_size = data_size_for(packet_size)
        self._dialect = load()
        self._jobs: deque[_Job] = deque()
        self._sequence = 0
        self._request: Request | None = None
        self._packet: FtpPacket | None = None
        self._entry: Entry | None = None
        self._attempts = 0
        self._deadline: float | None = None
        self.strays = 0

    def list_directory(self, path: str, peer: _Peer, on_done: OnDone | None = None) -> None:
        """List a folder; the value is a list of `FtpEntry`."""
        self._add(Listing(path), peer, on_done)

    def download(
        self, remote: str, local: Path, peer: _Peer, on_done: OnDone | None = None
    ) -> Download:
        """Fetch a file; the value is `local`, which appears when it is whole."""
        operation = Download(remote, local, self._data_size)
        self._add(operation, peer, on_done)
        return operation

    def upload(
        self, local: Path, remote: str, peer: _Peer, on_done: OnDone | None = None
    ) -> Upload:
        """Write a file there and read its checksum back; the value is the remote path."""
        operation = Upload(local, remote, self._data_size)
        self._add(operation, peer, on_done)
        return operation

    def remove(self, path: str, peer: _Peer, on_done: OnDone | None = None) -> None:
        """Delete a file."""
        self._add(Simple(Opcode.REMOVE_FILE, path.encode()), peer, on_done)

    def create_directory(self, path: str, peer: _Peer, on_done: OnDone | None = None) -> None:
        """Make a folder."""
        self._add(Simple(Opcode.CREATE_DIRECTORY, path.encode()), peer, on_done)

    def remove_directory(self, path: str, peer: _Peer, on_done: OnDone | None = None) -> None:
        """Delete an empty folder."""
        self._add(Simple(Opcode.REMOVE_DIRECTORY, path.encode()), peer, on_done)

    def rename(self, old: str, new: str, peer: _Peer, on_done: OnDone | None = None) -> None:
        """Give a file or folder another path."""
        self._add(Simple(Opcode.RENAME, f"{old}\0{new}".encode()), peer, on_done)

    def crc32(self, path: str, peer: _Peer, on_done: OnDone | None = None) -> None:
        """Ask for a file's checksum; the value is as `crc32_of` gives it."""

        def number(data: bytes) -> int:
            return int(struct.unpack_from("<I", data)[0])

        self._add(Simple(Opcode.CALC_FILE_CRC32, path.encode(), number), peer, on_done)

    def cancel(self, now: float) -> None:
        """Give up the operation that runs; the next one begins."""
        if self._jobs:
            self._end("cancelled", now)

    @property
    def busy(self) -> bool:
        """True while an operation runs or waits."""
        return bool(self._jobs)

    def handle(self, message: Any, system: int, component: int, now: float) -> None:
        """Take a FILE_TRANSFER_PROTOCOL message; what is no answer of ours is left alone."""
        if not is_for(message, self._system, self._component):
            return
        try:
            packet = unpack(message.payload)
        except ValueError:
            self.strays += 1
            return
        if packet.opcode not in (Opcode.ACK, Opcode.NAK):
            return
        if not self._jobs or self._packet is None or self._jobs[0].peer != (system, component):
            self.strays += 1
        elif self._is_answer(packet):
            self._take(packet, now)
        else:
            self.strays += 1

    def poll(self, now: float) -> None:
        """Begin what waits; repeat what was not answered."""
        if not self._jobs:
            return
        if self._request is None:
            self._next(now)
        elif self._deadline is not None and now >= self._deadline:
            self._on_timeout(now)

    def _add(self, operation: Operation, peer: _Peer, on_done: OnDone | None) -> None:
        self._jobs.append(_Job(operation, peer, on_done))

    def _is_answer(self, packet: FtpPacket) -> bool:
        asked = self._packet
        assert asked is not None
        ahead = (packet.sequence - asked.sequence) % 65536
        if packet.request != asked.opcode:
            return False
        if asked.opcode == Opcode.BURST_READ_FILE:
            return 1 <= ahead < 32768 and packet.session == asked.session
        return ahead == 1

    def _take(self, packet: FtpPacket, now: float) -> None:
        operation = self._jobs[0].operation
        finished = operation.answer(packet)
        self._attempts = 0
        self._sequence = packet.sequence  # a burst has used up numbers
        if finished:
            self._request = None
            self._next(now)
        else:  # more of a burst is to come
            self._deadline = now + self._parameters.timeout

    def _next(self, now: float) -> None:
        """Send the operation's next request, or end it."""
        operation = self._jobs[0].operation
        try:
            request = operation.next_request()
        except (OSError, ValueError) as error:
            self._end(str(error), now)
            return
        if request is None:
            self._end(operation.error, now)
            return
        self._request, self._attempts = request, 0
        self._sequence = (self._sequence + 1) % 65536
        self._packet = FtpPacket(
            self._sequence,
            request.session,
            request.opcode,
            request.data,
            request.offset,
            request.size,
        )
        self._send(now)

    def _send(self, now: float) -> None:
        assert self._packet is not None
        self._attempts += 1
        self._deadline = None
        message = self._dialect.MAVLink_file_transfer_protocol_message(
            0, *self._jobs[0].peer, self._packet.pack()
        )
        timeout = self._parameters.timeout

        def left(when: float) -> None:
            self._deadline = when + timeout

        def dropped(_: str) -> None:
            self._deadline = now + timeout

        self._entry = self._sender.submit(
            message, TrafficClass.FILE, now, on_sent=left, on_dropped=dropped
        )

    def _on_timeout(self, now: float) -> None:
        operation = self._jobs[0].operation
        if operation.interrupted():  # ask for what is missing, in a new burst
            self._next(now)
        elif self._attempts > self._parameters.repeats:
            self._end(f"no answer, asked {self._attempts} times", now)
        else:
            self._send(now)

    def _end(self, error: str, now: float) -> None:
        job = self._jobs.popleft()
        error = job.operation.close(error)
        if self._entry:
            self._sender.withdraw(self._entry)
        self._request = self._packet = self._entry = self._deadline = None
        if job.on_done:
            job.on_done(FtpOutcome(error, None if error else job.operation.value))
        if self._jobs and self._request is None:
            self._next(now)
