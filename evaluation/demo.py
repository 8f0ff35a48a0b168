"""`make demo`: drive through the room, say where the robot is and how wrong that is.

Writes summary.json, report.html, PNG plots and an animation; prints the errors beside those of the
source thesis.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from evaluation.animation import Animation
from evaluation.commands import REFUSED
from evaluation.errors import EvaluationError
from evaluation.report import Comparison, write_json, write_report
from evaluation.resources import find_resource, trial_file
from evaluation.run_trial import Outcome, run
from evaluation.tables import error_table, shown, table
from evaluation.thesis import DRIVING_AND_ROTATING_WORST_DEG, DRIVING_WORST_M
from evaluation.trial import ModelPlace, Trial, read_trial
from spatial_types.parameters import ParameterError


def demo_trial() -> Trial:
    """Return the trial with a camera under the ceiling for the animation."""
    path = trial_file("demo")
    trial = read_trial(path)
    overview = find_resource("overview_camera.sdf", "worlds", path.parent)
    if overview is None:
        raise EvaluationError("worlds/overview_camera.sdf is not installed")
    return dataclasses.replace(trial, models=(*trial.models, ModelPlace("overview", overview)))


def beside_thesis(outcome: Outcome) -> Comparison:
    """Our worst errors beside the thesis's for driving, and for driving and turning."""
    figures = outcome.figures
    assert outcome.score is not None
    every = outcome.score.tracks[0].all_errors
    farthest = float(np.nanmax(every.distance)) if every.available.any() else None
    rows = [
        [
            f"position, worst of {figures['samples']} samples, one a scan",
            _text(figures["position_max_m"], 1e3, "mm"),
            f"{DRIVING_WORST_M:.2f} m (driving straight on)",
        ],
        [f"position, worst of all {len(every)} poses", _text(farthest, 1e3, "mm"), "not given"],
        ["position, RMSE", _text(figures["position_rmse_m"], 1e3, "mm"), "not given"],
        [
            "angle, worst",
            _text(figures["angle_max_deg"], 1.0, "deg"),
            f"{DRIVING_AND_ROTATING_WORST_DEG:.0f} deg",
        ],
        ["angle, mean absolute", _text(figures["angle_mae_deg"], 1.0, "deg"), "not given"],
    ]
    return Comparison(("while driving and turning", "here", "thesis"), rows)


def _text(value: float | None, scale: float, unit: str) -> str:
    text = shown(value, ".1f", scale)
    return text if value is None else f"{text} {unit}"


def main(args: Sequence[str] | None = None) -> int:
    """Run the demo; 2 where it cannot."""
    parser = argparse.ArgumentParser(prog="demo", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("out/demo"), help="folder for the results")
    parser.add_argument("--seed", type=int, help="seed of all noise")
    arguments = parser.parse_args(args)
    animation = Animation()
    try:
        outcome = run(demo_trial(), seed=arguments.seed, observers=[animation.see])
    except (EvaluationError, ParameterError) as error:
        print(f"error: {error}", file=sys.stderr)
        return REFUSED
    folder: Path = arguments.out
    folder.mkdir(parents=True, exist_ok=True)
    animation.write(folder / "demo.webp")
    write_json(outcome.figures, folder / "summary.json")
    assert outcome.score is not None
    pictures = {"demo.webp": (folder / "demo.webp").read_bytes()} if animation.frames else {}
    thesis = beside_thesis(outcome)
    write_report(outcome.score, folder, pictures, thesis)
    print(error_table(outcome.figures))
    print()
    print(table(thesis.head, thesis.rows))
    print(f"\n{folder / 'report.html'} shows it; {folder / 'demo.webp'} is the run as a film.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
