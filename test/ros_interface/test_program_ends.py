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


@pytest.mark.parametrize(
    ("module", "wished", "seen"),
    [("lamp_node", None, "1"), ("lamp_node", "3", "3"), ("lamp", "", "")],
)
def test_a_node_multiplies_small_matrices_alone_unless_told_otherwise(
    tmp_path, module, wished, seen
):
    name = "OPENBLAS_NUM_THREADS"
    text = f"import os\nSEEN = os.environ.get('{name}', '')\ndef main():\n    print(SEEN)\n"
    (tmp_path / f"{module}.py").write_text(text)
    environment = {key: value for key, value in os.environ.items() if key != name}
    environment |= {name: wished} if wished else {}
    start = f"from ros_interface.program_start import run; run('{module}')"
    shown = subprocess.run(
        [sys.executable, "-c", start],
        capture_output=True,
        check=True,
        text=True,
        env=environment | {"PYTHONPATH": f"{ROOT}:{tmp_path}"},
    )
    assert shown.stdout.strip() == seen
