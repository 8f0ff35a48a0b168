"""`ros2 run`: start one executable of a package."""

from __future__ import annotations

import shlex
import signal
import subprocess
from argparse import REMAINDER, ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from ros2cli.packages import executable_in_package


def add_arguments(parser: ArgumentParser) -> None:
    """Describe the command line."""
    parser.add_argument(
        "--prefix",
        help="Prefix command, which should go before the executable. Command must be wrapped in "
        "quotes if it contains spaces (e.g. --prefix 'gdb -ex run --args').",
    )
    parser.add_argument("package_name", help="Name of the ROS package")
    parser.add_argument("executable_name", help="Name of the executable")
    parser.add_argument("argv", nargs=REMAINDER, help="Pass arbitrary arguments to the executable")
    parser.set_defaults(run=run)


def run(args: Namespace) -> int | str:
    """Start the executable and wait for it; its exit code becomes ours."""
    path = executable_in_package(args.package_name, args.executable_name)
    if path is None:
        return "No executable found"
    prefix = shlex.split(args.prefix) if args.prefix else []
    process = subprocess.Popen([*prefix, str(path), *args.argv])
    with forwarded_signals(process):
        process.wait()
    return report(process.returncode)


@contextmanager
def forwarded_signals(process: subprocess.Popen[Any]) -> Iterator[None]:
    """Pass termination on to the child; Ctrl-C reaches it from the terminal by itself."""

    def forward(number: int, _frame: FrameType | None) -> None:
        process.send_signal(number)

    def leave_to_child(_number: int, _frame: FrameType | None) -> None:
        """The terminal interrupts the whole group: the child stops, and then so do we."""

    handlers = {
        signal.SIGINT: leave_to_child,
        signal.SIGTERM: forward,
        signal.SIGHUP: forward,
    }
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def report(returncode: int) -> int:
    """Say how the child failed, if it did."""
    if returncode < 0:
        print("[ros2run]:", signal.strsignal(-returncode))
        return 256 + returncode  # what a shell sees of the real tool's negative exit code
    if returncode > 0:
        print("[ros2run]:", f"Process exited with failure {returncode}")
    return returncode
