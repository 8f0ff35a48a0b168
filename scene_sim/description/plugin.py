"""Plugins keep their parameters as a small tree, since only the plugin knows what they mean."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from .source import DescriptionError, Source


@dataclass(frozen=True)
class Element:
    """One element of a plugin: tag, text (stripped), attributes, children and where it stands."""

    tag: str
    text: str = ""
    attributes: dict[str, str] = field(default_factory=dict)
    children: tuple[Element, ...] = ()
    source: Source = field(default_factory=Source)

    def find(self, tag: str) -> Element | None:
        """Return the first child of that tag, or None."""
        return next(self.find_all(tag), None)

    def find_all(self, tag: str) -> Iterator[Element]:
        """Yield the children of that tag in the order of the file."""
        return (child for child in self.children if child.tag == tag)

    def string(self, tag: str, default: str = "") -> str:
        """Return the text of the first child of that tag."""
        child = self.find(tag)
        return default if child is None else child.text

    def strings(self, tag: str) -> list[str]:
        """Return the texts of all children of that tag."""
        return [child.text for child in self.find_all(tag)]

    def number(self, tag: str, default: float) -> float:
        """Return a finite number; DescriptionError where the text is none."""
        child = self.find(tag)
        if child is None:
            return default
        return child.floats(1)[0]

    def flag(self, tag: str, default: bool) -> bool:
        """Return a truth value (true, false, 1, 0); DescriptionError otherwise."""
        child = self.find(tag)
        if child is None:
            return default
        value = {"true": True, "1": True, "false": False, "0": False}.get(child.text.lower())
        if value is None:
            raise DescriptionError(
                child.source, f"<{tag}> is '{child.text}': expected true or false"
            )
        return value

    def floats(self, count: int) -> tuple[float, ...]:
        """Return this element's text as `count` finite numbers; DescriptionError otherwise."""
        try:
            values = tuple(float(word) for word in self.text.split())
        except ValueError:
            values = ()
        if len(values) != count or not all(math.isfinite(value) for value in values):
            expected = "a finite number" if count == 1 else f"{count} finite numbers"
            raise DescriptionError(
                self.source, f"<{self.tag}> is '{self.text}': expected {expected}"
            )
        return values

    def as_dict(self) -> dict[str, Any]:
        """Return the children as nested dicts: text or dict by tag, a list where a tag repeats.

        Attributes appear as `@name`; a child that has both children (or attributes) and text
        keeps the text under `#text`.
        """
        result: dict[str, Any] = {f"@{name}": value for name, value in self.attributes.items()}
        for child in self.children:
            value: Any = child.as_dict()
            if not value:
                value = child.text
            elif child.text:
                value["#text"] = child.text
            if child.tag not in result:
                result[child.tag] = value
            elif isinstance(result[child.tag], list):
                result[child.tag].append(value)
            else:
                result[child.tag] = [result[child.tag], value]
        return result


@dataclass(frozen=True)
class Plugin:
    """A plugin of a world, model, visual or sensor.

    `scope` is the nested model that holds it (`arm::hand`), empty for the top model: names in its
    parameters are relative to that scope. `element` holds the parameters as its children.
    """

    filename: str
    name: str
    element: Element
    scope: str = ""
    source: Source = field(default_factory=Source)

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters as nested dicts (see `Element.as_dict`), without filename and name."""
        skip = ("@filename", "@name")
        return {key: value for key, value in self.element.as_dict().items() if key not in skip}
