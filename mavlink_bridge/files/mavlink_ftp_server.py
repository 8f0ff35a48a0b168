"""MAVLink FTP server: one folder for any ground station, with bursts.

A request that is repeated is answered again and not done again. A burst keeps a few packets in the
queue, so that commands pass it, and honours the size that was asked for.
"""

from __future__ import annotations

import errno
import os
import struct
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from mavlink_bridge.addressing import is_for
from mavlink_bridge.dialect.definition import load
from mavlink_bridge.files.ftp_packet import (
    DATA_SIZE,
    FtpError,
    FtpPacket,
    Opcode,
    crc32_of,
    unpack,
)
from mavlink_bridge.files.safe_names import UnsafeNameError, path_below
from mavlink_bridge.sending.sender import Sender
from mavlink_bridge.sending.traffic_class import TrafficClass
from spatial_types.parameters import parameter

_Peer = tuple[int, int]


@dataclass(frozen=True)
class FtpServerParameters:
    """Limits of the server."""

    writable: bool = parameter(True, "whether others may write, delete and rename")
    largest_size: int = parameter(64 * 1024 * 1024, "largest file written", unit="B", minimum=1)
    most_sessions: int = parameter(8, "files open at the same time", minimum=1, maximum=255)
    session_timeout: float = parameter(
        120.0, "a file unused for so long is closed", unit="s", minimum=1.0
    )
    burst_packets: int = parameter(100, "packets of one burst", minimum=1)


class _RefusedError(Exception):
    def __init__(self, error: FtpError, number: int = 0) -> None:
        super().__init__(error.name)
        self.error = error
        self.number = number


@dataclass
class _Session:
    peer: _Peer
    file: int
    writable: bool
    used: float


@dataclass
class _Burst:
    peer: _Peer
    session: int
    sequence: int
    offset: int
    size: int
    left: int


@dataclass
class _Client:
    """What is remembered of one peer: the last request, to answer it again."""

    sequence: int = -1
    opcode: int = -1
    answer: FtpPacket | None = None


