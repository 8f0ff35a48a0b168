"""The receiving end of the thesis's file transfer (`transfer_protocol.py`)."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mavlink_bridge.dialect.definition import load
from mavlink_bridge.files.incoming_file import IncomingFile, delete_old
from mavlink_bridge.files.safe_names import UnsafeNameError, name_in
from mavlink_bridge.files.transfer_protocol import (
    LARGEST_PART,
    MOST_INTERVALS,
    NO_ATTEMPT,
    NO_PART,
    TransferParameters,
    TransferProgress,
    TransferResult,
    TransferState,
    digest_of,
    masked,
    pack_intervals,
    progress_of,
)
from mavlink_bridge.sending.sender import Sender
from mavlink_bridge.sending.traffic_class import TrafficClass

_MOST_REPORTS = 20
_RATE_KEPT = 0.95
_REPORT_LIFETIME = 2.0
_LONGEST_REPORT_PERIOD = 2.0
_REMEMBERED = 64
_JOURNAL_PERIOD = 5.0
_ROOM_LEFT = 16 * 1024 * 1024

_Key = tuple[int, int, int]
OnEnd = Callable[[TransferProgress, Path], None]


class _Incoming:
    """One transfer that runs."""

    def __init__(self, file: IncomingFile, key: _Key, now: float) -> None:
        self.file = file
        self.key = key
        self.started = now
        self.masked = False
        self.begun_with = file.received_bytes
        self.heard = now
        self.last_came = NO_PART
        self.repairing = file.received > 0
        self.next_report = now
        self.next_journal = now + _JOURNAL_PERIOD
        self.reported = now
        self.arrived = 0
        self.rate = 1.0
        self.place = 0
        self.spoilt = False


class FileReceiver:
    """Receives files into one folder. Call `handle` with each FILE_PART... message, and `poll`."""

    def __init__(
        self,
        sender: Sender,
        folder: Path,
        parameters: TransferParameters | None = None,
        on_end: OnEnd | None = None,
    ) -> None:
        """`on_end(progress, path)` is called once for each transfer that ends."""
        self._sender = sender
        self._folder = folder
        self._parameters = parameters or TransferParameters()
        self._on_end = on_end
        self._dialect = load()
        self._running: dict[_Key, _Incoming] = {}
        self._ended: dict[_Key, tuple[bytes, TransferResult]] = {}
        self.repeated_parts = 0
        self._delete_old()

    def handle(self, message: Any, system: int, component: int, now: float) -> None:
        """Take a FILE_PARTS_REQUEST, FILE_PART or FILE_PARTS_CANCEL that is addressed to us."""
        key = (system, component, message.transfer)
        kind = message.get_type()
        if kind == "FILE_PART":
            self._part(message, key, now)
        elif kind == "FILE_PARTS_REQUEST":
            self._request(message, key, now)
        elif kind == "FILE_PARTS_CANCEL" and key in self._running:
            self._end(self._running[key], TransferResult.CANCELLED, now)

    def poll(self, now: float) -> None:
        """Report what is missing, when it is time."""
        for incoming in list(self._running.values()):
            silent = now - incoming.heard
            if silent > self._parameters.give_up:
                self._give_up(incoming, now)
                continue
            if silent > self._parameters.part_timeout:
                incoming.repairing = True
            if now >= incoming.next_report:
                self._report(incoming, now)
            if now >= incoming.next_journal:
                incoming.file.save()
                incoming.next_journal = now + _JOURNAL_PERIOD

    def progress(self, now: float) -> list[TransferProgress]:
        """Return how far each transfer is that runs."""
        return [
            self._progress(incoming, TransferState.RECEIVING, "", now)
            for incoming in self._running.values()
        ]

    def cancel(self, now: float) -> None:
        """Give up all transfers that run, and tell their senders."""
        for incoming in list(self._running.values()):
            self._end(incoming, TransferResult.CANCELLED, now)

    def close(self) -> None:
        """Keep what has come, for another attempt."""
        for incoming in self._running.values():
            incoming.file.save()
            incoming.file.close()
        self._running.clear()

    def _request(self, message: Any, key: _Key, now: float) -> None:
        digest = bytes(message.digest)
        running, ended = self._running.get(key), self._ended.get(key)
        if running and running.file.digest == digest:
            running.masked = bool(message.masked)
            self._reply(key, TransferResult.ACCEPTED, running.file.received, message.attempt, now)
            running.heard, running.next_report = now, now + self._parameters.report_period
        elif ended and ended == (digest, TransferResult.ACCEPTED):
            self._finished(key, TransferResult.ACCEPTED, now)
        else:
            if running:  # its sender began anew with this number
                self._drop(running)
            self._begin(message, digest, key, now)

    def _begin(self, message: Any, digest: bytes, key: _Key, now: float) -> None:
        self._ended.pop(key, None)
        for running in list(self._running.values()):
            if running.file.digest == digest and running.key[:2] == key[:2]:
                self._drop(running)  # its sender was started anew and goes on
        try:
            name = name_in(message)
        except UnsafeNameError:
            self._reply(key, TransferResult.BAD_NAME, 0, message.attempt, now)
            return
        refusal = self._refusal(message, name, digest)
        if refusal is not None:
            self._reply(key, refusal, 0, message.attempt, now)
            return
        try:
            if self._is_there(name, message.size, digest):
                self._remember(key, digest, TransferResult.ACCEPTED)
                self._finished(key, TransferResult.ACCEPTED, now)
                return
            file = IncomingFile(self._folder, name, message.size, message.part_size, digest)
        except OSError:
            self._reply(key, TransferResult.CANNOT_WRITE, 0, message.attempt, now)
            return
        incoming = self._running[key] = _Incoming(file, key, now)
        incoming.masked = bool(message.masked)
        self._delete_old()
        self._reply(key, TransferResult.ACCEPTED, file.received, message.attempt, now)
        incoming.next_report = now + self._parameters.report_period
        if not file.missing:
            self._complete(incoming, now)

    def _delete_old(self) -> None:
        kept = self._parameters
        delete_old(self._folder, kept.keep_unfinished, kept.most_unfinished)

    def _refusal(self, message: Any, name: str, digest: bytes) -> TransferResult | None:
        if message.size > self._parameters.largest_size:
            return TransferResult.TOO_BIG
        if not 1 <= message.part_size <= LARGEST_PART:
            return TransferResult.CANNOT_WRITE
        same = any(item.file.digest == digest for item in self._running.values())
        if same or len(self._running) >= self._parameters.most_transfers:
            return TransferResult.BUSY
        if self._is_kept(name) and not self._is_there(name, message.size, digest):
            return TransferResult.CANNOT_WRITE
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            free = shutil.disk_usage(self._folder).free
        except OSError:
            return TransferResult.CANNOT_WRITE
        return TransferResult.CANNOT_WRITE if free < message.size + _ROOM_LEFT else None

    def _is_kept(self, name: str) -> bool:
        """True if something has this name that must not be replaced."""
        path = self._folder / name
        return path.exists() and not (self._parameters.overwrite and path.is_file())

    def _is_there(self, name: str, size: int, digest: bytes) -> bool:
        path = self._folder / name
        return path.is_file() and path.stat().st_size == size and digest_of(path) == digest

    def _part(self, message: Any, key: _Key, now: float) -> None:
        incoming = self._running.get(key)
        if incoming is None:
            if key in self._ended:
                self._finished(key, self._ended[key][1], now)
            else:  # we were started anew: let it ask, it will go on where it was
                self._reply(key, TransferResult.NOT_FOUND, 0, NO_ATTEMPT, now)
            return
        if message.part >= incoming.file.parts:
            return
        incoming.heard = now
        file, data = incoming.file, bytes(message.data)[: incoming.file.length(message.part)]
        if incoming.masked:
            data = masked(data, file.digest, message.part)
        try:
            fresh = file.write(message.part, data)
        except OSError:
            self._end(incoming, TransferResult.CANNOT_WRITE, now)
            return
        self.repeated_parts += not fresh
        incoming.arrived += fresh
        incoming.last_came = message.part
        if not incoming.file.missing:
            self._complete(incoming, now)
        elif message.part == incoming.file.parts - 1 and not incoming.repairing:
            incoming.repairing, incoming.next_report = True, now

    def _complete(self, incoming: _Incoming, now: float) -> None:
        try:
            right = incoming.file.finish()
        except OSError:
            self._end(incoming, TransferResult.CANNOT_WRITE, now)
            return
        if right:
            self._end(incoming, TransferResult.ACCEPTED, now)
        elif incoming.spoilt:
            incoming.file.discard()
            self._end(incoming, TransferResult.BAD_HASH, now)
        else:  # one frame in 65 536 damaged ones passes its checksum: all parts once more
            incoming.spoilt, incoming.place = True, 0
            incoming.file.restart()

    def _report(self, incoming: _Incoming, now: float) -> None:
        """Ask for about twice the parts that can come until the next report.

        The place in the list moves on with each report, so that all of a long list is asked for
        in turn; the sender knows what it has just sent.
        """
        parameters, file = self._parameters, incoming.file
        elapsed = max(now - incoming.reported, parameters.report_period)
        # A few parts that were asked for tell little of what the link could carry.
        incoming.rate = max(incoming.arrived / elapsed, _RATE_KEPT * incoming.rate)
        incoming.reported, incoming.arrived = now, 0
        if not incoming.repairing:
            self._missing(incoming, (0, 0, bytes(4 * MOST_INTERVALS), 0), now)
            incoming.next_report = now + parameters.heard_period
            return
        rate = max(incoming.rate, 1.0)
        asked, wanted = 0, 2 * rate * parameters.report_period
        spans = file.missing.from_number(incoming.place)
        for _, block in zip(range(_MOST_REPORTS), pack_intervals(spans), strict=False):
            self._missing(incoming, block, now)
            asked += block[3]
            incoming.place = _end_of(block)
            if asked >= wanted:
                break
        if not any(True for _ in file.missing.from_number(incoming.place)):
            incoming.place = 0
        wait = min(asked / (2 * rate), _LONGEST_REPORT_PERIOD)
        if now - incoming.heard > 10 * parameters.part_timeout:
            wait = parameters.heard_period  # nobody is there
        incoming.next_report = now + max(wait, parameters.report_period)

    def _missing(self, incoming: _Incoming, block: tuple[int, int, bytes, int], now: float) -> None:
        system, component, transfer = incoming.key
        start, count, data, _ = block
        message = self._dialect.MAVLink_file_parts_missing_message(
            *(incoming.file.received, start, incoming.last_came),
            *(system, component, transfer, count, data),
        )
        self._sender.submit(message, TrafficClass.COMMAND, now, lifetime=_REPORT_LIFETIME)

    def _reply(
        self, key: _Key, result: TransferResult, received: int, attempt: int, now: float
    ) -> None:
        message = self._dialect.MAVLink_file_parts_reply_message(
            received, *key, int(result), attempt
        )
        self._sender.submit(message, TrafficClass.COMMAND, now, key=("reply", key))

    def _finished(self, key: _Key, result: TransferResult, now: float) -> None:
        message = self._dialect.MAVLink_file_parts_finished_message(*key, int(result))
        self._sender.submit(message, TrafficClass.COMMAND, now, key=("finished", key))

    def _end(self, incoming: _Incoming, result: TransferResult, now: float) -> None:
        done = result is TransferResult.ACCEPTED
        reason = "" if done else result.name.lower().replace("_", " ")
        state = TransferState.DONE if done else TransferState.FAILED
        progress = self._progress(incoming, state, reason, now)
        self._drop(incoming)
        self._remember(incoming.key, incoming.file.digest, result)
        self._finished(incoming.key, result, now)
        if self._on_end:
            self._on_end(progress, incoming.file.path)

    def _give_up(self, incoming: _Incoming, now: float) -> None:
        """Forget a transfer whose sender is gone; should it come back, it asks and goes on."""
        reason = f"nothing heard for {self._parameters.give_up:g} s"
        progress = self._progress(incoming, TransferState.FAILED, reason, now)
        self._drop(incoming)
        if self._on_end:
            self._on_end(progress, incoming.file.path)

    def _drop(self, incoming: _Incoming) -> None:
        del self._running[incoming.key]
        if incoming.file.missing:
            incoming.file.save()
        incoming.file.close()

    def _remember(self, key: _Key, digest: bytes, result: TransferResult) -> None:
        self._ended[key] = (digest, result)
        while len(self._ended) > _REMEMBERED:
            del self._ended[next(iter(self._ended))]

    def _progress(
        self, incoming: _Incoming, state: TransferState, reason: str, now: float
    ) -> TransferProgress:
        file, done = incoming.file, incoming.file.received_bytes
        return progress_of(
            file.path.name,
            incoming.key[:2],
            False,
            state,
            done,
            file.size,
            now - incoming.started,
            done - incoming.begun_with,
            reason,
        )


def _end_of(block: tuple[int, int, bytes, int]) -> int:
    """Return the number after the last part of a block of intervals."""
    start, count, data, parts = block
    skipped = sum(int.from_bytes(data[at : at + 2], "little") for at in range(0, 4 * count, 4))
    return start + skipped + parts
