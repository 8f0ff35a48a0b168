"""XML elements that know their file and line, and what a reader has taken from them.

Readers take children and attributes by name; whatever is left at the end was not understood and
is named by `leftovers`. So nothing in a file is dropped silently, and no list of supported
elements has to be kept beside the code that reads them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from xml.parsers import expat

from .plugin import Element
from .source import DescriptionError, Source

_FLAGS = {"true": True, "1": True, "false": False, "0": False}


class Node:
    """One element of a description file."""

    def __init__(self, tag: str, attributes: dict[str, str], source: Source) -> None:
        self.tag = tag
        self.attributes = attributes
        self.source = source
        self.text = ""
        self.children: list[Node] = []
        self.version: tuple[int, int] = (0, 0)
        self.taken = False
        self.asked: set[str] = set()
        self.asked_attributes: set[str] = set()

    def error(self, message: str) -> DescriptionError:
        """Return (not raise) an error that points here."""
        return DescriptionError(self.source, f"<{self.tag}>: {message}")

    def walk(self) -> Iterator[Node]:
        """Yield this element and everything below it."""
        yield self
        for child in self.children:
            yield from child.walk()

    # Children.

    def all(self, tag: str) -> list[Node]:
        """Take all children of that tag."""
        self.asked.add(tag)
        found = [child for child in self.children if child.tag == tag]
        for child in found:
            child.taken = True
        return found

    def child(self, tag: str) -> Node | None:
        """Take the first child of that tag; a second one stays a leftover."""
        self.asked.add(tag)
        for child in self.children:
            if child.tag == tag:
                child.taken = True
                return child
        return None

    def required(self, tag: str) -> Node:
        """Take the child of that tag; DescriptionError where there is none."""
        child = self.child(tag)
        if child is None:
            raise self.error(f"has no <{tag}>, which it needs")
        return child

    def peek(self, tag: str) -> Node | None:
        """Return the first child of that tag without taking it."""
        return next((child for child in self.children if child.tag == tag), None)

    def ignore(self, *tags: str) -> None:
        """Take children that mean nothing to a simulation, with all that they hold."""
        for tag in tags:
            for child in self.all(tag):
                child.take_whole()

    def take_whole(self) -> None:
        """Mark this element and everything below it as understood."""
        for node in self.walk():
            node.taken = True
            node.asked_attributes.update(node.attributes)

    # Attributes.

    def attribute(self, name: str, default: str = "") -> str:
        """Take an attribute."""
        self.asked_attributes.add(name)
        return self.attributes.get(name, default)

    def required_attribute(self, name: str) -> str:
        """Take an attribute that must be there and not empty; DescriptionError otherwise."""
        value = self.attribute(name).strip()
        if not value:
            raise self.error(f"has no attribute '{name}', which it needs")
        return value

    def flag_attribute(self, name: str, default: bool = False) -> bool:
        """Take an attribute that is true, false, 1 or 0."""
        text = self.attribute(name).strip()
        return self._flag(text, f"attribute '{name}'") if text else default

    def number_attribute(self, name: str, default: float | None = None) -> float:
        """Take an attribute that is a finite number; required where `default` is None."""
        if default is not None and name not in self.attributes:
            self.attribute(name)
            return default
        return self._floats(self.required_attribute(name), 1, f"attribute '{name}'")[0]

    def vector_attribute(self, name: str, default: tuple[float, ...]) -> tuple[float, ...]:
        """Take an attribute of as many finite numbers as `default` has."""
        text = self.attribute(name).strip()
        return self._floats(text, len(default), f"attribute '{name}'") if text else default

    def required_vector_attribute(self, name: str, count: int) -> tuple[float, ...]:
        """Take an attribute of `count` finite numbers; DescriptionError where it is missing."""
        return self._floats(self.required_attribute(name), count, f"attribute '{name}'")

    # Values of children.

    def string(self, tag: str, default: str = "") -> str:
        """Take the text of a child."""
        child = self.child(tag)
        return default if child is None else child.text

    def number(self, tag: str, default: float, minimum: float = -math.inf) -> float:
        """Take a finite number of at least `minimum`."""
        child = self.child(tag)
        if child is None:
            return default
        value = child.value()
        if value < minimum:
            raise child.error(f"is {value:g}: expected at least {minimum:g}")
        return value

    def positive(self, tag: str, default: float) -> float:
        """Take a finite number above zero."""
        value = self.number(tag, default)
        if value <= 0.0:
            raise self.required(tag).error(f"is {value:g}: expected more than 0")
        return value

    def integer(self, tag: str, default: int, minimum: int = 0) -> int:
        """Take a whole number of at least `minimum` (decimal or 0x...)."""
        child = self.child(tag)
        if child is None:
            return default
        try:
            value = int(child.text, 0)
        except ValueError:
            number = child.value()
            if number != int(number):
                raise child.error(f"is '{child.text}': expected a whole number") from None
            value = int(number)
        if value < minimum:
            raise child.error(f"is {value}: expected at least {minimum}")
        return value

    def flag(self, tag: str, default: bool) -> bool:
        """Take a truth value: true, false, 1 or 0."""
        child = self.child(tag)
        return default if child is None else child.truth()

    def vector(self, tag: str, default: tuple[float, ...]) -> tuple[float, ...]:
        """Take as many finite numbers as `default` has."""
        child = self.child(tag)
        return default if child is None else child.values(len(default))

    # This element's own text.

    def value(self) -> float:
        """Return the text as one finite number."""
        return self.values(1)[0]

    def values(self, count: int) -> tuple[float, ...]:
        """Return the text as `count` finite numbers."""
        return self._floats(self.text, count, "")

    def truth(self) -> bool:
        """Return the text as a truth value."""
        return self._flag(self.text, "")

    def _flag(self, text: str, what: str) -> bool:
        value = _FLAGS.get(text.lower())
        if value is None:
            raise self.error(f"{what} is '{text}': expected true or false".strip())
        return value

    def _floats(self, text: str, count: int, what: str) -> tuple[float, ...]:
        try:
            values = tuple(float(word) for word in text.split())
        except ValueError:
            values = ()
        if len(values) != count or not all(math.isfinite(value) for value in values):
            expected = "a finite number" if count == 1 else f"{count} finite numbers"
            raise self.error(f"{what} is '{text}': expected {expected}".strip())
        return values

    # Leaving the tree.

    def element(self) -> Element:
        """Take everything below and return it as a plugin's frozen tree."""
        self.take_whole()
        children = tuple(child.element() for child in self.children)
        return Element(self.tag, self.text, dict(self.attributes), children, self.source)


