"""`ros2 run truthbed evaluate_bag BAG`: score a rosbag2 offline, the same way every time."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evaluation.bag_reading import Bag, open_bag
from evaluation.commands import MISSED, REFUSED, finite, overrides_from, seconds, unmet
from evaluation.environment import environment
from evaluation.errors import BagError, EvaluationError
from evaluation.estimator_chain import EstimatorChain
from evaluation.progress import Progress
from evaluation.replay import (
    IMAGE_TYPE,
    INFO_TYPE,
    POSE_TYPES,
    SCAN_TYPE,
    Replay,
    ReplayOptions,
    score_recorded,
)
from evaluation.report import make_room, write_json, write_report
from evaluation.scoring import Score, score
from evaluation.tables import error_table
from evaluation.trial import ESTIMATES, METHODS, ROOMS, Variant
from ground_truth_localizer.acceptance_zone import AcceptanceZone, ZoneError
from ground_truth_localizer.laser_parameters import LaserParameters, SensorParameters
from ground_truth_localizer.zone_learning import ZoneLearner
from ros_interface.errors import MessageError
from ros_interface.scan_messages import scan_from_message
from spatial_types.parameters import ParameterError, from_mapping
from spatial_types.transforms import Transform

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
    _topic_arguments(parser)
    _estimator_arguments(parser)
    parser.add_argument("--align", action="store_true", help="fit a turn and a shift first")
    parser.add_argument(
        "--apply-time-offset", action="store_true", help="shift the estimate by its time offset"
    )
    for name, (_, unit) in THRESHOLDS.items():
        parser.add_argument(
            f"--{name.replace('_', '-')}", type=finite, metavar=unit, help="exit 1 where not met"
        )
    return parser.parse_args(args)


def _topic_arguments(parser: argparse.ArgumentParser) -> None:
    defaults = ReplayOptions()
    parser.add_argument("--scan-topic", default=defaults.scan)
    parser.add_argument("--image-topic", default=defaults.image)
    parser.add_argument("--info-topic", default=defaults.info)
    parser.add_argument("--reference-topic", default=defaults.reference)
    parser.add_argument("--estimate-topic", default=defaults.estimate)
    parser.add_argument("--map-frame", default=defaults.map_frame)
    axes = ("X", "Y", "Z", "ROLL", "PITCH", "YAW")
    text = "pose of the sensor in map (m, rad), instead of tf"
    parser.add_argument("--lrf-pose", type=finite, nargs=6, metavar=axes, help=text)
    parser.add_argument(
        "--camera-pose", type=finite, nargs=6, metavar=axes, help=f"{text}; optical frame"
    )


def _estimator_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--radius", type=finite, help="radius of the target (m)")
    parser.add_argument("--radius-tolerance", type=finite, help="tolerance of the radius (m)")
    parser.add_argument("--memory-scans", type=int, help="scans pooled while the target stands")
    parser.add_argument("--zone", help="a zone file, `open`, or X_MIN,Y_MIN,X_MAX,Y_MAX")
    parser.add_argument(
        "--learn",
        type=seconds,
        metavar="S",
        help="learn the zone from S seconds at first (0: all)",
    )
    parser.add_argument(
        "--set", action="append", default=[], metavar="ROOM.NAME=VALUE", dest="sets"
    )


def _variant(arguments: argparse.Namespace, estimate: str) -> Variant:
    """Collect the estimators' parameters from the command line."""
    parameters: dict[str, dict[str, Any]] = {room: {} for room in ROOMS}
    laser = parameters["laser"]
    if arguments.radius is not None:
        laser["target.radius"] = arguments.radius
        parameters["orientation"]["target.radius"] = arguments.radius
    if arguments.radius_tolerance is not None:
        laser["target.radius_tolerance"] = arguments.radius_tolerance
    if arguments.memory_scans is not None:
        laser["filter.memory_scans"] = arguments.memory_scans
        parameters["fusion"]["memory"] = arguments.memory_scans
    laser.update(zone_parameters(arguments.zone))
    for name, value in overrides_from(arguments.sets).items():
        room, _, rest = name.partition(".")
        if room not in ROOMS or not rest:
            raise EvaluationError(f"--set {name}: expected one of {', '.join(ROOMS)} in front")
        parameters[room][rest] = value
    return Variant("replayed", estimate, None, parameters)


