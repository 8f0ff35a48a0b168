"""Where something stands in a file, and the error that says what is wrong there."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Source:
    """A place in a description file; line 0 means the file as a whole."""

    file: str = "<unknown>"
    line: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


class DescriptionError(ValueError):
    """A description cannot be read; the text names file and line and what was expected."""

    def __init__(self, source: Source, message: str) -> None:
        super().__init__(f"{source}: {message}")
        self.source = source


@dataclass(frozen=True)
class Unsupported:
    """Something that a description holds and the embedded simulator does not use."""

    source: Source
    path: str
    reason: str

    def __str__(self) -> str:
        return f"{self.source}: <{self.path}>: {self.reason}"
