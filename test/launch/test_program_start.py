"""Ctrl-C while a program still imports what it needs."""

import signal
import subprocess
import time
from pathlib import Path

import pytest
from ament_index_python.packages import get_package_prefix

PROGRAMS = [
    ("truthbed", "scene_sim", 0),
    ("truthbed", "orientation_estimator", 0),
    ("truthbed", "run_trial", 130),
    ("robot_state_publisher", "robot_state_publisher", 0),
]


def imports(process: subprocess.Popen) -> bool:
    """Tell whether a process has loaded the first compiled module of many."""
    maps = Path(f"/proc/{process.pid}/maps")
    return any(name in maps.read_text() for name in ("numpy", "rclpy", "/yaml/"))


@pytest.mark.parametrize(("package", "program", "code"), PROGRAMS)
def test_an_interrupt_during_the_imports_is_a_quiet_end(package, program, code):
    path = Path(get_package_prefix(package), "lib", package, program)
    process = subprocess.Popen([path], stdout=-1, stderr=subprocess.STDOUT, text=True)
    end = time.monotonic() + 60.0
    while not imports(process) and process.poll() is None and time.monotonic() < end:
        pass
    process.send_signal(signal.SIGINT)
    text, _ = process.communicate(timeout=60)
    assert "Traceback" not in text
    assert process.returncode == code, text
