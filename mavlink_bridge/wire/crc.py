"""MAVLink's checksum, CRC-16/MCRF4XX, at the speed of C and without an extension module.

Python's `binascii.crc_hqx` is the same polynomial with the bits of bytes and result in the other
order, so the bytes are mirrored before and the result after.
"""

from __future__ import annotations

from binascii import crc_hqx

MIRRORED_BYTES = bytes(int(f"{value:08b}"[::-1], 2) for value in range(256))


def crc16(data: bytes | bytearray, extra: int) -> int:
    """Return the checksum of `data` (what follows the magic byte) and a message's CRC_EXTRA."""
    mirrored = crc_hqx(data.translate(MIRRORED_BYTES), 0xFFFF)
    mirrored = crc_hqx(MIRRORED_BYTES[extra : extra + 1], mirrored)
    return MIRRORED_BYTES[mirrored >> 8] | MIRRORED_BYTES[mirrored & 0xFF] << 8


def _after_byte(low: int) -> int:
    """Return what a step of the checksum adds when byte and low half of the state XOR to `low`."""
    mixed = (low ^ low << 4) & 0xFF
    return (mixed << 8 ^ mixed << 3 ^ mixed >> 4) & 0xFFFF


EXTRA_FROM_STEP = {_after_byte(low): low for low in range(256)}


def implied_extra(data: bytes | bytearray, checksum: int) -> int | None:
    """Return the CRC_EXTRA with which `checksum` is right; None, mostly, when there is none.

    One unknown byte makes 256 of the 65 536 checksums possible, so bytes that are no frame pass
    once in 256 times, and two that imply the same byte are no accident.
    """
    mirrored = crc_hqx(data.translate(MIRRORED_BYTES), 0xFFFF)
    before = MIRRORED_BYTES[mirrored >> 8] | MIRRORED_BYTES[mirrored & 0xFF] << 8
    low = EXTRA_FROM_STEP.get(checksum ^ before >> 8)
    return None if low is None else low ^ before & 0xFF
