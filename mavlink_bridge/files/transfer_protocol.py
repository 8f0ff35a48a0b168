"""The thesis's file transfer, as far as both ends share it.

FILE_PARTS_REQUEST (may I send?) - FILE_PARTS_REPLY - FILE_PART after FILE_PART - once the last has
come, or none for a while, FILE_PARTS_MISSING with intervals of parts - those again, until
FILE_PARTS_FINISHED. The thesis leaves open sizes, hash, time limits and resuming; they are ours:

- A part fills one packet of the link exactly, so no part is split and no byte is left empty.
- A transfer is known by the SHA-256 of its file. A receiver that has part of it says so in its
  reply, and asks for the rest only, also after both programs have been started anew.
- What a part holds is masked, so that a file with MAVLink frames in it is none to a parser that
  searches on after a lost byte. `mask` off: plain, for a peer that knows no masks.
- The receiver also reports while all goes well, so that the sender knows that it is heard. After a
  silence it stops sending parts and asks again until it is answered.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum, IntEnum
from pathlib import Path

from mavlink_bridge.files.intervals import Span
from spatial_types.parameters import parameter

FRAME_OVERHEAD = 12
SIGNATURE = 13
PART_HEADER = 6
LARGEST_PART = 249
SMALLEST_PART = 16
MOST_INTERVALS = 18
LARGEST_FILE = 2**32 - 1
NO_PART = 2**32 - 1
NO_ATTEMPT = 255
FIRST_FETCHED = 128
"""Transfers that the receiver asked for have numbers from here on, which the receiver chose."""


class TransferResult(IntEnum):
    """FILE_PARTS_RESULT."""

    ACCEPTED = 0
    CANNOT_WRITE = 1
    BAD_NAME = 2
    TOO_BIG = 3
    BAD_HASH = 4
    CANCELLED = 5
    NOT_FOUND = 6
    BUSY = 7


class TransferState(Enum):
    """Where a transfer stands."""

    ASKING = "asking"
    SENDING = "sending"
    RECEIVING = "receiving"
    WAITING = "waiting"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True)
class TransferParameters:
    """Limits of time and size. The defaults suit 1 KB/s as well as a fast link."""

    part_timeout: float = parameter(
        1.0, "without a part for so long the missing ones are asked for", unit="s", minimum=0.05
    )
    report_period: float = parameter(
        0.5, "shortest time between two reports of missing parts", unit="s", minimum=0.05
    )
    heard_period: float = parameter(
        4.0, "how often the receiver says that it receives", unit="s", minimum=0.1
    )
    silence: float = parameter(
        20.0, "unheard for so long, a sender stops sending and asks", unit="s", minimum=1.0
    )
    request_period: float = parameter(
        1.0, "how often a sender asks, ever less often up to ten times this", unit="s", minimum=0.1
    )
    give_up: float = parameter(
        900.0, "unheard for so long, a transfer ends; what is there is kept", unit="s", minimum=1.0
    )
    largest_size: int = parameter(
        64 * 1024 * 1024, "largest file that is received", unit="B", minimum=1, maximum=LARGEST_FILE
    )
    most_transfers: int = parameter(4, "files received at the same time", minimum=1, maximum=8)
    keep_unfinished: float = parameter(
        7.0, "days after which what was not finished is deleted", unit="d", minimum=0.0
    )
    most_unfinished: int = parameter(16, "unfinished files that are kept, the newest", minimum=8)
    mask: bool = parameter(
        True, "mask what is sent, so that frames inside a file are none on the link"
    )
    overwrite: bool = parameter(True, "whether a file may take the place of another of its name")


@dataclass(frozen=True)
class TransferProgress:
    """How far a transfer is. `rate` in bytes per second over its whole time, `left` in seconds."""

    name: str
    peer: tuple[int, int]
    outgoing: bool
    state: TransferState
    done: int
    size: int
    rate: float
    left: float | None
    reason: str


def progress_of(
    name: str,
    peer: tuple[int, int],
    outgoing: bool,
    state: TransferState,
    done: int,
    size: int,
    elapsed: float,
    fresh: int,
    reason: str,
) -> TransferProgress:
    """Put a progress together; `fresh` bytes came in `elapsed` seconds."""
    rate = fresh / elapsed if elapsed > 0 else 0.0
    left = (size - done) / rate if rate > 0 else None
    return TransferProgress(name, peer, outgoing, state, done, size, rate, left, reason)


def part_size_for(packet_size: int | None, signed: bool = False) -> int:
    """Return the part with which a frame fills a packet of the link, or the largest one.

    In packets too small for that, a part is split by the link.
    """
    if packet_size is None:
        return LARGEST_PART
    fitting = packet_size - FRAME_OVERHEAD - PART_HEADER - (SIGNATURE if signed else 0)
    return min(LARGEST_PART, fitting) if fitting >= SMALLEST_PART else LARGEST_PART


def part_count(size: int, part_size: int) -> int:
    """Return how many parts a file has; an empty file has none."""
    return -(-size // part_size)


def digest_of(path: Path) -> bytes:
    """Return the first 16 bytes of a file's SHA-256. Raises OSError."""
    whole = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            whole.update(block)
    return whole.digest()[:16]


def masked(data: bytes, digest: bytes, part: int) -> bytes:
    """Return a part's bytes XORed with its keystream (FILE_PARTS_REQUEST); its own inverse."""
    seed = digest + part.to_bytes(4, "little")
    stream = hashlib.shake_128(seed).digest(len(data))
    mixed = int.from_bytes(data, "little") ^ int.from_bytes(stream, "little")
    return mixed.to_bytes(len(data), "little")


def pack_intervals(spans: Iterable[Span]) -> Iterator[tuple[int, int, bytes, int]]:
    """Yield (start, count, bytes, parts) for as many FILE_PARTS_MISSING as the spans need."""
    start = end = parts = 0
    pairs: list[Span] = []
    for first, stop in _limited(spans):
        if pairs and (len(pairs) == MOST_INTERVALS or first - end > 0xFFFF):
            yield start, len(pairs), _packed(pairs), parts
            pairs, parts = [], 0
        if not pairs:
            start = end = first
        pairs.append((first - end, stop - first))
        parts += stop - first
        end = stop
    if pairs:
        yield start, len(pairs), _packed(pairs), parts


def unpack_intervals(start: int, count: int, data: Iterable[int]) -> list[Span]:
    """Return the spans of a FILE_PARTS_MISSING; ValueError if it says more than it holds."""
    if count > MOST_INTERVALS:
        raise ValueError(f"count = {count}: expected at most {MOST_INTERVALS} intervals")
    numbers = struct.unpack_from(f"<{2 * count}H", bytes(data))
    spans, end = [], start
    for skipped, length in zip(numbers[::2], numbers[1::2], strict=True):
        first = end + skipped
        end = first + length
        spans.append((first, end))
    return spans


def _limited(spans: Iterable[Span]) -> Iterator[Span]:
    for first, stop in spans:
        while stop - first > 0xFFFF:
            yield first, first + 0xFFFF
            first += 0xFFFF
        yield first, stop


def _packed(pairs: list[Span]) -> bytes:
    flat = [number for pair in pairs for number in pair]
    return struct.pack(f"<{len(flat)}H", *flat).ljust(4 * MOST_INTERVALS, b"\0")
