"""Write a bag from a thread of its own, so that the disk never holds up what arrives."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Literal

from rclpy.qos import QoSProfile
from rosbags.rosbag2 import StoragePlugin, Writer

from ros2cli.bag_qos import recorded
from ros2cli.bag_types import Definitions

#: Newest metadata version that every supported distribution reads, Humble's included.
METADATA_VERSION: Literal[8] = 8
STORAGES = {"mcap": StoragePlugin.MCAP, "sqlite3": StoragePlugin.SQLITE3}
#: Seconds between making what was written safe against being killed.
_SYNC_PERIOD = 2.0


class BagWriter:
    """A bag being written; `add_topic` and `write` may be called from one other thread."""

    def __init__(self, path: Path, storage: str) -> None:
        self._writer = Writer(path, version=METADATA_VERSION, storage_plugin=STORAGES[storage])
        self._definitions = Definitions()
        self._queue: SimpleQueue[tuple[Any, ...] | None] = SimpleQueue()
        self._connections: dict[str, Any] = {}
        self._failure: Exception | None = None
        self._ready = threading.Event()
        self.count = 0
        # sqlite3 objects belong to the thread that made them: the thread opens and closes too.
        self._thread = threading.Thread(target=self._run, name="bag writer")
        self._thread.start()
        self._ready.wait()
        self.check()

    def add_topic(self, name: str, kind: str, profiles: list[QoSProfile]) -> None:
        """Announce a topic before its first message.

        Raises:
            CommandError: the type's definition is not installed.
        """
        text, digest = self._definitions.of(kind)
        self._queue.put(("topic", name, kind, text, digest, [recorded(p) for p in profiles]))

    def write(self, topic: str, stamp: int, data: bytes) -> None:
        """Queue a serialized message with its time of recording (ns)."""
        self.count += 1
        self._queue.put((topic, stamp, data))

    def check(self) -> None:
        """Raise what stopped the thread, if anything did."""
        if self._failure is not None:
            raise self._failure

    def close(self) -> None:
        """Write everything that is queued and finish the bag."""
        self._queue.put(None)
        self._thread.join()
        self.check()

    def _run(self) -> None:
        try:
            self._writer.open()
            self._ready.set()
            self._consume()
            self._writer.close()
        except Exception as error:
            self._failure = error
        finally:
            self._ready.set()

    def _consume(self) -> None:
        synced = time.monotonic()
        while True:
            try:
                item = self._queue.get(timeout=_SYNC_PERIOD)
            except Empty:
                item = ()
            if item is None:
                return
            if len(item) == 3:
                self._writer.write(self._connections[item[0]], item[1], item[2])
            elif item:
                self._connect(*item[1:])
            if time.monotonic() - synced > _SYNC_PERIOD:
                self._sync()
                synced = time.monotonic()

    def _connect(self, name: str, kind: str, text: str, digest: str, profiles: list[Any]) -> None:
        self._connections[name] = self._writer.add_connection(
            name, kind, msgdef=text, rihs01=digest, offered_qos_profiles=profiles
        )

    def _sync(self) -> None:
        """Hand over what rosbags would keep in memory until the end."""
        storage: Any = self._writer.storage
        if hasattr(storage, "conn"):
            storage.conn.commit()
        elif storage.chunk.msgs:
            storage.close_chunk()
            storage.bio.flush()
