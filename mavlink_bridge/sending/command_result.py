"""Results of a command, as MAV_RESULT numbers them, and what a sender learns in the end."""

from __future__ import annotations

import struct
from collections.abc import Hashable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from spatial_types.parameters import parameter


class CommandResult(IntEnum):
    """MAV_RESULT; IN_PROGRESS is the only one after which another follows."""

    ACCEPTED = 0
    TEMPORARILY_REJECTED = 1
    DENIED = 2
    UNSUPPORTED = 3
    FAILED = 4
    IN_PROGRESS = 5
    CANCELLED = 6
    COMMAND_LONG_ONLY = 7
    COMMAND_INT_ONLY = 8
    UNSUPPORTED_MAV_FRAME = 9
    NOT_IN_CONTROL = 10


UNKNOWN_PROGRESS = 255

REPEATS_OF_ONE = 16
"""`confirmation` counts a command's repeats in its low four bits.

The high four tell one exchange from an earlier one with the same content of which a repeat might
still be on its way; 0 as long as there is none, so that other ground stations' numbers are read
alike.
"""

EXCHANGE_MEMORY = 30.0
"""Seconds after which a command of the same content is a new one, whatever it says."""


DOUBLED_WITHIN = 3.0
"""Longest time in seconds by which a link may delay or double a frame."""


@dataclass(frozen=True)
class CommandParameters:
    """How long a command waits for its answer, and how often it is sent again."""

    timeout: float = parameter(
        1.5, "how long an answer may take once the command has left", unit="s", minimum=0.01
    )
    requeues: int = parameter(
        4, "how often an unanswered command is sent again", minimum=0, maximum=REPEATS_OF_ONE - 1
    )
    progress_timeout: float = parameter(
        5.0, "how long a command in progress may be silent", unit="s", minimum=0.01
    )


ORDINARY = CommandParameters()
"""The thesis's four repeats."""

THIN = CommandParameters(timeout=1.0, requeues=9)
"""For a link that loses packets: at 20 % each way one in 27 000 commands stays unanswered."""


@dataclass(frozen=True)
class CommandOutcome:
    """How a command ended. `result` is None if no answer ever came; `duration` in seconds."""

    command: Any
    result: CommandResult | int | None
    reason: str
    attempts: int
    duration: float

    @property
    def succeeded(self) -> bool:
        """True if the other side has done it."""
        return self.result == CommandResult.ACCEPTED


def content_of(message: Any) -> bytes:
    """Return what makes two COMMAND_LONG or COMMAND_INT the same command, bit by bit."""
    if message.get_type() == "COMMAND_LONG":
        tail = struct.pack("<3f", message.param5, message.param6, message.param7)
    else:
        places = (message.x, message.y, message.z, message.frame, message.current)
        tail = struct.pack("<2if2B", *places) + struct.pack("B", message.autocontinue)
    return (
        struct.pack(
            "<HBB4f",
            message.command,
            message.target_system,
            message.target_component,
            message.param1,
            message.param2,
            message.param3,
            message.param4,
        )
        + tail
    )


class RecentFrames:
    """Knows frames again that the link doubled, by sender, sequence number and what they are."""

    def __init__(self) -> None:
        self._times: dict[Hashable, float] = {}

    def seen(self, frame: Hashable, now: float) -> bool:
        """Remember a frame; True if it was there a moment ago."""
        self._times = {key: at for key, at in self._times.items() if now - at <= DOUBLED_WITHIN}
        doubled = frame in self._times
        self._times[frame] = now
        return doubled
