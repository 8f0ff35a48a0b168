"""What the page can be sent, each topic with its newest value only.

A page has no queue: for each topic it has a cursor that says how far it has been told, and what is
sent is made when it is sent. So a page that reads slowly costs no memory, whatever the topics do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from vr_view.server.protocol import encode, encode_binary

Frame = str | bytes
MOST_TRANSFORMS = 4096
WAITING_POINTS = 100
TransformRow = tuple[Any, ...]  # parent, child, stamp, x, y, z, qx, qy, qz, qw


@dataclass(frozen=True)
class TopicSpec:
    """A topic by name and kind, and its messages per second unless a page asks for another."""

    topic: str
    kind: str
    rate: float = 10.0

    def as_json(self) -> dict[str, Any]:
        """Return what `hello` tells of it."""
        return {"topic": self.topic, "kind": self.kind, "rate": self.rate}


class Topic:
    """The newest value of one topic; a value is the fields of its message, or a header and bytes.

    A value may also be a function that returns that: it is called when somebody is sent it.
    """

    def __init__(self, spec: TopicSpec) -> None:
        self.spec = spec
        self.version = 0
        self._value: Any = None
        self._frame: Frame | None = None

    def put(self, value: Any) -> None:
        """Take a newer value."""
        self._value, self._frame = value, None
        self.version += 1

    def merge(self, waiting: list[Any], value: Any) -> list[Any]:
        """Return what is to be put, of values that nobody has taken in yet and a newer one."""
        return [value]

    def since(self, cursor: int) -> Frame | None:
        """Return what a page that was told up to that version has not been told.

        Raises ValueError where the value has numbers that JSON does not have.
        """
        if self.version <= cursor:
            return None
        if self._frame is None:
            self._frame = self._encoded(self._value() if callable(self._value) else self._value)
        return self._frame

    def _encoded(self, value: Any) -> Frame:
        about = {"topic": self.spec.topic, "kind": self.spec.kind}
        if isinstance(value, tuple):
            header, payload = value
            return encode_binary({**about, **header}, payload)
        return encode("topic", **about, **value)


class TransformTopic(Topic):
    """tf: the newest transform of each child; a page is told those that changed."""

    def __init__(self, spec: TopicSpec) -> None:
        super().__init__(spec)
        self._rows: dict[str, tuple[int, TransformRow]] = {}
        self.refused = 0

    def merge(self, waiting: list[Any], value: Iterable[TransformRow]) -> list[Any]:
        """Keep the newest transform of each child."""
        rows = {row[1]: row for row in waiting[0]} if waiting else {}
        for row in value:
            if row[1] in rows or len(rows) < MOST_TRANSFORMS:
                rows[row[1]] = row
        return [list(rows.values())]

    def put(self, value: Iterable[TransformRow]) -> None:
        """Take newer transforms."""
        self.version += 1
        for row in value:
            if row[1] not in self._rows and len(self._rows) >= MOST_TRANSFORMS:
                self.refused += 1
                continue
            self._rows[row[1]] = (self.version, row)

    def since(self, cursor: int) -> Frame | None:
        """Return the transforms that are newer than the cursor."""
        if self.version <= cursor:
            return None
        rows = [row for version, row in self._rows.values() if version > cursor]
        return self._encoded({"transforms": rows})


class TrailTopic(Topic):
    """Where something has been: told once, in whole, to each page."""

    def __init__(self, spec: TopicSpec, of: str, longest: int, step: float) -> None:
        """Keep the way of topic `of`: `longest` points, at least `step` metres apart."""
        super().__init__(spec)
        self._of, self._longest, self._step = of, longest, step
        self._points: list[tuple[float, float, float]] = []

    def merge(self, waiting: list[Any], value: Any) -> list[Any]:
        """Keep the last few points; a new beginning makes all before it void."""
        return [None] if value is None else [*waiting[-WAITING_POINTS:], value]

    def put(self, value: Any) -> None:
        """Take a point (x, y, z); None begins anew."""
        if value is None:
            self._points.clear()
            self.version = 0
            return
        last = self._points[-1] if self._points else None
        if last and sum((a - b) ** 2 for a, b in zip(last, value, strict=True)) < self._step**2:
            return
        self._points.append(value)
        self.version = 1
        if len(self._points) > self._longest:
            del self._points[: self._longest // 4]

    def since(self, cursor: int) -> Frame | None:
        """Return the whole way to a page that has not had it."""
        if cursor or not self._points:
            return None
        flat = [round(number, 4) for point in self._points for number in point]
        return self._encoded({"of": self._of, "points": flat})


Make = Callable[[TopicSpec], Topic]


def make_topics(specs: Iterable[TopicSpec], makers: Mapping[str, Make]) -> dict[str, Topic]:
    """Return the topics by name; a kind that `makers` names is made by it."""
    return {spec.topic: makers.get(spec.kind, Topic)(spec) for spec in specs}
