"""The page's node among others, in a graph of its own."""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading

os.environ.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")

import rclpy
from rclpy.context import Context
from rclpy.executors import SingleThreadedExecutor
from rclpy.parameter import Parameter

from ros_interface.qos import RELIABLE
from vr_view.page_server_node import PageServerNode

DOMAIN = 96


class Graph:
    """The node and a friend, each on a thread of its own."""

    def __init__(self, **overrides):
        self.context = Context()
        rclpy.init(context=self.context, domain_id=DOMAIN)
        self._threads = []
        try:
            values = {"port": 0, **overrides}
            self.node = PageServerNode(
                context=self.context,
                parameter_overrides=[Parameter(key, value=item) for key, item in values.items()],
            )
        except BaseException:
            rclpy.shutdown(context=self.context)
            raise
        self.friend = rclpy.create_node("friend", context=self.context)
        self.others = []
        self.executors = [self._spin(self.node), self._spin(self.friend)]
        self.server = self.node.server

    def _spin(self, node):
        executor = SingleThreadedExecutor(context=self.context)
        executor.add_node(node)
        thread = threading.Thread(target=executor.spin, daemon=True)
        thread.start()
        self._threads.append(thread)
        return executor

    def add(self, name, namespace="/"):
        """Return a further node, which is spun."""
        made = rclpy.create_node(name, namespace=namespace, context=self.context)
        self.others.append(made)
        self.executors.append(self._spin(made))
        return made

    def listen(self, kind, topic, qos=RELIABLE):
        heard = []
        self.friend.create_subscription(kind, topic, heard.append, qos)
        return heard

    async def publish_until(self, publisher, message, condition):
        """Publish again and again until `condition` holds: discovery takes its time."""

        async def work():
            while not condition():
                publisher.publish(message)
                await asyncio.sleep(0.05)

        await asyncio.wait_for(work(), 60.0)

    def close(self):
        for executor in self.executors:
            executor.shutdown()
        for thread in self._threads:
            thread.join(10.0)
        self.node.destroy_node()
        for node in (self.friend, *self.others):
            node.destroy_node()
        rclpy.shutdown(context=self.context)


@contextlib.contextmanager
def graph(**overrides):
    made = Graph(**overrides)
    try:
        yield made
    finally:
        made.close()
