"""Where the camera of a station really is, from sights of a target that laser and camera share.

Unknown are how far the camera's place is off in x and y of the laser's axes, one angle (what its
viewing direction lacks: the station's heading and the pan's zero cannot be told apart), and the
laser's range bias. Two more are held by what is known of them, and keep the others honest: how much
too wide an edge appears, and how late the images' stamps are. An image that is late by T shows the
target as it was, with the pan read as it is: its bearing is off by (pan rate - bearing rate) T.

Each sight gives two residuals, bearing and half width of the silhouette, against what the laser's
place of the target lets expect; the laser's own error goes into their covariance (total least
squares to first order). The fit is Gauss-Newton with weights that leave outliers out. Standard
deviations come from the Jacobian, and are raised where residuals scatter more than told, or where
stretches of the recording disagree more than single sights do, as errors that last for a while make
them (cluster-robust covariance, Liang and Zeger 1986). Errors that go with the place of the target,
as light makes them, show in no scatter: what they may do is added from what is known of them.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ground_truth_localizer.calibration_sights import Sights
from spatial_types.parameters import parameter

Array = NDArray[np.float64]

NAMES = ("camera_x", "camera_y", "angle", "range_bias")
UNITS = ("m", "m", "rad", "m")
COUNT = len(NAMES)
EDGE, DELAY, SIZE = COUNT, COUNT + 1, COUNT + 2
ROUNDS = 40
ENOUGH = 1e-8  # steps smaller than this part of a standard deviation end the search
FIRST_CUT = 30.0  # outlier limit (sigma) of the first round; it shrinks to the parameter's
SHRINK = 0.7
FEWEST_BLOCKS = 12
SUSPECTS = "are target radius, lens, stamps and pan readings as told?"


@dataclass(frozen=True)
class CalibrationParameters:
    """What is known beforehand, and what is asked of the result."""

    radius: float = parameter(0.10, "radius of the target", unit="m", minimum=0.005, maximum=2.0)
    edge_sigma: float = parameter(
        0.09, "how well the silhouette's edges are known", unit="pixels", minimum=1e-4, maximum=5.0
    )
    bearing_drift: float = parameter(
        0.04, "how much bearings go with the target's place", unit="pixels", minimum=0.0
    )
    width_drift: float = parameter(
        0.01, "how much half widths go with the target's place", unit="pixels", minimum=0.0
    )
    delay_sigma: float = parameter(
        0.03,
        "how well the images' stamps are known to agree with those of the scans",
        unit="s",
        minimum=1e-6,
        maximum=1.0,
    )
    outlier: float = parameter(
        4.0, "sights farther off than this are left out", unit="sigma", minimum=2.0
    )
    most_outliers: float = parameter(
        0.4, "largest part of the sights that may be left out", minimum=0.0, maximum=0.9
    )
    largest_scatter: float = parameter(
        3.0, "largest scatter of the residuals, in units of what is expected", minimum=1.0
    )
    place_limit: float = parameter(
        0.010, "x or y of a larger standard deviation is not determined", unit="m", minimum=1e-5
    )
    angle_limit: float = parameter(
        0.5, "an angle of a larger standard deviation is not determined", unit="deg", minimum=1e-4
    )
    bias_limit: float = parameter(
        0.010, "a range bias of a larger one is not determined", unit="m", minimum=1e-5
    )
    block: float = parameter(
        4.0, "stretch of the recording whose errors may go together", unit="s", minimum=0.01
    )

    @property
    def limits(self) -> Array:
        """Largest standard deviations (4,), in the order of NAMES."""
        place = self.place_limit
        return np.array([place, place, np.radians(self.angle_limit), self.bias_limit])


@dataclass(frozen=True)
class Calibration:
    """The outcome; `values` and `sigmas` (4,) in the order of NAMES, `covariance` (4, 4).

    camera_x and camera_y are to be added to the camera's place as told, `angle` to its viewing
    direction. `edge` (rad) is how much too wide half a silhouette appears, `delay` (s) how late the
    images' stamps are against those of the scans. `scatter` (2,) is
    that of bearings and widths in units of what was expected, `used` (N,) which sights were not
    left out.
    """

    values: Array
    sigmas: Array
    covariance: Array
    edge: float
    delay: float
    delay_sigma: float
    scatter: Array
    used: NDArray[np.bool_]

    @property
    def outliers(self) -> float:
        """Part of the sights that were left out."""
        return float(1.0 - self.used.mean()) if len(self.used) else 0.0


class CalibrationError(ValueError):
    """The sights do not determine the station; `parameters` names what they leave open."""

    def __init__(self, text: str, parameters: tuple[str, ...] = NAMES) -> None:
        super().__init__(text)
        self.parameters = parameters


def calibrate(
    sights: Sights,
    pixel: float,
    parameters: CalibrationParameters | None = None,
    start: Array | None = None,
) -> Calibration:
    """Find camera_x, camera_y, angle and range_bias, searching from `start` (4,) or zero.

    `pixel` is the angle of one pixel (rad). Raises CalibrationError, naming the parameters that
    are not determined by the sights.
    """
    parameters = parameters or CalibrationParameters()
    if len(sights) < 3:
        raise CalibrationError(
            f"{len(sights)} sights of the target by both laser and camera: nothing is determined, "
            f"neither {', '.join(NAMES[:-1])} nor {NAMES[-1]}"
        )
    known = np.array([parameters.edge_sigma * pixel, parameters.delay_sigma])
    problem = Problem(sights, parameters, known)
    state = np.append(np.zeros(COUNT) if start is None else start, (0.0, 0.0))
    with np.errstate(all="ignore"):
        state, used = problem.search(state, FIRST_CUT)
        _refuse_open(problem.linear(state).inverse(used)[:COUNT, :COUNT], parameters, "")
        # What scatters more than told counts less.
        scatter = problem.linear(state).scatter(used)
        problem = dataclasses.replace(problem, factors=np.maximum(scatter, 1.0))
        state, used = problem.search(state, parameters.outlier)
        fit = problem.linear(state)
        full = _covariance(fit, used, sights.stamps, parameters)
        drifts = np.array([parameters.bearing_drift, parameters.width_drift])
        full = full + fit.drifted(used, drifts * pixel)
    result = _result(state, full, scatter, used)
    _check(result, parameters)
    return result


def _result(
    state: Array, covariance: Array, scatter: Array, used: NDArray[np.bool_]
) -> Calibration:
    sigmas = np.sqrt(np.diag(covariance))
    return Calibration(
        values=state[:COUNT],
        sigmas=sigmas[:COUNT],
        covariance=covariance[:COUNT, :COUNT],
        edge=float(state[EDGE]),
        delay=float(state[DELAY]),
        delay_sigma=float(sigmas[DELAY]),
        scatter=scatter,
        used=used,
    )


def undetermined(covariance: Array, limits: Array) -> tuple[str, ...]:
    """Names of the parameters whose standard deviation is beyond its limit, or no number."""
    sigmas = np.sqrt(np.diag(covariance))
    return tuple(n for n, s, most in zip(NAMES, sigmas, limits, strict=True) if not s <= most)


def residuals(sights: Sights, state: Array, radius: float) -> Array:
    """Bearing and half width (N, 2) as seen, minus as expected (rad).

    `state` (6,) is camera_x, camera_y, angle, range_bias, edge and delay.
    """
    away = _away(sights, state)
    distance = np.hypot(away[:, 0], away[:, 1])
    bearing = sights.camera[:, 0] + state[2] - np.arctan2(away[:, 1], away[:, 0])
    bearing = bearing - state[DELAY] * sights.slip
    width = sights.camera[:, 1] - state[EDGE] - np.arcsin(np.minimum(radius / distance, 0.99))
    return np.stack([(bearing + np.pi) % (2.0 * np.pi) - np.pi, width], axis=1)


def _away(sights: Sights, state: Array) -> Array:
    """From the camera to the target (N, 2), m, as the laser has it."""
    distance, bearing = sights.laser[:, 0] - state[3], sights.laser[:, 1]
    place = distance[:, None] * np.stack([np.cos(bearing), np.sin(bearing)], axis=1)
    return np.asarray(place - sights.origin - state[:2])


@dataclass(frozen=True)
class Problem:
    """What is to be fitted.

    `known` (2,) are the standard deviations of edge (rad) and delay (s) beforehand; `factors` (2,)
    are how much larger than told the errors of bearings and widths are.
    """

    sights: Sights
    parameters: CalibrationParameters
    known: Array
    factors: Array = field(default_factory=lambda: np.ones(2))

    @property
    def scale(self) -> Array:
        """Sizes (6,) that make the unknowns comparable."""
        return np.append(self.parameters.limits, self.known)

    def linear(self, state: Array) -> Linear:
        """Linearise at a state (6,)."""
        return Linear(self, state)

    def search(self, state: Array, cut: float) -> tuple[Array, NDArray[np.bool_]]:
        """Gauss-Newton; the limit beyond which sights are left out shrinks from `cut` on.

        Returns the state and which sights were used.
        """
        least = self.parameters.outlier
        for _ in range(ROUNDS):
            fit = self.linear(state)
            # As long as the state is far off, all sights are: what counts is against their middle.
            middle = max(float(np.median(fit.distance)), 1.0)
            weights = np.minimum(0.5 * cut * middle / np.maximum(fit.distance, 1e-9), 1.0) ** 2
            weights[fit.distance > cut * middle] = 0.0
            information, gradient = fit.information(weights)
            step = -_inverse(information, self.scale, 1e-6) @ gradient
            state = state + np.clip(step, -20.0 * self.scale, 20.0 * self.scale)
            done = cut == least and np.max(np.abs(step / self.scale)) < ENOUGH
            cut = max(SHRINK * cut, least)
            if done or not np.all(np.isfinite(state)):
                break
        fit = self.linear(state)
        return state, fit.distance <= least * max(float(np.median(fit.distance)), 1.0)


class Linear:
    """A problem at a state: whitened residuals (N, 2) and their Jacobian (N, 2, 6)."""

    def __init__(self, problem: Problem, state: Array) -> None:
        sights, radius = problem.sights, problem.parameters.radius
        self._problem, self._held = problem, state[COUNT:]
        by_place = _slopes(_away(sights, state), radius)
        bearing = sights.laser[:, 1]
        along = np.stack([np.cos(bearing), np.sin(bearing)], axis=1)
        across = np.stack([-along[:, 1], along[:, 0]], axis=1)
        far = (sights.laser[:, 0] - state[3])[:, None]
        by_laser = by_place @ np.stack([along, far * across], axis=2)
        spread = by_laser @ sights.laser_covariance @ by_laser.swapaxes(1, 2)
        spread = (spread + sights.camera_covariance) * np.outer(problem.factors, problem.factors)
        jacobian: Array = np.zeros((len(sights), 2, SIZE))
        jacobian[:, :, :2] = -by_place
        jacobian[:, 0, 2] = 1.0
        jacobian[:, :, 3] = -by_laser[:, :, 0]
        jacobian[:, 1, EDGE] = -1.0
        jacobian[:, 0, DELAY] = -sights.slip
        raw = residuals(sights, state, radius)
        white = np.asarray(np.linalg.inv(np.linalg.cholesky(spread)), dtype=np.float64)
        self._white = white
        self.jacobian: Array = white @ jacobian
        self.residuals: Array = (white @ raw[:, :, None])[:, :, 0]
        self.distance: Array = np.sqrt(np.sum(self.residuals**2, axis=1) / 2.0)
        self._single = raw / np.sqrt(spread[:, (0, 1), (0, 1)])

    @property
    def _before(self) -> Array:
        """Information (6, 6) of what is known beforehand."""
        return np.diag(np.append(np.zeros(COUNT), self._problem.known**-2.0))

    def information(self, weights: Array) -> tuple[Array, Array]:
        """Information (6, 6) and gradient (6,) of the sights and what is known beforehand."""
        weighted = self.jacobian * weights[:, None, None]
        information = np.einsum("nki,nkj->ij", weighted, self.jacobian)
        gradient = np.einsum("nki,nk->i", weighted, self.residuals)
        information += self._before
        gradient[COUNT:] += self._held / self._problem.known**2
        return information, gradient

    def inverse(self, used: NDArray[np.bool_]) -> Array:
        """Covariance (6, 6) of the unknowns, as the sights' own errors tell."""
        return _inverse(self.information(used.astype(float))[0], self._problem.scale, 1e-12)

    def scatter(self, used: NDArray[np.bool_]) -> Array:
        """Robust standard deviation of bearings and widths (2,): 1 where they are as told."""
        return np.asarray(1.4826 * np.median(np.abs(self._single[used]), axis=0))

    def drifted(self, used: NDArray[np.bool_], sizes: Array) -> Array:
        """Covariance (6, 6) from bearings and widths that go with azimuth and nearness.

        `sizes` (2,) are the deviations (rad) of what a sight's place does to each.
        """
        sights = self._problem.sights
        azimuth = np.unwrap(sights.camera[used, 0])
        by_place = np.stack([azimuth, 1.0 / sights.laser[used, 0]], axis=1)
        by_place = by_place - by_place.mean(axis=0)
        by_place /= np.maximum(by_place.std(axis=0), 1e-12)
        # Pulls (2, 2, 6): of a drift of one radian, by quantity and by what it goes with.
        whitened = self._white[used].swapaxes(1, 2) @ self.jacobian[used]
        pulls = np.einsum("nqi,np,q->qpi", whitened, by_place, sizes).reshape(4, SIZE)
        moved = pulls @ self.inverse(used)
        return np.asarray(moved.T @ moved)

    def clustered(self, used: NDArray[np.bool_], blocks: NDArray[np.int64]) -> Array:
        """Covariance (6, 6) from how `blocks` (of those used) of sights disagree."""
        inverse = self.inverse(used)
        scores = np.einsum("nki,nk->ni", self.jacobian[used], self.residuals[used])
        names = np.unique(blocks)
        sums = np.array([scores[blocks == name].sum(axis=0) for name in names])
        spread = sums.T @ sums * (len(names) / (len(names) - 1.0))
        return np.asarray(inverse @ (spread + self._before) @ inverse)


