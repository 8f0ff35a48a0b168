"""Turning signing on at both ends without making either deaf.

SETUP_SIGNING has no answer, and a vehicle may refuse it (armed, for instance) without a word. So
our end goes on as before and merely accepts the new key too. The first frame of the peer that is
signed with it proves that the peer took it, and only then is anything signed with it or refused.
Without such a proof the attempt counts as refused after three seconds, and nothing has changed.
Should the proof come later, because only the peer's frames were lost, the key is taken up then:
nobody without it can make that happen.
"""

from __future__ import annotations

from enum import Enum
from typing import Any

from mavlink_bridge.wire.signing import Signing

TRY_FOR = 3.0
REPEAT = 1.0


class SetupState(Enum):
    """How far it has come."""

    IDLE = "idle"
    TRYING = "trying"
    ON = "on"
    REFUSED = "refused"


class SigningSetup:
    """Our end's side, for one peer. The message carries the key: only over a link you trust."""

    def __init__(
        self, dialect: Any, signing: Signing, key: bytes, target: int, component: int = 0
    ) -> None:
        self.state = SetupState.IDLE
        self._dialect = dialect
        self._signing = signing
        self._key = key
        self._target = target
        self._component = component
        self._until = 0.0
        self._repeat_at = 0.0

    def start(self, now: float) -> None:
        """Begin to try, or try again."""
        self.state = SetupState.TRYING
        self._signing.propose(self._key)
        self._until, self._repeat_at = now + TRY_FOR, now

    def poll(self, now: float) -> list[Any]:
        """Look whether the proof has come, and return the messages to send now."""
        if self.state in (SetupState.TRYING, SetupState.REFUSED):
            if self._target in self._signing.proven_by:
                self.state = SetupState.ON
                self._signing.adopt()
            elif now >= self._until:
                self.state = SetupState.REFUSED
        if self.state is not SetupState.TRYING or now < self._repeat_at:
            return []
        self._repeat_at = now + REPEAT
        self._signing.stamp += 1
        return [
            self._dialect.MAVLink_setup_signing_message(
                self._target, self._component, list(self._key), self._signing.stamp
            )
        ]


def take_setup(signing: Signing, message: Any, *, allowed: bool) -> bool:
    """Follow a received SETUP_SIGNING; return whether it was followed.

    `allowed` is the vehicle's decision: not while armed, and only on a link that it trusts. A key
    of zeros turns signing off.
    """
    if not allowed:
        return False
    key = bytes(message.secret_key)
    if any(key):
        signing.propose(key)
        signing.adopt()
        signing.stamp = max(signing.stamp, message.initial_timestamp)
    else:
        signing.turn_off()
    return True
