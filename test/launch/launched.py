"""Start a launch file in a ROS domain of its own, look at its topics, and end it."""

import importlib.util
import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor

#: Generous, since a busy machine starts seven programs slowly.
PATIENCE = 150.0


def is_stand_in():
    """Whether `ros2 launch` is the underlay's."""
    return importlib.util.find_spec("ros2cli.launch_runner") is not None


class Launched:
    """A running launch with a node of ours beside it."""

    def __init__(self, folder, domain, arguments):
        if shutil.which("ros2") is None:
            pytest.skip("needs the `ros2` command: run `. ./env.sh` first")
        self.log = folder / "launch.txt"
        environment = {
            **os.environ,
            "ROS_DOMAIN_ID": str(domain),
            "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
            "ROS_LOG_DIR": str(folder / "log"),
        }
        with self.log.open("w") as output:
            self.process = subprocess.Popen(
                ["ros2", "launch", "truthbed", *arguments],
                env=environment,
                cwd=folder,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.context = Context()
        rclpy.init(args=[], context=self.context, domain_id=domain)
        self.node = rclpy.create_node("watcher", context=self.context, enable_rosout=False)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)

    def watch(self, kind, topic, qos):
        """A list that every message of a topic is appended to."""
        messages = []
        self.node.create_subscription(kind, topic, messages.append, qos)
        return messages

    def wait_for(self, condition, seconds=PATIENCE):
        """Spin until a condition holds."""
        deadline = time.monotonic() + seconds
        while not condition():
            assert self.process.poll() is None, f"the launch ended:\n{self.text}"
            assert time.monotonic() < deadline, f"waited in vain:\n{self.text}"
            self.executor.spin_once(timeout_sec=0.1)

    @property
    def text(self):
        """What has been printed."""
        return self.log.read_text()

    @property
    def pids(self):
        """Processes that were started, by name."""
        found = re.findall(r"\[([\w-]+)-\d+\]: process started with pid \[(\d+)\]", self.text)
        return {int(pid): name for name, pid in found}

    def stop(self):
        """Interrupt the launch; returns its exit code."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(timeout=60)

    def left_behind(self):
        """Names of the processes that have not ended."""
        return [name for pid, name in self.pids.items() if Path(f"/proc/{pid}").exists()]

    def close(self):
        """End whatever a failed test left running."""
        self.executor.shutdown()
        self.node.destroy_node()
        rclpy.shutdown(context=self.context)
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


@pytest.fixture
def launched(tmp_path):
    """A function that starts a launch file: `launched(domain, file, *arguments)`."""
    running = []

    def start(domain, *arguments):
        running.append(Launched(tmp_path, domain, arguments))
        return running[-1]

    yield start
    for launch in running:
        launch.close()
