"""The markers that are shown now, of messages that add, change and delete them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

MOST = 1000


@dataclass(frozen=True)
class Marker:
    """A marker as the page gets it; `until` is when it vanishes (s; infinite: it stays)."""

    key: tuple[str, int]
    shown: dict[str, Any]
    until: float


class MarkerBoard:
    """Keeps markers by namespace and number. Time is passed in (s, any clock)."""

    def __init__(self) -> None:
        self._markers: dict[tuple[str, int], Marker] = {}
        self.refused = 0

    def add(self, marker: Marker) -> None:
        """Show a marker, or change it."""
        if marker.key not in self._markers and len(self._markers) >= MOST:
            self.refused += 1
            return
        self._markers[marker.key] = marker

    def delete(self, key: tuple[str, int]) -> None:
        """Show it no more."""
        self._markers.pop(key, None)

    def clear(self) -> None:
        """Show none."""
        self._markers.clear()

    def expire(self, now: float) -> bool:
        """Drop those whose time is over; True where there were any."""
        over = [key for key, marker in self._markers.items() if marker.until <= now]
        for key in over:
            del self._markers[key]
        return bool(over)

    def shown(self) -> list[dict[str, Any]]:
        """Return all as the page gets them."""
        return [marker.shown for marker in self._markers.values()]
