"""What `--show-args` and `--print` show."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ros2cli.cli import CommandError
from ros2cli.launch_runner.actions import declared_arguments, description_of, load
from ros2cli.launch_runner.context import Context
from ros2cli.launch_runner.entity import Entity
from ros2cli.launch_runner.parameters import evaluate
from ros2cli.launch_runner.template import Template, parse_template, unescape

_NAMES = {
    "var": "LaunchConfig({})",
    "env": "EnvVar({})",
    "dirname": "ThisLaunchFileDir()",
    "find-pkg-share": "FindPackageShare(pkg={})",
    "find-pkg-prefix": "FindPackagePrefix(pkg={})",
    "command": "Command({})",
    "eval": "PythonExpr({})",
}


def print_arguments(root: Entity) -> None:
    """List the arguments of a launch file and of the files that it includes for certain."""
    print("Arguments (pass arguments as '<name>:=<value>'):")
    arguments = all_arguments(root)
    for argument, conditional in arguments:
        print(f"\n    '{unescape(argument.require('name'))}':{'*' * conditional}")
        print(f"        {description_of(argument)}")
        if argument.get("default") is not None:
            print(f"        (default: {describe(parse_template(argument.require('default')))})")
    if not arguments:
        print("\n  No arguments.")
    elif any(conditional for _, conditional in arguments):
        print("\n* argument(s) which are only used if specific conditions occur")


def all_arguments(root: Entity, conditional: bool = False) -> list[tuple[Entity, bool]]:
    """Arguments of a file and its includes, once each."""
    found = declared_arguments(root, conditional)
    for entity, depends in _included(root, conditional):
        try:
            path = Path(evaluate(entity, "file", Context(root.file, folder=Path())))
            found += all_arguments(load(path), depends)
        except CommandError:
            continue  # its path is known only once it is launched
    names = [argument.require("name") for argument, _ in found]
    return [item for index, item in enumerate(found) if names[index] not in names[:index]]


def _included(parent: Entity, conditional: bool) -> Iterator[tuple[Entity, bool]]:
    for child in parent.children:
        depends = conditional or "if" in child.attributes or "unless" in child.attributes
        if child.tag == "include":
            yield child, depends
        elif child.tag == "group":
            yield from _included(child, depends)


def describe(template: Template) -> str:
    """A template in the words of launch's own description."""
    pieces = []
    for piece in template:
        if isinstance(piece, str):
            pieces.append(f"'{piece}'")
        else:
            inside = ", ".join(describe(argument) for argument in piece.arguments)
            pieces.append(_NAMES.get(piece.name, piece.name + "({})").format(inside))
    return " + ".join(pieces)


def print_tree(root: Entity) -> None:
    """Print the elements of a launch file."""
    print(f"<launch {root.file}>")
    _print_children(root, "")


def _print_children(parent: Entity, indent: str) -> None:
    for child in parent.children:
        last = child is parent.children[-1]
        attributes = "".join(f" {name}='{value}'" for name, value in child.attributes.items())
        print(f"{indent}{'└── ' if last else '├── '}{child.tag}{attributes}")
        _print_children(child, indent + ("    " if last else "│   "))
