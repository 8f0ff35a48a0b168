"""A launch file as a tree of elements that know their file and line."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from ros2cli.cli import CommandError


class LaunchError(CommandError):
    """A launch file is wrong; the text begins with its file and line."""


@dataclass
class Entity:
    """One XML element."""

    tag: str
    attributes: dict[str, str]
    file: Path
    line: int
    children: list[Entity] = field(default_factory=list)

    def error(self, text: str) -> LaunchError:
        """Make an error that names this element's place."""
        return LaunchError(f"{self.file}:{self.line}: {text}")

    def get(self, name: str) -> str | None:
        """Value of an optional attribute."""
        return self.attributes.get(name)

    def require(self, name: str) -> str:
        """Value of an attribute that must be there."""
        if name not in self.attributes:
            raise self.error(f"Attribute '{name}' not found in Entity '{self.tag}'")
        return self.attributes[name]

    def all(self, tag: str) -> list[Entity]:
        """Children with that tag."""
        return [child for child in self.children if child.tag == tag]


def read_file(path: Path) -> Entity:
    """Read an XML file.

    Raises:
        LaunchError: not readable or not well-formed, with file and line.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise LaunchError(f"{path}: {error.strerror}") from error
    parser = expat.ParserCreate()
    root = Entity("", {}, path, 0)
    open_entities = [root]

    def start(tag: str, attributes: dict[str, str]) -> None:
        entity = Entity(tag, attributes, path, parser.CurrentLineNumber)
        open_entities[-1].children.append(entity)
        open_entities.append(entity)

    def end(_tag: str) -> None:
        open_entities.pop()

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        reason = expat.ErrorString(error.code)
        raise LaunchError(f"{path}:{error.lineno}: not well-formed XML: {reason}") from error
    return root.children[0]