def _slopes(away: Array, radius: float) -> Array:
    """Derivative (N, 2, 2) of the residuals by the target's place."""
    square = np.sum(away**2, axis=1)
    distance = np.sqrt(square)
    ratio = np.minimum(radius / distance, 0.99)
    slope = ratio / (distance * np.sqrt(1.0 - ratio**2))
    by_place = np.empty((len(away), 2, 2))
    by_place[:, 0] = np.stack([away[:, 1], -away[:, 0]], axis=1) / square[:, None]
    by_place[:, 1] = away / distance[:, None] * slope[:, None]
    return by_place


def _inverse(information: Array, scale: Array, floor: float) -> Array:
    """Invert in units of `scale`; `floor` keeps directions without information finite."""
    unit = information * np.outer(scale, scale) + floor * np.eye(len(scale))
    return np.asarray(np.linalg.inv(unit) * np.outer(scale, scale))


def _covariance(
    fit: Linear,
    used: NDArray[np.bool_],
    stamps: NDArray[np.int64],
    parameters: CalibrationParameters,
) -> Array:
    """Covariance (6, 6), raised where stretches of the recording disagree more than sights do."""
    inverse = fit.inverse(used)
    blocks = (stamps[used] - stamps.min()) // round(parameters.block * 1e9)
    if len(np.unique(blocks)) < FEWEST_BLOCKS:
        return inverse
    ratio = np.diag(fit.clustered(used, blocks)) / np.diag(inverse)
    raised = np.sqrt(np.maximum(ratio, 1.0))
    return np.asarray(inverse * np.outer(raised, raised))


