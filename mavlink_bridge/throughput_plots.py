"""The plots of the thesis's measurement: loss and throughput by packet size, each way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
from matplotlib.axes import Axes

_COLOURS = ("#1f5fa8", "#c8372d", "#3c8d5a", "#8a5fb0", "#b07c2c", "#4a9aa8")
_STYLE: dict[Any, Any] = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e4e4e4",
    "axes.axisbelow": True,
    "figure.dpi": 110,
    "legend.frameon": False,
}
_RATES_SHOWN = (10.0, 30.0, 60.0, 100.0)

Cell = dict[str, Any]
Measurement = dict[str, Any]


def draw_plots(measurements: Sequence[Measurement], folder: Path) -> list[Path]:
    """Write the four plots, as far as there are figures for them; one line per series.

    Towards the ground station, each series has a line per loop rate; with several series only
    the first and the last are drawn, as in the thesis.
    """
    folder.mkdir(parents=True, exist_ok=True)
    percent: Callable[[Cell], float] = lambda cell: 100 * cell["loss"]  # noqa: E731
    speed: Callable[[Cell], float] = lambda cell: cell["throughput"]  # noqa: E731
    plots = [
        ("uplink_loss", True, "packets lost (%)", percent),
        ("uplink_throughput", True, "throughput (B/s)", speed),
        ("downlink_loss", False, "packets lost (%)", percent),
        ("downlink_throughput", False, "throughput (B/s)", speed),
    ]
    written = []
    with plt.rc_context(_STYLE):
        for name, up, label, value in plots:
            figure, axes = plt.subplots(figsize=(5.6, 3.4))
            if _draw(axes, measurements, up, value):
                axes.set(xlabel="packet size (B)", ylabel=label)
                axes.set_xlim(left=0)
                axes.set_ylim(bottom=0)
                axes.legend(fontsize=8)
                figure.tight_layout()
                written.append(folder / f"{name}.png")
                figure.savefig(written[-1], metadata={"Software": None})
            plt.close(figure)
    return written


def _draw(
    axes: Axes, measurements: Sequence[Measurement], up: bool, value: Callable[[Cell], float]
) -> bool:
    shown = measurements if up or len(measurements) < 2 else [measurements[0], measurements[-1]]
    drawn = False
    for place, measurement in enumerate(shown):
        cells = [cell for cell in measurement["cells"] if cell["up"] is up]
        for number, rate in enumerate(_rates(cells, up)):
            line = sorted((c for c in cells if up or c["rate"] == rate), key=lambda c: c["size"])
            label = measurement["series"] if up else f"{measurement['series']}, {rate:g} Hz"
            axes.plot(
                [cell["size"] for cell in line],
                [value(cell) for cell in line],
                marker="o",
                markersize=3,
                linestyle=("-", "--")[place % 2] if not up else "-",
                color=_COLOURS[(place if up else number) % len(_COLOURS)],
                label=label,
            )
            drawn = True
    return drawn


def _rates(cells: Sequence[Cell], up: bool) -> list[float]:
    """Return the loop rates to draw a line for; of many, those of `_RATES_SHOWN`."""
    rates = sorted({cell["rate"] for cell in cells})
    if up:
        return rates[:1]
    chosen = [rate for rate in rates if rate in _RATES_SHOWN]
    return chosen if len(rates) > len(_RATES_SHOWN) and chosen else rates
