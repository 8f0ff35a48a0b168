"""What the server asks of the world behind it: of ROS in the node, of a stand-in in tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from vr_view.server.protocol import Action, Device, Eyes
from vr_view.server.uploads import Upload


@dataclass(frozen=True)
class Outcome:
    """How an action ended."""

    ok: bool
    text: str


class Outside(Protocol):
    """Called on the server's loop; nothing here may block."""

    async def act(self, session: str, action: Action, upload: Upload | None) -> Outcome:
        """Do something for a pilot, and tell how it ended."""

    def device(self, device: Device, age: float) -> None:
        """Take poses that were measured `age` seconds ago."""

    def eyes(self, eyes: Eyes) -> None:
        """Take what the eyes of the device see."""

    def device_ended(self) -> None:
        """The device is gone: whatever its hands did, they do no more."""

    def session_ended(self, session: str) -> None:
        """A page is gone, and with it what it had asked to be repeated."""

    def refused(self, what: str, reason: str) -> None:
        """Something was not taken from a page."""
