"""Arguments of the command line that no launch file asks for: the real launch takes any name."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from ros2cli.cli import CommandError
from ros2cli.launch_runner.actions import load
from ros2cli.launch_runner.context import Context, Scope
from ros2cli.launch_runner.entity import Entity, LaunchError
from ros2cli.launch_runner.log import LaunchLog
from ros2cli.launch_runner.parameters import evaluate
from ros2cli.launch_runner.template import unescape

#: What launch itself reads.
BUILT_IN = {"launch-prefix", "launch-prefix-filter", "sigterm_timeout", "sigkill_timeout"}
_VARIABLE = re.compile(r"\$\(var ([\w-]+)")


@dataclass
class Names:
    """What a launch file and the files that it includes ask for."""

    declared: list[str] = field(default_factory=list)
    used: set[str] = field(default_factory=set)
    unread: list[str] = field(default_factory=list)
    _files: set[Path] = field(default_factory=set)

    def read(self, root: Entity, scope: Scope) -> None:
        """Collect from a file, parts that a condition leaves out included."""
        if root.file not in self._files:
            self._files.add(root.file)
            self._collect(root, scope)

    def _collect(self, parent: Entity, scope: Scope) -> None:
        for child in parent.children:
            for text in child.attributes.values():
                self.used.update(_VARIABLE.findall(text))
            if child.tag == "arg" and parent.tag != "include":
                name = unescape(child.require("name"))
                self.declared += [name] if name not in self.declared else []
            elif child.tag == "include":
                self._include(child, scope)
            self._collect(child, scope)

    def _include(self, entity: Entity, scope: Scope) -> None:
        context = Context(entity.file, scope, folder=Path())
        try:
            self.read(load(Path(evaluate(entity, "file", context)).absolute()), scope)
        except CommandError:
            self.unread.append(entity.require("file"))


def check_arguments(root: Entity, given: Iterable[str], scope: Scope, log: LaunchLog) -> None:
    """Refuse an argument that nothing declares or uses: it would be without effect.

    `scope` is that at the end of the evaluation, so that the paths of includes are known. Where a
    file could not be read it may be the one that uses the argument, and a warning must do.

    Raises:
        LaunchError: naming the argument, what may have been meant and what there is.
    """
    names = Names()
    names.read(root, scope)
    for name in given:
        if name in BUILT_IN or name in names.declared or name in names.used:
            continue
        close = difflib.get_close_matches(name, names.declared, n=1)
        hint = f"did you mean '{close[0]}'? " if close else ""
        known = ", ".join(sorted(names.declared)) or "none"
        text = f"{root.file}: argument '{name}' is not declared; {hint}known: {known}"
        if not names.unread:
            raise LaunchError(text)
        log.say("WARNING", "launch", text)
