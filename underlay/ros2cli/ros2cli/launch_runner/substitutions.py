"""Perform substitutions: a table from name to function."""

from __future__ import annotations

import importlib
import math
import os
import random
import shlex
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from ros2cli.launch_runner.context import Context
from ros2cli.launch_runner.template import Substitution, Template
from ros2cli.launch_runner.values import coerce
from ros2cli.packages import (
    PackageNotFoundError,
    get_package_prefix,
    get_package_share_directory,
)


class SubstitutionError(RuntimeError):
    """A substitution cannot be performed; the caller adds the place."""


Function = Callable[..., str]


def perform(context: Context, template: Template) -> str:
    """Text of a template with every substitution performed.

    Raises:
        SubstitutionError: an undeclared variable, an unknown package, a failed command, ...
    """
    return "".join(
        piece if isinstance(piece, str) else _perform_one(context, piece) for piece in template
    )


def check(template: Template) -> None:
    """Refuse unknown substitutions and wrong numbers of arguments without performing any.

    Raises:
        SubstitutionError: naming the substitution.
    """
    for piece in template:
        if isinstance(piece, str):
            continue
        if piece.name not in SUBSTITUTIONS:
            raise SubstitutionError(f"Unknown substitution: {piece.name}")
        _, least, most = SUBSTITUTIONS[piece.name]
        if not least <= len(piece.arguments) <= most:
            count = f"{least}" if least == most else f"{least} to {most}"
            raise SubstitutionError(f"{piece.name} substitution expects {count} argument(s)")
        for argument in piece.arguments:
            check(argument)


def _perform_one(context: Context, substitution: Substitution) -> str:
    function = SUBSTITUTIONS[substitution.name][0]
    return function(context, *[perform(context, part) for part in substitution.arguments])


def _variable(context: Context, name: str, default: str | None = None) -> str:
    value = context.scope.configurations.get(name, default)
    if value is None:
        raise SubstitutionError(f"launch configuration '{name}' does not exist")
    return value


def _environment(context: Context, name: str, default: str | None = None) -> str:
    value = context.scope.environment.get(name, default)
    if value is None:
        raise SubstitutionError(f"environment variable '{name}' does not exist")
    return value


def _package(find: Callable[[str], str]) -> Function:
    def function(_context: Context, package: str) -> str:
        try:
            return find(package)
        except (PackageNotFoundError, ValueError) as error:
            raise SubstitutionError(str(error).strip('"')) from error

    return function


def _executable_in_package(context: Context, name: str, package: str) -> str:
    prefix = _package(get_package_prefix)(context, package)
    folder = Path(prefix) / "lib" / package
    if not folder.exists():
        raise SubstitutionError(
            f"package '{package}' found at '{prefix}', but libexec directory '{folder}' "
            "does not exist"
        )
    found = shutil.which(name, path=str(folder))
    if found is None:
        raise SubstitutionError(
            f"executable '{name}' not found on the libexec directory '{folder}'"
        )
    return found


def _find_executable(_context: Context, name: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise SubstitutionError(f"executable '{name}' not found on the PATH")
    return found


def _evaluate(_context: Context, expression: str, modules: str = "math") -> str:
    names: dict[str, object] = {}
    for module in filter(None, (name.strip() for name in modules.split(","))):
        names[module] = importlib.import_module(module)
        if module == "math":
            names.update(vars(math))
    try:
        return str(eval(expression, {}, names))
    except Exception as error:
        raise SubstitutionError(f"cannot evaluate '{expression}': {error}") from error


def _command(context: Context, command: str, on_stderr: str = "fail") -> str:
    if on_stderr not in ("fail", "ignore", "warn", "capture"):
        raise SubstitutionError(
            "expected 'on_stderr' to be one of: 'fail', 'ignore', 'warn' or 'capture'"
        )
    stderr = subprocess.STDOUT if on_stderr == "capture" else subprocess.PIPE
    try:
        result = subprocess.run(
            shlex.split(command), stdout=subprocess.PIPE, stderr=stderr, text=True, check=False
        )
    except OSError as error:
        raise SubstitutionError(f"file not found: {error}") from error
    told = f"\nCaptured stderr output: {result.stderr}" if result.stderr else ""
    if result.returncode != 0:
        raise SubstitutionError(f"executed command failed. Command: {command}{told}")
    if result.stderr and on_stderr in ("fail", "warn"):
        text = f"executed command showed stderr output. Command: {command}{told}"
        if on_stderr == "fail":
            raise SubstitutionError(text)
        print(f"[WARNING] [launch]: {text}")
    return result.stdout


def _boolean(text: str) -> bool:
    try:
        return bool(coerce(text, "bool"))
    except ValueError as error:
        raise SubstitutionError(str(error)) from error


def _told(value: bool) -> str:
    return "true" if value else "false"


def _equal(left: str, right: str) -> bool:
    """As text, except that booleans and numbers are compared as such."""
    booleans = {"true": True, "1": True, "false": False, "0": False}
    if left.lower() in booleans and right.lower() in booleans:
        return booleans[left.lower()] == booleans[right.lower()]
    try:
        return math.isclose(float(left), float(right))
    except ValueError:
        return left == right


def _choose(_context: Context, condition: str, chosen: str, otherwise: str = "") -> str:
    return chosen if _boolean(condition) else otherwise


def _anonymous(context: Context, name: str) -> str:
    known = context.scope.configurations
    unique = f"{name}_{socket.gethostname()}_{os.getpid()}_{random.randint(0, sys.maxsize)}"
    return known.setdefault(f"anon{name}", unique.translate(str.maketrans(".-:", "___")))


#: name -> (function, least and most arguments)
SUBSTITUTIONS: dict[str, tuple[Function, int, int]] = {
    "var": (_variable, 1, 2),
    "env": (_environment, 1, 2),
    "dirname": (lambda context: str(context.file.parent), 0, 0),
    "filename": (lambda context: str(context.file), 0, 0),
    "find-pkg-share": (_package(get_package_share_directory), 1, 1),
    "find-pkg-prefix": (_package(get_package_prefix), 1, 1),
    "exec-in-pkg": (_executable_in_package, 2, 2),
    "find-exec": (_find_executable, 1, 1),
    "eval": (_evaluate, 1, 2),
    "command": (_command, 1, 2),
    "not": (lambda _context, value: _told(not _boolean(value)), 1, 1),
    "and": (lambda _context, a, b: _told(_boolean(a) and _boolean(b)), 2, 2),
    "or": (lambda _context, a, b: _told(_boolean(a) or _boolean(b)), 2, 2),
    "any": (lambda _context, *values: _told(any(_boolean(v) for v in values)), 1, 99),
    "all": (lambda _context, *values: _told(all(_boolean(v) for v in values)), 1, 99),
    "equals": (lambda _context, a, b: _told(_equal(a, b)), 2, 2),
    "not-equals": (lambda _context, a, b: _told(not _equal(a, b)), 2, 2),
    "if": (_choose, 2, 3),
    "anon": (_anonymous, 1, 1),
}
