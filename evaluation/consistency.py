"""Does the published covariance tell the truth: normalised estimation error squared (NEES).

Bar-Shalom, Li, Kirubarajan, "Estimation with Applications to Tracking and Navigation", 5.4:
e^T P^-1 e of a consistent estimator follows chi-square with as many degrees of freedom as e has.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri

Array = NDArray[np.float64]
CONFIDENCE = 0.95


def nees(errors: Array, covariances: Array) -> Array:
    """Return e^T P^-1 e for errors (N, d) and covariances (N, d, d); NaN where P is unusable."""
    result = np.full(len(errors), np.nan)
    known = np.isfinite(errors).all(axis=1), np.isfinite(covariances).all(axis=(1, 2))
    usable = np.logical_and(*known)
    usable[usable] = np.linalg.eigvalsh(covariances[usable])[:, 0] > 0.0
    if usable.any():
        e = errors[usable]
        weighed = np.linalg.solve(covariances[usable], e[:, :, None])[:, :, 0]
        result[usable] = np.sum(e * weighed, axis=1)
    return result


def independent_samples(values: Array, longest: int = 200) -> float:
    """Return how many independent samples a correlated series is worth.

    N / (1 + 2 sum of autocorrelations), summed until they first drop below zero: errors of a
    filter repeat from scan to scan, and N itself would make the bounds far too narrow.
    """
    centred = values - values.mean()
    power = float(centred @ centred)
    if len(values) < 3 or power <= 0.0:
        return float(len(values))
    total = 0.0
    for lag in range(1, min(longest, len(values) - 1)):
        correlation = float(centred[:-lag] @ centred[lag:]) / power
        if correlation <= 0.0:
            break
        total += correlation
    return max(1.0, len(values) / (1.0 + 2.0 * total))


def consistency(values: Array, dof: int) -> dict[str, Any]:
    """Summarise NEES values: mean, its 95 % bounds if consistent, and the share inside the gate.

    `share_inside` is the share of samples within the 95 % chi-square gate of one sample.
    """
    known = values[np.isfinite(values)]
    if len(known) == 0:
        return {"nees": None, "nees_dof": dof, "nees_bounds": None, "nees_consistent": None}
    count = independent_samples(known)
    tail = (1.0 - CONFIDENCE) / 2
    # chdtri takes the upper tail; scipy.stats says the same and takes a second to import.
    low, high = (float(chdtri(dof * count, q) / count) for q in (1 - tail, tail))
    mean = float(known.mean())
    return {
        "nees": mean,
        "nees_dof": dof,
        "nees_bounds": [low, high],
        "nees_consistent": "yes" if low <= mean <= high else _verdict(mean, low),
        "nees_share_inside": float(np.mean(known <= chdtri(dof, 1.0 - CONFIDENCE))),
    }


def _verdict(mean: float, low: float) -> str:
    return "too cautious" if mean < low else "too confident"
