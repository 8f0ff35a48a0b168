"""A file on its way in: its parts, its journal, and the moment when it becomes a file.

Parts go into `.incoming/<digest>.part` below the folder; a journal beside it says which are
missing, so that a transfer can go on after this program has ended. The file gets its name only when
it is whole and its hash is right, in one step.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from pathlib import Path

from mavlink_bridge.files.intervals import Intervals
from mavlink_bridge.files.transfer_protocol import digest_of, part_count

UNFINISHED = ".incoming"
_DAY = 86400.0


class IncomingFile:
    """The disk's side of one transfer. Every method may raise OSError."""

    def __init__(self, folder: Path, name: str, size: int, part_size: int, digest: bytes) -> None:
        """Begin, or go on with what an earlier attempt left for the same digest."""
        self.path = folder / name
        self.size = size
        self.part_size = part_size
        self.digest = digest
        self.parts = part_count(size, part_size)
        self.missing = Intervals([(0, self.parts)])
        self._store = folder / UNFINISHED / f"{digest.hex()}.part"
        self._journal = self._store.with_suffix(".json")
        self._store.parent.mkdir(parents=True, exist_ok=True)
        self._resume()
        self._changed = False
        self._file = os.open(self._store, os.O_RDWR | os.O_CREAT, 0o644)
        os.ftruncate(self._file, size)

    @property
    def received(self) -> int:
        """How many parts are there."""
        return self.parts - len(self.missing)

    @property
    def received_bytes(self) -> int:
        """How many bytes are there."""
        last_missing = self.parts > 0 and self.parts - 1 in self.missing
        short = self.parts * self.part_size - self.size
        return self.received * self.part_size - (0 if last_missing else short)

    def length(self, part: int) -> int:
        """Return how many bytes a part has."""
        return min(self.part_size, self.size - part * self.part_size)

    def write(self, part: int, data: bytes) -> bool:
        """Store a part, filled up or cut to its length; False if it is not missing."""
        if part not in self.missing:
            return False
        start, length = part * self.part_size, self.length(part)
        os.pwrite(self._file, data[:length].ljust(length, b"\0"), start)
        self.missing.discard(part, part + 1)
        self._changed = True
        return True

    def save(self) -> None:
        """Write the journal, if anything came since."""
        if not self._changed:
            return
        content = {"size": self.size, "part_size": self.part_size, "missing": list(self.missing)}
        draft = self._journal.with_suffix(".tmp")
        draft.write_text(json.dumps(content))
        draft.replace(self._journal)
        self._changed = False

    def finish(self) -> bool:
        """Give the whole file its name; False if its bytes are not those of the digest."""
        os.fsync(self._file)
        if digest_of(self._store) != self.digest:
            return False
        self.close()
        self._store.replace(self.path)
        self._journal.unlink(missing_ok=True)
        return True

    def restart(self) -> None:
        """Forget all parts."""
        self.missing = Intervals([(0, self.parts)])
        self._changed = True

    def close(self) -> None:
        """Close what is open; what came stays for another attempt."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def discard(self) -> None:
        """Delete what came."""
        self.close()
        self._store.unlink(missing_ok=True)
        self._journal.unlink(missing_ok=True)

    def _resume(self) -> None:
        """Take over the journal's word on what is missing, if it is about the same parts."""
        try:
            content = json.loads(self._journal.read_text())
            same = (content["size"], content["part_size"]) == (self.size, self.part_size)
            missing = Intervals((int(start), int(stop)) for start, stop in content["missing"])
        except (OSError, ValueError, KeyError, TypeError):
            return
        inside = all(start >= 0 and stop <= self.parts for start, stop in missing)
        if same and inside and self._store.exists():
            self.missing = missing


def delete_old(folder: Path, days: float, most: int) -> None:
    """Delete unfinished files that nothing was added to for so many days, and all but `most`."""
    oldest = time.time() - days * _DAY
    with contextlib.suppress(OSError):
        stores = (folder / UNFINISHED).glob("*.part")
        ages = sorted(((path.stat().st_mtime, path) for path in stores), reverse=True)
        for place, (changed, path) in enumerate(ages):
            if changed < oldest or place >= most:
                path.unlink()
                path.with_suffix(".json").unlink(missing_ok=True)
