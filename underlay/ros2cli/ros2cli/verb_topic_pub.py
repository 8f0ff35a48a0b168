"""`ros2 topic pub`: publish a message given as YAML."""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Callable
from typing import Any

import rclpy
import yaml
from rclpy.node import Node

from ros2cli.cli import CommandError
from ros2cli.graph import add_node_arguments, direct_node, spin_until
from ros2cli.interfaces import Message, message_class, set_fields
from ros2cli.qos_arguments import add_qos_arguments, profile
from ros2cli.verb_topic_echo import positive_float, unsigned


def add_verb(verbs: Any) -> None:
    """Describe the command line."""
    verb = verbs.add_parser("pub", help="Publish a message to a topic")
    verb.add_argument("topic_name", help="Name of the ROS topic (e.g. '/chatter')")
    verb.add_argument("message_type", help="Type of the ROS message (e.g. 'std_msgs/String')")
    verb.add_argument(
        "values", nargs="?", default="{}", help="Values to fill the message with in YAML format"
    )
    verb.add_argument(
        "-r", "--rate", metavar="N", type=positive_float, default=1.0, help="Hz (default: 1)"
    )
    verb.add_argument(
        "-p", "--print", metavar="N", type=int, default=1, help="Only print every N-th message"
    )
    group = verb.add_mutually_exclusive_group()
    group.add_argument("-1", "--once", action="store_true", help="Publish one message and exit")
    group.add_argument(
        "-t", "--times", type=unsigned, default=0, help="Publish this number of times and exit"
    )
    verb.add_argument(
        "-w",
        "--wait-matching-subscriptions",
        type=unsigned,
        help="Wait for this number of subscriptions (default 1 with --once or --times, else 0)",
    )
    verb.add_argument(
        "--max-wait-time-secs", type=positive_float, help="Longest wait for subscriptions"
    )
    verb.add_argument(
        "--keep-alive",
        metavar="N",
        type=positive_float,
        default=0.1,
        help="Keep the node alive for N seconds after the last message (default: 0.1)",
    )
    verb.add_argument("-n", "--node-name", help="Name of the created publishing node")
    add_qos_arguments(verb, "default")
    add_node_arguments(verb)
    verb.set_defaults(run=run)


def run(args: Namespace) -> str | None:
    """Publish until Ctrl-C, or as often as asked."""
    try:
        kind = message_class(args.message_type)
    except CommandError as error:
        raise CommandError("The passed message type is invalid") from error
    values = yaml.safe_load(args.values)
    if not isinstance(values, dict):
        return "The passed value needs to be a dictionary in YAML format"
    message = kind()
    try:
        setters = set_fields(message, values)
    except (AttributeError, TypeError, ValueError, OverflowError, AssertionError) as error:
        return f"Failed to populate field: {error}"
    times = 1 if args.once else args.times
    wanted = args.wait_matching_subscriptions
    wanted = int(times != 0) if wanted is None else wanted
    if wanted == 0 and args.max_wait_time_secs is not None:
        return (
            "--max-wait-time-secs option is only effective with --wait-matching-subscriptions, "
            "--once or --times"
        )
    with direct_node(args, args.node_name, discover=False) as node:
        publisher = node.create_publisher(kind, args.topic_name, profile(args))
        _wait(node, publisher, wanted, args.max_wait_time_secs)
        print("publisher: beginning loop")
        _publish(node, publisher, message, setters, times, args)
        spin_until(node, lambda: False, args.keep_alive)
    return None


def _wait(node: Node, publisher: Any, wanted: int, longest: float | None) -> None:
    deadline = None if longest is None else time.monotonic() + longest
    while publisher.get_subscription_count() < wanted:
        print(f"Waiting for at least {wanted} matching subscription(s)...")
        left = 1.0 if deadline is None else min(1.0, deadline - time.monotonic())
        if left <= 0:
            raise CommandError(
                f"Timed out waiting for subscribers: Expected {wanted} subcribers but only got "
                f"{publisher.get_subscription_count()} subscribers"
            )
        spin_until(node, lambda: publisher.get_subscription_count() >= wanted, left)


def _publish(
    node: Node,
    publisher: Any,
    message: Message,
    setters: list[Callable[[Any], None]],
    times: int,
    args: Namespace,
) -> None:
    count = 0

    def publish() -> None:
        nonlocal count
        if times and count >= times:
            return
        for setter in setters:
            setter(node.get_clock().now().to_msg())
        count += 1
        if args.print and count % args.print == 0:
            print(f"publishing #{count}: {message!r}\n")
        publisher.publish(message)

    publish()
    timer = node.create_timer(1.0 / args.rate, publish)
    while rclpy.ok() and (times == 0 or count < times):
        rclpy.spin_once(node, timeout_sec=0.5)
    node.destroy_timer(timer)
