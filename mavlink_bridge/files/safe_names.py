"""File names from the other end of a link: what may be written here, and where."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

LONGEST_NAME = 48
"""Bytes of a name in FILE_PARTS_REQUEST."""
LONGEST_PATH = 1024  # bytes, of a name with folders; systems take a few thousand

_RESERVED = re.compile(r"(?i)^(con|prn|aux|nul|com\d|lpt\d)(\..*)?$")
_FORBIDDEN = re.compile(r'[\x00-\x1f\x7f/\\:*?"<>|]')


class UnsafeNameError(ValueError):
    """A name could reach outside the folder, or is no name that every system takes."""


def checked_name(name: str, longest: int = LONGEST_NAME) -> str:
    """Return `name` if it names a file in one folder on any system; UnsafeNameError otherwise.

    No folders, no drive, no hidden file, no control character, no name that Windows reserves.
    """
    if not name:
        raise UnsafeNameError("the name is empty")
    if len(name.encode("utf-8", "surrogatepass")) > longest:
        raise UnsafeNameError(f"{name!r} is longer than {longest} bytes")
    found = _FORBIDDEN.search(name)
    if found:
        raise UnsafeNameError(f"{name!r} holds {found.group()!r}")
    if name.startswith((".", " ", "-", "~")) or name.endswith((".", " ")):
        raise UnsafeNameError(f"{name!r} begins or ends with a character that is not allowed there")
    if _RESERVED.match(name):
        raise UnsafeNameError(f"{name!r} is reserved on some systems")
    if not name.isprintable():
        raise UnsafeNameError(f"{name!r} holds what cannot be printed")
    return name


def name_in(message: Any) -> str:
    """Return the checked text of a message's field `name`; UnsafeNameError if there is none.

    pymavlink reads the field as ASCII; the bytes that came are kept beside it.
    """
    raw = getattr(message, "_name_raw", message.name)
    if isinstance(raw, str):
        raw = raw.encode()
    try:
        return checked_name(raw.partition(b"\0")[0].decode())
    except UnicodeDecodeError:
        raise UnsafeNameError(f"{raw!r} is not UTF-8") from None


def path_below(root: Path, name: str) -> Path:
    """Return the path that `name`, with folders, means below `root`.

    A leading slash means the root. Links are followed, and must not lead out. UnsafeNameError
    otherwise.
    """
    if "\0" in name:
        raise UnsafeNameError(f"{name!r} holds a zero")
    if len(name.encode("utf-8", "surrogatepass")) > LONGEST_PATH:
        raise UnsafeNameError(f"'{name[:40]}...' is longer than {LONGEST_PATH} bytes")
    parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".")]
    for part in parts:
        checked_name(part, longest=255)
    home = root.resolve()
    path = home.joinpath(*parts)
    try:
        leads_out = not path.resolve().is_relative_to(home)
    except (OSError, RuntimeError) as error:  # links that go round in a circle
        raise UnsafeNameError(f"{name!r}: {error}") from None
    if leads_out:
        raise UnsafeNameError(f"{name!r} leads out of {root}")
    return path
