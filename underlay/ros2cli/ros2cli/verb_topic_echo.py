"""`ros2 topic echo`: show the messages of a topic."""

from __future__ import annotations

import argparse
from argparse import Namespace
from collections.abc import Callable
from typing import Any

import rclpy
import yaml
from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.node import Node
from rclpy.qos import QoSPresetProfiles

from ros2cli.cli import CommandError
from ros2cli.graph import (
    absolute,
    add_node_arguments,
    await_topic,
    direct_node,
    spin_until,
    topic_class,
)
from ros2cli.interfaces import Message, Style, message_class, to_csv, to_plain, to_yaml
from ros2cli.qos_arguments import add_qos_arguments, is_chosen, matching, profile

DEFAULT_TRUNCATE_LENGTH = 128


def positive_float(text: str) -> float:
    """Read an option's value."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not value > 0:
        raise argparse.ArgumentTypeError("Value must be positive")
    return value


def unsigned(text: str) -> int:
    """Read an option's value."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError("value must be non-negative integer")
    return int(text)


def add_verb(verbs: Any) -> None:
    """Describe the command line."""
    verb = verbs.add_parser("echo", help="Output messages from a topic")
    add_node_arguments(verb)
    verb.add_argument("topic_name", help="Name of the ROS topic (e.g. '/chatter')")
    verb.add_argument("message_type", nargs="?", help="Type (e.g. 'std_msgs/msg/String')")
    add_qos_arguments(verb, "sensor_data")
    verb.add_argument("--csv", action="store_true", help="All fields separated by commas")
    verb.add_argument("--field", help="Echo a selected field; '.' selects sub-fields")
    verb.add_argument(
        "-f", "--full-length", action="store_true", help="Show arrays and text in full"
    )
    verb.add_argument(
        "-l",
        "--truncate-length",
        type=unsigned,
        default=DEFAULT_TRUNCATE_LENGTH,
        help=f"Length to truncate arrays and text to (default: {DEFAULT_TRUNCATE_LENGTH})",
    )
    verb.add_argument("--no-arr", action="store_true", help="Don't print array fields")
    verb.add_argument("--no-str", action="store_true", help="Don't print string fields")
    verb.add_argument("--flow-style", action="store_true", help="Print collections in one line")
    verb.add_argument(
        "--no-lost-messages", action="store_true", help="Don't report when a message is lost"
    )
    verb.add_argument("--raw", action="store_true", help="Echo the raw binary representation")
    verb.add_argument("--filter", dest="filter_expr", help="Python expression of m, the message")
    verb.add_argument("--once", action="store_true", help="Print the first message and exit")
    verb.add_argument("--timeout", metavar="N", type=positive_float, help="Give up after N s")
    verb.add_argument(
        "-i", "--include-message-info", action="store_true", help="Shows the message info"
    )
    verb.add_argument("-n", "--node-name", help="The name of the echoing node")
    verb.set_defaults(run=run)


class Echo:
    """Prints messages as the options ask."""

    def __init__(self, args: Namespace) -> None:
        self.args = args
        self.done = False
        self.failure: str | None = None
        length = None if args.full_length else args.truncate_length
        self.style = Style(length, args.no_arr, args.no_str)
        self.fields = [part for part in (args.field or "").split(".") if part]
        if args.field is not None and not self.fields:
            raise CommandError(f"Invalid field value '{args.field}'")
        self.accepts: Callable[[Message], bool] = (
            eval(f"lambda m: {args.filter_expr}") if args.filter_expr else lambda _: True
        )

    def __call__(self, message: Message, info: Any) -> None:
        """Print one message; whatever goes wrong ends the command with its reason."""
        if self.done:
            return
        try:
            shown = message
            for name in self.fields:
                shown = getattr(shown, name)
            if not self.accepts(shown):
                return
        except Exception as error:
            self.failure = f"Invalid field '{'.'.join(self.fields)}': {error}"
            self.done = True
            return
        self.done = self.args.once
        self._print(shown, info)

    def _print(self, shown: Any, info: Any) -> None:
        is_message = hasattr(shown, "SLOT_TYPES")
        if self.args.csv and is_message:
            values = ",".join(str(value) for value in info.values())
            prefix = f"{values}," if self.args.include_message_info else ""
            print(prefix + to_csv(shown, self.style))
            return
        if self.args.include_message_info:
            print(yaml.dump(dict(info)), end="---\n")
        if is_message:
            print(to_yaml(shown, self.style, self.args.flow_style), end="---\n")
        elif isinstance(shown, (list, tuple)) and shown and hasattr(shown[0], "SLOT_TYPES"):
            print(yaml.dump(to_plain(shown, self.style), sort_keys=False), end="---\n")
        else:
            print(shown, end="\n---\n")


def run(args: Namespace) -> str | None:
    """Print messages until Ctrl-C, `--once` or `--timeout`."""
    echo = Echo(args)
    with direct_node(args, args.node_name) as node:
        topic = absolute(args.topic_name)
        if args.message_type is None:
            await_topic(node, topic)
        qos = (
            profile(args)
            if is_chosen(args)
            else matching(node, topic, QoSPresetProfiles.get_from_short_key(args.qos_profile))
        )
        if args.message_type is None:
            kind = topic_class(node, args.topic_name)
        else:
            try:
                kind = message_class(args.message_type)
            except CommandError as error:
                raise CommandError("The passed message type is invalid") from error
        _subscribe(node, topic, kind, qos, echo)
        spin_until(node, lambda: echo.done or not rclpy.ok(), args.timeout)
    return echo.failure


def _subscribe(node: Node, topic: str, kind: Any, qos: Any, echo: Echo) -> None:
    events = None
    if not echo.args.no_lost_messages:
        events = SubscriptionEventCallbacks(message_lost=_tell_lost)
    node.create_subscription(kind, topic, echo, qos, event_callbacks=events, raw=echo.args.raw)


def _tell_lost(status: Any) -> None:
    print(
        f"A message was lost!!!\n\ttotal count change:{status.total_count_change}"
        f"\n\ttotal count: {status.total_count}",
        end="---\n",
    )
