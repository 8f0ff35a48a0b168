"""Plots of a score as PNG: the path, errors over time, their distribution, errors by speed."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from evaluation.metrics import ErrorSeries
from evaluation.scoring import Score

REFERENCE, ESTIMATE, SECOND, LOST = "#1f5fa8", "#c8372d", "#3c8d5a", "#b0b0b0"
WIDTH, MOST_BINS = 8.9, 40  # inches, the page's width at STYLE's resolution
STYLE: dict[Any, Any] = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "figure.dpi": 110,
    "legend.frameon": False,
}


def plots_of(score: Score) -> dict[str, bytes]:
    """Draw every plot that the score has data for: name to PNG."""
    if not score.tracks:
        return {}
    errors = score.tracks[0].errors
    if not errors.available.any():
        return {}
    drawers: dict[str, Callable[[Score], Figure | None]] = {
        "path": path_plot,
        "error_over_time": time_plot,
        "histograms": histogram_plot,
        "error_by_speed": speed_plot,
    }
    result = {}
    with plt.rc_context(STYLE):
        for name, draw in drawers.items():
            figure = draw(score)
            if figure is not None:
                result[name] = _png(figure)
    return result


def _png(figure: Figure) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", metadata={"Software": None})
    plt.close(figure)
    return buffer.getvalue()


def path_plot(score: Score) -> Figure:
    """Reference and estimate from above, with the station at the origin."""
    errors = score.tracks[0].all_errors
    known = errors.select(errors.available)
    figure, axes = plt.subplots(figsize=(WIDTH, 5.0), layout="constrained")
    if len(score.recording.samples.point_names) > 1 or np.ptp(known.reference_x) < 0.05:
        _points_from_above(axes, score)
    else:
        # The estimate hides the truth where it is good, unless the truth is the wider line.
        truth: dict[str, Any] = {
            "color": REFERENCE,
            "alpha": 0.45,
            "lw": 6,
            "solid_capstyle": "butt",
        }
        axes.plot(errors.reference_x, errors.reference_y, **truth, label="true")
        x, y = known.reference_x + known.x, known.reference_y + known.y
        axes.plot(x, y, color=ESTIMATE, lw=1.0, label="estimated")
    axes.plot(0, 0, marker="^", ms=9, color="black", ls="none", label="laser")
    axes.set(xlabel="x (m)", ylabel="y (m)")
    axes.set_aspect("equal", adjustable="datalim")
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return figure


def _points_from_above(axes: Axes, score: Score) -> None:
    errors, samples = score.tracks[0].errors, score.recording.samples
    for k, name in enumerate(samples.point_names):
        here = errors.select((samples.point == k) & errors.available)
        if not len(here):
            continue
        x, y = here.reference_x.mean(), here.reference_y.mean()
        axes.plot(x + 20 * here.x, y + 20 * here.y, ".", ms=2, color=ESTIMATE, alpha=0.4)
        axes.plot(x, y, "+", ms=11, mew=1.6, color=REFERENCE)
        axes.annotate(name, (x, y), xytext=(8, 8), textcoords="offset points")
    axes.plot([], [], "+", ms=11, color=REFERENCE, label="true")
    axes.plot([], [], ".", color=ESTIMATE, label="estimated, error x 20")


def time_plot(score: Score) -> Figure:
    """Signed errors of x, y and angle over time, gaps shaded."""
    errors = score.tracks[0].errors
    seconds = (errors.stamps - score.recording.begin) * 1e-9
    if len(score.recording.samples.point_names) > 1:
        seconds = np.arange(len(errors), dtype=float)
    rows: tuple[tuple[str, NDArray[Any]], ...] = (
        ("x (mm)", errors.x * 1e3),
        ("y (mm)", errors.y * 1e3),
        ("angle (deg)", np.degrees(errors.yaw)),
    )
    figure, axes = plt.subplots(3, 1, figsize=(WIDTH, 6.0), sharex=True, layout="constrained")
    for axis, (label, values) in zip(axes, rows, strict=True):
        axis.axhline(0, color="black", lw=0.6)
        axis.plot(seconds, values, color=ESTIMATE, lw=0.8)
        for k in np.flatnonzero(~np.isfinite(values)):
            axis.axvspan(seconds[k] - 0.05, seconds[k] + 0.05, color=LOST, alpha=0.5, lw=0)
        axis.set_ylabel(label)
    many = len(score.recording.samples.point_names) > 1
    axes[-1].set_xlabel("sample" if many else "time (s)")
    return figure


def histogram_plot(score: Score) -> Figure:
    """Distributions of the errors, one row for each point (figures 5.2 to 5.8 of the thesis)."""
    errors, samples = score.tracks[0].errors, score.recording.samples
    names = samples.point_names
    size = (WIDTH, 1.5 * len(names) + 0.8)
    figure, grid = plt.subplots(len(names), 3, figsize=size, squeeze=False, layout="constrained")
    for k, name in enumerate(names):
        here = errors.select(samples.point == k)
        columns = _columns(here)
        for axis, (label, values) in zip(grid[k], columns, strict=True):
            known = values[np.isfinite(values)]
            if len(known):
                axis.hist(known, bins=bins_of(len(known)), color=REFERENCE)
                axis.axvline(known.mean(), color=ESTIMATE, lw=1.2)
            axis.set_yticks([])
            if k == len(names) - 1:
                axis.set_xlabel(label)
        if len(names) > 1:
            grid[k][0].set_ylabel(name, rotation=0, labelpad=14)
    return figure


def bins_of(count: int) -> int:
    """Return how many bins so many samples fill."""
    return min(MOST_BINS, 1 + round(count**0.5))


def _columns(errors: ErrorSeries) -> tuple[tuple[str, NDArray[Any]], ...]:
    return (
        ("x error (mm)", errors.x * 1e3),
        ("y error (mm)", errors.y * 1e3),
        ("angle error (deg)", np.degrees(errors.yaw)),
    )


def speed_plot(score: Score) -> Figure | None:
    """RMSE of the position by speed, and mean absolute angle error by yaw rate; None if static."""
    binned = score.figures["binned"]
    speeds, rates = binned["speed_m_s"], binned["yaw_rate_deg_s"]
    if len(speeds) < 2 and len(rates) < 2:
        return None
    figure, axes = plt.subplots(1, 2, figsize=(WIDTH, 3.2), layout="constrained")
    _bars(axes[0], speeds, "position_rmse_m", 1e3)
    axes[0].set(xlabel="speed (m/s)", ylabel="position RMSE (mm)")
    _bars(axes[1], rates, "angle_mae_deg", 1.0)
    axes[1].set(xlabel="yaw rate (deg/s)", ylabel="angle MAE (deg)")
    return figure


def _bars(axes: Axes, rows: list[dict[str, Any]], key: str, scale: float) -> None:
    labels = [f"{row['from']:g}-{row['to']:g}" for row in rows]
    values = [(row[key] or 0.0) * scale for row in rows]
    axes.bar(range(len(rows)), values, color=REFERENCE, width=0.7)
    axes.set_xticks(range(len(rows)), labels, rotation=45, ha="right")
    axes.grid(visible=False, axis="x")
