"""Where the simulated drone may be: circles and polygons to stay in, or out of, and two distances.

Places are ENU metres from home's ground.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

Place = tuple[float, float, float]


@dataclass(frozen=True)
class Zone:
    """A circle (one corner and a radius) or a polygon. `inside`: one must stay in it."""

    corners: tuple[tuple[float, float], ...]
    radius: float
    inside: bool

    def contains(self, x: float, y: float) -> bool:
        """Whether a place over ground is in it."""
        if self.radius > 0.0:
            return math.hypot(x - self.corners[0][0], y - self.corners[0][1]) <= self.radius
        return _in_polygon(x, y, self.corners)


class Geofence:
    """Refuses places; `breach` says why."""

    def __init__(self) -> None:
        self.zones: tuple[Zone, ...] = ()
        self.home: Place = (0.0, 0.0, 0.0)
        self.distance = 0.0
        self.height = 0.0

    def breach(self, place: Place) -> str:
        """Return what forbids a place; empty when it is allowed."""
        x, y, z = place
        home_x, home_y, home_z = self.home
        if self.distance and math.hypot(x - home_x, y - home_y) > self.distance:
            return f"more than {self.distance:g} m from home"
        if self.height and z - home_z > self.height:
            return f"more than {self.height:g} m above home"
        keep_in = [zone for zone in self.zones if zone.inside]
        if keep_in and not any(zone.contains(x, y) for zone in keep_in):
            return "outside the fence"
        if any(zone.contains(x, y) for zone in self.zones if not zone.inside):
            return "in a forbidden zone"
        return ""


def _in_polygon(x: float, y: float, corners: Sequence[tuple[float, float]]) -> bool:
    """Count the edges that a ray to the east crosses."""
    inside = False
    for (x1, y1), (x2, y2) in zip(corners, (*corners[1:], corners[0]), strict=True):
        if (y1 > y) != (y2 > y) and x < x1 + (y - y1) / (y2 - y1) * (x2 - x1):
            inside = not inside
    return inside
