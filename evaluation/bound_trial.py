"""The trial `bound`: the laser localizer on single scans beside the exact Bayes estimate.

Both see the very same scans of the simulated room. The Bayes estimate takes what a beam reads
without the target from scans of the room with the target elsewhere; the wall stands far enough
behind the target for hit and miss to be certain.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.bayes_bound import bayes_estimate, cramer_rao
from evaluation.estimator_chain import EstimatorChain
from evaluation.lockstep import ROBOT, SCAN_TOPIC, load_simulator
from evaluation.trial import BoundSetting, Trial
from scene_sim.simulator import Simulator
from spatial_types.scan import Scan
from spatial_types.transforms import Transform

Array = NDArray[np.float64]
BACKGROUND_SCANS = 40
SCAN_PERIOD = 100_000_000


@dataclass(frozen=True)
class BandErrors:
    """Errors (N, 2) along and across of one band of distances, ours and the Bayes estimate's."""

    band: tuple[float, float]
    ours: Array
    mean: Array
    median: Array
    missed: int


def run_bound(
    trial: Trial, seed: int, chain: EstimatorChain, report: Callable[[float], None]
) -> dict[str, Any]:
    """Run the trial and return its figures."""
    setting = trial.bound
    assert setting is not None
    simulator = load_simulator(trial, seed)
    simulator.camera_mode("on_demand")
    map_from_lrf = simulator.kinematics("station").link_from_link("map", "lrf_link", {})
    background = room_ranges(simulator)
    placer = _Placer(setting, background, np.random.default_rng([seed, 20]))
    bands = []
    for index, band in enumerate(setting.bands):
        pairs = []
        missed = 0
        for k in range(trial.samples):
            x, y = placer.place(band)
            scan, truth = _scan_at(simulator, x, y, placer.heading())
            found = _errors(chain, scan, truth, background, map_from_lrf)
            if found is None:
                missed += 1
            else:
                pairs.append(found)
            report(index * trial.samples + k + 1)
        stacked = np.array(pairs).reshape(-1, 3, 2)
        bands.append(BandErrors(band, stacked[:, 0], stacked[:, 1], stacked[:, 2], missed))
    return bound_figures(bands, chain)


def room_ranges(simulator: Simulator) -> Array:
    """Return what each beam reads in the empty room: the farther of two places of the target."""
    means = []
    for x, y in ((-1.5, 0.6), (1.5, 0.6)):
        simulator.set_model_pose(ROBOT, Transform.planar(x, y, 0.0))
        ranges = [_next_scan(simulator).ranges for _ in range(BACKGROUND_SCANS)]
        means.append(np.mean(ranges, axis=0))
    return np.maximum(means[0], means[1])


class _Placer:
    """Draws places of a band whose line of sight has the wall far enough behind."""

    def __init__(
        self, setting: BoundSetting, background: Array, generator: np.random.Generator
    ) -> None:
        self._setting, self._background, self._generator = setting, background, generator

    def place(self, band: tuple[float, float]) -> tuple[float, float]:
        """Return x, y (m)."""
        while True:
            distance = self._generator.uniform(*band)
            bearing = self._generator.uniform(*self._setting.bearings)
            beams = np.degrees(bearing) * 2 + np.arange(-18, 19)
            near = np.clip(np.round(beams), 0, len(self._background) - 1).astype(int)
            if self._background[near].min() >= distance + 0.1 + self._setting.clearance:
                return float(distance * np.cos(bearing)), float(distance * np.sin(bearing))

    def heading(self) -> float:
        """Return a yaw (rad)."""
        return float(self._generator.uniform(-np.pi, np.pi))


def _next_scan(simulator: Simulator) -> Scan:
    until = (simulator.time // SCAN_PERIOD + 1) * SCAN_PERIOD
    scans = [item.data for item in simulator.advance(until) if item.topic == SCAN_TOPIC]
    return scans[-1]


def _scan_at(simulator: Simulator, x: float, y: float, yaw: float) -> tuple[Scan, Array]:
    simulator.set_model_pose(ROBOT, Transform.planar(x, y, yaw))
    scan = _next_scan(simulator)
    pose, _, _ = simulator.truth("target")
    return scan, pose.translation[:2]


def _errors(
    chain: EstimatorChain, scan: Scan, truth: Array, background: Array, map_from_lrf: Transform
) -> tuple[Array, Array, Array] | None:
    """Errors along and across of ours, of the posterior mean and of its median."""
    chain.reset()
    result = chain.on_scan(scan, map_from_lrf)
    if result.primary is None:
        return None
    bearing = np.arctan2(truth[1], truth[0])
    axes = np.array([[np.cos(bearing), np.sin(bearing)], [-np.sin(bearing), np.cos(bearing)]])
    target = chain.laser_parameters.target.radius
    sigma = chain.laser_parameters.sensor.sigma
    guess = (float(truth[0]), float(truth[1]))
    bayes = bayes_estimate(scan.angles, scan.ranges, background, guess, target, sigma)
    return axes @ (result.primary.position - truth), bayes.mean, bayes.median


def bound_figures(bands: list[BandErrors], chain: EstimatorChain) -> dict[str, Any]:
    """Ratios of mean absolute errors over all bands and for each, biases and Cramer-Rao bounds."""
    everything = BandErrors(
        (bands[0].band[0], bands[-1].band[1]),
        np.concatenate([band.ours for band in bands]),
        np.concatenate([band.mean for band in bands]),
        np.concatenate([band.median for band in bands]),
        sum(band.missed for band in bands),
    )
    whole = _band_figures(everything)
    points = {f"{b.band[0]:g}-{b.band[1]:g} m": _band_figures(b) for b in bands}
    sigma, radius = chain.laser_parameters.sensor.sigma, chain.laser_parameters.target.radius
    for band, row in zip(bands, points.values(), strict=True):
        along, across = cramer_rao(float(np.mean(band.band)), radius, sigma, np.radians(0.5))
        row["cramer_rao_std_m"] = {"along": along, "across": across}
    worst = {
        axis: max(row["bound_ratio"][axis] for row in points.values())
        for axis in ("along", "across")
    }
    return {**whole, "points": points, "worst_bound_ratio": worst}


def _band_figures(band: BandErrors) -> dict[str, Any]:
    ours, mean = np.abs(band.ours).mean(axis=0), np.abs(band.mean).mean(axis=0)
    median = np.abs(band.median).mean(axis=0)
    names = ("along", "across")
    total = len(band.ours) + band.missed
    return {
        "samples": total,
        "availability": len(band.ours) / total if total else None,
        "bound_ratio": {name: float(ours[k] / mean[k]) for k, name in enumerate(names)},
        "bound_ratio_median": {name: float(ours[k] / median[k]) for k, name in enumerate(names)},
        "mae_m": {name: float(ours[k]) for k, name in enumerate(names)},
        "bayes_mae_m": {name: float(mean[k]) for k, name in enumerate(names)},
        "bias_m": {name: float(band.ours[:, k].mean()) for k, name in enumerate(names)},
    }
