"""The bridge's node on threads of its own, and a ROS node that listens and speaks."""

from __future__ import annotations

import os
import threading
import time
from typing import Any

os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")

import rclpy
from rclpy.context import Context
from rclpy.executors import MultiThreadedExecutor, SingleThreadedExecutor
from rclpy.parameter import Parameter

from mavlink_bridge.mavlink_bridge_node import MavlinkBridgeNode
from ros_interface.qos import RELIABLE

DOMAIN = 71
PATIENCE = 60.0


class RunningBridge:
    """`friend` is the node that listens; what it heard is in the lists of `listen`."""

    def __init__(self, folder: Any, **overrides: Any) -> None:
        self.context = Context()
        rclpy.init(context=self.context, domain_id=DOMAIN)
        values = {"link": "udpin:127.0.0.1:0", "folder": str(folder / "bridge"), **overrides}
        namespace = values.pop("namespace", None)
        self.node = MavlinkBridgeNode(
            context=self.context,
            namespace=namespace,
            parameter_overrides=[Parameter(key, value=value) for key, value in values.items()],
        )
        self.executor = MultiThreadedExecutor(8, context=self.context)
        self.executor.add_node(self.node)
        self.closing = False
        self.spinner = threading.Thread(target=self._spin, daemon=True)
        self.spinner.start()
        self.friend = rclpy.create_node("friend", context=self.context)
        self.own = SingleThreadedExecutor(context=self.context)
        self.own.add_node(self.friend)
        self.got: dict[str, list[Any]] = {}

    def _spin(self) -> None:
        while not self.closing:
            self.executor.spin_once(timeout_sec=0.1)

    def listen(self, kind: type, topic: str, qos: Any = RELIABLE) -> list[Any]:
        self.got[topic] = []
        self.friend.create_subscription(kind, topic, self.got[topic].append, qos)
        return self.got[topic]

    def wait(self, condition: Any) -> None:
        deadline = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < deadline, "waited in vain"
            self.own.spin_once(timeout_sec=0.05)

    def ready(self) -> None:
        self.wait(lambda: self.node.bridge.state.position is not None)

    def call(self, kind: Any, name: str, request: Any = None) -> Any:
        client = self.friend.create_client(kind, name)
        self.wait(client.service_is_ready)
        answer = client.call_async(request or kind.Request())
        self.wait(answer.done)
        return answer.result()

    def say(self, publisher: Any, message: Any, until: Any) -> None:
        """Publish, and again, until it has had its effect."""

        def again() -> bool:
            publisher.publish(message)
            return bool(until())

        self.wait(again)

    def close(self) -> None:
        self.closing = True
        self.spinner.join(timeout=10.0)
        self.executor.shutdown()
        self.node.destroy_node()
        self.friend.destroy_node()
        rclpy.shutdown(context=self.context)
