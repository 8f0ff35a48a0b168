"""Measures what a link carries: packets of one size, so many per second, counted at the other end.

The measurement of the thesis: 1 to 100 bytes, 100 packets for each size, and towards the ground
station 10 to 100 packets per second. Nothing but raw packets goes over the link, so any link can be
measured, also with packets too small for a MAVLink frame. Data are bytes `U`; the few packets that
agree on a run have a checksum and are repeated until they are answered.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

from mavlink_bridge.links.link import Link
from mavlink_bridge.wire.crc import crc16

DATA = 0x55
ANSWER_WITHIN = 0.5
MOST_QUESTIONS = 20
SETTLE = 1.0
"""Seconds without data after which a run is over; what is under way longer counts as lost."""

_MAGIC = b"\xa5TBT"
_BODY = struct.Struct("<BHHHfIf")
_CONTROL = len(_MAGIC) + _BODY.size + 2


class _Kind(IntEnum):
    COUNT = 1
    READY = 2
    SEND = 3
    SENT = 4
    TELL = 5
    RESULT = 6


@dataclass(frozen=True)
class Run:
    """What one run sends: `up` from here to the other end; `rate` in packets per second."""

    up: bool
    size: int
    rate: float
    packets: int


@dataclass(frozen=True)
class Outcome:
    """What became of a run: bytes that arrived, and seconds from the first to the last of them."""

    run: Run
    received_bytes: int
    seconds: float

    @property
    def received(self) -> int:
        """Whole packets that arrived."""
        return self.received_bytes // self.run.size

    @property
    def loss(self) -> float:
        """Share of packets lost."""
        return max(0.0, 1.0 - self.received / self.run.packets)

    @property
    def throughput(self) -> float:
        """Bytes per second that arrived; the time of one packet counts for the last one."""
        if not self.received_bytes:
            return 0.0
        if self.received <= 1:
            return self.received_bytes * self.run.rate
        return (self.received_bytes - self.run.size) / max(self.seconds, 1e-9)


class MeasurementError(RuntimeError):
    """The other end does not answer; the text says what was asked."""


@dataclass(frozen=True)
class _Control:
    kind: _Kind
    number: int
    size: int = 0
    packets: int = 0
    rate: float = 0.0
    received: int = 0
    seconds: float = 0.0

    def pack(self) -> bytes:
        body = _MAGIC + _BODY.pack(
            *(self.kind, self.number, self.size, self.packets),
            *(self.rate, self.received, self.seconds),
        )
        return body + struct.pack("<H", crc16(body, 0))


class _Reader:
    """Takes apart what comes: counts of data bytes, and control packets."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, piece: bytes) -> Iterator[int | _Control]:
        buffer, self._rest = self._rest + piece, b""
        while buffer:
            data = len(buffer) - len(buffer.lstrip(bytes([DATA])))
            if data:
                yield data
                buffer = buffer[data:]
            elif len(buffer) < _CONTROL and buffer.startswith(_MAGIC[: len(buffer)]):
                self._rest = buffer
                return
            else:
                control = _unpacked(buffer[:_CONTROL])
                if control:
                    yield control
                buffer = buffer[_CONTROL if control else 1 :]


def _unpacked(raw: bytes) -> _Control | None:
    if len(raw) < _CONTROL or not raw.startswith(_MAGIC):
        return None
    if struct.unpack("<H", raw[-2:])[0] != crc16(raw[:-2], 0):
        return None
    kind, *fields = _BODY.unpack(raw[len(_MAGIC) : -2])
    return _Control(_Kind(kind), *fields) if kind in list(_Kind) else None


class _Counter:
    """Counts data of one run."""

    def __init__(self) -> None:
        self.bytes = 0
        self.first = 0.0
        self.last = -math.inf

    def add(self, count: int, now: float) -> None:
        if not self.bytes:
            self.first = now
        self.bytes += count
        self.last = now

    @property
    def seconds(self) -> float:
        return self.last - self.first if self.bytes else 0.0


class _Stream:
    """Sends the packets of one run at its rate."""

    def __init__(self, size: int, rate: float, packets: int, now: float) -> None:
        self._packet = bytes([DATA]) * size
        self._period = 1.0 / rate
        self._left = packets
        self.due = now

    def poll(self, link: Link, now: float) -> bool:
        """Send what is due; True once all has been sent."""
        while self._left and now >= self.due:
            link.send(self._packet, now)
            self._left -= 1
            self.due += self._period
        return not self._left


