"""What a MAVLink FTP client asks for, step by step, for each kind of operation.

An operation gives requests one after the other (`next_request`) and takes their answers; the client
sends, repeats and numbers them.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mavlink_bridge.files.ftp_packet import (
    DATA_SIZE,
    FtpError,
    FtpPacket,
    Opcode,
    crc32_of,
)
from mavlink_bridge.files.intervals import Intervals

WORTH_A_BURST = 4
"""A gap of so many packets or more is asked for in a burst, smaller ones read by read."""

MOST_EARLY_ENDS = 10
"""So many bursts in turn that bring nothing but the end of the file: it is shorter than it was."""


@dataclass(frozen=True)
class Request:
    """One question; `size` for reads is how much is asked for."""

    opcode: int
    data: bytes = b""
    session: int = 0
    offset: int = 0
    size: int | None = None


@dataclass(frozen=True)
class FtpEntry:
    """One line of a folder; a folder has size None."""

    name: str
    size: int | None


def error_name(packet: FtpPacket) -> str:
    """Return a NAK's reason in words."""
    code = packet.data[0] if packet.data else 0
    try:
        name = FtpError(code).name.lower().replace("_", " ")
    except ValueError:
        name = f"error {code}"
    number = f" {packet.data[1]}" if code == FtpError.FAIL_ERRNO and len(packet.data) > 1 else ""
    return name + number


def is_eof(packet: FtpPacket) -> bool:
    """True for the NAK that says that there is no more."""
    return packet.opcode == Opcode.NAK and packet.data[:1] == bytes([FtpError.EOF])


class Operation:
    """Base: `value` is what `on_done` gets, `error` why it failed."""

    def __init__(self) -> None:
        self.error = ""
        self.value: Any = None

    def next_request(self) -> Request | None:
        """Return the next question, None when there is none. May raise OSError or ValueError."""
        raise NotImplementedError

    def answer(self, packet: FtpPacket) -> bool:
        """Take an answer; False if more of the same request are to come."""
        raise NotImplementedError

    def interrupted(self) -> bool:
        """Tell that answers stayed away; True if `next_request` should be asked instead."""
        return False

    def close(self, error: str) -> str:
        """Free what is held; return the final error."""
        return error


class Simple(Operation):
    """One question, one answer."""

    def __init__(
        self, opcode: Opcode, data: bytes, read: Callable[[bytes], Any] | None = None
    ) -> None:
        super().__init__()
        self._request: Request | None = Request(opcode, data)
        self._read = read

    def next_request(self) -> Request | None:
        """Return the question once."""
        request, self._request = self._request, None
        return request

    def answer(self, packet: FtpPacket) -> bool:
        """Read the answer."""
        if packet.opcode == Opcode.NAK:
            self.error = error_name(packet)
        elif self._read:
            try:
                self.value = self._read(packet.data)
            except struct.error:
                self.error = "an answer too short"
        return True


