"""What a hand feels: a pulse of some amplitude and length.

Two forms come in. The thesis's is one number from 0 to 3999, 3999 the strongest; OpenVR takes it as
the microseconds for which the motor is driven. The other is an amplitude (0 to 1) and seconds, as
browsers have it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

STRONGEST = 3999
DEFAULT_SECONDS = 0.1  # of a pulse that comes as a strength alone
LONGEST_SECONDS = 5.0  # as browsers allow


class HapticsError(ValueError):
    """A pulse out of range; the text names what was expected."""


@dataclass(frozen=True)
class Pulse:
    """A vibration: `amplitude` 0 to 1 for `seconds`."""

    amplitude: float
    seconds: float


def pulse_of(amplitude: float, seconds: float) -> Pulse:
    """Return the pulse, at most LONGEST_SECONDS long; HapticsError where it means nothing."""
    if not (math.isfinite(amplitude) and 0.0 <= amplitude <= 1.0):
        raise HapticsError(f"amplitude {amplitude}: expected 0 to 1")
    if not (math.isfinite(seconds) and seconds >= 0.0):
        raise HapticsError(f"{seconds} s: expected a duration of 0 or more")
    return Pulse(float(amplitude), min(float(seconds), LONGEST_SECONDS))


def pulse_from_strength(strength: int, seconds: float = DEFAULT_SECONDS) -> Pulse:
    """Return the pulse of the thesis's strength, 0 to 3999; HapticsError beyond."""
    if not 0 <= strength <= STRONGEST:
        raise HapticsError(f"strength {strength}: expected 0 to {STRONGEST}")
    return pulse_of(strength / STRONGEST, seconds)


def strength_of(pulse: Pulse) -> int:
    """Return the strength, 0 to 3999, of a pulse, for a device that takes that."""
    return round(pulse.amplitude * STRONGEST)
