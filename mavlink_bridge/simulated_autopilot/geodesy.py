"""Latitude and longitude against metres about an origin, good to a millimetre per kilometre.

A tangent plane on the WGS84 ellipsoid: the radii of curvature at the origin, no more. It is meant
for a few kilometres.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

EQUATOR = 6378137.0
FLATTENING = 1.0 / 298.257223563
E7 = 1e7


@dataclass(frozen=True)
class GlobalPoint:
    """Degrees, and metres above the sea."""

    latitude: float
    longitude: float
    altitude: float


class LocalOrigin:
    """Turns global points into ENU metres from `origin` and back."""

    def __init__(self, origin: GlobalPoint) -> None:
        self.origin = origin
        eccentricity = FLATTENING * (2.0 - FLATTENING)
        latitude = math.radians(origin.latitude)
        bend = 1.0 - eccentricity * math.sin(latitude) ** 2
        north = EQUATOR * (1.0 - eccentricity) / bend**1.5
        east = EQUATOR / math.sqrt(bend) * math.cos(latitude)
        height = origin.altitude
        self._north = math.radians(1.0) * (north + height)
        self._east = math.radians(1.0) * (east + height * math.cos(latitude))

    def local(self, point: GlobalPoint) -> tuple[float, float, float]:
        """Return ENU metres."""
        turned = (point.longitude - self.origin.longitude + 180.0) % 360.0 - 180.0
        return (
            turned * self._east,
            (point.latitude - self.origin.latitude) * self._north,
            point.altitude - self.origin.altitude,
        )

    def globe(self, position: tuple[float, float, float]) -> GlobalPoint:
        """Return the global point of ENU metres."""
        x, y, z = position
        longitude = self.origin.longitude + x / self._east
        return GlobalPoint(
            self.origin.latitude + y / self._north,
            (longitude + 180.0) % 360.0 - 180.0,
            self.origin.altitude + z,
        )
