"""Figures of the source thesis, to stand beside ours.

Moura, "Development and Simulation of a Low-Cost Ground-Truth Localization System for Mobile
Robots", IPB Braganca 2020, tables 5.1 to 5.3 and section 5.2. Metres and degrees.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ThesisRow:
    """One row: mean, standard deviation and mean absolute error of x, y (m) and angle (deg)."""

    mean: tuple[float, float, float]
    std: tuple[float, float, float]
    mae: tuple[float, float, float]


STATIC = {
    "A": ThesisRow((0.0, 1.0006, 0.8728), (0.0, 0.0171, 0.4462), (0.0, 0.0137, 0.8720)),
    "B": ThesisRow((0.0, 2.0013, 0.8157), (0.0, 0.0173, 0.6719), (0.0, 0.0138, 0.8125)),
    "C": ThesisRow((0.0, 3.0006, 2.9460), (0.0, 0.0169, 0.2664), (0.0, 0.0134, 2.9458)),
    "D": ThesisRow((-2.9738, 3.0259, 5.7660), (0.0120, 0.0123, 0.0198), (0.0262, 0.0260, 5.7660)),
    "E": ThesisRow((-2.9886, 1.0288, 359.0814), (0.0168, 0.0060, 0.4568), (0.0167, 0.0289, 0.9186)),
    "F": ThesisRow((3.0018, 1.0044, 2.9095), (0.0175, 0.0058, 0.5051), (0.0139, 0.0060, 2.9000)),
    "G": ThesisRow((2.9998, 2.9998, 4.1862), (0.0121, 0.0121, 0.0040), (0.0098, 0.0098, 4.1862)),
}
STATIC_WHOLE = (0.009, 0.016, 2.63)
DRIVING_WORST_M = 0.12
ROTATING_WORST_DEG = 6.5
DRIVING_AND_ROTATING_WORST_DEG = 92.0

# Exact Bayes estimate from ranges and hit or miss of one scan, sigma 30 mm, R 0.10 m, 0.5 deg
# steps: mean absolute error along and across the line of sight, metres, by distance in metres.
LIMIT_ONE_SCAN = {
    1: (0.0043, 0.0012),
    2: (0.0068, 0.0021),
    3: (0.0078, 0.0029),
    4: (0.0104, 0.0044),
}
LIMIT_FIVE_SCANS = {
    1: (0.0020, 0.0009),
    2: (0.0030, 0.0016),
    3: (0.0040, 0.0022),
    4: (0.0045, 0.0026),
}


def limit_at(distance: float, scans: int = 1) -> tuple[float, float]:
    """Interpolate the limit (mean absolute error along, across, m) to a distance of 1 to 4 m."""
    table = LIMIT_FIVE_SCANS if scans >= 5 else LIMIT_ONE_SCAN
    distance = min(4.0, max(1.0, distance))
    low = min(3, int(distance))
    part = distance - low
    along, across = ((1 - part) * table[low][axis] + part * table[low + 1][axis] for axis in (0, 1))
    return along, across
