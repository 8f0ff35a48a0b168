"""`ros2 topic hz`: the rate at which messages arrive."""

from __future__ import annotations

import argparse
import math
from argparse import Namespace
from collections import deque
from functools import partial
from typing import Any

import rclpy
from rclpy.clock import Clock, ClockType
from rclpy.qos import qos_profile_sensor_data

from ros2cli.graph import absolute, add_node_arguments, direct_node, topic_class
from ros2cli.interfaces import Message

DEFAULT_WINDOW = 10000
_NANO = 1e-9


def positive_int(text: str) -> int:
    """Read an option's value."""
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError("value must be a positive integer")
    return int(text)


def add_verb(verbs: Any) -> None:
    """Describe the command line."""
    verb = verbs.add_parser("hz", help="Print the average publishing rate to screen")
    verb.add_argument("topic_name", nargs="+", help="Names of the ROS topics (e.g. '/chatter')")
    verb.add_argument(
        "-w",
        "--window",
        dest="window_size",
        type=positive_int,
        default=DEFAULT_WINDOW,
        metavar="WINDOW",
        help=f"Number of messages to average over (default: {DEFAULT_WINDOW})",
    )
    verb.add_argument(
        "--filter", dest="filter_expr", metavar="EXPR", help="Python expression of m, the message"
    )
    verb.add_argument(
        "--wall-time", dest="use_wtime", action="store_true", help="Use wall time in simulation"
    )
    add_node_arguments(verb)
    verb.set_defaults(run=run)


class Rate:
    """Intervals between the last messages of a topic."""

    def __init__(self, window: int) -> None:
        self._intervals: deque[int] = deque(maxlen=window)
        self._last: int | None = None
        self._is_new = False

    def add(self, now: int) -> None:
        """Count a message that arrived at `now` (ns); time going backwards begins anew."""
        if self._last is None or now < self._last:
            self._intervals.clear()
        else:
            self._intervals.append(now - self._last)
            self._is_new = True
        self._last = now

    def statistics(self) -> tuple[float, float, float, float, int] | None:
        """Rate (Hz), shortest, longest, spread (s), count; None without news since last asked."""
        if not self._is_new:
            return None
        self._is_new = False
        intervals = [interval * _NANO for interval in self._intervals]
        mean = sum(intervals) / len(intervals)
        spread = math.sqrt(sum((value - mean) ** 2 for value in intervals) / len(intervals))
        rate = 1.0 / mean if mean > 0 else 0.0
        return rate, min(intervals), max(intervals), spread, len(intervals)


def run(args: Namespace) -> None:
    """Print the rates once a second until Ctrl-C."""
    accepts = eval(f"lambda m: {args.filter_expr}") if args.filter_expr else None
    rates = {topic: Rate(args.window_size) for topic in args.topic_name}
    with direct_node(args) as node:
        clock = Clock(clock_type=ClockType.SYSTEM_TIME) if args.use_wtime else node.get_clock()

        def receive(rate: Rate, message: Message) -> None:
            now = clock.now().nanoseconds
            if now and (accepts is None or accepts(message)):
                rate.add(now)

        for topic, rate in rates.items():
            kind = topic_class(node, topic, wait=True)
            # Without a filter nothing of the message is needed: leave it serialized.
            node.create_subscription(
                kind,
                absolute(topic),
                partial(receive, rate),
                qos_profile_sensor_data,
                raw=accepts is None,
            )
            if len(rates) > 1:
                print(f"Subscribed to [{topic}]")
        wall = Clock(clock_type=ClockType.STEADY_TIME)
        node.create_timer(1.0, partial(_print, rates), clock=wall)
        rclpy.spin(node)


def _print(rates: dict[str, Rate]) -> None:
    found = {topic: rate.statistics() for topic, rate in rates.items()}
    known = {topic: statistics for topic, statistics in found.items() if statistics is not None}
    if len(rates) == 1:
        for rate, least, most, spread, count in known.values():
            print(
                f"average rate: {rate:.3f}\n\tmin: {least:.3f}s max: {most:.3f}s "
                f"std dev: {spread:.5f}s window: {count}"
            )
    elif known:
        print(_table(known))


def _table(known: dict[str, tuple[float, float, float, float, int]]) -> str:
    header = ("topic", "rate", "min_delta", "max_delta", "std_dev", "window")
    rows = [
        (topic, f"{s[0]:.3f}", f"{s[1]:.3f}", f"{s[2]:.3f}", f"{s[3]:.5f}", str(s[4]))
        for topic, s in known.items()
    ]
    widths = [max(len(row[i]) for row in (header, *rows)) for i in range(len(header))]
    line = "=" * (sum(widths) + 3 * (len(widths) - 1))
    titles = "   ".join(title.center(width) for title, width in zip(header, widths, strict=True))
    body = "\n".join(
        "   ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        for row in rows
    )
    return f"{titles}\n{line}\n{body}\n"
