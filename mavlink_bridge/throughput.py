"""`ros2 run truthbed throughput`: how much a link carries, by packet size and packets per second.

At one end `throughput --serve LINK`, at the other `throughput --link LINK`; or `throughput
--emulate` for an emulated link, in simulated time. `throughput --plot A.json B.json` draws several
measurements, of several distances say, in one figure.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mavlink_bridge.links.channel import Conditions
from mavlink_bridge.links.link import Link, LinkError
from mavlink_bridge.links.link_emulator import LinkEmulator
from mavlink_bridge.links.link_url import open_link
from mavlink_bridge.links.waiting import wait
from mavlink_bridge.throughput_plots import draw_plots
from mavlink_bridge.throughput_probe import MeasurementError, Outcome, Probe, Responder, Run
from spatial_types.parameters import ParameterError, from_mapping

SIZES = (1, *range(10, 101, 10))
RATES = tuple(range(10, 101, 10))
# What the thesis measured: uplink half of the 1 KB/s that is advertised; downlink about a third
# lost of 100 packets a second of 100 bytes, which are dropped, not queued.
THESIS_UP = {"rate": 500.0, "delay": 0.05, "queue": 1000.0}
THESIS_DOWN = {"rate": 6700.0, "delay": 0.05, "queue": 200.0, "loss": 0.01}
IDLE = 0.2
STEP = 0.05


@dataclass(frozen=True)
class Grid:
    """What is measured. Uplink packets follow each other as fast as the link says it takes them."""

    sizes: tuple[int, ...] = SIZES
    rates: tuple[float, ...] = RATES
    packets: int = 100
    up: bool = True
    down: bool = True

    def runs(self, up_limit: float | None) -> Iterator[Run]:
        """Yield the runs; `up_limit` in bytes per second, None if the link does not say."""
        fastest = max(self.rates)
        for size in self.sizes:
            if self.up:
                rate = min(fastest, up_limit / size) if up_limit else fastest
                yield Run(True, size, rate, self.packets)
            for rate in self.rates if self.down else ():
                yield Run(False, size, rate, self.packets)


def measure(link: Link, grid: Grid, advance: Callable[[Probe], float]) -> list[dict[str, Any]]:
    """Run the grid over a link; `advance` lets time pass until the probe should be polled again.

    Raises MeasurementError when the other end does not answer.
    """
    probe = Probe(link)
    cells = []
    for number, run in enumerate(grid.runs(link.limits.up)):
        probe.start(run, number % 65536)
        while probe.outcome is None:
            probe.poll(advance(probe))
        cells.append(_cell(probe.outcome))
        _tell(cells[-1])
    return cells


def measure_emulated(up: Conditions, down: Conditions, seed: int, grid: Grid) -> list[Any]:
    """Measure an emulated link in simulated time."""
    emulator = LinkEmulator(up, down, seed)
    responder, now = Responder(emulator.b), [0.0]

    def advance(probe: Probe) -> float:
        times = (emulator.next_time(), probe.next_time(), responder.next_time())
        coming = min((item for item in times if item is not None), default=now[0] + STEP)
        now[0] = min(max(coming, now[0] + 1e-5), now[0] + STEP)
        responder.poll(now[0])
        return now[0]

    return measure(emulator.a, grid, advance)


def measure_real(link: Link, grid: Grid) -> list[Any]:
    """Measure a link whose other end runs `serve`."""

    def advance(probe: Probe) -> float:
        _wait(link, probe.next_time())
        return time.monotonic()

    return measure(link, grid, advance)


def serve(link: Link, until: Callable[[], bool] = lambda: False) -> int:
    """Answer measurements until told to stop; return how many runs there were."""
    responder = Responder(link)
    while not until():
        _wait(link, responder.next_time())
        responder.poll(time.monotonic())
    return responder.runs


def _wait(link: Link, due: float | None) -> None:
    now = time.monotonic()
    wait([link], now, IDLE if due is None else min(IDLE, max(0.0, due - now)))


def _cell(outcome: Outcome) -> dict[str, Any]:
    run = outcome.run
    return {
        "up": run.up,
        "size": run.size,
        "rate": run.rate,
        "sent": run.packets,
        "received": outcome.received,
        "loss": round(outcome.loss, 4),
        "throughput": round(outcome.throughput, 2),
    }


def _tell(cell: dict[str, Any]) -> None:
    way = "up  " if cell["up"] else "down"
    rate = f"{cell['rate']:6.1f} Hz"
    lost = f"{100 * cell['loss']:5.1f} % lost"
    print(f"{way} {cell['size']:4d} B {rate} {lost} {cell['throughput']:9.1f} B/s", flush=True)


def _conditions(text: str, otherwise: dict[str, float]) -> Conditions:
    """Read name=value,name=value; ParameterError names what is wrong."""
    values: dict[str, Any] = {} if text else dict(otherwise)
    for item in filter(None, text.split(",")):
        name, _, value = item.partition("=")
        try:
            values[name] = float(value)
        except ValueError:
            raise ParameterError(f"'{item}': expected name=number") from None
        if name == "corrupt_bits":
            values[name] = int(values[name])
    return from_mapping(Conditions, values)


def _numbers(text: str) -> tuple[float, ...]:
    try:
        numbers = tuple(float(item) for item in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}': expected numbers with commas") from None
    if not numbers or min(numbers) <= 0:
        raise argparse.ArgumentTypeError(f"'{text}': expected positive numbers")
    return numbers


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="throughput", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--link", metavar="LINK", help="measure this link, as udpout:HOST:PORT")
    what.add_argument("--serve", metavar="LINK", help="be the other end, as udpin:HOST:PORT")
    what.add_argument("--emulate", action="store_true", help="measure an emulated link")
    what.add_argument("--plot", nargs="+", type=Path, metavar="JSON", help="draw measurements")
    add = parser.add_argument
    add("--up", default="", metavar="CONDITIONS", help="emulated: rate=500,loss=0.01,delay=0.05")
    add("--down", default="", metavar="CONDITIONS", help="the same, from the other end")
    add("--seed", type=int, default=0, help="of the emulated link")
    add("--sizes", type=_numbers, default=SIZES, metavar="B,B", help="bytes per packet")
    add("--rates", type=_numbers, default=RATES, metavar="HZ,HZ", help="packets per second")
    add("--packets", type=int, default=100, help="of each run")
    add("--direction", choices=("both", "up", "down"), default="both")
    add("--series", default="", help="name in the plots: the distance, say")
    add("--json", type=Path, metavar="OUT", help="write the figures here")
    add("--plots", type=Path, metavar="FOLDER", help="draw the plots here")
    return parser


def _measurement(arguments: argparse.Namespace) -> dict[str, Any]:
    grid = Grid(
        tuple(int(size) for size in arguments.sizes),
        arguments.rates,
        arguments.packets,
        arguments.direction != "down",
        arguments.direction != "up",
    )
    if arguments.emulate:
        up = _conditions(arguments.up, THESIS_UP)
        down = _conditions(arguments.down, THESIS_DOWN)
        cells = measure_emulated(up, down, arguments.seed, grid)
        return {"series": arguments.series or "emulated", "cells": cells}
    link = open_link(arguments.link)
    try:
        cells = measure_real(link, grid)
    finally:
        link.close()
    return {"series": arguments.series or arguments.link, "cells": cells}


def _run(arguments: argparse.Namespace) -> None:
    if arguments.serve:
        link = open_link(arguments.serve)
        print(f"answering on {arguments.serve}; Ctrl-C ends", flush=True)
        try:
            serve(link)
        finally:
            link.close()
    if arguments.plot:
        measurements = [json.loads(path.read_text()) for path in arguments.plot]
    else:
        measurements = [_measurement(arguments)]
    if arguments.json and not arguments.plot:
        arguments.json.write_text(json.dumps(measurements[0], indent=1) + "\n")
    if arguments.plots:
        for path in draw_plots(measurements, arguments.plots):
            print(path)


def main(args: Sequence[str] | None = None) -> int:
    """Run the command; 2 for what is refused, 1 when the other end does not answer."""
    parser = _parser()
    arguments = parser.parse_args(args)
    if arguments.plot and not arguments.plots:
        parser.error("--plot needs --plots FOLDER")
    if not 1 <= arguments.packets <= 65535:
        parser.error("--packets must be 1 to 65535")
    try:
        _run(arguments)
    except (LinkError, ParameterError, OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except MeasurementError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
