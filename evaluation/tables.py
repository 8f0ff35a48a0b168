"""Figures as plain text tables for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evaluation.thesis import STATIC, STATIC_WHOLE

COLUMNS = (
    ("x MAE mm", "x_mae_m", 1e3, ".1f"),
    ("y MAE mm", "y_mae_m", 1e3, ".1f"),
    ("RMSE mm", "position_rmse_m", 1e3, ".1f"),
    ("worst mm", "position_max_m", 1e3, ".1f"),
    ("angle MAE deg", "angle_mae_deg", 1.0, ".2f"),
    ("worst deg", "angle_max_deg", 1.0, ".2f"),
    ("found %", "availability", 100.0, ".1f"),
)


UNKNOWN = "-"


def shown(value: float | None, form: str, scale: float = 1.0) -> str:
    """Return a figure as text; what rounds to 0 has no sign, what is unknown is a dash."""
    if value is None:
        return UNKNOWN
    text = format(value * scale, form)
    return text.removeprefix("-") if float(text) == 0.0 else text


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Lay out columns, the first to the left and the others to the right."""
    widths = [max(len(row[k]) for row in [head, *rows]) for k in range(len(head))]
    lines = []
    for row in [head, *rows]:
        cells = [row[0].ljust(widths[0]), *(row[k].rjust(widths[k]) for k in range(1, len(row)))]
        lines.append("  ".join(cells))
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(lines)


def _row(name: str, figures: dict[str, Any]) -> list[str]:
    cells = [shown(figures.get(key), form, scale) for _, key, scale, form in COLUMNS]
    return [name, str(figures["samples"]), *cells, _nees(figures)]


def _nees(figures: dict[str, Any]) -> str:
    value = figures.get("nees")
    return UNKNOWN if value is None else f"{shown(value, '.2f')} ({figures['nees_dof']})"


def error_table(figures: dict[str, Any]) -> str:
    """Return points, whole and variants, and the thesis's figures where it has the points."""
    head = ["", "samples", *(title for title, *_ in COLUMNS), "NEES (expected)"]
    points = figures["points"]
    rows = [_row(name, row) for name, row in points.items()] if len(points) > 1 else []
    rows.append(_row("whole", figures))
    for name, row in figures["variants"].items():
        rows.append(_row(f"  {name}", row))
    if points and set(points) <= set(STATIC):
        x, y, angle = STATIC_WHOLE
        rows.append(["  thesis", "7000", f"{x * 1e3:.1f}", f"{y * 1e3:.1f}"])
        rows[-1] += [UNKNOWN, UNKNOWN, f"{angle:.2f}", UNKNOWN, UNKNOWN, UNKNOWN]
    title = f"{figures['trial']}: method {figures['method']}"
    if figures["seed"] is not None:
        title += f", seed {figures['seed']}"
    return f"{title}, lost {figures['lost']}\n{table(head, rows)}"


def bound_table(figures: dict[str, Any]) -> str:
    """Return the ratios to the exact Bayes estimate by distance."""
    head = ["distance", "samples", "along mm", "Bayes", "ratio", "across mm", "Bayes", "ratio"]
    head += ["bias along", "across mm"]
    rows = []
    for name, row in [*figures["points"].items(), ("whole", figures)]:
        cells = [name, str(row["samples"])]
        for axis in ("along", "across"):
            cells += [shown(row[key][axis], ".2f", 1e3) for key in ("mae_m", "bayes_mae_m")]
            cells.append(f"{row['bound_ratio'][axis]:.3f}")
        cells += [shown(row["bias_m"][axis], ".2f", 1e3) for axis in ("along", "across")]
        rows.append(cells)
    return f"{figures['trial']}: laser alone, one scan, seed {figures['seed']}\n{table(head, rows)}"