class Responder:
    """The other end of a measurement: counts what comes, sends what is asked for."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._reader = _Reader()
        self._counter = _Counter()
        self._number = -1
        self._stream: _Stream | None = None
        self._done = False
        self.runs = 0

    def poll(self, now: float) -> None:
        """Read, and go on sending."""
        for piece in self._link.receive(now):
            for item in self._reader.feed(piece):
                if isinstance(item, int):
                    self._counter.add(item, now)
                else:
                    self._answer(item, now)
        if self._stream and self._stream.poll(self._link, now):
            self._stream, self._done = None, True

    def next_time(self) -> float | None:
        """Return when to poll next even if nothing comes."""
        return self._stream.due if self._stream else None

    def _answer(self, asked: _Control, now: float) -> None:
        if asked.kind in (_Kind.COUNT, _Kind.SEND) and asked.number != self._number:
            self._number, self._counter, self._done = asked.number, _Counter(), False
            self.runs += 1
            if asked.kind is _Kind.SEND and asked.size and asked.rate > 0:
                self._stream = _Stream(asked.size, asked.rate, asked.packets, now)
        if asked.number != self._number:
            return
        if asked.kind is _Kind.COUNT:
            self._link.send(_Control(_Kind.READY, asked.number).pack(), now)
        elif asked.kind is _Kind.SEND and self._done:
            self._link.send(_Control(_Kind.SENT, asked.number).pack(), now)
        elif asked.kind is _Kind.TELL:
            counter = self._counter
            result = _Control(
                _Kind.RESULT, asked.number, received=counter.bytes, seconds=counter.seconds
            )
            self._link.send(result.pack(), now)


class Probe:
    """The end that measures, one run after the other; `outcome` is there when a run is over."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._reader = _Reader()
        self._number = 0
        self._run: Run | None = None
        self._question: _Control | None = None
        self._asked_at = -math.inf
        self._questions = 0
        self._stream: _Stream | None = None
        self._counter = _Counter()
        self._quiet_since: float | None = None
        self.outcome: Outcome | None = None

    def start(self, run: Run, number: int) -> None:
        """Begin a run; `number`, 0 to 65535, must not be that of the run before."""
        kind = _Kind.COUNT if run.up else _Kind.SEND
        self._run, self._number, self.outcome = run, number, None
        self._counter, self._stream, self._quiet_since = _Counter(), None, None
        self._ask(_Control(kind, number, run.size, run.packets, run.rate))

    def poll(self, now: float) -> None:
        """Go on. Raises MeasurementError when the other end stays silent."""
        for piece in self._link.receive(now):
            for item in self._reader.feed(piece):
                if isinstance(item, int):
                    self._counter.add(item, now)
                    self._questions = 0
                elif item.number == self._number:
                    self._take(item, now)
        if self._stream and self._stream.poll(self._link, now):
            self._stream, self._quiet_since = None, now
        self._settle(now)
        if self._question and now - self._asked_at >= ANSWER_WITHIN:
            self._repeat(now)

    def next_time(self) -> float | None:
        """Return when to poll next even if nothing comes."""
        if self._stream:
            return self._stream.due
        return self._asked_at + ANSWER_WITHIN if self._question else None

    def _ask(self, question: _Control) -> None:
        self._question, self._questions, self._asked_at = question, 0, -math.inf

    def _repeat(self, now: float) -> None:
        assert self._question is not None
        if self._questions >= MOST_QUESTIONS:
            kind = self._question.kind.name.lower()
            raise MeasurementError(f"no answer to '{kind}', asked {self._questions} times")
        self._questions += 1
        self._asked_at = now
        self._link.send(self._question.pack(), now)

    def _take(self, answer: _Control, now: float) -> None:
        run, asked = self._run, self._question
        if run is None or asked is None:
            return
        if answer.kind is _Kind.READY and asked.kind is _Kind.COUNT:
            self._question = None
            self._stream = _Stream(run.size, run.rate, run.packets, now)
        elif answer.kind is _Kind.SENT and asked.kind is _Kind.SEND:
            self._question, self._quiet_since = None, now
        elif answer.kind is _Kind.RESULT and asked.kind is _Kind.TELL:
            self._question = None
            self.outcome = Outcome(run, answer.received, answer.seconds)

    def _settle(self, now: float) -> None:
        """Once nothing can be under way any more, ask what arrived, or say it."""
        if self._quiet_since is None:
            return
        if now - max(self._quiet_since, self._counter.last) < SETTLE:
            return
        self._quiet_since = None
        assert self._run is not None
        if self._run.up:
            self._ask(_Control(_Kind.TELL, self._number))
        else:
            self.outcome = Outcome(self._run, self._counter.bytes, self._counter.seconds)
