"""`ros2 bag info`: what a bag holds."""

from __future__ import annotations

import time
from argparse import Namespace
from pathlib import Path
from typing import Any

from ros2cli.bag_files import open_bag

_NANO = 1_000_000_000


def add_verb(verbs: Any) -> None:
    """Describe the command line."""
    verb = verbs.add_parser("info", help="Print information about a bag to the screen")
    verb.add_argument("bag_path", type=Path, help="Bag to open")
    verb.add_argument("-s", "--storage", help="Storage identifier; found out by itself")
    verb.add_argument("-t", "--topic-name", action="store_true", help="Only display topic names")
    verb.set_defaults(run=run)


def run(args: Namespace) -> None:
    """Describe a bag."""
    bag = open_bag(args.bag_path)
    topics = sorted(bag.counts.items())
    if args.topic_name:
        print("\n".join(topic.name for topic, _ in topics))
        return
    lines = [
        ("Files:", "\n".join(file.name for file in bag.files)),
        ("Bag size:", _size(sum(file.stat().st_size for file in bag.files))),
        ("Storage id:", bag.storage),
        ("ROS Distro:", bag.distribution),
        ("Duration:", _seconds(bag.end - bag.start if bag.message_count else 0) + "s"),
        ("Start:", _date(bag.start)),
        ("End:", _date(bag.end)),
        ("Messages:", str(bag.message_count)),
        (
            "Topic information:",
            "\n".join(
                f"Topic: {topic.name} | Type: {topic.type} | Count: {count} | "
                "Serialization Format: cdr"
                for topic, count in topics
            ),
        ),
    ]
    print()
    for title, text in lines:
        print(f"{title:<18} " + text.replace("\n", "\n" + " " * 19))
    if bag.cut is not None:
        print(f"\nThe bag is cut off ({bag.cut}); this is what could be read.")


def _size(count: int) -> str:
    size = float(count)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1024 or unit == "GiB":
            break
        size /= 1024
    return f"{count} B" if unit == "B" else f"{size:.1f} {unit}"


def _seconds(nanoseconds: int) -> str:
    return f"{nanoseconds // _NANO}.{nanoseconds % _NANO:09d}"


def _date(stamp: int) -> str:
    if stamp >= 2**63 - 1:
        return "none (no messages)"
    moment = time.localtime(stamp // _NANO)
    fraction = f"{stamp % _NANO:09d}"
    return time.strftime(f"%b %d %Y %H:%M:%S.{fraction}", moment) + f" ({_seconds(stamp)})"
