"""`ros2 launch`: run a launch file written in XML."""

from __future__ import annotations

import os
import shutil
from argparse import ArgumentParser, Namespace
from pathlib import Path

from ros2cli.cli import CommandError
from ros2cli.launch_runner.actions import Evaluation, load
from ros2cli.launch_runner.arguments import check_arguments
from ros2cli.launch_runner.context import Context
from ros2cli.launch_runner.describe import print_arguments, print_tree
from ros2cli.launch_runner.entity import LaunchError
from ros2cli.launch_runner.log import LaunchLog
from ros2cli.launch_runner.supervisor import Supervisor
from ros2cli.packages import file_in_share

#: Switches as the real command has them.
_OPTIONS = (
    (
        ("-n", "--noninteractive"),
        "Run the launch system non-interactively, with no terminal associated",
    ),
    (("-d", "--debug"), "Put the launch system in debug mode"),
    (("-a", "--show-all-subprocesses-output"), "Show all launched subprocesses' output"),
)
_EITHER = (
    (
        ("-p", "--print", "--print-description"),
        "Print the launch description to the console without launching it.",
    ),
    (
        ("-s", "--show-args", "--show-arguments"),
        "Show arguments that may be given to the launch file.",
    ),
)


def add_arguments(parser: ArgumentParser) -> None:
    """Describe the command line."""
    group = parser.add_mutually_exclusive_group()
    for where, options in ((parser, _OPTIONS), (group, _EITHER)):
        for flags, text in options:
            where.add_argument(*flags, action="store_true", help=text)
    parser.add_argument("--launch-prefix", help="Command which goes before all executables")
    parser.add_argument(
        "--launch-prefix-filter", help="Regex for the executables that --launch-prefix is for"
    )
    parser.add_argument("package_name", help="Package which contains the launch file, or a path")
    parser.add_argument("launch_file_name", nargs="?", help="Name of the launch file")
    parser.add_argument(
        "launch_arguments",
        nargs="*",
        help="Arguments to the launch file; '<name>:=<value>' (for duplicates, last one wins)",
    )
    parser.set_defaults(run=run)


def run(args: Namespace) -> int:
    """Launch, or describe, a launch file."""
    words = list(args.launch_arguments)
    if os.path.isfile(args.package_name):
        path = Path(args.package_name)
        words[:0] = [args.launch_file_name] if args.launch_file_name is not None else []
    elif args.launch_file_name is None:
        raise CommandError(
            f"'{args.package_name}' is not a launch file; for a package name its launch file too"
        )
    else:
        path = file_in_share(args.package_name, args.launch_file_name)
    path = path.absolute()
    if args.launch_prefix_filter is not None and args.launch_prefix is None:
        raise CommandError(
            "--launch-prefix must be specified if --launch-prefix-filter is provided"
        )
    if args.print or args.show_args:
        (print_tree if args.print else print_arguments)(load(path))
        return 0
    arguments = parse_arguments(words)
    for name in ("launch_prefix", "launch_prefix_filter"):
        if getattr(args, name) is not None:
            arguments[name.replace("_", "-")] = getattr(args, name)
    if args.show_all_subprocesses_output:
        os.environ["OVERRIDE_LAUNCH_PROCESS_OUTPUT"] = "both"
    return launch(path, arguments)


def parse_arguments(words: list[str]) -> dict[str, str]:
    """Read `name:=value` words.

    Raises:
        CommandError: a word of another form.
    """
    arguments = {}
    for word in words:
        name, separator, value = word.partition(":=")
        if not name or not separator or not value:
            raise CommandError(
                f"malformed launch argument '{word}', expected format '<name>:=<value>'"
            )
        arguments[name] = value
    return arguments


def launch(path: Path, arguments: dict[str, str]) -> int:
    """Evaluate a launch file and run what it asks for.

    Returns:
        0, or 1 when the file or an argument is wrong, a required process died with an error, or a
        signal other than Ctrl-C ended the launch.
    """
    log = LaunchLog()
    if log.folder is not None:
        log.say("INFO", "launch", f"All log files can be found below {log.folder}")
    log.say("INFO", "launch", "Default logging verbosity is set to INFO")
    context = Context(path)
    try:
        root = load(path)
        plans = Evaluation(context).run(root, arguments)
        check_arguments(root, arguments, context.scope, log)
        return Supervisor(plans, log).run()
    except LaunchError as error:
        log.say(
            "ERROR",
            "launch",
            f"Caught exception in launch (see debug for traceback): {error}",
        )
        return 1
    finally:
        shutil.rmtree(context.folder, ignore_errors=True)
        log.close()
