"""Files that a page has handed over, until they are sent on."""

from __future__ import annotations

import contextlib
import secrets
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

MOST = 8
LONGEST_NAME = 100
MOST_BYTES = 255  # of a name, on most file systems


class UploadError(ValueError):
    """A file that is not taken; the text says why."""


@dataclass(frozen=True)
class Upload:
    """A file by the name that the page gave it, and where it lies."""

    name: str
    file: Path
    size: int


class Uploads:
    """A folder of our own, emptied at the end; the oldest files give way to new ones."""

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._folder = tempfile.TemporaryDirectory(prefix="truthbed_page_")
        self._held: dict[str, Upload] = {}

    def get(self, key: str) -> Upload | None:
        """Return what was handed over under that key."""
        return self._held.get(key)

    async def take(
        self, name: str, pieces: AsyncIterator[bytes], announced: int | None
    ) -> tuple[str, Upload]:
        """Store a file and return its key; UploadError for a bad name or too many bytes.

        Nothing is waited for where more bytes are `announced` than would be taken.
        """
        name = checked_name(name)
        self._check_length(announced or 0)
        key = secrets.token_hex(8)
        folder = Path(self._folder.name) / key
        file, size = folder / name, 0
        try:
            folder.mkdir(mode=0o700)
            with file.open("wb") as stream:
                async for piece in pieces:
                    size += len(piece)
                    self._check_length(size)
                    stream.write(piece)
        except OSError as error:
            _remove(file)
            raise UploadError(f"cannot be stored: {error.strerror}") from None
        except BaseException:
            _remove(file)
            raise
        self._held[key] = Upload(name, file, size)
        while len(self._held) > MOST:
            _remove(self._held.pop(next(iter(self._held))).file)
        return key, self._held[key]

    def _check_length(self, size: int) -> None:
        if size > self._longest:
            raise UploadError(f"longer than {self._longest} bytes")

    def close(self) -> None:
        """Remove everything."""
        self._folder.cleanup()


def checked_name(name: str) -> str:
    """Return a plain file name; UploadError for folders, hidden files and the unprintable."""
    plain = 1 <= len(name) <= LONGEST_NAME and name.isprintable() and name[0] != "."
    plain = plain and len(name.encode()) <= MOST_BYTES
    if not plain or "/" in name or "\\" in name:
        raise UploadError(f"name: expected a plain file name of at most {LONGEST_NAME} characters")
    return name


def _remove(file: Path) -> None:
    file.unlink(missing_ok=True)
    with contextlib.suppress(FileNotFoundError):
        file.parent.rmdir()