def parse_xml(text: bytes, file: Path) -> Node:
    """Parse XML text and return its root; DescriptionError where it is not well-formed."""
    builder = _Builder(str(file))
    try:
        builder.parser.Parse(text, True)
    except expat.ExpatError as error:
        message = f"not well-formed XML: {expat.ErrorString(error.code)}"
        raise DescriptionError(Source(str(file), error.lineno), message) from None
    return builder.root


def read_xml(file: Path) -> Node:
    """Read an XML file and return its root; DescriptionError where that is impossible."""
    try:
        return parse_xml(file.read_bytes(), file)
    except OSError as error:
        raise DescriptionError(Source(str(file)), f"cannot be read: {error.strerror}") from None


class _Builder:
    """Expat callbacks that build Nodes; entity declarations are refused."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.stack: list[Node] = []
        self.root: Node
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters
        self.parser.EntityDeclHandler = self._entity

    def _source(self) -> Source:
        return Source(self.file, self.parser.CurrentLineNumber)

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        node = Node(tag, attributes, self._source())
        if self.stack:
            self.stack[-1].children.append(node)
        else:
            self.root = node
        self.stack.append(node)

    def _end(self, tag: str) -> None:
        node = self.stack.pop()
        node.text = node.text.strip()

    def _characters(self, data: str) -> None:
        self.stack[-1].text += data

    def _entity(self, *declaration: object) -> None:
        raise DescriptionError(self._source(), "declares an XML entity: write its value instead")
