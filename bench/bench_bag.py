"""Speed of bag evaluation, as multiples of real time."""

from __future__ import annotations

import dataclasses
import json
import statistics
import tempfile
from pathlib import Path
from typing import Any

from evaluation.bag_writing import BagRecorder
from evaluation.evaluate_bag import main
from evaluation.lockstep import LockStep, run_drive
from evaluation.resources import find_trial
from evaluation.trial import read_trial
from spatial_types.camera import CameraFrame


def record(folder: Path, images: bool, seconds: float) -> Path:
    """Record a drive; without images each camera frame is left out of the bag."""
    from evaluation.estimator_chain import EstimatorChain

    trial = read_trial(find_trial("driving"), {"estimate": "fused" if images else "laser"})
    plan = trial.plan
    keep = plan.time <= seconds
    columns = {f.name: getattr(plan, f.name)[keep] for f in dataclasses.fields(plan)}
    trial = dataclasses.replace(trial, plan=dataclasses.replace(plan, **columns))
    chains = [EstimatorChain(dataclasses.replace(trial.variants[0], estimate="laser"), "model")]
    path = folder / ("images" if images else "scans")
    with BagRecorder(path) as recorder:
        see = recorder.see if images else _without_images(recorder)
        run_drive(trial, 1, chains, lambda done: None, [see], pictures=images)
    return path


def _without_images(recorder: BagRecorder):
    def see(step: LockStep, topic: str, data: Any) -> None:
        if not isinstance(data, CameraFrame):
            recorder.see(step, topic, data)

    return see


def speeds(bag: Path, repeats: int) -> float:
    found = []
    for _ in range(repeats):
        out = bag.parent / "figures.json"
        assert main([str(bag), "--json", str(out)]) == 0
        found.append(json.loads(out.read_text())["run"]["speed"])
    return statistics.median(found)


def run(quick: bool) -> list[dict[str, Any]]:
    repeats = 3 if quick else 5
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        scans = speeds(record(folder, False, 30.0 if quick else 70.0), repeats)
        images = speeds(record(folder, True, 5.0 if quick else 20.0), repeats)
    return [
        {"name": "bag evaluation, scans only", "value": scans, "unit": "x real", "required": 200.0},
        {"name": "bag evaluation, with images", "value": images, "unit": "x real", "required": 8.0},
    ]