def _check(result: Calibration, parameters: CalibrationParameters) -> None:
    """Refuse a result that the sights do not carry."""
    if result.outliers > parameters.most_outliers:
        raise CalibrationError(
            f"{100.0 * result.outliers:.0f} % of the sights disagree with the others: expected at "
            f"most {100.0 * parameters.most_outliers:.0f} %"
        )
    worst = float(result.scatter.max())
    if not worst <= parameters.largest_scatter:
        what = ("bearings", "widths")[int(np.argmax(result.scatter))]
        raise CalibrationError(
            f"the silhouettes' {what} scatter {worst:.1f} times as much as expected (at most "
            f"{parameters.largest_scatter}): {SUSPECTS}"
        )
    scatter = " and ".join(f"{value:.1f}" for value in result.scatter)
    hint = f"; bearings and widths scatter {scatter} times as much as expected, and go together"
    _refuse_open(result.covariance, parameters, f"{hint}: {SUSPECTS}")


def _refuse_open(covariance: Array, parameters: CalibrationParameters, hint: str) -> None:
    """Name the parameters whose standard deviation is beyond its limit."""
    names = undetermined(covariance, parameters.limits)
    if names:
        told = ", ".join(
            f"{name} (sd {_told(name, np.sqrt(covariance[k, k]))}, at most "
            f"{_told(name, parameters.limits[k])})"
            for k, name in enumerate(NAMES)
            if name in names
        )
        raise CalibrationError(f"not determined by these sights: {told}{hint}", names)


def _told(name: str, value: float) -> str:
    if UNITS[NAMES.index(name)] == "rad":
        return f"{np.degrees(value):.2f} deg"
    return f"{1e3 * value:.1f} mm"
