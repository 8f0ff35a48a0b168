"""`ros2 run truthbed evaluate_bag BAG`: score a rosbag2 offline, the same way every time."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from evaluation.bag_options import (
    add_pose_option,
    add_target_options,
    add_topic_options,
    learnt_zone,
    pose_of,
    room_parameters,
    sensor_topics,
)
from evaluation.bag_reading import Bag, open_bag
from evaluation.commands import MISSED, REFUSED, count, finite, unmet
from evaluation.deferred_chain import DeferredChain, processors
from evaluation.environment import environment
from evaluation.errors import EvaluationError
from evaluation.estimator_chain import EstimatorChain
from evaluation.progress import Progress
from evaluation.recording import Recording
from evaluation.replay import POSE_TYPES, Replay, ReplayOptions, score_recorded
from evaluation.report import make_room, write_json, write_report
from evaluation.scoring import Score, score
from evaluation.sensor_topics import IMAGE_TYPE, require, require_sensors
from evaluation.tables import error_table
from evaluation.trial import ESTIMATES, METHODS, ROOMS, Variant
from ground_truth_localizer.acceptance_zone import AcceptanceZone, ZoneError
from ground_truth_localizer.laser_parameters import LaserParameters
from spatial_types.parameters import ParameterError, from_mapping

THRESHOLDS = {
    "max_rmse": ("position_rmse_m", "m"),
    "max_position": ("position_max_m", "m"),
    "max_angle": ("angle_max_deg", "deg"),
    "max_angle_mae": ("angle_mae_deg", "deg"),
    "min_availability": ("min_availability", "0 to 1"),
}


def _arguments(args: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="evaluate_bag", description=__doc__)
    parser.add_argument("bag", type=Path, help="a rosbag2 folder, or one .mcap or .db3 file")
    parser.add_argument("--json", type=Path, help="write the figures here")
    parser.add_argument("--report", type=Path, help="write report.html and plots into this folder")
    parser.add_argument("--method", choices=METHODS, default="model")
    parser.add_argument("--estimate", choices=ESTIMATES, help="default: fused if there are images")
    parser.add_argument("--recorded", action="store_true", help="score recorded estimates only")
    _topic_options(parser)
    _estimator_options(parser)
    parser.add_argument(
        "--jobs", type=count, help="processes that measure images (default: one per processor)"
    )
    parser.add_argument("--align", action="store_true", help="fit a turn and a shift first")
    parser.add_argument(
        "--apply-time-offset", action="store_true", help="shift the estimate by its time offset"
    )
    for name, (_, unit) in THRESHOLDS.items():
        parser.add_argument(
            f"--{name.replace('_', '-')}", type=finite, metavar=unit, help="exit 1 where not met"
        )
    return parser.parse_args(args)


def _topic_options(parser: argparse.ArgumentParser) -> None:
    add_topic_options(parser)
    defaults = ReplayOptions()
    parser.add_argument("--reference-topic", default=defaults.reference)
    parser.add_argument("--estimate-topic", default=defaults.estimate)
    text = "pose of the optical frame in map (m, rad), instead of tf"
    add_pose_option(parser, "--camera-pose", text)


def _estimator_options(parser: argparse.ArgumentParser) -> None:
    add_target_options(parser, ROOMS)
    parser.add_argument("--radius-tolerance", type=finite, help="tolerance of the radius (m)")
    parser.add_argument("--memory-scans", type=int, help="scans pooled while the target stands")


def _variant(arguments: argparse.Namespace, estimate: str) -> Variant:
    """Collect the estimators' parameters from the command line."""
    parameters = room_parameters(arguments, ROOMS)
    if arguments.radius_tolerance is not None:
        parameters["laser"].setdefault("target.radius_tolerance", arguments.radius_tolerance)
    if arguments.memory_scans is not None:
        parameters["laser"].setdefault("filter.memory_scans", arguments.memory_scans)
        parameters["fusion"].setdefault("memory", arguments.memory_scans)
    return Variant("replayed", estimate, None, parameters)


def evaluate(arguments: argparse.Namespace) -> Score:
    """Open, replay or read, and score a bag.

    Raises EvaluationError, ParameterError and ZoneError.
    """
    begin = time.monotonic()
    bag = open_bag(arguments.bag)
    options = _options(arguments)
    if arguments.recorded or options.scan not in bag.topics:
        what = "recorded estimates"
        require(bag, options.estimate, what, "--estimate-topic", POSE_TYPES)
        recording = score_recorded(bag, options)
    else:
        recording = _replay(bag, options, arguments)
    result = score(recording, arguments.align, arguments.apply_time_offset)
    wall = time.monotonic() - begin
    stamps = recording.samples.scan_stamps
    span = float(stamps[-1] - stamps[0]) * 1e-9 if len(stamps) > 1 else 0.0
    result.figures["environment"] = environment()
    result.figures["run"] = {"simulated_s": span, "wall_s": wall, "speed": span / wall}
    return result


def _replay(bag: Bag, options: ReplayOptions, arguments: argparse.Namespace) -> Recording:
    has_images = bag.topics.get(options.image) == IMAGE_TYPE
    estimate = arguments.estimate or ("fused" if has_images else "laser")
    require_sensors(bag, options, images=estimate == "fused")
    variant = _variant(arguments, estimate)
    zone: AcceptanceZone | None = None
    if arguments.learn is not None:
        sensor = from_mapping(LaserParameters, variant.parameters["laser"], "laser.").sensor
        zone = learnt_zone(bag, options.scan, arguments.learn, sensor)
    jobs = arguments.jobs or processors()
    if estimate == "fused" and jobs > 1:
        chain: EstimatorChain = DeferredChain(variant, arguments.method, zone, jobs)
    else:
        chain = EstimatorChain(variant, arguments.method, zone)
    progress = Progress(60.0, bag.path.name, "replay begins")
    recording = Replay(bag, options, [chain], progress.update).run(bag.path.name)
    progress.close()
    return recording


def _options(arguments: argparse.Namespace) -> ReplayOptions:
    return ReplayOptions(
        **sensor_topics(arguments),
        reference=arguments.reference_topic,
        estimate=arguments.estimate_topic,
        camera_pose=pose_of(arguments.camera_pose),
    )


def _tell(result: Score, arguments: argparse.Namespace) -> None:
    """Print the table and write what was asked for."""
    for text in result.figures["warnings"]:
        print(f"warning: {text}", file=sys.stderr)
    print(error_table(result.figures))
    if arguments.json:
        write_json(result.figures, arguments.json)
    if arguments.report:
        write_report(result, arguments.report)


def main(args: Sequence[str] | None = None) -> int:
    """Run the command; 2 for what is refused, 1 for thresholds that are not met."""
    arguments = _arguments(args)
    try:
        make_room(arguments.json, arguments.report)
        result = evaluate(arguments)
        _tell(result, arguments)
    except (EvaluationError, ParameterError, ZoneError) as error:
        print(f"error: {error}", file=sys.stderr)
        return REFUSED
    except KeyboardInterrupt:
        return 130
    limits = {
        key: getattr(arguments, name)
        for name, (key, _) in THRESHOLDS.items()
        if getattr(arguments, name) is not None
    }
    problems = unmet(result.figures, limits)
    for text in problems:
        print(f"not met: {text}", file=sys.stderr)
    return MISSED if problems else 0


if __name__ == "__main__":
    sys.exit(main())
