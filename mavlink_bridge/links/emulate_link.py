r"""Puts a bad link between two programs, in real time.

    ros2 run truthbed link_emulator udpin:127.0.0.1:14550 udpout:127.0.0.1:14551 \
        --loss 0.2 --delay 0.05 --there-rate 1000 --back-rate 8000 --seed 1

What comes on the first link goes out of the second ("there") and the other way round ("back"), as
the conditions let it. An option without `there-` or `back-` holds for both ways. Ctrl-C ends it,
with the counts of what became of the packets.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
import time

from mavlink_bridge.links.channel import Channel, Conditions
from mavlink_bridge.links.link import Link, LinkError
from mavlink_bridge.links.link_url import open_link
from mavlink_bridge.links.waiting import wait
from spatial_types.parameters import ParameterError, from_mapping

WAYS = ("there", "back")
LONGEST_WAIT = 0.5


class Emulation:
    """Two real links with a channel each way between them."""

    def __init__(
        self, first: Link, second: Link, there: Conditions, back: Conditions, seed: int
    ) -> None:
        self.channels = {"there": Channel(there, 2 * seed), "back": Channel(back, 2 * seed + 1)}
        self._routes = (
            (first, self.channels["there"], second),
            (second, self.channels["back"], first),
        )

    def poll(self, now: float) -> None:
        """Take what has come and pass on what is due."""
        for source, channel, sink in self._routes:
            for packet in source.receive(now):
                channel.put(packet, now)
            for packet in channel.take(now):
                sink.send(packet, now)

    def wait(self, now: float, timeout: float) -> None:
        """Wait until something comes or is due."""
        times = [
            time for _, channel, _ in self._routes if (time := channel.next_time()) is not None
        ]
        wait(
            [source for source, _, _ in self._routes],
            now,
            min([timeout, *(t - now for t in times)]),
        )


def conditions_from(options: argparse.Namespace, way: str) -> Conditions:
    """Return one way's conditions; ParameterError when they are impossible."""
    values = {}
    for item in dataclasses.fields(Conditions):
        for name in (item.name, f"{way}_{item.name}"):
            value = getattr(options, name)
            if value is not None:
                values[item.name] = value
    return from_mapping(Conditions, values, f"{way}: ")


def arguments_parser() -> argparse.ArgumentParser:
    """Return the parser, with an option for each condition and way."""
    parser = argparse.ArgumentParser(
        prog="link_emulator",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("first", help="link to one program")
    parser.add_argument("second", help="link to the other")
    parser.add_argument("--seed", type=int, default=0, help="the same seed loses the same packets")
    parser.add_argument("--seconds", type=float, help="end after this time; else at Ctrl-C")
    for item in dataclasses.fields(Conditions):
        option = item.name.replace("_", "-")
        kind = type(item.default)
        unit = f" [{item.metadata['unit']}]" if item.metadata["unit"] else ""
        help_text = f"{item.metadata['description']}{unit} (default {item.default:g})"
        parser.add_argument(f"--{option}", type=kind, metavar="X", help=help_text)
        for way in WAYS:
            parser.add_argument(f"--{way}-{option}", type=kind, help=argparse.SUPPRESS)
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Run until Ctrl-C; see the module's text."""
    options = arguments_parser().parse_args(arguments)
    try:
        there, back = (conditions_from(options, way) for way in WAYS)
        links = (open_link(options.first), open_link(options.second))
        emulation = Emulation(*links, there, back, options.seed)
    except (LinkError, ParameterError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    begun = now = time.monotonic()
    try:
        while options.seconds is None or now < begun + options.seconds:
            emulation.poll(now)
            emulation.wait(now, LONGEST_WAIT)
            now = time.monotonic()
    except KeyboardInterrupt:
        pass
    for way, channel in emulation.channels.items():
        counts = dataclasses.asdict(channel.statistics).items()
        print(f"{way}: " + ", ".join(f"{count} {name}" for name, count in counts))
    for link in links:
        link.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
