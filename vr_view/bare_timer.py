"""A timer loop that does nothing: what the machine allows, to hold a node's periods against.

    python -m vr_view.bare_timer --rate 90 --seconds 10

prints the times of its ticks (ns of the system's clock) as JSON.
"""

from __future__ import annotations

import argparse
import json
import sys
import time

from vr_view.steady_loop import SteadyLoop, be_punctual


def ticks(rate: float, seconds: float) -> list[int]:
    """Run such a loop for some seconds and return when it ticked (ns)."""
    times: list[int] = []
    be_punctual()
    loop = SteadyLoop(rate, lambda: times.append(time.time_ns()), "bare")
    loop.start()
    time.sleep(seconds)
    loop.close()
    return times


def main(args: list[str] | None = None) -> int:
    """Run the loop and print its times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rate", type=float, default=90.0, help="Hz")
    parser.add_argument("--seconds", type=float, default=10.0)
    given = parser.parse_args(args)
    print(json.dumps(ticks(given.rate, given.seconds)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
