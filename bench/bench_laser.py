"""Cost of the laser localizer: per scan, with beams, with targets. `run(quick)` gives the rows."""

import statistics
import time

import numpy as np

from ground_truth_localizer.acceptance_zone import RectangleZone
from ground_truth_localizer.laser_localizer import LaserLocalizer
from ground_truth_localizer.laser_parameters import FilterParameters, LaserParameters
from ground_truth_localizer.synthetic_scans import SyntheticLaser, standing

BOX = (-4.0, 0.0, 4.0, 4.0)
REQUIRED = 2500.0  # scans a second, one target, 360 beams


def places(count):
    """`count` places in view of the sensor, none in another's shadow, 1 to 3.5 m away."""
    bearings = np.linspace(0.25, np.pi - 0.25, count) if count > 1 else np.array([1.3])
    distances = np.resize([2.0, 3.2, 1.6, 2.6], count)
    return np.stack([distances * np.cos(bearings), distances * np.sin(bearings)], axis=1)


def time_scans(scans, laser, parameters, repeats):
    """Median over repeats of the mean CPU seconds per scan, and the targets found last."""
    costs = []
    for _ in range(repeats):
        localizer = LaserLocalizer(parameters, RectangleZone(BOX))
        start = time.process_time()
        for scan in scans:
            result = localizer.update(scan, laser.map_from_lrf)
        costs.append((time.process_time() - start) / len(scans))
    return statistics.median(costs), len(result.targets)


def measure(beams, targets, method, scans, repeats):
    step = np.radians(180.0 / beams)
    laser = SyntheticLaser(count=beams, angle_increment=step, seed=1)
    movers = [(standing(x, y), 0.1) for x, y in places(targets)]
    taken = [laser.scan(0.1 * i, movers) for i in range(scans)]
    parameters = LaserParameters(method=method, filter=FilterParameters(memory_scans=5))
    cost, found = time_scans(taken, laser, parameters, repeats)
    row = {
        "name": f"laser {method}, {beams} beams, {targets} targets",
        "value": 1.0 / cost,
        "unit": "scans/s",
        "found": found,
    }
    if (beams, targets, method) == (360, 1, "model"):
        row["required"] = REQUIRED
    return row


def run(quick: bool) -> list[dict]:
    scans, repeats = (60, 3) if quick else (400, 5)
    cases = [(360, 1, "model"), (360, 1, "thesis")]
    cases += [(beams, 1, "model") for beams in (720, 1440, 3600)]
    cases += [(360, targets, "model") for targets in (2, 4, 8, 16)]
    measure(360, 1, "model", 50, 1)  # warm up
    return [measure(*case, scans, repeats) for case in cases]
