"""A rosbag2 (MCAP or sqlite3) as one stream of messages in order of their header stamps.

Replay goes by header stamps, so that two replays are the same and a bag recorded in simulation,
whose recording times are wall time, is read on the simulation's clock. Recorders write messages in
the order of arrival; a short buffer puts them in order of acquisition. Transforms are let through
at once: a lookup needs the transform after the data.
"""

from __future__ import annotations

import functools
import heapq
import itertools
import struct
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from rosbags.interfaces import Connection
from rosbags.rosbag2 import Reader
from rosbags.typesys import Stores, get_typestore
from rosbags.typesys.store import Typestore

from evaluation.bag_salvage import Cut, RawMessage, salvage, storage_files
from evaluation.cdr_reading import READERS
from evaluation.errors import BagError
from evaluation.mcap_reading import chunks_in_order, read_chunks

HORIZON = 500_000_000
# Of one stamp, first what others need: intrinsics, then the scan, the image last.
RANKS = {
    "sensor_msgs/msg/CameraInfo": 0,
    "sensor_msgs/msg/LaserScan": 1,
    "sensor_msgs/msg/Image": 3,
}
STAMP = struct.Struct("<iI")
BIG_STAMP = struct.Struct(">iI")
# The C loader reads a bag's metadata in a millisecond, the other in fifty.
YAML_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class BagMessage(NamedTuple):
    """One message: topic, type, header stamp (ns), time of recording (ns), CDR bytes."""

    topic: str
    type: str
    stamp: int
    log_time: int
    data: bytes | memoryview


@dataclass
class Bag:
    """An open bag. `notes` says what was wrong with it; complete only after it was read.

    `whole` where rosbags accepts it, `plain` where it is MCAP whose messages are not compressed one
    by one. `counts` says how many messages of each topic the index tells of, where it does.
    """

    path: Path
    topics: dict[str, str]
    notes: list[str] = field(default_factory=list)
    whole: bool = True
    plain: bool = False
    counts: dict[str, int] = field(default_factory=dict)

    def deserialize(self, message: BagMessage) -> Any:
        """Return the message's fields; BagError where the bytes do not fit the type."""
        try:
            read = READERS.get(message.type)
            if read is not None:
                return read(message.data)
            return type_store().deserialize_cdr(message.data, message.type)
        except Exception as error:
            raise BagError(f"{self.path}: {message.topic}: unreadable message: {error}") from None

    def messages(
        self,
        topics: Collection[str],
        at_once: Collection[str] = (),
        collected: Mapping[str, list[bytes]] | None = None,
    ) -> Iterator[BagMessage]:
        """Yield the messages of some topics in order of header stamps.

        Those of the topics `at_once` come as they lie in the bag, before the data of their time,
        with a stamp of 0: the caller decodes it if it wants it. Those of the topics in `collected`
        are not yielded but put into its lists.
        """
        collected = collected or {}
        waiting: list[tuple[int, int, int, BagMessage]] = []
        order = itertools.count()
        for raw in self._raw(topics, collected):
            if raw.topic in at_once:
                yield BagMessage(raw.topic, raw.type, 0, raw.log_time, raw.data)
                continue
            stamp = header_stamp(raw)
            if stamp is None:
                self.notes.append(f"{raw.topic}: a message without a stamp was left out")
                continue
            message = BagMessage(raw.topic, raw.type, stamp, raw.log_time, raw.data)
            heapq.heappush(waiting, (stamp, RANKS.get(raw.type, 2), next(order), message))
            while waiting and waiting[0][-1].log_time + HORIZON < raw.log_time:
                yield heapq.heappop(waiting)[-1]
        while waiting:
            yield heapq.heappop(waiting)[-1]

    def _raw(
        self, topics: Collection[str], collected: Mapping[str, list[bytes]]
    ) -> Iterator[RawMessage]:
        if self.whole:
            yield from self._whole(topics, collected)
            return
        count, last, first = 0, 0, 0
        for path in storage_files(self.path):
            try:
                for raw in salvage(path):
                    count, last = count + 1, max(last, raw.log_time)
                    first = first or raw.log_time
                    if raw.topic in topics and not _collects(raw, collected):
                        yield raw
            except Cut as cut:
                self.notes.append(
                    f"{path.name} is truncated: {cut}; evaluated up to the cut, "
                    f"{count} messages over {(last - first) * 1e-9:.1f} s"
                )

    def _whole(
        self, topics: Collection[str], collected: Mapping[str, list[bytes]]
    ) -> Iterator[RawMessage]:
        count, last = 0, 0
        read = self._chunks if self.plain else self._through_rosbags
        try:
            for raw in read(topics, collected):
                count, last = count + 1, raw.log_time
                yield raw
        except Exception as error:  # rosbags', sqlite's, and what the bytes of a chunk raise
            count += sum(map(len, collected.values()))
            where = f"{self.path.name}: reading stopped after {count} messages"
            self.notes.append(f"{where}, the last recorded at {last * 1e-9:.3f} s: {error}")
            return
        count += sum(map(len, collected.values()))
        expected = sum(self.counts.get(topic, 0) for topic in topics)
        if self.counts and count != expected:
            self.notes.append(
                f"{self.path.name}: damaged: its index tells of {expected} messages on the topics "
                f"that are read, and there are {count}"
            )

    def _chunks(
        self, topics: Collection[str], collected: Mapping[str, list[bytes]]
    ) -> Iterator[RawMessage]:
        """Read MCAP files chunk by chunk where their chunks follow each other in time."""
        files = storage_files(self.path)
        places = [chunks_in_order(path) for path in files]
        if not all(places):
            yield from self._through_rosbags(topics, collected)
            return
        for path, found in zip(files, places, strict=True):
            yield from read_chunks(path, found or (), topics, collected)

    def _through_rosbags(
        self, topics: Collection[str], collected: Mapping[str, list[bytes]]
    ) -> Iterator[RawMessage]:
        with Reader(self.path) as reader:
            chosen = [item for item in reader.connections if item.topic in topics]
            if not chosen:  # to rosbags, no topics are all of them
                return
            for connection, log_time, data in reader.messages(chosen):
                raw = RawMessage(connection.topic, connection.msgtype, log_time, data)
                if not _collects(raw, collected):
                    yield raw


