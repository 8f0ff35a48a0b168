"""Messages to frames: numbered, checksummed, trimmed and, with a signer, signed."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Protocol


class Signer(Protocol):
    """Appends signatures: `wire.signing`."""

    @property
    def signs(self) -> bool:
        """Whether frames are signed now."""

    def sign(self, frame: bytes, crc_extra: int) -> bytes:
        """Return the frame with its flag, the checksum that goes with it, and its signature."""


class FrameWriter:
    """One per link: the sequence numbers are the link's, so that the other end can count losses."""

    def __init__(self, system: int, component: int, signer: Signer | None = None) -> None:
        for name, value in (("system", system), ("component", component)):
            if not 1 <= value <= 255:
                raise ValueError(f"{name} = {value}: expected 1 to 255")
        self.system = system
        self.component = component
        self.signer = signer
        # What a generated message's pack() reads of pymavlink's own MAVLink object.
        self._state = SimpleNamespace(
            seq=0,
            srcSystem=system,
            srcComponent=component,
            signing=SimpleNamespace(sign_outgoing=False),
        )

    def write(self, message: Any) -> bytes:
        """Return the MAVLink 2 frame of a message of the dialect.

        Raises ValueError when a field's value does not fit its type.
        """
        try:
            frame: bytes = message.pack(self._state)
        except Exception as error:
            raise ValueError(f"{message.get_type()}: {error}") from error
        self._state.seq = (self._state.seq + 1) % 256
        if self.signer is None or not self.signer.signs:
            return frame
        return self.signer.sign(frame, message.crc_extra)
