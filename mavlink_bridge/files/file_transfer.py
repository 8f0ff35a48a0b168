"""Both ends of the thesis's file transfer at one place: send, receive, and ask for a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from mavlink_bridge.addressing import is_for
from mavlink_bridge.dialect.definition import load
from mavlink_bridge.files.file_receiver import FileReceiver
from mavlink_bridge.files.file_sender import FileSender, OutgoingTransfer, TransferError
from mavlink_bridge.files.safe_names import UnsafeNameError, checked_name, name_in
from mavlink_bridge.files.transfer_protocol import (
    FIRST_FETCHED,
    TransferParameters,
    TransferProgress,
    TransferResult,
    TransferState,
    part_size_for,
    progress_of,
)
from mavlink_bridge.sending.sender import Sender
from mavlink_bridge.sending.traffic_class import TrafficClass

OnEnd = Callable[[TransferProgress, Path], None]

_TO_RECEIVER = ("FILE_PART", "FILE_PARTS_REQUEST", "FILE_PARTS_CANCEL")
_TO_SENDER = ("FILE_PARTS_REPLY", "FILE_PARTS_MISSING", "FILE_PARTS_FINISHED")
MESSAGES = (*_TO_RECEIVER, *_TO_SENDER, "FILE_PARTS_FETCH")
"""Names of the messages that `FileTransfer.handle` takes."""


class _Fetch:
    """A file that we asked for and that has not begun to come."""

    def __init__(self, name: str, now: float) -> None:
        self.name = name
        self.started = now
        self.next_question = now
        self.asked = 0


class FileTransfer:
    """Sends files to other systems, receives theirs into `folder`, and serves what lies there."""

    def __init__(
        self,
        sender: Sender,
        system: int,
        component: int,
        folder: Path,
        *,
        packet_size: int | None = None,
        signed: bool = False,
        parameters: TransferParameters | None = None,
        on_end: OnEnd | None = None,
    ) -> None:
        """`packet_size` and `signed` tell how large a part may be (`part_size_for`).

        `on_end(progress, path)` is called once for every transfer, either way, that ends.
        """
        self._sender = sender
        self._system = system
        self._component = component
        self._folder = folder
        self._part_size = part_size_for(packet_size, signed)
        self._parameters = parameters or TransferParameters()
        self._on_end = on_end
        self._dialect = load()
        self._fetches: dict[tuple[int, int, int], _Fetch] = {}
        self._number = FIRST_FETCHED - 1
        self.outgoing = FileSender(sender, self._parameters)
        self.incoming = FileReceiver(sender, folder, self._parameters, on_end)

    def send(
        self,
        path: Path,
        peer: tuple[int, int],
        now: float,
        name: str | None = None,
        *,
        plain: bool = False,
    ) -> OutgoingTransfer:
        """Begin to send a file to a system and component. Raises TransferError.

        `plain`: unmasked, whatever the parameter says.
        """
        return self._start(path, peer, now, name, self._part_size, None, plain)

    def fetch(self, name: str, peer: tuple[int, int], now: float) -> None:
        """Ask another system for a file of its folder. Raises UnsafeNameError."""
        fetch = _Fetch(checked_name(name), now)
        for _ in range(FIRST_FETCHED):
            self._number = FIRST_FETCHED + (self._number + 1) % FIRST_FETCHED
            if (*peer, self._number) not in self._fetches:
                break
        self._fetches[(*peer, self._number)] = fetch

    def handle(self, message: Any, system: int, component: int, now: float) -> None:
        """Take one of MESSAGES; what is addressed to others is left alone."""
        if not is_for(message, self._system, self._component):
            return
        kind = message.get_type()
        key = (system, component, message.transfer)
        if kind == "FILE_PARTS_FETCH":
            self._serve(message, key, now)
        elif kind == "FILE_PARTS_FINISHED" and key in self._fetches:
            self._end_fetch(key, f"refused: {message.result}", now)
        elif kind in _TO_SENDER:
            self.outgoing.handle(message, system, component, now)
        elif kind in _TO_RECEIVER:
            if kind == "FILE_PARTS_REQUEST":
                self._fetches.pop(key, None)
            self.incoming.handle(message, system, component, now)

    def poll(self, now: float) -> None:
        """Send and ask what is due."""
        self._poll_fetches(now)
        self.outgoing.poll(now)
        self.incoming.poll(now)

    def progress(self, now: float) -> list[TransferProgress]:
        """Return how far all transfers are that run."""
        waiting = [self._fetch_progress(key, "", now) for key in self._fetches]
        return [*waiting, *self.outgoing.progress(now), *self.incoming.progress(now)]

    def cancel_incoming(self, now: float) -> None:
        """Give up what comes here, and what was asked for."""
        for key in list(self._fetches):
            self._end_fetch(key, "cancelled", now)
        self.incoming.cancel(now)

    def close(self) -> None:
        """Stop; unfinished transfers can go on when both ends are there again."""
        self.outgoing.close()
        self.incoming.close()

    def _start(
        self,
        path: Path,
        peer: tuple[int, int],
        now: float,
        name: str | None,
        part_size: int,
        number: int | None,
        plain: bool = False,
    ) -> OutgoingTransfer:
        def ended(progress: TransferProgress) -> None:
            if self._on_end:
                self._on_end(progress, path)

        return self.outgoing.start(
            path,
            peer,
            now,
            name=name,
            part_size=part_size,
            number=number,
            plain=plain,
            on_end=ended,
        )

    def _serve(self, message: Any, key: tuple[int, int, int], now: float) -> None:
        if self.outgoing.runs(key) or message.transfer < FIRST_FETCHED:
            return
        try:
            path = self._folder / name_in(message)
            part_size = min(self._part_size, message.part_size or self._part_size)
            self._start(path, key[:2], now, None, part_size, message.transfer)
        except (UnsafeNameError, TransferError):
            result = int(TransferResult.NOT_FOUND)
            answer = self._dialect.MAVLink_file_parts_finished_message(*key, result)
            self._sender.submit(answer, TrafficClass.COMMAND, now, key=("finished", key))

    def _poll_fetches(self, now: float) -> None:
        for key, fetch in list(self._fetches.items()):
            if now - fetch.started > self._parameters.give_up:
                self._end_fetch(key, "no answer", now)
            elif now >= fetch.next_question:
                fetch.asked += 1
                fetch.next_question = now + self._parameters.request_period * min(fetch.asked, 10)
                question = self._dialect.MAVLink_file_parts_fetch_message(
                    *key, self._part_size, fetch.name.encode()
                )
                self._sender.submit(question, TrafficClass.COMMAND, now, key=("fetch", key))

    def _end_fetch(self, key: tuple[int, int, int], reason: str, now: float) -> None:
        progress = self._fetch_progress(key, reason, now)
        fetch = self._fetches.pop(key)
        if self._on_end:
            self._on_end(progress, self._folder / fetch.name)

    def _fetch_progress(
        self, key: tuple[int, int, int], reason: str, now: float
    ) -> TransferProgress:
        fetch = self._fetches[key]
        state = TransferState.FAILED if reason else TransferState.ASKING
        elapsed = now - fetch.started
        return progress_of(fetch.name, key[:2], False, state, 0, 0, elapsed, 0, reason)
