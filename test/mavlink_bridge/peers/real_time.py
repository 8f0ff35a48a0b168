"""A simulated autopilot in a process of its own, and waiting for others' programs."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
PATIENCE = 90.0


def free_port(kind: socket.SocketKind = socket.SOCK_DGRAM) -> int:
    """Return a port of this machine that nobody uses."""
    with socket.socket(socket.AF_INET, kind) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(what: str, condition: Callable[[], Any], patience: float = PATIENCE) -> Any:
    """Return what the condition gives once it is true; fail when it never is."""
    end = time.monotonic() + patience
    pause = threading.Event()
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        pause.wait(0.05)
    return pytest.fail(f"never: {what}")


@contextmanager
def simulated_autopilot(link: str, folder: Path, *arguments: str) -> Iterator[None]:
    """Run the program, and see that it ends well."""
    command = [sys.executable, "-m", "mavlink_bridge.simulated_autopilot.program"]
    process = subprocess.Popen(
        [*command, "--link", link, "--files", str(folder), *arguments],
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    try:
        yield
    finally:
        process.terminate()
        _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, errors
    assert not errors
