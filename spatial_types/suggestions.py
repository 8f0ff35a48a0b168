"""What was probably meant by a name that is not known."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def closest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name most like `name`, None where none is much like it."""
    found = difflib.get_close_matches(name, list(known), n=1)
    return found[0] if found else None


def suggestion(name: str, known: Iterable[str], otherwise: str = "known: ") -> str:
    """Return "did you mean 'x'?", or all known names behind `otherwise`."""
    names = list(dict.fromkeys(known))
    close = closest(name, names)
    return f"did you mean '{close}'?" if close else otherwise + ", ".join(names)
