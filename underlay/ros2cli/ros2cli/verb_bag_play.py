"""`ros2 bag play`: publish what a bag holds, in its own rhythm."""

from __future__ import annotations

import argparse
import re
import time
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import rclpy
from rclpy.node import Node
from rclpy.qos import QoSProfile, QoSReliabilityPolicy
from rosgraph_msgs.msg import Clock

from ros2cli.bag_files import Bag, open_bag
from ros2cli.bag_qos import offered
from ros2cli.bag_salvage import Message, Topic
from ros2cli.cli import CommandError
from ros2cli.graph import absolute, direct_node, spin_until
from ros2cli.interfaces import message_class
from ros2cli.verb_topic_echo import positive_float

_NANO = 1_000_000_000
_DEFAULT_CLOCK_RATE = 40.0
#: Longest sleep at once, so that Ctrl-C is noticed within gaps of the recording.
_STEP = 0.1
#: Longest wait for subscribers of every topic (s).
_DISCOVERY = 1.0


def non_negative(text: str) -> float:
    """Read an option's value."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if value < 0:
        raise argparse.ArgumentTypeError("Value must be positive or zero")
    return value


def add_verb(verbs: Any) -> None:
    """Describe the command line."""
    verb = verbs.add_parser("play", help="Play back ROS data from a bag")
    verb.add_argument("bag_path", type=Path, help="Bag to open")
    verb.add_argument("-s", "--storage", help="Storage identifier; found out by itself")
    verb.add_argument("-r", "--rate", type=positive_float, default=1.0, help="Rate (default: 1)")
    verb.add_argument("--topics", nargs="+", default=[], help="Topics to replay (default: all)")
    verb.add_argument("--exclude-topics", nargs="+", default=[], help="Topics not to replay")
    verb.add_argument("-e", "--regex", help="Replay topics whose name contains this expression")
    verb.add_argument("-x", "--exclude-regex", help="Do not replay topics that contain this")
    verb.add_argument("-l", "--loop", action="store_true", help="Begin again at the end")
    verb.add_argument(
        "-m", "--remap", nargs="+", default=[], help="List of topics to remap: 'old:=new'"
    )
    verb.add_argument(
        "--clock",
        type=positive_float,
        nargs="?",
        const=_DEFAULT_CLOCK_RATE,
        metavar="HZ",
        help=f"Publish to /clock at this rate (default: {_DEFAULT_CLOCK_RATE:g})",
    )
    verb.add_argument("-d", "--delay", type=non_negative, default=0.0, help="Wait before playing")
    verb.add_argument(
        "--start-offset", type=non_negative, default=0.0, help="Start this many seconds in"
    )
    verb.add_argument("--playback-duration", type=float, default=-1.0, help="Seconds to play")
    verb.add_argument("--read-ahead-queue-size", type=int, help="Accepted; not needed")
    verb.add_argument("--disable-keyboard-controls", action="store_true", help="There are none")
    verb.set_defaults(run=run)


def run(args: Namespace) -> None:
    """Play a bag to its end, or until Ctrl-C."""
    bag = open_bag(args.bag_path)
    remaps = dict(_remap(word) for word in args.remap)
    chosen = [topic for topic in bag.counts if _is_chosen(topic.name, args)]
    with direct_node(args, "rosbag2_player", discover=False) as node:
        log = node.get_logger()
        if bag.cut is not None:
            log.warning(
                f"'{bag.path}' is cut off ({bag.cut}); playing what there is before the cut"
            )
        publishers = _publishers(node, chosen, remaps)
        clock = node.create_publisher(Clock, "/clock", _CLOCK_QOS) if args.clock else None
        _wait_for_subscribers(node, publishers, args.delay)
        log.info(f"Set rate to {args.rate:g}")
        try:
            while rclpy.ok():
                played, last = _play(bag, publishers, clock, args)
                if not args.loop or not played:
                    break
        except KeyboardInterrupt:
            return
        if bag.cut is not None:
            seconds = (last - bag.start) / _NANO
            log.warning(f"played {played} messages up to the cut, {seconds:.3f} s from the start")
        # What is still on its way to reliable subscribers must arrive before we go.
        for publisher in publishers.values():
            publisher.wait_for_all_acked(rclpy.duration.Duration(seconds=1))


def _wait_for_subscribers(node: Node, publishers: dict[Topic, Any], delay: float) -> None:
    """Whoever listens needs a moment to find us, or it would miss the beginning."""

    def all_have() -> bool:
        return all(publisher.get_subscription_count() for publisher in publishers.values())

    began = time.monotonic()
    spin_until(node, all_have, _DISCOVERY)
    spin_until(node, lambda: False, delay - (time.monotonic() - began))


_CLOCK_QOS = QoSProfile(depth=1, reliability=QoSReliabilityPolicy.BEST_EFFORT)


def _remap(word: str) -> tuple[str, str]:
    old, separator, new = word.partition(":=")
    if not separator or not old or not new:
        raise CommandError(f"'{word}' is no remapping; expected 'old:=new'")
    return absolute(old), absolute(new)


def _is_chosen(name: str, args: Namespace) -> bool:
    if args.clock and name == "/clock":  # two clocks would make time jump to and fro
        return False
    if name in {absolute(topic) for topic in args.exclude_topics}:
        return False
    if args.exclude_regex and re.search(args.exclude_regex, name):
        return False
    if not args.topics and not args.regex:
        return True
    listed = name in {absolute(topic) for topic in args.topics}
    return listed or bool(args.regex and re.search(args.regex, name))


def _publishers(node: Node, topics: list[Topic], remaps: dict[str, str]) -> dict[Topic, Any]:
    publishers = {}
    for topic in topics:
        profile, differ = offered(topic.qos)
        if differ:
            node.get_logger().warning(
                f"publishers of '{topic.name}' had different QoS; playing with the default"
            )
        try:
            kind = message_class(topic.type)
        except CommandError as error:
            node.get_logger().warning(f"Topic '{topic.name}' is not played: {error}")
            continue
        name = remaps.get(topic.name, topic.name)
        publishers[topic] = node.create_publisher(kind, name, profile)
    return publishers


def _events(bag: Bag, topics: list[Topic], args: Namespace) -> Iterator[tuple[int, Message | None]]:
    """Messages and, where a clock is asked for, ticks (None), in order of bag time."""
    start = bag.start + int(args.start_offset * _NANO)
    duration = args.playback_duration
    end = start + int(duration * _NANO) if duration >= 0 else None
    # Ticks come at so many per second of wall time, as in the real player.
    period = int(_NANO * args.rate / args.clock) if args.clock else 0
    tick = start
    for message in bag.messages(topics, start):
        if end is not None and message.stamp > end:
            return
        while period and tick <= message.stamp:
            yield tick, None
            tick += period
        yield message.stamp, message


def _play(bag: Bag, publishers: dict[Topic, Any], clock: Any, args: Namespace) -> tuple[int, int]:
    """Play once; returns the number of messages and the time (ns) of the last."""
    first: int | None = None
    began = time.monotonic()
    played, last = 0, bag.start
    for stamp, message in _events(bag, list(publishers), args):
        if first is None:
            first = bag.start + int(args.start_offset * _NANO)
        _sleep_until(began + (stamp - first) / _NANO / args.rate)
        if not rclpy.ok():
            raise KeyboardInterrupt
        if message is None:
            tick = Clock()
            tick.clock.sec, tick.clock.nanosec = divmod(stamp, _NANO)
            clock.publish(tick)
        else:
            publishers[message.topic].publish(message.data)
            played, last = played + 1, stamp
    return played, last


def _sleep_until(moment: float) -> None:
    while (left := moment - time.monotonic()) > 0 and rclpy.ok():
        time.sleep(min(left, _STEP))
