"""How a program that is no node ends at a signal, by way of `ros_interface.program_start`."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAM = """
import tempfile, threading
def main():
    with tempfile.TemporaryDirectory() as folder:
        print(folder, flush=True)
        while not threading.Event().wait(0.05):
            pass
"""


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM)]
)
@pytest.mark.parametrize("ignored", [False, True], ids=["", "ignored before"])
def test_a_signal_ends_a_program_without_a_trace(tmp_path, number, code, ignored):
    if ignored and number == signal.SIGINT:
        pytest.skip("a shell's background programs ignore Ctrl-C")
    (tmp_path / "endless.py").write_text(PROGRAM)
    prelude = f"import signal; signal.signal({int(number)}, signal.SIG_IGN); " if ignored else ""
    start = "from ros_interface.program_start import run; import sys; sys.exit(run('endless'))"
    process = subprocess.Popen(
        [sys.executable, "-c", prelude + start],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": f"{ROOT}:{tmp_path}", "TMPDIR": str(tmp_path)},
    )
    assert process.stdout is not None
    folder = Path(process.stdout.readline().strip())
    assert folder.is_dir()
    process.send_signal(number)
    _, complaints = process.communicate(timeout=60)
    assert (process.returncode, complaints) == (code, "")
    assert not folder.exists()
