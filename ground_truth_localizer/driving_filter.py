"""A target that drives: position and velocity at constant velocity, in plain numbers.

A Kalman filter of four states on positions in the plane, written out: for so few numbers Python's
own are several times faster than NumPy's.
"""

from __future__ import annotations

from math import log
from typing import NamedTuple

from ground_truth_localizer.posterior_grid import Place


class Course(NamedTuple):
    """Position (m) and velocity (m/s) in `map`, and the upper triangle of their covariance.

    The letters are x, y for the position and u, v for the velocity.
    """

    x: float
    y: float
    u: float
    v: float
    xx: float
    xy: float
    xu: float
    xv: float
    yy: float
    yu: float
    yv: float
    uu: float
    uv: float
    vv: float

    def after(self, nanoseconds: int, density: float) -> Course:
        """The course after a time, under white acceleration of a spectral density (m^2/s^3)."""
        t = nanoseconds * 1e-9
        span = abs(t)
        position, mixed, velocity = (
            density * span**3 / 3.0,
            density * t * span / 2.0,
            density * span,
        )
        xu, xv = self.xu + t * self.uu, self.xv + t * self.uv
        yu, yv = self.yu + t * self.uv, self.yv + t * self.vv
        return Course(
            self.x + t * self.u,
            self.y + t * self.v,
            self.u,
            self.v,
            self.xx + t * (self.xu + xu) + position,
            self.xy + t * (self.yu + xv),
            xu + mixed,
            xv,
            self.yy + t * (self.yv + yv) + position,
            yu,
            yv + mixed,
            self.uu + velocity,
            self.uv,
            self.vv + velocity,
        )

    def seen_at(self, place: Place) -> tuple[Course, float]:
        """The course once a place is measured, and the log density of that measurement."""
        dx, dy = place.x - self.x, place.y - self.y
        xx, xy, yy = self.xx + place.xx, self.xy + place.xy, self.yy + place.yy
        density, a, b, d = log_density(dx, dy, xx, xy, yy)
        # Gains: the rows of the covariance's first two columns times the inverse a, b, b, d.
        gx, hx = a * self.xx + b * self.xy, b * self.xx + d * self.xy
        gy, hy = a * self.xy + b * self.yy, b * self.xy + d * self.yy
        gu, hu = a * self.xu + b * self.yu, b * self.xu + d * self.yu
        gv, hv = a * self.xv + b * self.yv, b * self.xv + d * self.yv
        course = Course(
            self.x + gx * dx + hx * dy,
            self.y + gy * dx + hy * dy,
            self.u + gu * dx + hu * dy,
            self.v + gv * dx + hv * dy,
            self.xx - gx * self.xx - hx * self.xy,
            self.xy - gx * self.xy - hx * self.yy,
            self.xu - gx * self.xu - hx * self.yu,
            self.xv - gx * self.xv - hx * self.yv,
            self.yy - gy * self.xy - hy * self.yy,
            self.yu - gy * self.xu - hy * self.yu,
            self.yv - gy * self.xv - hy * self.yv,
            self.uu - gu * self.xu - hu * self.yu,
            self.uv - gu * self.xv - hu * self.yv,
            self.vv - gv * self.xv - hv * self.yv,
        )
        return course, density


def log_density(
    x: float, y: float, xx: float, xy: float, yy: float
) -> tuple[float, float, float, float]:
    """Log density, less a constant, of a Gaussian at (x, y), and its inverse's a, b, d."""
    determinant = xx * yy - xy * xy
    a, b, d = yy / determinant, -xy / determinant, xx / determinant
    squared = a * x * x + 2.0 * b * x * y + d * y * y
    return -0.5 * (squared + log(determinant)), a, b, d
