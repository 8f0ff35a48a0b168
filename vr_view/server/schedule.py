"""What to send a page next: nothing more often than it asked for, no topic starved by another."""

from __future__ import annotations

from collections.abc import Mapping

from vr_view.server.topics import Frame, Topic

NEVER = float("inf")


class Schedule:
    """The cursors, rates and due times of one page."""

    def __init__(self, topics: Mapping[str, Topic]) -> None:
        self._topics = topics
        self._rates = {name: topic.spec.rate for name, topic in topics.items()}
        self._cursors = dict.fromkeys(topics, 0)
        self._due = dict.fromkeys(topics, 0.0)

    @property
    def rates(self) -> Mapping[str, float]:
        """Messages per second that the page wants of each topic."""
        return self._rates

    def subscribe(self, rates: Mapping[str, float]) -> list[str]:
        """Set rates; return the names that no topic has."""
        unknown = [name for name in rates if name not in self._rates]
        for name, rate in rates.items():
            if name in self._rates:
                self._rates[name] = rate
                self._due[name] = 0.0
        return unknown

    def next(self, now: float) -> Frame | None:
        """Return the frame that has been due longest, None where none is.

        Raises ValueError where a value cannot be sent; it is left out then.
        """
        for due, name in sorted(self._waiting()):
            if due > now:
                break
            topic, cursor = self._topics[name], self._cursors[name]
            self._cursors[name] = topic.version  # before what may fail: not again the same
            frame = topic.since(cursor)
            if frame is not None:
                self._due[name] = self._after(due, now, 1.0 / self._rates[name])
                return frame
        return None

    @staticmethod
    def _after(due: float, now: float, period: float) -> float:
        """Return the next due time: on the grid where we keep up, else counted from now."""
        return due + period if now - due < period else now + period

    def wait(self, now: float) -> float:
        """Return the seconds until something that is there will be due."""
        return max(0.0, min(self._waiting(), default=(NEVER, ""))[0] - now)

    def _waiting(self) -> list[tuple[float, str]]:
        """Return due time and name of each topic with something new that is wanted."""
        return [
            (self._due[name], name)
            for name, topic in self._topics.items()
            if topic.version > self._cursors[name] and self._rates[name] > 0.0
        ]
