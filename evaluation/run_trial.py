"""`ros2 run truthbed run_trial FILE`: one trial in one process, in lock-step."""

from __future__ import annotations

import argparse
import dataclasses
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluation.bag_writing import BagRecorder
from evaluation.bound_trial import run_bound
from evaluation.commands import MISSED, REFUSED, overrides_from, unmet
from evaluation.environment import environment
from evaluation.errors import EvaluationError
from evaluation.estimator_chain import EstimatorChain
from evaluation.lockstep import Observer, run_drive, run_points
from evaluation.progress import Progress
from evaluation.report import make_room, write_json, write_report
from evaluation.resources import trial_file
from evaluation.scoring import Score, score
from evaluation.tables import bound_table, error_table
from evaluation.trial import ESTIMATES, METHODS, Trial, read_trial
from spatial_types.parameters import ParameterError


@dataclass(frozen=True)
class Outcome:
    """Figures of a trial; the score behind them, None for the trial `bound`."""

    figures: dict[str, Any]
    score: Score | None


def run(
    trial: Trial,
    method: str | None = None,
    seed: int | None = None,
    observers: Sequence[Observer] = (),
) -> Outcome:
    """Run a trial and score it; `method` and `seed` stand over the file's.

    Raises EvaluationError and ParameterError.
    """
    method, seed = method or trial.method, trial.seed if seed is None else seed
    where = f"{trial.path}: parameters."
    chains = [EstimatorChain(variant, method, where=where) for variant in trial.variants]
    places = len(trial.bound.bands) if trial.bound else len(trial.points)
    total = trial.plan.duration if trial.plan else float(trial.samples * places)
    simulated = total if trial.plan else total / 10
    progress = Progress(total, trial.name, f"{simulated:.1f} s to simulate")
    begin = time.monotonic()
    if trial.kind == "bound":
        outcome = Outcome(_bound(trial, method, seed, chains[0], progress), None)
    else:
        runner = run_drive if trial.kind == "driven" else run_points
        result = score(runner(trial, seed, chains, progress.update, observers))
        outcome = Outcome(result.figures, result)
    progress.close()
    wall = time.monotonic() - begin
    outcome.figures["environment"] = environment()
    outcome.figures["run"] = {"simulated_s": simulated, "wall_s": wall, "speed": simulated / wall}
    return outcome


def _bound(
    trial: Trial, method: str, seed: int, chain: EstimatorChain, progress: Progress
) -> dict[str, Any]:
    head = {"trial": trial.name, "description": trial.description, "method": method}
    counts = {"estimate": "laser", "seed": seed, "lost": 0, "refused": 0}
    return {**head, **counts, **run_bound(trial, seed, chain, progress.update)}


def _arguments(args: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="run_trial", description=__doc__)
    parser.add_argument("trial", help="a trial file, or the name of one of ours")
    parser.add_argument("--method", choices=METHODS, help="the estimators' method")
    parser.add_argument("--seed", type=int, help="seed of all noise")
    parser.add_argument(
        "--samples", type=positive, metavar="N", help="samples at each point, not the file's number"
    )
    parser.add_argument("--estimate", choices=ESTIMATES, help="which estimate stands at the top")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", dest="sets")
    parser.add_argument("--json", type=Path, help="write the figures here")
    parser.add_argument("--report", type=Path, help="write report.html and plots into this folder")
    parser.add_argument("--record", type=Path, help="record the run into this new bag (MCAP)")
    parser.add_argument(
        "--check", action="store_true", help="exit 1 where the trial's `expect` is not met"
    )
    return parser.parse_args(args)


def positive(text: str) -> int:
    """Read the whole number, at least 1, of an option."""
    try:
        value = int(text)
    except ValueError:
        value = 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number of at least 1")
    return value


def load(arguments: argparse.Namespace) -> Trial:
    """Read the trial that the command line names, with what it changes."""
    overrides = overrides_from(arguments.sets)
    for key in ("samples", "estimate"):
        if getattr(arguments, key) is not None:
            overrides[key] = getattr(arguments, key)
    trial = read_trial(trial_file(arguments.trial), overrides)
    if arguments.method:
        trial = dataclasses.replace(trial, method=arguments.method)
    return trial


def _run_recorded(trial: Trial, arguments: argparse.Namespace) -> Outcome:
    if arguments.record is None:
        return run(trial, arguments.method, arguments.seed)
    with BagRecorder(arguments.record) as recorder:
        return run(trial, arguments.method, arguments.seed, [recorder.see])


def main(args: Sequence[str] | None = None) -> int:
    """Run the command; 2 for what is refused, 1 for expectations that are not met."""
    arguments = _arguments(args)
    try:
        make_room(arguments.json, arguments.report)
        trial = load(arguments)
        result = _run_recorded(trial, arguments)
    except (EvaluationError, ParameterError) as error:
        print(f"error: {error}", file=sys.stderr)
        return REFUSED
    except KeyboardInterrupt:
        return 130
    print(bound_table(result.figures) if trial.kind == "bound" else error_table(result.figures))
    if arguments.json:
        write_json(result.figures, arguments.json)
    if arguments.report and result.score is not None:
        write_report(result.score, arguments.report)
    problems = unmet(result.figures, trial.expect) if arguments.check else []
    for text in problems:
        print(f"not met: {text}", file=sys.stderr)
    return MISSED if problems else 0


if __name__ == "__main__":
    sys.exit(main())
