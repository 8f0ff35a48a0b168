"""Files to and from one drone, by whichever protocol it speaks, and how far each of them is."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from mavlink_bridge.endpoint import Endpoint
from mavlink_bridge.files.file_sender import OutgoingTransfer, TransferError
from mavlink_bridge.files.ftp_operations import Download, Upload
from mavlink_bridge.files.mavlink_ftp_client import FtpOutcome
from mavlink_bridge.files.safe_names import UnsafeNameError, checked_name, path_below
from mavlink_bridge.files.transfer_protocol import TransferProgress, TransferState, progress_of

PARTS, FTP = "parts", "ftp"
REMEMBERED = 16
OnEnd = Callable[[TransferProgress, Path], None]
_ENDED = (TransferState.DONE, TransferState.FAILED)


@dataclass
class _FtpTransfer:
    """A file that goes by MAVLink FTP."""

    operation: Download | Upload
    peer: tuple[int, int]
    path: Path
    started: float

    def progress(self, now: float, ended: FtpOutcome | None = None) -> TransferProgress:
        outgoing, size = isinstance(self.operation, Upload), self.operation.size or 0
        state = TransferState.SENDING if outgoing else TransferState.RECEIVING
        if self.operation.size is None:
            state = TransferState.ASKING
        if ended is not None:
            state = TransferState.DONE if ended.succeeded else TransferState.FAILED
        done, reason = self.operation.done, ended.error if ended else ""
        elapsed = now - self.started
        return progress_of(
            self.path.name, self.peer, outgoing, state, done, size, elapsed, done, reason
        )


class FileService:
    """Sends and fetches files of one folder. Names are below it, and nothing leads out of it.

    `ended` is to be called with each transfer of the endpoint's that ends; `on_end` is told of all.
    """

    def __init__(self, endpoint: Endpoint, folder: Path, protocol: str, on_end: OnEnd) -> None:
        self.recent: deque[TransferProgress] = deque(maxlen=REMEMBERED)
        """Transfers that have ended, the last of each name and way."""
        self._endpoint, self._folder = endpoint, folder
        self._by_ftp = protocol == FTP
        self._on_end = on_end
        self._sending: list[OutgoingTransfer] = []
        self._ftp: list[_FtpTransfer] = []

    def path(self, name: str) -> Path:
        """Return the path of a file of the folder. Raises UnsafeNameError, TransferError."""
        path = path_below(self._folder, name)
        if not path.is_file():
            raise TransferError(f"no file {name!r} in {self._folder}")
        return path

    def new_path(self, name: str) -> Path:
        """Return the path that a new file of the folder will have. Raises UnsafeNameError."""
        return self._folder / checked_name(name)

    def send(self, name: str, peer: tuple[int, int], now: float) -> None:
        """Begin to send a file. Raises UnsafeNameError, TransferError."""
        path = self.path(name)
        if not self._by_ftp:
            self._sending = [item for item in self._sending if item.state not in _ENDED]
            known = self._endpoint.connection.peers.peers.get(peer)
            plain = known is not None and known.flavour.speaks_thesis
            self._sending.append(self._endpoint.files.send(path, peer, now, plain=plain))
            return
        upload = self._endpoint.ftp_client.upload(path, path.name, peer, self._ftp_ended)
        self._ftp.append(_FtpTransfer(upload, peer, path, now))

    def fetch(self, name: str, peer: tuple[int, int], now: float) -> None:
        """Ask for a file of the drone's. Raises UnsafeNameError.

        By FTP the name may have folders; the file lands in our folder under its last part.
        """
        if not self._by_ftp:
            self._endpoint.files.fetch(name, peer, now)
            return
        last = name.rstrip("/").rpartition("/")[2]
        path = path_below(self._folder, last)
        if path == self._folder.resolve():
            raise UnsafeNameError("the name is empty")
        download = self._endpoint.ftp_client.download(name, path, peer, self._ftp_ended)
        self._ftp.append(_FtpTransfer(download, peer, path, now))

    def cancel(self, now: float) -> None:
        """Give up everything that is under way."""
        for transfer in self._sending:
            self._endpoint.files.outgoing.cancel(transfer, now)
        self._sending.clear()
        self._endpoint.files.cancel_incoming(now)
        while self._ftp:
            self._endpoint.ftp_client.cancel(now)

    def ended(self, progress: TransferProgress, path: Path) -> None:
        """Take note of a transfer that has ended, and tell."""
        same = [
            item
            for item in self.recent
            if (item.name, item.outgoing) == (progress.name, progress.outgoing)
        ]
        for item in same:
            self.recent.remove(item)
        self.recent.append(progress)
        self._on_end(progress, path)

    def progress(self, now: float) -> list[TransferProgress]:
        """Return how far all transfers are that run."""
        return [
            *self._endpoint.files.progress(now),
            *(transfer.progress(now) for transfer in self._ftp),
        ]

    def _ftp_ended(self, outcome: FtpOutcome) -> None:
        transfer = self._ftp.pop(0)  # they run in turn
        self.ended(transfer.progress(self._endpoint.now, outcome), transfer.path)
