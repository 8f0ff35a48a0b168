"""The simulator as a process, and a node that listens to it."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from scenes import ROOT

PATIENCE = 150.0  # s; a loaded machine is slow, and nothing here asserts how fast it is


def start(domain, *parameters, module="scene_sim.scene_sim_node"):
    environment = {
        **os.environ,
        "ROS_DOMAIN_ID": domain,
        "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
        "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path]),
    }
    command = [sys.executable, "-m", module, "--ros-args"]
    for item in parameters:
        command += ["-p", item]
    return subprocess.Popen(command, env=environment, cwd="/", stderr=subprocess.PIPE, text=True)


class Listener:
    """A node that keeps what it hears, with a wait for a condition."""

    def __init__(self, domain):
        self.context = Context()
        os.environ.update(ROS_AUTOMATIC_DISCOVERY_RANGE="LOCALHOST")
        rclpy.init(context=self.context, domain_id=int(domain))
        self.node = rclpy.create_node("listener", context=self.context)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)
        self.heard = {}

    def listen(self, kind, topic, qos=10):
        self.heard[topic] = []
        self.node.create_subscription(kind, topic, self.heard[topic].append, qos)

    def wait(self, condition):
        end = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < end, {key: len(value) for key, value in self.heard.items()}
            self.executor.spin_once(timeout_sec=0.05)

    def call(self, kind, name, request):
        client = self.node.create_client(kind, name)
        assert client.wait_for_service(timeout_sec=PATIENCE)
        future = client.call_async(request)
        self.wait(future.done)
        return future.result()

    def close(self):
        self.executor.shutdown()
        self.node.destroy_node()
        rclpy.shutdown(context=self.context)
