"""Signing keys on disk: one key per file, that nobody else may read, and what replay needs.

    ros2 run truthbed mavlink_key ~/.truthbed/drone.key [--passphrase]

A file holds 64 hexadecimal digits. Ground stations derive the key from a passphrase by SHA-256;
`--passphrase` asks for one and does the same.
"""

from __future__ import annotations

import argparse
import getpass
import hashlib
import json
import os
import secrets
import stat
import sys
from pathlib import Path

from mavlink_bridge.wire.signing import (
    KEY_LENGTH,
    LARGEST_STAMP,
    UNITS_PER_SECOND,
    Signing,
    Stream,
    stamp_from_unix,
)

OTHERS = stat.S_IRWXG | stat.S_IRWXO
SAVE_EVERY = 5.0
# Saved ahead of time, so that what was signed after the last saving cannot have a later stamp.
AHEAD = 10 * UNITS_PER_SECOND


class KeyFileError(ValueError):
    """A key file cannot be used; the text names it and what is wrong."""


def key_from_passphrase(passphrase: str) -> bytes:
    """Return the key as ground stations derive it."""
    return hashlib.sha256(passphrase.encode()).digest()


def read_key(path: Path) -> bytes:
    """Return the key of 32 bytes; KeyFileError when others may read it or it is none."""
    try:
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            text = file.read(4096)
    except OSError as error:
        raise KeyFileError(f"{path}: {error.strerror}") from error
    if not stat.S_ISREG(status.st_mode):
        raise KeyFileError(f"{path}: not a regular file")
    if status.st_mode & OTHERS:
        raise KeyFileError(
            f"{path}: mode {stat.S_IMODE(status.st_mode):03o} lets others at the key; "
            f"`chmod 600 {path}`, and make a new key if they may have read it"
        )
    try:
        key = bytes.fromhex(text.decode("ascii"))
    except ValueError:
        key = b""
    if len(key) != KEY_LENGTH:
        raise KeyFileError(f"{path}: expected {2 * KEY_LENGTH} hexadecimal digits and nothing else")
    return key


def write_key(path: Path, key: bytes) -> None:
    """Write a new key file that only its owner may read; KeyFileError when there is one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise KeyFileError(f"{path}: {error.strerror}") from error
    with open(descriptor, "w", encoding="ascii") as file:
        file.write(key.hex() + "\n")


class SigningStore:
    """Keeps beside the key file what a link must remember: the last stamps, ours and others'.

    Without it, frames of the last minute could be replayed after a restart, and a machine that
    lost its clock would sign with stamps that its peers have already seen.
    """

    def __init__(self, key_file: Path, link_id: int) -> None:
        self._path = key_file.with_name(f"{key_file.name}.link{link_id}")
        self._save_at: float | None = None

    def load(self) -> tuple[int, dict[Stream, int]]:
        """Return the least stamp to sign with, and the streams' last ones; nothing: zeros."""
        try:
            saved = json.loads(self._path.read_text(encoding="ascii"))
            stamp = min(int(saved["stamp"]), LARGEST_STAMP)
            streams = {(int(a), int(b), int(c)): int(last) for a, b, c, last in saved["streams"]}
        except FileNotFoundError:
            return 0, {}
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise KeyFileError(
                f"{self._path}: cannot be read ({error}); without it old frames could be replayed, "
                "so remove it only together with the key"
            ) from error
        return stamp, streams

    def keep(self, signing: Signing, now: float) -> None:
        """Save every few seconds of the caller's clock."""
        if self._save_at is None or now >= self._save_at:
            self.save(signing)
            self._save_at = now + SAVE_EVERY

    def save(self, signing: Signing) -> None:
        """Save now, whole or not at all."""
        streams = [[*stream, last] for stream, last in sorted(signing.streams.items())]
        unfinished = self._path.with_name(self._path.name + f".{os.getpid()}.tmp")
        descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(descriptor, "w", encoding="ascii") as file:
            json.dump({"stamp": signing.stamp + AHEAD, "streams": streams}, file)
        unfinished.replace(self._path)


def open_signing(key_file: Path, link_id: int, unix_time: float) -> tuple[Signing, SigningStore]:
    """Return the signing of one link with the key of a file, and the store that remembers it.

    The owner calls `store.keep(signing, now)` as it polls, and `store.save(signing)` at its end.
    Links that share a key need numbers of their own. Raises KeyFileError.
    """
    key = read_key(key_file)
    store = SigningStore(key_file, link_id)
    stamp, streams = store.load()
    return Signing(key, link_id, max(stamp, stamp_from_unix(unix_time)), streams), store


def main(arguments: list[str] | None = None) -> int:
    """Make a key file; see the module's text."""
    parser = argparse.ArgumentParser(prog="mavlink_key", description="make a signing key")
    parser.add_argument("path", type=Path, help="file to write; it must not exist")
    parser.add_argument("--passphrase", action="store_true", help="ask for one instead of chance")
    options = parser.parse_args(arguments)
    if options.passphrase:
        key = key_from_passphrase(getpass.getpass("passphrase: "))
    else:
        key = secrets.token_bytes(KEY_LENGTH)
    try:
        write_key(options.path, key)
    except KeyFileError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(f"wrote {options.path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
