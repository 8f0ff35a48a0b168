r"""Read text with substitutions: `a$(var b)c`, `$(eval '$(var n) > 1')`, `\$(kept as text)`.

The grammar is that of launch: arguments are separated by exactly one space, an argument may be
put in single or double quotes to contain spaces and parentheses, substitutions nest, and a
backslash takes the next character literally.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


class TemplateError(ValueError):
    """The text is not a valid template; the caller adds the place."""


@dataclass(frozen=True)
class Substitution:
    """`$(name argument argument)`; every argument is itself a template."""

    name: str
    arguments: tuple[Template, ...]


Template = tuple["str | Substitution", ...]


def unescape(text: str) -> str:
    """Replace every escaped character by the character."""
    return _ESCAPED.sub(r"\1", text)


def parse_template(text: str) -> Template:
    """Split text into literal pieces and substitutions.

    Raises:
        TemplateError: unbalanced or malformed.
    """
    return _Reader(text).template(end=None) or ("",)


class _Reader:
    """Recursive descent over one string."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def fail(self, what: str) -> TemplateError:
        return TemplateError(f"malformed substitution in '{self.text}' at {self.at + 1}: {what}")

    def begins_substitution(self) -> bool:
        """An escaped dollar is text."""
        return self.text.startswith("$(", self.at) and not (
            self.at and self.text[self.at - 1] == "\\"
        )

    def template(self, end: str | None) -> Template:
        """Pieces up to the closing quote `end` (consumed), or to the end of the text."""
        pieces: list[str | Substitution] = []
        literal = ""
        while self.at < len(self.text) and self.text[self.at] != end:
            if self.begins_substitution():
                pieces += [unescape(literal)] if literal else []
                literal = ""
                pieces.append(self.substitution(end or ""))
            else:
                step = 2 if end and self.text[self.at] == "\\" else 1
                literal += self.text[self.at : self.at + step]
                self.at += step
        if end is not None:
            if self.at >= len(self.text):
                raise self.fail(f"missing closing {end}")
            self.at += 1
        return tuple(pieces + ([unescape(literal)] if literal else []))

    def substitution(self, quote: str) -> Substitution:
        """`$(name arguments)`; inside quotes the same quote cannot open an argument."""
        self.at += 2
        match = _IDENTIFIER.match(self.text, self.at)
        if not match:
            raise self.fail("expected a name after '$('")
        self.at = match.end()
        arguments: list[Template] = []
        while self.at < len(self.text) and self.text[self.at] == " ":
            self.at += 1
            arguments.append(self.argument(quote))
        if self.at >= len(self.text) or self.text[self.at] != ")":
            raise self.fail("missing ')'")
        self.at += 1
        return Substitution(match.group(), tuple(arguments))

    def argument(self, quote: str) -> Template:
        """One argument, quoted or not."""
        opening = self.text[self.at : self.at + 1]
        if not quote and opening and opening in "'\"":
            self.at += 1
            return self.template(end=opening)
        pieces: list[str | Substitution] = []
        literal = ""
        forbidden = " ()" + (quote or "'\"")
        while self.at < len(self.text):
            character = self.text[self.at]
            if self.begins_substitution():
                pieces += [unescape(literal)] if literal else []
                literal = ""
                pieces.append(self.substitution(quote))
            elif character == "\\" and self.at + 1 < len(self.text):
                literal += self.text[self.at : self.at + 2]
                self.at += 2
            elif character in forbidden:
                break
            else:
                literal += character
                self.at += 1
        pieces += [unescape(literal)] if literal else []
        if not pieces:
            raise self.fail("expected an argument")
        return tuple(pieces)
