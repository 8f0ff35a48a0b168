"""Lines on the screen and in the launch's log file, in the form of the real launch."""

from __future__ import annotations

import os
import socket
import sys
import threading
import time
from pathlib import Path
from typing import TextIO

#: output mode -> (stdout on screen, stderr on screen, both in the log file)
OUTPUTS = {
    "log": (False, True, True),
    "screen": (True, True, False),
    "both": (True, True, True),
    "own_log": (False, False, True),
    "full": (True, True, True),
}


class LaunchLog:
    """Writes whole lines from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._file: TextIO | None = None
        self.folder = _new_folder()
        if self.folder is not None:
            self._file = (self.folder / "launch.log").open("w", errors="replace")

    def say(self, level: str, source: str, text: str) -> None:
        """One message of the runner itself."""
        self.write(f"[{level}] [{source}]: {text}", screen=True, file=True)

    def write(self, line: str, screen: bool, file: bool) -> None:
        """One line, where it belongs; a closed terminal is no reason to stop."""
        with self._lock:
            if screen:
                try:
                    sys.stdout.write(line + "\n")
                    sys.stdout.flush()
                except (BrokenPipeError, ValueError):
                    pass
            if file and self._file is not None:
                self._file.write(f"{time.time():.7f} {line}\n")
                self._file.flush()

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            if self._file is not None:
                self._file.close()
                self._file = None


def _new_folder() -> Path | None:
    """A folder of this launch's own, or None where none can be made."""
    home = os.environ.get("ROS_HOME") or str(Path.home() / ".ros")
    base = Path(os.environ.get("ROS_LOG_DIR") or Path(home) / "log")
    now = time.time()
    stamp = time.strftime("%Y-%m-%d-%H-%M-%S", time.localtime(now))
    name = f"{stamp}-{int(now % 1 * 1e6):06d}-{socket.gethostname()}-{os.getpid()}"
    try:
        (base / name).mkdir(parents=True)
    except OSError:
        return None
    return base / name
