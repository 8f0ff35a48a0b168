"""Sights of a station whose camera is elsewhere than told, made from numbers alone."""

from __future__ import annotations

import numpy as np

from ground_truth_localizer.calibration_sights import Sights

RADIUS = 0.10
PIXEL = 2 * np.tan(np.radians(22.5)) / 320
TOLD = np.array([0.0, 0.10])
TRUE = np.array([0.03, 0.03, np.radians(3.0), 0.02])


def over_the_room(count: int, random: np.random.Generator) -> np.ndarray:
    """A drive (N, 2) of smooth curves between 0.9 and 3.6 m, -3.2 and 3.2 m, 40 mm a scan."""
    phases = random.uniform(0, 2 * np.pi, 2)
    t = 0.04 * np.arange(count)
    x = 3.2 * np.sin(0.21 * t + phases[0])
    y = 2.2 + 1.3 * np.sin(0.33 * t + phases[1])
    return np.stack([x, y], axis=1)


def sights(
    places: np.ndarray,
    random: np.random.Generator,
    true: np.ndarray = TRUE,
    edge: float = 0.0,
    laser_sigma: tuple[float, float] = (0.010, 0.0018),
    camera_sigma: tuple[float, float] = (0.1 * PIXEL, 0.1 * PIXEL),
    delay: float = 0.0,
) -> Sights:
    """What laser and camera say of a target at `places` (N, 2) of the laser's axes, 0.1 s apart.

    The pan does not turn while an image is taken; with a `delay` (s) images are stamped late.
    """
    n = len(places)
    far = np.hypot(*places.T)
    laser = np.stack([far + true[3], np.arctan2(places[:, 1], places[:, 0])], axis=1)
    away = places - TOLD - true[:2]
    bearing = np.arctan2(away[:, 1], away[:, 0]) - true[2]
    slip = -np.gradient(np.unwrap(bearing), 0.1) if n > 1 else np.zeros(n)
    bearing = bearing + slip * delay
    width = np.arcsin(RADIUS / np.hypot(*away.T)) + edge
    laser = laser + random.normal(size=(n, 2)) * laser_sigma
    camera = np.stack([bearing, width], axis=1) + random.normal(size=(n, 2)) * camera_sigma
    return Sights(
        np.arange(n, dtype=np.int64) * 100_000_000,
        laser,
        np.tile(np.diag(np.square(laser_sigma)), (n, 1, 1)),
        camera,
        np.tile(np.diag(np.square(camera_sigma)), (n, 1, 1)),
        np.tile(TOLD, (n, 1)),
        bearing,
        slip,
        np.ones(n, dtype=np.int64),
    )
