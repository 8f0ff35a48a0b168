"""Parameters of a trial for the nodes of the scene: what scene.launch.xml gives them.

    ros2 run truthbed trial_parameters FILE

Writes a ROS parameter file for the simulator and the estimators and prints its path, so that a
trial runs through the graph with the settings that `run_trial` takes in one process.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import tempfile
from pathlib import Path
from typing import Any

import yaml

from evaluation.errors import EvaluationError
from evaluation.resources import trial_file
from evaluation.trial import Trial, read_trial

STATION = "station"


def node_parameters(trial: Trial) -> dict[str, dict[str, Any]]:
    """Return each node's parameters, by node name.

    Raises EvaluationError for settings that only `run_trial` can make.
    """
    variant = trial.variants[0]
    own = {room: dict(values) for room, values in variant.parameters.items()}
    method = {"method": variant.method or trial.method}
    fusion = {f"fusion.{name}": value for name, value in own.get("fusion", {}).items()}
    return {
        "scene_sim": _simulator_parameters(trial),
        "laser_localizer": method | own.get("laser", {}),
        "orientation_estimator": method | own.get("orientation", {}) | fusion,
        "camera_tracker": own.get("tracker", {}),
    }


def _simulator_parameters(trial: Trial) -> dict[str, Any]:
    sensors = trial.sensors
    if trial.lights:
        raise EvaluationError(f"{trial.path}: lights: only run_trial can move lights")
    return {
        "world": str(trial.world),
        "models": [_model_words(trial, index) for index in range(len(trial.models))],
        "seed": trial.seed,
        "scan_mode": sensors.scan_mode,
        "shadows": sensors.shadows,
        "lidar_noise": _is_noisy(trial, "laser_noise", sensors.laser_noise),
        "camera_noise": _is_noisy(trial, "camera_noise", sensors.camera_noise),
    }


def _is_noisy(trial: Trial, key: str, value: float | None) -> bool:
    if value:
        raise EvaluationError(
            f"{trial.path}: sensors.{key} = {value:g}: only run_trial can set it; expected 0, or "
            "nothing for what the robot's description says"
        )
    return value is None


def _model_words(trial: Trial, index: int) -> str:
    """An entry of scene_sim's `models`: FILE x y yaw name:=NAME."""
    place = trial.models[index]
    x, y, z, roll, pitch, yaw = place.pose
    if z or roll or pitch:
        raise EvaluationError(f"{trial.path}: {place.name}: only run_trial can tilt or lift it")
    if place.name != STATION:
        if trial.plan is not None:
            x, y, yaw = trial.plan.at(0.0)[:3]
        elif trial.points:
            x, y, yaw = trial.points[0].x, trial.points[0].y, trial.points[0].yaw
    return f"{place.file} {float(x)!r} {float(y)!r} {float(yaw)!r} name:={place.name}"


def write_parameters(trial: Trial) -> Path:
    """Write the parameter file of a trial; the same trial gives the same file."""
    nodes = {name: values for name, values in node_parameters(trial).items() if values}
    text = yaml.safe_dump({name: {"ros__parameters": nodes[name]} for name in nodes})
    mark = hashlib.sha256(text.encode()).hexdigest()[:12]
    path = Path(tempfile.gettempdir()) / f"truthbed_{trial.name}_{mark}.yaml"
    path.write_text(text)
    return path


def main(args: list[str] | None = None) -> int:
    """Print the path of a trial's parameter file."""
    parser = argparse.ArgumentParser(prog="trial_parameters", description=__doc__)
    parser.add_argument("trial", help="trial file, or the name of one of ours")
    name = parser.parse_args(args).trial
    try:
        print(write_parameters(read_trial(trial_file(name))), end="")
    except EvaluationError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