def zone_parameters(zone: str | None) -> dict[str, Any]:
    """Return the laser's parameters that the option `--zone` stands for."""
    if zone is None:
        return {}
    if zone == "open":
        return {"zone.kind": "open"}
    try:
        return {"zone.kind": "rectangle", "zone.rectangle": [float(v) for v in zone.split(",")]}
    except ValueError:
        return {"zone.kind": "file", "zone.file": zone}


def learnt_zone(bag: Bag, topic: str, seconds: float, sensor: SensorParameters) -> AcceptanceZone:
    """Learn the background from the bag itself; people may walk through it."""
    learner = ZoneLearner(sensor.sigma, busy=True, range_bias=sensor.range_bias)
    first: int | None = None
    for message in bag.messages([topic]):
        first = message.stamp if first is None else first
        if seconds > 0 and (message.stamp - first) * 1e-9 > seconds:
            break
        try:
            learner.add(scan_from_message(bag.deserialize(message)))
        except MessageError:
            continue
    return learner.zone(source=f"{bag.path.name}: {topic}")


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
        recording = _replay(bag, options, arguments).run(bag.path.name)
    result = score(recording, arguments.align, arguments.apply_time_offset)
    wall = time.monotonic() - begin
    stamps = recording.samples.scan_stamps
    span = float(stamps[-1] - stamps[0]) * 1e-9 if len(stamps) > 1 else 0.0
    result.figures["environment"] = environment()
    result.figures["run"] = {"simulated_s": span, "wall_s": wall, "speed": span / wall}
    return result


def _replay(bag: Bag, options: ReplayOptions, arguments: argparse.Namespace) -> Replay:
    has_images = bag.topics.get(options.image) == IMAGE_TYPE
    estimate = arguments.estimate or ("fused" if has_images else "laser")
    require(bag, options.scan, "scans", "--scan-topic", (SCAN_TYPE,))
    if estimate == "fused":
        require(bag, options.image, "images", "--image-topic", (IMAGE_TYPE,))
        require(bag, options.info, "CameraInfo", "--info-topic", (INFO_TYPE,))
    variant = _variant(arguments, estimate)
    zone: AcceptanceZone | None = None
    if arguments.learn is not None:
        sensor = from_mapping(LaserParameters, variant.parameters["laser"], "laser.").sensor
        zone = learnt_zone(bag, options.scan, arguments.learn, sensor)
    chains = [EstimatorChain(variant, arguments.method, zone)]
    progress = Progress(60.0, bag.path.name)
    return Replay(bag, options, chains, progress.update)


def require(bag: Bag, topic: str, what: str, option: str, kinds: Sequence[str]) -> None:
    """Raise BagError where a bag has no such topic, or one of another type."""
    if topic not in bag.topics:
        listed = ", ".join(f"{name} ({kind})" for name, kind in sorted(bag.topics.items()))
        raise BagError(f"{bag.path}: no {what} on {topic} ({option}); topics: {listed}")
    if bag.topics[topic] not in kinds:
        found, expected = bag.topics[topic], " or ".join(kinds)
        raise BagError(f"{bag.path}: {topic} ({option}) is of type {found}; expected {expected}")


def _options(arguments: argparse.Namespace) -> ReplayOptions:
    def pose(values: list[float] | None) -> Transform | None:
        return None if values is None else Transform.from_rpy(values[:3], values[3:])

    return ReplayOptions(
        arguments.scan_topic,
        arguments.image_topic,
        arguments.info_topic,
        arguments.reference_topic,
        arguments.estimate_topic,
        arguments.map_frame,
        pose(arguments.lrf_pose),
        pose(arguments.camera_pose),
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
