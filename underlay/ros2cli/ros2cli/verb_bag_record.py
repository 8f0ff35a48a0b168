"""`ros2 bag record`: write what topics carry to a bag.

Messages are taken as they come from the wire and never decoded. Each subscription asks for the
most that all publishers of its topic offer (reliable, latched), with a queue long enough for a
busy machine, and a thread of its own writes the file.
"""

from __future__ import annotations

import os
import re
import signal
import time
from argparse import Namespace
from pathlib import Path
from typing import Any

import rclpy
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import QoSDurabilityPolicy, QoSProfile, QoSReliabilityPolicy

from ros2cli.bag_writer import STORAGES, BagWriter
from ros2cli.cli import CommandError
from ros2cli.graph import absolute, topics
from ros2cli.interfaces import message_class
from ros2cli.qos_arguments import matching

#: Messages that may wait in a subscription while this process does not get the processor.
_DEPTH = 2000


def add_verb(verbs: Any) -> None:
    """Describe the command line."""
    verb = verbs.add_parser("record", help="Record ROS data to a bag")
    verb.add_argument("topics_positional", metavar="topics", nargs="*", help="Topics to record")
    verb.add_argument("--topics", nargs="+", default=[], help="Topics to record")
    verb.add_argument("-a", "--all", action="store_true", help="Record all topics")
    verb.add_argument("--all-topics", dest="all", action="store_true", help="Record all topics")
    verb.add_argument("-e", "--regex", help="Record topics whose name contains this expression")
    verb.add_argument("-x", "--exclude-regex", help="Do not record topics that contain this")
    verb.add_argument("--exclude-topics", nargs="+", default=[], help="Topics not to record")
    verb.add_argument(
        "--include-hidden-topics", action="store_true", help="Consider hidden topics as well"
    )
    verb.add_argument("-o", "--output", type=Path, help="Bag to write (default: by date)")
    verb.add_argument(
        "-s", "--storage", choices=sorted(STORAGES), default="mcap", help="Storage (mcap)"
    )
    verb.add_argument("--no-discovery", action="store_true", help="Only topics present at start")
    verb.add_argument(
        "-p", "--polling-interval", type=int, default=100, help="ms between looks at the graph"
    )
    verb.add_argument("--use-sim-time", action="store_true", help="Stamp with /clock")
    verb.add_argument("--node-name", default="rosbag2_recorder", help="Name of the node")
    verb.add_argument(
        "--max-cache-size", type=int, help="Accepted; what arrives is always kept until written"
    )
    verb.add_argument("--disable-keyboard-controls", action="store_true", help="There are none")
    verb.set_defaults(run=run)


