"""Fixtures: the command under test, a package to launch from, and a ROS domain of its own.

The launch tests also hold for the real tool: `TRUTHBED_ROS2=ros2 pytest test/test_launch_*.py` in
a shell where that is the real one.
"""

import json
import os
import re
import shlex
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("repeatable", derandomize=True)
settings.load_profile("repeatable")

COMMAND = shlex.split(os.environ.get("TRUTHBED_ROS2", f"{sys.executable} -m ros2cli"))
IS_REAL = "TRUTHBED_ROS2" in os.environ
ours_only = pytest.mark.skipif(IS_REAL, reason="the real launch does not promise this")

SCRIPTS = {
    # Prints its own command line, parameter files read, as one line of JSON.
    "show": """
import json, os, sys, yaml
words, files = sys.argv[1:], []
for at, word in enumerate(words):
    if word == "--params-file":
        files.append(yaml.safe_load(open(words[at + 1])))
        words[at + 1] = len(files) - 1
print("SHOWN", json.dumps({"words": words, "files": files, "env": dict(os.environ),
                           "folder": os.getcwd()}), flush=True)
""",
    # Lives until it is interrupted; `sleeper family` has a child of its own.
    "sleeper": """
import signal, subprocess, sys, time
if len(sys.argv) > 2 and sys.argv[1] == "family":
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"])
try:
    print("ready", flush=True)
    time.sleep(300)
except KeyboardInterrupt:
    print("interrupted", flush=True)
""",
    "stubborn": """
import signal, time
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, lambda n, f: print("ignored", n, flush=True))
print("ready", flush=True)
while True:
    time.sleep(0.1)
""",
    "broken": """
import sys
print("something is wrong with the lamp", file=sys.stderr)
sys.exit(7)
""",
}


@dataclass
class Ros2:
    """Runs the command in an environment of its own."""

    environment: dict
    folder: Path
    started: list = field(default_factory=list)

    def start(self, *arguments, **options):
        process = subprocess.Popen(
            [*COMMAND, *map(str, arguments)],
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            **options,
        )
        self.started.append(process)
        return process

    def run(self, *arguments, timeout=120):
        """Exit code and output."""
        process = self.start(*arguments)
        output, _ = process.communicate(timeout=timeout)
        return process.returncode, output

    def write(self, content, name="test.launch.xml"):
        """Write a launch file; a body without a root gets one."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if "<launch" in content else f"<launch>{content}</launch>")
        return path

    def shown(self, content, *arguments):
        """Launch a file and return what each `show` printed, by the name of its process."""
        code, output = self.run("launch", self.write(content), *arguments)
        assert code == 0, output
        found = re.findall(r"^\[(\S+)-\d+\] SHOWN (.*)$", output, re.MULTILINE)
        return {name: json.loads(text) for name, text in found}


def domain():
    """Variables that keep this run's ROS programs to themselves."""
    return {
        "ROS_DOMAIN_ID": str(40 + os.getpid() % 60),
        "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
    }


@pytest.fixture
def ros2(tmp_path):
    """The command, with the package `things` to be found."""
    prefix = tmp_path / "prefix"
    programs = prefix / "lib" / "things"
    programs.mkdir(parents=True)
    for name, text in SCRIPTS.items():
        path = programs / name
        path.write_text(f"#!{sys.executable}\n{text}")
        path.chmod(0o755)
    index = prefix / "share" / "ament_index" / "resource_index" / "packages"
    index.mkdir(parents=True)
    (index / "things").touch()
    (prefix / "share" / "things").mkdir()
    environment = {
        **os.environ,
        "AMENT_PREFIX_PATH": f"{prefix}:{os.environ.get('AMENT_PREFIX_PATH', '')}",
        "ROS_LOG_DIR": str(tmp_path / "log"),
        **domain(),
        "PYTHONWARNINGS": "ignore",
    }
    command = Ros2(environment, tmp_path)
    yield command
    for process in command.started:
        if process.poll() is None:
            os.killpg(process.pid, 9)
        process.wait()
        process.stdout.close()


def wait_for(condition, seconds=90.0):
    """Wait until a condition holds and return its value."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)
    return value


def read_until(process, text):
    """Lines of a process up to the first that holds `text`."""
    lines = []
    for line in process.stdout:
        lines.append(line.rstrip("\n"))
        if text in line:
            return lines
    pytest.fail(f"ended without {text!r}: {lines}")


def finish(process):
    """What a process still prints, to its end."""
    rest = process.stdout.read()
    process.wait(timeout=90)
    return rest


def is_alive(pid):
    """Whether a process exists and has not ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False
