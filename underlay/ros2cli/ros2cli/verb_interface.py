"""`ros2 interface list` and `show`: the definitions that packages install."""

from __future__ import annotations

import re
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path

from ament_index_python import get_resource, get_resources

from ros2cli.cli import CommandError
from ros2cli.packages import get_package_share_directory

KINDS = (("msg", "Messages"), ("srv", "Services"), ("action", "Actions"))
_INDEX = "rosidl_interfaces"
# A field whose type is a message: `package/Type name`, an array of them too.
_NESTED = re.compile(r"^\s*([A-Za-z]\w*)/(?:msg/)?([A-Za-z]\w*)(?:\[[^\]]*\])?\s+\w")
# A field whose type is a message of the same package: `Type name`, but no constant.
_NEIGHBOUR = re.compile(r"^\s*([A-Z]\w*)(?:\[[^\]]*\])?\s+\w")


def add_arguments(parser: ArgumentParser) -> None:
    """Describe the command line."""
    verbs = parser.add_subparsers(title="Verbs", required=True)
    verb = verbs.add_parser("list", help="List all interface types available")
    for letter, (kind, title) in zip("msa", KINDS, strict=True):
        verb.add_argument(
            f"-{letter}",
            f"--only-{kind}s",
            dest="only",
            action="store_const",
            const=kind,
            help=f"Print out only the {title.lower()}",
        )
    verb.set_defaults(run=run_list)
    verb = verbs.add_parser("show", help="Output the interface definition")
    comments = verb.add_mutually_exclusive_group()
    comments.add_argument(
        "--all-comments", action="store_true", help="Show comments of nested definitions too"
    )
    comments.add_argument(
        "--no-comments", action="store_true", help="Show no comments or whitespace"
    )
    verb.add_argument("type", help="Interface, e.g. 'std_msgs/msg/String'; '-' reads it from stdin")
    verb.set_defaults(run=run_show)


def run_list(args: Namespace) -> None:
    """Print all types, those of each kind under a title."""
    for kind, title in KINDS:
        if args.only not in (None, kind):
            continue
        print(f"{title}:")
        for package in sorted(get_resources(_INDEX)):
            for name in _names(package, kind):
                print(f"    {package}/{name}")


def _names(package: str, kind: str) -> list[str]:
    lines = get_resource(_INDEX, package)[0].splitlines()
    return sorted({line.rpartition(".")[0] for line in lines if line.startswith(f"{kind}/")})


def run_show(args: Namespace) -> None:
    """Print a definition, those of its message fields indented below them."""
    name = sys.stdin.readline().strip() if args.type == "-" else args.type
    for line in _shown(name, not args.no_comments, args.all_comments, 0):
        print(line)


def _shown(name: str, comments: bool, nested_comments: bool, depth: int) -> Iterator[str]:
    package = name.partition("/")[0]
    for line in definition(name).read_text(encoding="utf-8").splitlines():
        # As the real one: a comment without a word is not seen to be one.
        code, _, comment = line.partition("#")
        text = code.strip() if not comments and comment.strip("# ") else line.rstrip()
        if text or comments:
            yield "\t" * depth + text if text else ""
        inner = _message_of(line.partition("#")[0], package)
        if inner:
            yield from _shown(inner, nested_comments, nested_comments, depth + 1)


def _message_of(field: str, package: str) -> str | None:
    if match := _NESTED.match(field):
        return f"{match.group(1)}/msg/{match.group(2)}"
    if match := _NEIGHBOUR.match(field):
        return f"{package}/msg/{match.group(1)}"
    return None


def definition(name: str) -> Path:
    """File that defines an interface `package/kind/Name`.

    Raises:
        CommandError: of another form, or not installed.
    """
    parts = name.split("/")
    if len(parts) != 3:
        raise CommandError(f"Invalid name '{name}'. Expected three parts separated by '/'")
    package, kind, _ = parts
    if package not in get_resources(_INDEX):
        raise CommandError(f"Unknown package '{package}'")
    path = Path(get_package_share_directory(package), f"{'/'.join(parts[1:])}.{kind}")
    if not path.is_file():
        raise CommandError(f"Could not find the interface '{path}'")
    return path