def _collects(raw: RawMessage, collected: Mapping[str, list[bytes]]) -> bool:
    """Put a message into its topic's list where there is one."""
    found = collected.get(raw.topic)
    if found is not None:
        found.append(bytes(raw.data))
    return found is not None


@functools.lru_cache(maxsize=1)
def type_store() -> Typestore:
    """The message types of ROS 2, made once: that takes a while."""
    return get_typestore(Stores.LATEST)


def open_bag(path: Path) -> Bag:
    """Open a bag: a folder, or one .mcap or .db3 file.

    One that rosbags refuses is read up to where it breaks off. Raises BagError where there is
    nothing to read at all.
    """
    if not path.exists():
        raise BagError(f"{path}: no such bag")
    if not storage_files(path):
        raise BagError(f"{path}: holds no .mcap and no .db3 file")
    try:
        if _is_plain(path):
            return _plain_bag(path)
        with Reader(path) as reader:
            return _bag(path, reader.connections)
    except Exception as error:
        return _broken_bag(path, str(error))


def _bag(path: Path, connections: Collection[Connection], plain: bool = False) -> Bag:
    topics = {item.topic: item.msgtype for item in connections}
    counts: Counter[str] = Counter()
    for item in connections:
        counts[item.topic] += item.msgcount
    return Bag(path, topics, plain=plain, counts=dict(counts))


def _is_plain(path: Path) -> bool:
    """Tell whether a bag is MCAP files alone, all that its metadata tells of, not compressed anew.

    Anything odd is left to rosbags, which says what is wrong.
    """
    files = storage_files(path)
    if any(file.suffix != ".mcap" for file in files):
        return False
    if path.is_file():
        return True
    try:
        text = (path / "metadata.yaml").read_text()
        told = yaml.load(text, YAML_LOADER)["rosbag2_bagfile_information"]
        names = {Path(name).name for name in told["relative_file_paths"]}
        mode = str(told.get("compression_mode") or "none").lower()
        return bool(names == {file.name for file in files} and mode == "none")
    except (OSError, ValueError, KeyError, TypeError, AttributeError, yaml.YAMLError):
        return False


def _plain_bag(path: Path) -> Bag:
    connections: list[Connection] = []
    for file in storage_files(path):
        with Reader(file) as reader:
            connections += reader.connections
    return _bag(path, connections, plain=True)


def _broken_bag(path: Path, why: str) -> Bag:
    topics: dict[str, str] = {}
    reasons = []
    files = storage_files(path)
    for file in files:
        try:
            for raw in salvage(file):
                topics[raw.topic] = raw.type
        except Cut as cut:
            reasons.append(f"{file.name}: {cut}")
    if not topics:
        empty = f"no message in {', '.join(file.name for file in files)} ({why})"
        raise BagError(f"{path}: nothing can be read: {'; '.join(reasons) or empty}")
    return Bag(path, topics, [] if reasons else [f"the bag's metadata is unusable ({why})"], False)


def header_stamp(raw: RawMessage) -> int | None:
    """Return the header stamp (ns) from the first bytes, None where there is none.

    The header is every stamped message's first field.
    """
    if len(raw.data) < 12:
        return None
    seconds, rest = (STAMP if raw.data[1] & 1 else BIG_STAMP).unpack_from(raw.data, 4)
    return int(seconds) * 10**9 + int(rest)