class Listing(Operation):
    """A folder's entries, page after page."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self._path = path.encode()
        self._ended = False
        self._count = 0
        self.value: list[FtpEntry] = []

    def next_request(self) -> Request | None:
        """Ask for the entries after those that came."""
        if self._ended:
            return None
        return Request(Opcode.LIST_DIRECTORY, self._path, offset=self._count)

    def answer(self, packet: FtpPacket) -> bool:
        """Take a page; an empty one or EOF is the end."""
        if packet.opcode == Opcode.NAK:
            self._ended = True
            self.error = "" if is_eof(packet) else error_name(packet)
            return True
        lines = [line for line in packet.data.split(b"\0") if line]
        self._count += len(lines)
        self._ended = not lines
        for line in lines:
            kind, text = line[:1], line[1:].decode(errors="replace")
            name, _, size = text.partition("\t")
            if kind == b"F":
                self.value.append(FtpEntry(name, int(size) if size.isdigit() else 0))
            elif kind == b"D":
                self.value.append(FtpEntry(name, None))
        return True


class _FileOperation(Operation):
    """What downloads and uploads share: a session that is ended, and a checksum at the end."""

    def __init__(self, remote: str, chunk: int) -> None:
        super().__init__()
        self.remote = remote
        self.size: int | None = None
        self._chunk = chunk
        self._session: int | None = None
        self._terminate = False
        self._checksum: int | None = None
        self._checked = False

    def _closing_request(self) -> Request | None:
        """End the session, then compare checksums."""
        if self._session is not None:
            session, self._session, self._terminate = self._session, None, True
            return Request(Opcode.TERMINATE_SESSION, session=session)
        if not self.error and not self._checked:
            return Request(Opcode.CALC_FILE_CRC32, self.remote.encode())
        return None

    def _closing_answer(self, packet: FtpPacket) -> None:
        if packet.request != Opcode.CALC_FILE_CRC32:
            return
        self._checked = True
        gone = packet.opcode == Opcode.NAK and packet.data[:1] == bytes([FtpError.FILE_NOT_FOUND])
        if gone:
            self.error = error_name(packet)
        elif packet.opcode == Opcode.ACK and len(packet.data) >= 4:
            theirs = struct.unpack_from("<I", packet.data)[0]
            if theirs != self._checksum:
                self.error = f"checksum {theirs:08x} there, {self._checksum:08x} here"

    def _opened(self, packet: FtpPacket) -> bool:
        if packet.opcode == Opcode.NAK:
            self.error = error_name(packet)
            return False
        self._session = packet.session
        return True


class Download(_FileOperation):
    """A file read in bursts; what a burst leaves out is asked for again."""

    def __init__(self, remote: str, local: Path, chunk: int) -> None:
        super().__init__(remote, chunk)
        self.value = local
        self._draft = local.with_name(f".{local.name}.part")
        self._file: Any = None
        self._missing = Intervals()
        self._asked: Request | None = None
        self._stop = 0
        self._ends_early = 0

    @property
    def done(self) -> int:
        """Bytes that are there."""
        return (self.size or 0) - len(self._missing)

    def next_request(self) -> Request | None:
        """Open; then burst or read what is missing; then close and compare."""
        self._asked = self._question()
        return self._asked

    def answer(self, packet: FtpPacket) -> bool:
        """Store data where it belongs, whatever its size."""
        assert self._asked is not None
        opcode = self._asked.opcode
        if opcode == Opcode.OPEN_FILE_RO:
            self._open(packet)
        elif opcode in (Opcode.BURST_READ_FILE, Opcode.READ_FILE):
            return self._data(packet)
        else:
            self._closing_answer(packet)
        return True

    def interrupted(self) -> bool:
        """A burst that stops is not read to its end packet by packet: a new one is asked for."""
        asked = self._asked
        if asked is None or asked.opcode != Opcode.BURST_READ_FILE:
            return False
        return asked.offset not in self._missing

    def close(self, error: str) -> str:
        """Give the file its name if it is whole, else delete what there is of it."""
        if self._file is None:
            return error
        self._file.close()
        try:
            if error:
                self._draft.unlink(missing_ok=True)
            else:
                self._draft.replace(self.value)
        except OSError as problem:
            return str(problem)
        return error

    def _question(self) -> Request | None:
        if self.size is None and not self.error:
            return Request(Opcode.OPEN_FILE_RO, self.remote.encode())
        if self._missing and not self.error and self._session is not None:
            start, stop = next(iter(self._missing))
            self._stop = stop
            if stop - start >= WORTH_A_BURST * self._chunk:
                size = self._chunk
                return Request(Opcode.BURST_READ_FILE, b"", self._session, start, size)
            size = min(self._chunk, stop - start)
            return Request(Opcode.READ_FILE, b"", self._session, start, size)
        if self._file is not None and not self.error and self._checksum is None:
            self._file.flush()
            self._checksum = crc32_of(self._draft)
        return self._closing_request()

    def _open(self, packet: FtpPacket) -> None:
        if not self._opened(packet):
            return
        if len(packet.data) < 4:
            self.error = "no size in the answer"
            return
        self.size = int(struct.unpack_from("<I", packet.data)[0])
        self._missing = Intervals([(0, self.size)])
        try:
            self._draft.parent.mkdir(parents=True, exist_ok=True)
            self._file = self._draft.open("w+b")
        except OSError as error:
            self.error = str(error)

    def _data(self, packet: FtpPacket) -> bool:
        """Return True when the request is answered to its end, or far enough."""
        if packet.opcode == Opcode.NAK:
            if not is_eof(packet):
                self.error = error_name(packet)
            else:
                self._ends_early += 1
                if self._ends_early > MOST_EARLY_ENDS:
                    self.error = "the file is shorter than it was"
            return True
        self._ends_early = 0
        start, stop = packet.offset, packet.offset + len(packet.data)
        if stop > (self.size or 0):
            self.error = "more data than the file has"
            return True
        self._file.seek(start)
        self._file.write(packet.data)
        self._missing.discard(start, stop)
        burst = packet.request == Opcode.BURST_READ_FILE
        return not burst or packet.burst_complete or stop >= self._stop or not self._missing


class Upload(_FileOperation):
    """A file written piece by piece, each acknowledged, and its checksum read back."""

    def __init__(self, local: Path, remote: str, chunk: int) -> None:
        super().__init__(remote, chunk)
        self.value = remote
        self._local = local
        self._content = b""
        self._asked: Request | None = None
        self.done = 0

    def next_request(self) -> Request | None:
        """Create; write; then close and compare."""
        self._asked = self._question()
        return self._asked

    def answer(self, packet: FtpPacket) -> bool:
        """Go on behind what was written."""
        assert self._asked is not None
        if self._asked.opcode == Opcode.CREATE_FILE:
            self._opened(packet)
        elif self._asked.opcode == Opcode.WRITE_FILE:
            if packet.opcode == Opcode.NAK:
                self.error = error_name(packet)
            else:
                self.done = self._asked.offset + len(self._asked.data)
        else:
            self._closing_answer(packet)
        return True

    def _question(self) -> Request | None:
        if self.size is None:
            self._content = self._local.read_bytes()
            self.size = len(self._content)
            self._checksum = crc32_of(self._local)
            return Request(Opcode.CREATE_FILE, self.remote.encode())
        if not self.error and self.done < self.size and self._session is not None:
            data = self._content[self.done : self.done + min(self._chunk, DATA_SIZE)]
            return Request(Opcode.WRITE_FILE, data, self._session, self.done)
        return self._closing_request()
