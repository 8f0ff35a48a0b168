"""What is known while a launch file is evaluated, and how scopes nest."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path


@dataclass
class Scope:
    """Everything that a scoped group takes back when it ends."""

    configurations: dict[str, str]
    environment: dict[str, str]
    namespace: str | None = None
    remaps: tuple[tuple[str, str], ...] = ()
    #: (name, YAML text) or the path of a parameter file, for every node started in this scope.
    parameters: tuple[tuple[str, str] | Path, ...] = ()

    def copy(self) -> Scope:
        """Copy, so that changes to it leave this one alone."""
        return replace(
            self,
            configurations=dict(self.configurations),
            environment=dict(self.environment),
        )


@dataclass
class Context:
    """State of one launch."""

    file: Path
    scope: Scope = field(default_factory=lambda: Scope({}, dict(os.environ)))
    #: Where generated parameter files go; removed by the owner when the launch ends.
    folder: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="launch_params_")))

    @contextmanager
    def scoped(self, forwarding: bool = True) -> Iterator[None]:
        """Take back all changes of the scope at the end; without forwarding, begin empty."""
        outer = self.scope
        self.scope = outer.copy() if forwarding else Scope({}, dict(os.environ))
        try:
            yield
        finally:
            self.scope = outer
