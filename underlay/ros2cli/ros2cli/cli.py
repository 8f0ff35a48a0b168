"""Find the command's module, parse its arguments, run it and turn its result into an exit code."""

from __future__ import annotations

import argparse
import importlib
import signal
import sys
import threading
from collections.abc import Sequence
from typing import NoReturn

COMMANDS = {
    "action": "Various action related sub-commands",
    "bag": "Record, play and describe bags",
    "interface": "Show information about ROS interfaces",
    "launch": "Run a launch file",
    "node": "Various node related sub-commands",
    "param": "Various param related sub-commands",
    "pkg": "Various package related sub-commands",
    "run": "Run a package specific executable",
    "service": "Various service related sub-commands",
    "topic": "Various topic related sub-commands",
}


class CommandError(RuntimeError):
    """A command cannot do what it was asked; the text goes to stderr and the exit code is 1."""


def build_parser(command: str | None) -> argparse.ArgumentParser:
    """Make the parser; only the chosen command's module is imported, since rclpy loads slowly."""
    parser = argparse.ArgumentParser(
        prog="ros2", description="ros2 is an extensible command-line tool for ROS 2."
    )
    commands = parser.add_subparsers(
        title="Commands", metavar="Call `ros2 <command> -h` for more detailed usage."
    )
    for name, description in COMMANDS.items():
        sub = commands.add_parser(name, help=description, description=description)
        if name == command:
            importlib.import_module(f"ros2cli.verb_{name}").add_arguments(sub)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line.

    Returns:
        The exit code: 0, 1 for an error told on stderr, 2 for wrong arguments and for Ctrl-C.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    # Pipes get every line at once, as on a terminal.
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    # Imports take a second: until they are done, Ctrl-C is the end and not a traceback.
    in_main = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGINT, signal.SIG_DFL) if in_main else None
    command = next((word for word in arguments if not word.startswith("-")), None)
    parser = build_parser(command)
    if in_main:
        signal.signal(signal.SIGINT, before)
    parsed = parser.parse_args(arguments)
    if not hasattr(parsed, "run"):
        parser.print_help()
        return 0
    try:
        outcome = parsed.run(parsed)
    except KeyboardInterrupt:
        return int(signal.SIGINT)
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output has gone; Python would complain at exit
        return 1
    except RuntimeError as error:
        outcome = str(error)
    if isinstance(outcome, str):
        print(outcome, file=sys.stderr)
        return 1
    return int(outcome or 0)


def entry() -> NoReturn:
    """Console script."""
    sys.exit(main())
