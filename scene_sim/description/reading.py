"""What one reading of a description shares: where files are found, and what was not understood."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from spatial_types.suggestions import closest

from .resources import ResourceFinder
from .sdf_names import SDF_NAMES
from .shapes import Colour
from .source import Source, Unsupported
from .xml_node import Node


@dataclass
class Reading:
    """The state of one reading; `files` are the files being included, outermost first."""

    finder: ResourceFinder = field(default_factory=ResourceFinder)
    unsupported: list[Unsupported] = field(default_factory=list)
    files: list[str] = field(default_factory=list)

    def warn(self, node: Node, reason: str) -> None:
        """Name something that is not used."""
        self.warn_at(node.source, node.tag, reason)

    def warn_at(self, source: Source, path: str, reason: str) -> None:
        """Name something that is not used, by its place."""
        self.unsupported.append(Unsupported(source, path, reason))

    def collect_leftovers(self, root: Node) -> None:
        """Name every element and attribute below `root` that no reader has taken."""
        self.unsupported += leftovers(root)


def leftovers(node: Node) -> Iterator[Unsupported]:
    """Yield what was not taken from a taken element, in the order of the file."""
    for name in node.attributes:
        if name not in node.asked_attributes and not name.startswith("xmlns"):
            reason = "unknown attribute" + _suggestion(name, node.asked_attributes)
            yield Unsupported(node.source, f"{node.tag} {name}=", reason)
    for child in node.children:
        if child.taken:
            yield from leftovers(child)
        else:
            yield Unsupported(child.source, f"{node.tag}/{child.tag}", _reason(child.tag, node))


def _reason(tag: str, parent: Node) -> str:
    if tag in parent.asked:
        return "appears again: only the first one is used"
    if ":" in tag:
        return "belongs to another tool and is not used"
    if tag in SDF_NAMES:
        return "is not used by the embedded simulator"
    return "is not an element of the format" + _suggestion(tag, parent.asked)


def _suggestion(name: str, known: set[str]) -> str:
    close = closest(name, sorted(known))
    return f"; did you mean '{close}'?" if close else ""


def take_colour(node: Node, tag: str, default: Colour, reading: Reading) -> Colour:
    """Take a colour of three or four numbers from 0 to 1; a larger one is clamped and named."""
    child = node.child(tag)
    if child is None:
        return default
    numbers = child.values(3 if len(child.text.split()) == 3 else 4)
    if min(numbers) < 0.0:
        raise child.error(f"is '{child.text}': expected numbers from 0 to 1")
    if max(numbers) > 1.0:
        reading.warn(child, f"'{child.text}' is brighter than 1: clamped")
    red, green, blue, *alpha = (min(number, 1.0) for number in numbers)
    return (red, green, blue, alpha[0] if alpha else 1.0)
