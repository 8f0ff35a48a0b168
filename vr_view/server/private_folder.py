"""A folder and files that only their owner can read."""

from __future__ import annotations

import os
import secrets
import stat
from pathlib import Path

OTHERS = stat.S_IRWXG | stat.S_IRWXO


class PrivateFolderError(OSError):
    """A private file or folder that is not private, or cannot be used."""


def open_private_folder(path: str | Path) -> Path:
    """Return the folder, made with permissions 0700 where it was not there.

    Raises PrivateFolderError where others can look into it or it is not ours.
    """
    folder = Path(path).expanduser()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        state = folder.stat()
    except OSError as error:
        raise PrivateFolderError(f"'{folder}': {error.strerror}") from None
    if state.st_uid != os.geteuid():
        raise PrivateFolderError(f"'{folder}' belongs to another user: expected a folder of ours")
    if state.st_mode & OTHERS:
        mode = stat.S_IMODE(state.st_mode)
        raise PrivateFolderError(
            f"'{folder}' has permissions {mode:04o}: expected 0700 (chmod 700 '{folder}')"
        )
    return folder


def read_private(file: Path) -> bytes | None:
    """Return a file's content, None where it is not there.

    Raises PrivateFolderError where others can read it: what it held is no secret any more.
    """
    try:
        state = file.stat()
        content = file.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise PrivateFolderError(f"'{file}': {error.strerror}") from None
    if state.st_mode & OTHERS:
        mode = stat.S_IMODE(state.st_mode)
        raise PrivateFolderError(
            f"'{file}' has permissions {mode:04o}: expected 0600; delete it to have it made anew"
        )
    return content


def write_private(file: Path, content: bytes) -> None:
    """Write a file with permissions 0600, at once or not at all."""
    made = file.with_name(f".{file.name}.{secrets.token_hex(8)}")
    try:
        handle = os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        made.replace(file)
    except OSError as error:
        made.unlink(missing_ok=True)
        raise PrivateFolderError(f"'{file}': {error.strerror}") from None
