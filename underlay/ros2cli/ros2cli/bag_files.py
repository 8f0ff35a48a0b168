"""Open a bag for reading, whole or cut off."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from rosbags.interfaces import ConnectionExtRosbag2
from rosbags.rosbag2 import Reader

from ros2cli.bag_salvage import DamageError, Message, Topic, salvage
from ros2cli.cli import CommandError

_SUFFIXES = {".mcap": "mcap", ".db3": "sqlite3"}


@dataclass(frozen=True)
class Bag:
    """What a bag holds; times in nanoseconds, `end` being the last message's."""

    path: Path
    files: tuple[Path, ...]
    storage: str
    distribution: str
    counts: dict[Topic, int]
    start: int
    end: int
    #: Why the bag could not be read as a whole; None for a sound one.
    cut: str | None = None

    @property
    def message_count(self) -> int:
        """Messages of all topics."""
        return sum(self.counts.values())

    def messages(self, topics: Collection[Topic], start: int = 0) -> Iterator[Message]:
        """Messages of some topics from a time on, in order of time (of writing, if cut).

        Raises:
            CommandError: a bag that looked whole is damaged inside.
        """
        if self.cut is not None:
            for path in self.files:
                with suppress(DamageError):  # `cut` tells of it
                    for message in salvage(path):
                        if message.topic in topics and message.stamp >= start:
                            yield message
            return
        count, last = 0, start
        try:
            for message in self._whole(topics, start):
                count, last = count + 1, message.stamp
                yield message
        except Exception as error:  # whatever damaged bytes make of rosbags and sqlite
            raise CommandError(
                f"'{self.path}' is damaged after {count} messages, the last at {last} ns: {error}"
            ) from None

    def _whole(self, topics: Collection[Topic], start: int) -> Iterator[Message]:
        with Reader(self.path) as reader:
            known = {connection.id: _topic(connection) for connection in reader.connections}
            chosen = [c for c in reader.connections if known[c.id] in topics]
            if chosen:
                for connection, stamp, data in reader.messages(chosen, start=start):
                    yield Message(known[connection.id], stamp, bytes(data))


def open_bag(path: Path) -> Bag:
    """Read what a bag holds.

    Raises:
        CommandError: there is no bag at the path, or nothing in it can be read.
    """
    if not path.exists():
        raise CommandError(f"No such bag: '{path}'")
    try:
        return _open_whole(path)
    except CommandError:
        raise
    except Exception as error:  # whatever a broken file makes its reader raise
        return _open_cut(path, str(error))


def _open_whole(path: Path) -> Bag:
    with Reader(path) as reader:
        counts = {_topic(connection): connection.msgcount for connection in reader.connections}
        files = _storage_files(path)
        return Bag(
            path,
            files,
            _SUFFIXES.get(files[0].suffix, "unknown") if files else "unknown",
            reader.ros_distro or "unknown",
            counts,
            reader.start_time,
            max(reader.start_time, reader.end_time - 1),
        )


def _open_cut(path: Path, reason: str) -> Bag:
    files = _storage_files(path)
    counts: Counter[Topic] = Counter()
    start, end = 2**63 - 1, 0
    for file in files:
        try:
            for message in salvage(file):
                counts[message.topic] += 1
                start, end = min(start, message.stamp), max(end, message.stamp)
        except DamageError as damage:
            reason = f"{reason}; {damage}"
    if not counts:
        raise CommandError(f"'{path}' holds no readable bag: {reason}")
    return Bag(path, files, _SUFFIXES[files[0].suffix], "unknown", dict(counts), start, end, reason)


def _storage_files(path: Path) -> tuple[Path, ...]:
    if path.is_file():
        return (path,)
    return tuple(sorted(file for file in path.iterdir() if file.suffix in _SUFFIXES))


def _topic(connection: object) -> Topic:
    extension = getattr(connection, "ext", None)
    profiles = (
        tuple(extension.offered_qos_profiles) if isinstance(extension, ConnectionExtRosbag2) else ()
    )
    return Topic(
        str(getattr(connection, "topic", "")), str(getattr(connection, "msgtype", "")), profiles
    )
