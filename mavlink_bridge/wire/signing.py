"""MAVLink 2 signatures: who holds the key may speak, and nothing counts twice.

A signature is the first 48 bits of SHA-256 over key, frame, link number and time stamp. Stamps are
units of 10 microseconds since 2015 and grow with every frame of a stream, which is one (link,
system, component); an older one is a replay. So a link that lets packets overtake each other loses
the overtaken ones when it signs, which is what the protocol wants.

Unlike pymavlink, a stream's stamp moves only when the signature was right: otherwise one forged
frame from the future would silence the real sender.
"""

from __future__ import annotations

import hashlib
import hmac
import struct
from collections.abc import Mapping
from dataclasses import dataclass

from mavlink_bridge.wire.crc import crc16
from mavlink_bridge.wire.frame import CHECKSUM_LENGTH, FLAG_SIGNED, SIGNATURE_LENGTH, Header

KEY_LENGTH = 32
EPOCH = 1420070400  # 2015-01-01 as Unix time
UNITS_PER_SECOND = 100_000
NEW_STREAM_MAY_LAG = 60 * UNITS_PER_SECOND
LARGEST_STAMP = 2**48 - 1
# A radio puts its own RADIO_STATUS into the stream and knows no key.
NEVER_SIGNED = frozenset({109})
# SETUP_SIGNING carries the key: it stays on the link on which it came.
NEVER_FORWARDED = frozenset({256})

Stream = tuple[int, int, int]


def stamp_from_unix(seconds: float) -> int:
    """Return the time stamp of a Unix time."""
    return int((seconds - EPOCH) * UNITS_PER_SECOND)


@dataclass
class SigningStatistics:
    """What became of received frames."""

    good: int = 0
    wrong: int = 0
    replayed: int = 0
    unsigned_refused: int = 0


class Signing:
    """Signs and checks the frames of one link with one key.

    `signs`: what is sent is signed. `requires`: what is received must be; while it is False all
    passes, and `Frame.signed` says which was checked and right. A `candidate` is a second key that
    is right too, until `adopt` puts it in the place of the first; `proven_by` has the systems that
    signed with it.
    """

    def __init__(
        self,
        key: bytes | None,
        link_id: int,
        stamp: int,
        streams: Mapping[Stream, int] | None = None,
    ) -> None:
        """Sign, or with None as key be ready for a candidate.

        `stamp` is the time now, at least (`stamp_from_unix`), and at least any used before.
        """
        if not 0 <= link_id <= 255:
            raise ValueError(f"link_id = {link_id}: expected 0 to 255")
        self._key = None if key is None else _checked(key)
        self._candidate: bytes | None = None
        self.proven_by: set[int] = set()
        self.link_id = link_id
        self.stamp = stamp
        self.streams: dict[Stream, int] = dict(streams or {})
        self.signs = self.requires = key is not None
        self.statistics = SigningStatistics()
        self._zero: tuple[float, int] | None = None

    def propose(self, candidate: bytes) -> None:
        """Accept another key beside the present one; ValueError unless it has 32 bytes."""
        self._candidate = _checked(candidate)
        self.proven_by.clear()

    def adopt(self) -> None:
        """Sign with the candidate from now on, and accept nothing else."""
        assert self._candidate is not None
        self._key, self._candidate = self._candidate, None
        self.signs = self.requires = True

    def turn_off(self) -> None:
        """Forget the keys, sign nothing and accept all."""
        self._key = self._candidate = None
        self.signs = self.requires = False

    def advance(self, now: float) -> None:
        """Let the stamp keep pace with the clock, whatever its zero."""
        if self._zero is None:
            self._zero = now, self.stamp
        begun, stamp = self._zero
        self.stamp = max(self.stamp, stamp + int((now - begun) * UNITS_PER_SECOND))

    def sign(self, frame: bytes, crc_extra: int) -> bytes:
        """Return an unsigned MAVLink 2 frame with its flag, new checksum and signature."""
        body = bytearray(frame[:-CHECKSUM_LENGTH])
        body[2] |= FLAG_SIGNED
        body += crc16(body[1:], crc_extra).to_bytes(2, "little")
        self.stamp = min(self.stamp + 1, LARGEST_STAMP)
        body.append(self.link_id)
        body += self.stamp.to_bytes(6, "little")
        assert self._key is not None
        return bytes(body) + _signature(self._key, body)

    def verdict(self, raw: bytes, header: Header) -> bool | None:
        """Return True: checked and right. False: may pass unchecked. None: refused."""
        if header.flags & FLAG_SIGNED and self._is_right(raw, header):
            return True
        if not self.requires:
            return False
        if not header.flags & FLAG_SIGNED:
            if header.message_id in NEVER_SIGNED:
                return False
            self.statistics.unsigned_refused += 1
        return None

    def _is_right(self, raw: bytes, header: Header) -> bool:
        with_candidate = _fits(self._candidate, raw)
        if not with_candidate and not _fits(self._key, raw):
            self.statistics.wrong += 1
            return False
        link_id, low, high = struct.unpack_from("<BIH", raw, len(raw) - SIGNATURE_LENGTH)
        stamp = low | high << 32
        stream = (link_id, header.system, header.component)
        last = self.streams.get(stream, self.stamp - NEW_STREAM_MAY_LAG - 1)
        if stamp <= last:
            self.statistics.replayed += 1
            return False
        self.streams[stream] = stamp
        self.stamp = max(self.stamp, stamp)
        self.statistics.good += 1
        if with_candidate:
            self.proven_by.add(header.system)
        return True


def _checked(key: bytes) -> bytes:
    if len(key) != KEY_LENGTH:
        raise ValueError(f"a key of {len(key)} bytes: expected {KEY_LENGTH}")
    return key


def _fits(key: bytes | None, raw: bytes) -> bool:
    return key is not None and hmac.compare_digest(raw[-6:], _signature(key, raw[:-6]))


def _signature(key: bytes, signed: bytes | bytearray) -> bytes:
    return hashlib.sha256(key + signed).digest()[:6]
