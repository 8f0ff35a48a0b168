"""`make trials`: run every trial over a few seeds and write the tables and plots of the docs.

Writes DOCS/accuracy_figures.md (tables, to be read beside docs/accuracy.md), the plots of one seed
into DOCS/images/accuracy, and every figure as JSON into OUT.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evaluation.commands import unmet
from evaluation.errors import EvaluationError
from evaluation.report import write_json, write_report
from evaluation.resources import trial_file
from evaluation.run_trial import run
from evaluation.tables import shown
from evaluation.trial import read_trial
from spatial_types.parameters import ParameterError

TRIALS = (
    "static_points",
    "bound",
    "driving",
    "rotating",
    "driving_and_rotating",
    "static_points_printed",
    "static_points_printed_noisy",
    "shadows",
    "pillars",
    "furniture",
    "corridor",
    "taken_away",
    "hidden",
)
COLUMNS: tuple[tuple[str, str, float, str], ...] = (
    ("samples", "samples", 1.0, ".0f"),
    ("x MAE mm", "x_mae_m", 1e3, ".2f"),
    ("x bias mm", "x_bias_m", 1e3, ".2f"),
    ("x std mm", "x_std_m", 1e3, ".2f"),
    ("y MAE mm", "y_mae_m", 1e3, ".2f"),
    ("y bias mm", "y_bias_m", 1e3, ".2f"),
    ("y std mm", "y_std_m", 1e3, ".2f"),
    ("RMSE mm", "position_rmse_m", 1e3, ".1f"),
    ("worst mm", "position_max_m", 1e3, ".1f"),
    ("angle MAE deg", "angle_mae_deg", 1.0, ".3f"),
    ("angle worst deg", "angle_max_deg", 1.0, ".2f"),
    ("found %", "availability", 100.0, ".1f"),
    ("NEES", "nees", 1.0, ".2f"),
)


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)


def _cells(figures: dict[str, Any]) -> list[str]:
    values = [(figures.get(key), scale, form) for _, key, scale, form in COLUMNS]
    return [shown(value, form, scale) for value, scale, form in values]


def trial_section(name: str, description: str, runs: Sequence[dict[str, Any]]) -> str:
    """Return a trial's tables: the whole for each seed, and points and variants of the first."""
    lines = [
        f"## {name}",
        "",
        description,
        "",
        f"`ros2 run truthbed run_trial {name} --seed N`",
        "",
    ]
    if "bound_ratio" in runs[0]:
        return "\n".join([*lines, _bound_tables(runs), ""])
    head = ["", *(title for title, *_ in COLUMNS)]
    rows = [[f"seed {figures['seed']}", *_cells(figures)] for figures in runs]
    first = runs[0]
    if len(first["points"]) > 1:
        rows += [
            [f"{key} (seed {first['seed']})", *_cells(f)] for key, f in first["points"].items()
        ]
    rows += [[f"{key} (seed {first['seed']})", *_cells(f)] for key, f in first["variants"].items()]
    return "\n".join([*lines, markdown(head, rows), ""])


def _rows(tables: dict[str, Any], seed: int) -> list[list[str]]:
    return [[f"{name} (seed {seed})", *_cells(figures)] for name, figures in tables.items()]


def _bound_tables(runs: Sequence[dict[str, Any]]) -> str:
    head = ["distance", "seed", "samples", "along mm", "Bayes", "ratio", "across mm", "Bayes"]
    head += ["ratio", "bias along mm", "bias across mm", "Cramer-Rao std along / across mm"]
    rows = []
    for figures in runs:
        for name, row in [*figures["points"].items(), ("whole", figures)]:
            cells = [name, str(figures["seed"]), str(row["samples"])]
            for axis in ("along", "across"):
                cells += [shown(row[key][axis], ".2f", 1e3) for key in ("mae_m", "bayes_mae_m")]
                cells.append(f"{row['bound_ratio'][axis]:.3f}")
            cells += [shown(row["bias_m"][axis], ".2f", 1e3) for axis in ("along", "across")]
            limit = row.get("cramer_rao_std_m")
            text = f"{limit['along'] * 1e3:.1f} / {limit['across'] * 1e3:.1f}" if limit else ""
            rows.append([*cells, text])
    return markdown(head, rows)


def run_one(name: str, seeds: Sequence[int], samples: int | None, out: Path, docs: Path) -> str:
    """Run a trial with every seed; return its section. EvaluationError as run."""
    path = trial_file(name)
    overrides = {"samples": samples} if samples else {}
    trial = read_trial(path)
    trial = read_trial(path, overrides if trial.samples else None)
    runs = []
    for seed in seeds:
        outcome = run(trial, seed=seed)
        runs.append(outcome.figures)
        write_json(outcome.figures, out / f"{name}_{seed}.json")
        for text in unmet(outcome.figures, trial.expect):
            print(f"{name}, seed {seed}: not met: {text}", file=sys.stderr)
        if outcome.score is not None and seed == seeds[0]:
            folder = docs / "images" / "accuracy"
            folder.mkdir(parents=True, exist_ok=True)
            for plot, data in write_report(outcome.score, out / f"{name}_report").items():
                (folder / f"{name}_{plot}.png").write_bytes(data)
    return trial_section(name, trial.description, runs)


def main(args: Sequence[str] | None = None) -> int:
    """Run the command; 2 where a trial is refused."""
    parser = argparse.ArgumentParser(prog="run_all_trials", description=__doc__)
    parser.add_argument("trials", nargs="*", default=[], help="only these")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--samples", type=int, help="samples at each point, instead of the trials'")
    parser.add_argument("--out", type=Path, default=Path("out/trials"))
    parser.add_argument("--docs", type=Path, default=Path("docs"))
    arguments = parser.parse_args(args)
    sections = ["# Accuracy: the figures", "", "Written by `make trials`.", ""]
    for name in arguments.trials or TRIALS:
        try:
            section = run_one(
                name, arguments.seeds, arguments.samples, arguments.out, arguments.docs
            )
        except (EvaluationError, ParameterError) as error:
            print(f"error: {error}", file=sys.stderr)
            return 2
        sections.append(section)
        print(section, flush=True)
        arguments.docs.mkdir(parents=True, exist_ok=True)
        (arguments.docs / "accuracy_figures.md").write_text("\n".join(sections))
    return 0


if __name__ == "__main__":
    sys.exit(main())
