"""Measure how steadily the viewpoint goes out, and a bare timer beside it.

    ros2 run truthbed viewpoint_rate --seconds 20 --json out/viewpoint_rate.json

It takes the times at which the node handed its messages to the middleware, so that the node is
measured and not this program. Where no viewpoint is running, one is started for the measurement.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import rclpy
from geometry_msgs.msg import PoseStamped
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.signals import SignalHandlerOptions
from rclpy.utilities import remove_ros_args

from vr_view.periods import period_figures

TOPIC = "/viewpoint/head"
QUEUE = 1000  # messages; what this program is too late for must not look like the node's gap
PATIENCE = 10.0  # s to find a running viewpoint
WARM_UP = 1.0  # s before the measurement, in which programs start


class Listener(Node):
    """Keeps the times at which the viewpoints were sent (ns of the system's clock)."""

    def __init__(self) -> None:
        super().__init__("viewpoint_rate", enable_rosout=False)
        self.times: list[int] = []
        self.create_subscription(PoseStamped, TOPIC, self._on_viewpoint, QoSProfile(depth=QUEUE))

    def _on_viewpoint(self, _: PoseStamped, info: Any) -> None:
        self.times.append(int(info["source_timestamp"]))

    def spin_for(self, seconds: float, until_heard: bool = False) -> bool:
        """Spin; with `until_heard` no longer than to the first viewpoint. Whether one was heard."""
        end = time.monotonic() + seconds
        while (rest := end - time.monotonic()) > 0.0 and not (until_heard and self.times):
            rclpy.spin_once(self, timeout_sec=rest)
        return bool(self.times)


def measure(seconds: float, rate: float) -> dict[str, Any]:
    """Return the figures of both; RuntimeError where no viewpoint comes."""
    listener = Listener()
    started = None
    try:
        if not listener.spin_for(PATIENCE, until_heard=True):
            print("no viewpoint is running: starting one for the measurement", file=sys.stderr)
            program = [sys.executable, "-m", "vr_view.viewpoint_node"]
            started = subprocess.Popen([*program, "--ros-args", "-p", f"rate:={rate}"])
            if not listener.spin_for(3.0 * PATIENCE, until_heard=True):
                raise RuntimeError(f"nothing came on {TOPIC}: is its mode's transform missing?")
        return _side_by_side(listener, seconds, rate)
    finally:
        listener.destroy_node()
        if started is not None:
            started.terminate()
            started.wait()


def _side_by_side(listener: Listener, seconds: float, rate: float) -> dict[str, Any]:
    bare_seconds = str(seconds + WARM_UP)
    command = [sys.executable, "-m", "vr_view.bare_timer", "--rate", str(rate)]
    with subprocess.Popen(
        [*command, "--seconds", bare_seconds], stdout=subprocess.PIPE, text=True
    ) as bare:
        listener.spin_for(WARM_UP)
        listener.times.clear()
        begin = time.time_ns()
        listener.spin_for(seconds)
        times = [sent for sent in listener.times if sent >= begin]
        output, _ = bare.communicate()
    if len(times) < 2:
        raise RuntimeError(f"{TOPIC} went silent: is its mode's transform missing?")
    if listener.count_publishers(TOPIC) > 1:
        raise RuntimeError(f"several nodes publish {TOPIC}: expected one")
    bare_figures = period_figures(json.loads(output), rate)
    return {
        **period_figures(times, rate),
        "bare_rate_hz": bare_figures["rate_hz"],
        "bare_within_2ms": bare_figures["within_2ms"],
        "bare_longest_ms": bare_figures["longest_ms"],
        "seconds": seconds,
    }


def as_text(figures: dict[str, Any]) -> str:
    """Return a line for the node and one for the bare timer."""
    return "\n".join(
        f"{name:<10} {figures[prefix + 'rate_hz']:6.2f} Hz, "
        f"{100.0 * figures[prefix + 'within_2ms']:6.2f} % of periods within 2 ms, "
        f"longest {figures[prefix + 'longest_ms']:.1f} ms{extra}"
        for name, prefix, extra in (
            ("viewpoint", "", f", {figures['skipped']} skipped"),
            ("bare timer", "bare_", ""),
        )
    )


def main(args: list[str] | None = None) -> int:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20.0, help="how long to measure")
    parser.add_argument("--rate", type=float, default=90.0, help="the rate that is due, Hz")
    parser.add_argument("--json", type=Path, help="file for the figures")
    command_line = sys.argv if args is None else [sys.argv[0], *args]
    given = parser.parse_args(remove_ros_args(command_line)[1:])
    if given.seconds <= 0.0 or given.rate <= 0.0:
        parser.error("--seconds and --rate: expected more than 0")
    rclpy.init(args=command_line, signal_handler_options=SignalHandlerOptions.NO)
    try:
        figures = measure(given.seconds, given.rate)
    except KeyboardInterrupt:
        return 130
    except RuntimeError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    finally:
        rclpy.try_shutdown()
    print(as_text(figures))
    if given.json is not None:
        given.json.parent.mkdir(parents=True, exist_ok=True)
        given.json.write_text(json.dumps(figures, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