class MavlinkFtpServer:
    """Serves `root`; call `handle` with each FILE_TRANSFER_PROTOCOL message, and `poll`."""

    def __init__(
        self,
        sender: Sender,
        system: int,
        component: int,
        root: Path,
        parameters: FtpServerParameters | None = None,
    ) -> None:
        self._sender = sender
        self._system = system
        self._component = component
        self._root = root
        self._parameters = parameters or FtpServerParameters()
        self._dialect = load()
        self._sessions: dict[int, _Session] = {}
        self._bursts: list[_Burst] = []
        self._clients: dict[_Peer, _Client] = {}
        self._operations: dict[int, Callable[[FtpPacket, _Peer, float], FtpPacket | None]] = {
            Opcode.NONE: self._nothing,
            Opcode.TERMINATE_SESSION: self._terminate,
            Opcode.RESET_SESSIONS: self._reset,
            Opcode.LIST_DIRECTORY: self._list,
            Opcode.OPEN_FILE_RO: self._open_to_read,
            Opcode.READ_FILE: self._read,
            Opcode.CREATE_FILE: self._create,
            Opcode.WRITE_FILE: self._write,
            Opcode.REMOVE_FILE: self._remove,
            Opcode.CREATE_DIRECTORY: self._create_directory,
            Opcode.REMOVE_DIRECTORY: self._remove_directory,
            Opcode.OPEN_FILE_WO: self._open_to_write,
            Opcode.TRUNCATE_FILE: self._truncate,
            Opcode.RENAME: self._rename,
            Opcode.CALC_FILE_CRC32: self._crc32,
            Opcode.BURST_READ_FILE: self._begin_burst,
        }

    def handle(self, message: Any, system: int, component: int, now: float) -> None:
        """Take a FILE_TRANSFER_PROTOCOL message; answers of others' servers are left alone."""
        if not is_for(message, self._system, self._component):
            return
        peer = (system, component)
        try:
            request = unpack(message.payload)
        except ValueError:
            request = FtpPacket(message.payload[0] | message.payload[1] << 8, 0, message.payload[3])
            self._answer(self._nak(request, FtpError.INVALID_DATA_SIZE), peer, now)
            return
        if request.opcode in (Opcode.ACK, Opcode.NAK):
            return
        client = self._clients.setdefault(peer, _Client())
        repeated = (request.sequence, request.opcode) == (client.sequence, client.opcode)
        if not repeated or client.answer is None:  # a burst begins anew
            client.sequence, client.opcode = request.sequence, request.opcode
            client.answer = self._perform(request, peer, now)
        if client.answer:
            self._answer(client.answer, peer, now)

    def poll(self, now: float) -> None:
        """Go on with bursts; close files that nobody uses."""
        limit = self._parameters.session_timeout
        for number, session in list(self._sessions.items()):
            if now - session.used > limit:
                self._close(number)
        while self._bursts and self._sender.wants_more():
            burst = self._bursts.pop(0)
            if self._go_on(burst, now):
                self._bursts.append(burst)  # several take turns

    def close(self) -> None:
        """Close all files."""
        for number in list(self._sessions):
            self._close(number)

    def _perform(self, request: FtpPacket, peer: _Peer, now: float) -> FtpPacket | None:
        operation = self._operations.get(request.opcode)
        try:
            if operation is None:
                raise _RefusedError(FtpError.UNKNOWN_COMMAND)
            return operation(request, peer, now)
        except _RefusedError as refused:
            return self._nak(request, refused.error, refused.number)
        except (UnsafeNameError, UnicodeDecodeError):
            return self._nak(request, FtpError.FILE_PROTECTED)
        except FileNotFoundError:
            return self._nak(request, FtpError.FILE_NOT_FOUND)
        except FileExistsError:
            return self._nak(request, FtpError.FILE_EXISTS)
        except OSError as error:
            return self._nak(request, FtpError.FAIL_ERRNO, error.errno or errno.EIO)

    def _answer(self, packet: FtpPacket, peer: _Peer, now: float) -> None:
        message = self._dialect.MAVLink_file_transfer_protocol_message(0, *peer, packet.pack())
        self._sender.submit(message, TrafficClass.FILE, now)

    @staticmethod
    def _ack(request: FtpPacket, data: bytes = b"", session: int | None = None) -> FtpPacket:
        return FtpPacket(
            request.sequence + 1,
            request.session if session is None else session,
            Opcode.ACK,
            data,
            request.offset,
            request=request.opcode,
        )

    @staticmethod
    def _nak(request: FtpPacket, error: FtpError, number: int = 0) -> FtpPacket:
        data = bytes([error, number % 256]) if error is FtpError.FAIL_ERRNO else bytes([error])
        return FtpPacket(
            request.sequence + 1,
            request.session,
            Opcode.NAK,
            data,
            request.offset,
            request=request.opcode,
        )

    def _path(self, request: FtpPacket) -> Path:
        return path_below(self._root, request.text)

    def _path_to_change(self, request: FtpPacket) -> Path:
        path = self._path(request)
        if not self._parameters.writable or path == self._root.resolve():
            raise _RefusedError(FtpError.FILE_PROTECTED)
        return path

    def _session(self, request: FtpPacket, peer: _Peer, now: float) -> _Session:
        session = self._sessions.get(request.session)
        if session is None or session.peer != peer:
            raise _RefusedError(FtpError.INVALID_SESSION)
        session.used = now
        return session

    def _open(self, wish: int, path: Path, flags: int, peer: _Peer, now: float) -> int:
        """Open a session, of the number that the request bears if it is free.

        Some clients (pymavlink's) count on that, as ArduPilot answers so; others take any.
        """
        if len(self._sessions) >= self._parameters.most_sessions:
            raise _RefusedError(FtpError.NO_SESSIONS_AVAILABLE)
        number = next(item for item in (wish, *range(256)) if item not in self._sessions)
        if path.is_dir():
            raise _RefusedError(FtpError.FAIL)
        file = os.open(path, flags, 0o644)
        self._sessions[number] = _Session(peer, file, bool(flags & os.O_RDWR), now)
        return number

    def _close(self, number: int) -> None:
        os.close(self._sessions.pop(number).file)
        self._bursts = [burst for burst in self._bursts if burst.session != number]

    def _nothing(self, request: FtpPacket, _peer: _Peer, _now: float) -> FtpPacket:
        return self._ack(request)

    def _terminate(self, request: FtpPacket, peer: _Peer, now: float) -> FtpPacket:
        self._session(request, peer, now)
        self._close(request.session)
        return self._ack(request)

    def _reset(self, request: FtpPacket, peer: _Peer, _now: float) -> FtpPacket:
        for number, session in list(self._sessions.items()):
            if session.peer == peer:
                self._close(number)
        return self._ack(request)

    def _list(self, request: FtpPacket, _peer: _Peer, _now: float) -> FtpPacket:
        folder = self._path(request)
        if not folder.is_dir():
            raise FileNotFoundError(folder)
        entries = sorted(item for item in folder.iterdir() if not item.name.startswith("."))
        data = b""
        for path in entries[request.offset :]:
            entry = f"D{path.name}" if path.is_dir() else f"F{path.name}\t{_size_of(path)}"
            if len(data) + len(entry.encode()) + 1 > DATA_SIZE:
                break
            data += entry.encode() + b"\0"
        if not data:
            raise _RefusedError(FtpError.EOF)
        return self._ack(request, data)

    def _open_to_read(self, request: FtpPacket, peer: _Peer, now: float) -> FtpPacket:
        path = self._path(request)
        number = self._open(request.session, path, os.O_RDONLY, peer, now)
        return self._ack(request, struct.pack("<I", path.stat().st_size), number)

    def _open_to_write(self, request: FtpPacket, peer: _Peer, now: float) -> FtpPacket:
        path = self._path_to_change(request)
        number = self._open(request.session, path, os.O_RDWR, peer, now)
        return self._ack(request, struct.pack("<I", path.stat().st_size), number)

    def _create(self, request: FtpPacket, peer: _Peer, now: float) -> FtpPacket:
        path = self._path_to_change(request)
        number = self._open(request.session, path, os.O_RDWR | os.O_CREAT | os.O_TRUNC, peer, now)
        return self._ack(request, session=number)

    def _read(self, request: FtpPacket, peer: _Peer, now: float) -> FtpPacket:
        session = self._session(request, peer, now)
        data = os.pread(session.file, request.size or DATA_SIZE, request.offset)
        if not data:
            raise _RefusedError(FtpError.EOF)
        return self._ack(request, data)

    def _write(self, request: FtpPacket, peer: _Peer, now: float) -> FtpPacket:
        session = self._session(request, peer, now)
        if not session.writable:
            raise _RefusedError(FtpError.FILE_PROTECTED)
        if request.offset + len(request.data) > self._parameters.largest_size:
            raise _RefusedError(FtpError.FAIL_ERRNO, errno.EFBIG)
        os.pwrite(session.file, request.data, request.offset)
        return self._ack(request, struct.pack("<I", len(request.data)))

    def _remove(self, request: FtpPacket, _peer: _Peer, _now: float) -> FtpPacket:
        self._path_to_change(request).unlink()
        return self._ack(request)

    def _create_directory(self, request: FtpPacket, _peer: _Peer, _now: float) -> FtpPacket:
        self._path_to_change(request).mkdir()
        return self._ack(request)

    def _remove_directory(self, request: FtpPacket, _peer: _Peer, _now: float) -> FtpPacket:
        self._path_to_change(request).rmdir()
        return self._ack(request)

    def _truncate(self, request: FtpPacket, _peer: _Peer, _now: float) -> FtpPacket:
        path = self._path_to_change(request)
        if request.offset > self._parameters.largest_size:
            raise _RefusedError(FtpError.FAIL_ERRNO, errno.EFBIG)
        os.truncate(path, request.offset)
        return self._ack(request)

    def _rename(self, request: FtpPacket, _peer: _Peer, _now: float) -> FtpPacket:
        before, _, after = request.data.partition(b"\0")
        old = self._path_to_change(replace(request, data=before))
        new = self._path_to_change(replace(request, data=after))
        if not after.strip(b"\0"):
            raise _RefusedError(FtpError.FAIL)
        old.rename(new)
        return self._ack(request)

    def _crc32(self, request: FtpPacket, _peer: _Peer, _now: float) -> FtpPacket:
        return self._ack(request, struct.pack("<I", crc32_of(self._path(request))))

    def _begin_burst(self, request: FtpPacket, peer: _Peer, now: float) -> None:
        session = self._session(request, peer, now)
        if request.offset >= os.fstat(session.file).st_size:
            raise _RefusedError(FtpError.EOF)
        self._bursts = [burst for burst in self._bursts if burst.session != request.session]
        self._bursts.append(
            _Burst(
                peer,
                request.session,
                request.sequence,
                request.offset,
                request.size or DATA_SIZE,
                self._parameters.burst_packets,
            )
        )

    def _go_on(self, burst: _Burst, now: float) -> bool:
        """Queue a burst's next packet; False after its last."""
        session = self._sessions[burst.session]
        session.used = now
        burst.sequence += 1
        burst.left -= 1
        try:
            data = os.pread(session.file, burst.size, burst.offset)
        except OSError:
            data = b""
        last = burst.left == 0 or not data
        packet = FtpPacket(
            burst.sequence,
            burst.session,
            Opcode.ACK if data else Opcode.NAK,
            data or bytes([FtpError.EOF]),
            burst.offset,
            request=Opcode.BURST_READ_FILE,
            burst_complete=last,
        )
        burst.offset += len(data)
        self._answer(packet, burst.peer, now)
        return not last


def _size_of(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:  # a link to nothing
        return 0
