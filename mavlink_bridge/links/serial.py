"""Serial ports, which vanish with the autopilot that reboots and return, perhaps renamed."""

from __future__ import annotations

import contextlib
import glob
import os
import termios

from mavlink_bridge.links.link import LinkLimits
from mavlink_bridge.links.reconnecting import ReconnectingLink

BITS_PER_BYTE = 10  # with start and stop bit
# What waits beyond this is older than it is worth: telemetry of the half second before.
BUFFERED_SECONDS = 0.5
SMALLEST_BUFFER = 600


class PortStream:
    """An open serial port as a `ByteStream`. pyserial sets it up; reading and writing is plain."""

    def __init__(self, path: str, baud: int) -> None:
        import serial

        self._port = serial.Serial(path, baud, timeout=0, write_timeout=0, exclusive=True)
        self.fileno = self._port.fileno
        # pyserial's way not to wait makes an empty read of a quiet port and of one that has gone.
        settings = termios.tcgetattr(self.fileno())
        settings[6][termios.VMIN] = 1
        termios.tcsetattr(self.fileno(), termios.TCSANOW, settings)

    def read(self, size: int) -> bytes:
        """Return what is there."""
        return os.read(self.fileno(), size)

    def write(self, data: bytes) -> int:
        """Write what fits."""
        return os.write(self.fileno(), data)

    def close(self) -> None:
        """Close the port, also when its device has gone."""
        with contextlib.suppress(OSError):
            self._port.close()


class SerialOpener:
    """Opens the first port that fits a pattern of paths, such as /dev/ttyACM*."""

    def __init__(self, pattern: str, baud: int) -> None:
        self._pattern, self._baud = pattern, baud

    def open(self) -> PortStream:
        """Try what fits now, in order of name."""
        paths = sorted(glob.glob(self._pattern))
        reason = OSError(f"no device {self._pattern}")
        for path in paths:
            try:
                return PortStream(path, self._baud)
            except OSError as error:  # pyserial's own errors are kinds of it
                reason = error
        raise reason

    def close(self) -> None:
        """Nothing is ever half open."""


def serial_link(pattern: str, baud: int) -> ReconnectingLink:
    """Return a link over the port that fits `pattern`, whenever there is one."""
    per_second = baud / BITS_PER_BYTE
    buffer = max(SMALLEST_BUFFER, int(BUFFERED_SECONDS * per_second))
    limits = LinkLimits(None, per_second, per_second, keeps_packets=False)
    return ReconnectingLink(f"serial:{pattern}:{baud}", SerialOpener(pattern, baud), buffer, limits)
