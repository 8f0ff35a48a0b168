"""MAVProxy in a process of its own, with commands typed into it."""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from real_time import PATIENCE


class MavProxy:
    """The program, and the lines it writes."""

    def __init__(self, port: int, folder: Path) -> None:
        self._lines: queue.Queue[str] = queue.Queue()
        self.seen: list[str] = []
        arguments = ("--master", f"tcp:127.0.0.1:{port}", "--no-state", "--retries", "60")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "MAVProxy.mavproxy", *arguments],
            cwd=folder,
            env=dict(os.environ, HOME=str(folder), TERM="dumb"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)

    def type(self, line: str) -> None:
        """Enter a line."""
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def expect(self, text: str, again: str = "") -> str:
        """Return the next line with a text in it; `again` is typed every second until then."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if again:
                self.type(again)
            until = time.monotonic() + (1.0 if again else PATIENCE)
            while (left := until - time.monotonic()) > 0:
                try:
                    line = self._lines.get(timeout=left)
                except queue.Empty:
                    break
                self.seen.append(line)
                if text in line:
                    return line
        return pytest.fail(f"MAVProxy never wrote {text!r}, but\n" + "".join(self.seen))

    def close(self) -> None:
        """End it."""
        self.process.kill()
        self.process.wait(PATIENCE)


def mission_there_and_back(mavproxy: MavProxy, folder: Path) -> None:
    """Load a mission into the vehicle, save it from there, and compare."""
    mission = "QGC WPL 110\n" + "".join(
        f"{number}\t0\t3\t{command}\t0\t0\t0\t0\t{latitude}\t14.470000\t{height}\t1\n"
        for number, command, latitude, height in (
            (0, 16, "46.050000", "0.000000"),
            (1, 22, "46.050000", "5.000000"),
            (2, 16, "46.050123", "5.000000"),
            (3, 21, "46.050000", "0.000000"),
        )
    )
    (folder / "there.txt").write_text(mission)
    mavproxy.type("wp load there.txt")
    mavproxy.expect("TYPE_MISSION: ACCEPTED")
    mavproxy.type("wp save back.txt")
    mavproxy.expect("Saved 4 waypoints")
    back = (folder / "back.txt").read_text()
    assert [line.split("\t")[8] for line in back.splitlines()[1:]][2].startswith("46.050123")