class Recorder:
    """Subscribes what it is told to as it appears."""

    def __init__(self, node: Node, args: Namespace, writer: BagWriter) -> None:
        self._node = node
        self._args = args
        self._writer = writer
        self._log = node.get_logger()
        self._subscriptions: dict[str, tuple[Any, QoSProfile]] = {}
        self._ignored: set[str] = set()
        names = [*args.topics_positional, *args.topics]
        self._wanted = {absolute(name) for name in names}

    def look(self) -> None:
        """Subscribe to what is new in the graph; follow publishers that offer less."""
        self._writer.check()
        for name, types in topics(self._node, hidden=True):
            if name in self._ignored or not self.wants(name):
                continue
            if not self._node.count_publishers(name):
                continue
            if name not in self._subscriptions:
                self._add(name, types)
            else:
                self._follow(name, types[0])

    def missing(self) -> set[str]:
        """Topics asked for by name and not seen."""
        return self._wanted - set(self._subscriptions) - self._ignored

    def wants(self, name: str) -> bool:
        """Whether the command line asks for a topic."""
        args = self._args
        if name in {absolute(topic) for topic in args.exclude_topics}:
            return False
        if args.exclude_regex and re.search(args.exclude_regex, name):
            return False
        if name in self._wanted:
            return True
        if any(part.startswith("_") for part in name.split("/")) and not (
            args.include_hidden_topics
        ):
            return False
        return bool(args.all or (args.regex and re.search(args.regex, name)))

    def _add(self, name: str, types: list[str]) -> None:
        try:
            if len(types) > 1:
                raise CommandError(f"it has several types: {', '.join(types)}")
            message_class(types[0])
            publishers = self._node.get_publishers_info_by_topic(name)
            profiles = [info.qos_profile for info in publishers]
            self._writer.add_topic(name, types[0], profiles)
        except CommandError as error:
            self._log.warning(f"Topic '{name}' is not recorded: {error}")
            self._ignored.add(name)
            return
        self._subscribe(name, types[0], self._suitable(name))
        self._log.info(f"Subscribed to topic '{name}'")

    def _suitable(self, name: str) -> QoSProfile:
        base = QoSProfile(
            depth=_DEPTH,
            reliability=QoSReliabilityPolicy.RELIABLE,
            durability=QoSDurabilityPolicy.VOLATILE,
        )
        return matching(self._node, name, base, tell=lambda _text: None)

    def _subscribe(self, name: str, kind: str, qos: QoSProfile) -> None:
        def receive(data: bytes, info: Any) -> None:
            self._writer.write(name, self._stamp(info), bytes(data))

        subscription = self._node.create_subscription(
            message_class(kind), name, receive, qos, raw=True
        )
        self._subscriptions[name] = (subscription, qos)

    def _stamp(self, info: Any) -> int:
        if self._args.use_sim_time:
            return self._node.get_clock().now().nanoseconds
        return info.get("received_timestamp", 0) or time.time_ns()

    def _follow(self, name: str, kind: str) -> None:
        old, qos = self._subscriptions[name]
        suitable = self._suitable(name)
        weaker = (
            qos.reliability == QoSReliabilityPolicy.RELIABLE != suitable.reliability
            or qos.durability == QoSDurabilityPolicy.TRANSIENT_LOCAL != suitable.durability
        )
        if weaker:
            self._log.warning(f"A new publisher of '{name}' offers less; subscribing anew to match")
            self._subscribe(name, kind, suitable)
            self._node.destroy_subscription(old)


def run(args: Namespace) -> str | None:
    """Record until Ctrl-C or a termination signal."""
    named = [*args.topics_positional, *args.topics]
    if not (named or args.all or args.regex):
        return "[ERROR] [ros2bag]: Must specify only one option out of topics, --regex or --all"
    output = args.output or Path(time.strftime("rosbag2_%Y_%m_%d-%H_%M_%S"))
    if output.exists():
        return f"[ERROR] [ros2bag]: Output folder '{output}' already exists."
    rclpy.init(args=[])
    signal.signal(signal.SIGHUP, lambda *_: os.kill(os.getpid(), signal.SIGTERM))
    node = rclpy.create_node(args.node_name, start_parameter_services=False, enable_rosout=False)
    if args.use_sim_time:
        node.set_parameters([rclpy.parameter.Parameter("use_sim_time", value=True)])
    try:
        writer = BagWriter(output, args.storage)
    except Exception as error:
        node.destroy_node()
        rclpy.try_shutdown()
        return f"[ERROR] [ros2bag]: cannot write '{output}': {error}"
    recorder = Recorder(node, args, writer)
    # It outlives the context: rclpy's thread that handles Ctrl-C may still be waking it up.
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    try:
        _record(node, executor, recorder, args)
    finally:
        _finish(writer, recorder, node)
        executor.shutdown()
    return None


def _record(
    node: Node, executor: SingleThreadedExecutor, recorder: Recorder, args: Namespace
) -> None:
    log = node.get_logger()
    log.info("Listening for topics...")
    until = time.monotonic() + (1.0 if args.no_discovery else float("inf"))
    period = max(1, args.polling_interval) / 1000.0
    try:
        log.info("Recording...")
        while rclpy.ok():
            if time.monotonic() < until:
                recorder.look()
            _spin(executor, period)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass


def _spin(executor: SingleThreadedExecutor, seconds: float) -> None:
    """Take in messages for some seconds."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0 and rclpy.ok():
        executor.spin_once(timeout_sec=left)


def _finish(writer: BagWriter, recorder: Recorder, node: Node) -> None:
    log = node.get_logger()
    for name in sorted(recorder.missing()):
        log.warning(f"Topic '{name}' was never published")
    writer.close()
    log.info(f"Recording stopped, {writer.count} messages written")
    node.destroy_node()
    rclpy.try_shutdown()
