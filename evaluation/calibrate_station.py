"""`ros2 run truthbed calibrate_station BAG`: find where a station's camera is and looks.

The target is driven about while laser, camera and pan are recorded. From the recording follow the
camera's place relative to the laser, one angle, and the bias of the laser's ranges.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.bag_options import (
    add_pose_option,
    add_target_options,
    add_topic_options,
    learnt_zone,
    pose_of,
    room_parameters,
    sensor_topics,
)
from evaluation.bag_reading import open_bag
from evaluation.commands import MISSED, REFUSED, finite
from evaluation.environment import environment
from evaluation.errors import BagError, EvaluationError
from evaluation.progress import Progress
from evaluation.report import make_room, write_json
from evaluation.sensor_topics import require, require_sensors
from evaluation.station_recording import NARROW, WIDE, StationOptions, StationRecording
from evaluation.tables import table
from ground_truth_localizer.acceptance_zone import ZoneError
from ground_truth_localizer.calibration_sights import CameraSight, Sights, shared_sights
from ground_truth_localizer.laser_parameters import LaserParameters
from ground_truth_localizer.orientation_parameters import OrientationParameters
from ground_truth_localizer.station_calibration import (
    NAMES,
    Calibration,
    CalibrationError,
    CalibrationParameters,
    calibrate,
)
from ground_truth_localizer.zone_files import zone_from_parameters
from spatial_types.angles import wrap_scalar
from spatial_types.parameters import ParameterError, from_mapping

Array = NDArray[np.float64]
ROOMS = ("laser", "orientation", "calibration")

# At first some images are tried at one angle after the other, until enough can be read and angles
# farther off (rad) are worse.
ROUGH_IMAGES = 60
ROUGH_ANGLES = np.radians([0, 2, -2, 4, -4, 6, -6, 8, -8, 10, -10, 12, -12, 15, -15, 18, -18])
ENOUGH_GOOD = 0.25
BEYOND = np.radians(3.0)
# Where the result is so far (m, rad, s) from what the bag was read with, it is read again.
FAR_OFF = np.array([0.01, 0.01, np.radians(0.3), 0.002, 0.001])
MOST_ROUNDS = 15
LATE = 0.005  # s
LITTLE_PAN = np.radians(20.0)


@dataclass(frozen=True)
class Outcome:
    """The calibration, the sights it comes from, and the camera's place (2,) as told.

    The scans were read with `bias` (m) and the images taken to be `late` (s); the calibration's
    are what remains.
    """

    result: Calibration
    sights: Sights
    told: Array
    bias: float
    late: float
    images: int


def find_station(recording: StationRecording, parameters: CalibrationParameters) -> Outcome:
    """Read a recording and calibrate; BagError for what it lacks, and CalibrationError."""
    recording.read_scans()
    if recording.camera is None or recording.map_from_lrf is None:
        lacks = "usable CameraInfo" if recording.camera is None else "usable scan"
        raise BagError(f"{recording.bag.path}: no {lacks}{_why(recording)}")
    if not recording.places:
        raise BagError(
            f"{recording.bag.path}: the laser sees no target in {len(recording.scans)} scans; "
            "see --zone, --learn and --radius"
        )
    pixel = 1.0 / float(recording.camera.matrix[0, 0])
    bias = recording.laser.sensor.range_bias
    values = _rough(recording, pixel, parameters)
    far_off = np.ones(len(FAR_OFF), dtype=bool)
    late = 0.0
    images: list[CameraSight] = []
    for _ in range(MOST_ROUNDS):
        if far_off[:3].any():
            images = recording.sights(values, NARROW)
        if far_off[3]:
            bias, values[3] = bias + values[3], 0.0
            recording.locate(bias)
        timed = recording.earlier(images, late)
        sights = shared_sights(recording.places, timed, recording.map_from_lrf)
        result = calibrate(sights, pixel, parameters, values)
        far_off = np.abs([*(result.values - values), result.delay]) > FAR_OFF
        if not far_off.any():
            break
        values, late = result.values.copy(), late + result.delay
    told = sights.origin[result.used].mean(axis=0)
    return Outcome(result, sights, told, bias, late, len(images))


def _rough(recording: StationRecording, pixel: float, parameters: CalibrationParameters) -> Array:
    """Find the station roughly from a part of the images, at whatever angle most can be read."""
    assert recording.map_from_lrf is not None
    recording.count_images()
    every = max(1, recording.images // ROUGH_IMAGES)
    best: list[CameraSight] = []
    values: Array = np.zeros(len(NAMES))
    for angle in ROUGH_ANGLES:
        enough = len(best) > ENOUGH_GOOD * recording.images / every
        if enough and abs(angle) > abs(values[2]) + BEYOND:
            break
        trial = np.array([0.0, 0.0, angle, 0.0])
        found = recording.sights(trial, WIDE, every)
        if len(found) > len(best):
            best, values = found, trial
    if not best:
        refused = recording.refused.most_common(1)
        why = f": {refused[0][0]}" if refused else ""
        raise BagError(
            f"{recording.bag.path}: the target is in none of {recording.images} images{why}"
            f"{_why(recording)}"
        )
    sights = shared_sights(recording.places, best, recording.map_from_lrf)
    try:
        loose = CalibrationParameters(
            radius=parameters.radius, place_limit=0.1, angle_limit=5.0, bias_limit=0.1
        )
        return calibrate(sights, pixel, loose, values).values.copy()
    except CalibrationError:
        return values  # the whole recording may tell more, or say what it does not


def _why(recording: StationRecording) -> str:
    texts = [recording.examples[kind] for kind, _ in recording.trouble.most_common(2)]
    return f" ({'; '.join(texts)})" if texts else ""


def told_pan_zero(recording: StationRecording, of_tf: float) -> float:
    """Return what our description's `pan_zero` would be for the station as told, rad."""
    mount, lrf = recording.options.mount, recording.map_from_lrf
    if mount is None or lrf is None:
        return of_tf
    return wrap_scalar(mount.yaw - lrf.yaw - np.pi / 2)


def figures(outcome: Outcome, recording: StationRecording, pan_zero: float) -> dict[str, Any]:
    """Everything found, in metres and degrees."""
    result, told = outcome.result, outcome.told
    values, sigmas = result.values.copy(), result.sigmas
    values[:2] += told
    values[3] += outcome.bias
    return {
        "camera_x_m": values[0],
        "camera_y_m": values[1],
        "angle_deg": float(np.degrees(values[2])),
        "range_bias_m": values[3],
        "camera_x_sd_m": sigmas[0],
        "camera_y_sd_m": sigmas[1],
        "angle_sd_deg": float(np.degrees(sigmas[2])),
        "range_bias_sd_m": sigmas[3],
        "told": {
            "camera_x_m": told[0],
            "camera_y_m": told[1],
            "pan_zero_rad": pan_zero,
            "range_bias_m": recording.laser.sensor.range_bias,
        },
        "pan_zero_rad": pan_zero + values[2],
        "covariance": result.covariance.tolist(),
        "image_delay_s": outcome.late + result.delay,
        **_circumstances(outcome, recording),
        "warnings": _warnings(outcome, recording),
        "environment": environment(),
    }


def _circumstances(outcome: Outcome, recording: StationRecording) -> dict[str, Any]:
    """What the result was found from, and how well that goes together."""
    result, sights = outcome.result, outcome.sights
    assert recording.camera is not None
    pan = np.degrees(np.unwrap(sights.pan[result.used]))
    bearing = np.degrees(sights.laser[result.used, 1])
    distance = sights.laser[result.used, 0]
    return {
        "scans": len(recording.scans),
        "images": recording.images,
        "images_used": outcome.images,
        "images_refused": dict(recording.refused.most_common()),
        "sights": len(sights),
        "outliers": result.outliers,
        "scatter": {"bearing": result.scatter[0], "width": result.scatter[1]},
        "edge_pixels": result.edge * float(recording.camera.matrix[0, 0]),
        "spans": {
            "pan_deg": float(np.ptp(pan)),
            "bearing_deg": [float(bearing.min()), float(bearing.max())],
            "distance_m": [float(distance.min()), float(distance.max())],
        },
    }


def _warnings(outcome: Outcome, recording: StationRecording) -> list[str]:
    texts = [f"{recording.examples[k]} ({n} times)" for k, n in recording.trouble.most_common()]
    late = outcome.late + outcome.result.delay
    if abs(late) > LATE:
        texts.append(
            f"the images' stamps are about {1e3 * late:.0f} ms late against those of the scans; "
            "this was allowed for"
        )
    pan = outcome.sights.pan[outcome.result.used]
    if np.ptp(np.unwrap(pan)) < LITTLE_PAN:
        texts.append(
            "the pan turned by less than 20 degrees: the angle holds there, and says nothing of "
            "other pan angles"
        )
    return [*dict.fromkeys(recording.bag.notes), *texts]


def result_text(found: dict[str, Any]) -> str:
    """Return the table, and the lines that put the result to use."""
    rows = []
    told = found["told"]
    for name, unit, scale, form, before in (
        ("camera_x", "m", 1e3, ".2f", told["camera_x_m"]),
        ("camera_y", "m", 1e3, ".2f", told["camera_y_m"]),
        ("angle", "deg", 1.0, ".3f", 0.0),
        ("range_bias", "m", 1e3, ".2f", told["range_bias_m"]),
    ):
        value, sigma = found[f"{name}_{unit}"], found[f"{name}_sd_{unit}"]
        shown = "mm" if unit == "m" else unit
        cells = [format(scale * number, form) for number in (before, value, sigma)]
        rows.append([f"{name} [{shown}]", *cells])
    spans = found["spans"]
    return "\n".join(
        [
            table(["", "as told", "found", "sd"], rows),
            "",
            f"from {found['images_used']} of {found['images']} images and {found['scans']} scans, "
            f"joined to {found['sights']} sights, {100 * found['outliers']:.1f} % left out",
            f"target at {spans['distance_m'][0]:.2f} to {spans['distance_m'][1]:.2f} m and "
            f"{spans['bearing_deg'][0]:.0f} to {spans['bearing_deg'][1]:.0f} deg from its x",
            "",
            "To use it (station.urdf.xacro, and the same for a description of your own):",
            "  ros2 launch truthbed hardware.launch.xml "
            f'station_arguments:="{station_arguments(found)}"',
            "and among the parameters of laser_localizer:",
            f"  sensor.range_bias: {found['range_bias_m']:.5f}",
        ]
    )


def station_arguments(found: dict[str, Any]) -> str:
    """Return the xacro arguments of the station's description."""
    return (
        f"camera_x:={found['camera_x_m']:.5f} camera_y:={found['camera_y_m']:.5f} "
        f"pan_zero:={found['pan_zero_rad']:.6f}"
    )


def _arguments(args: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="calibrate_station", description=__doc__)
    parser.add_argument("bag", type=Path, help="a rosbag2 folder, or one .mcap or .db3 file")
    parser.add_argument("--json", type=Path, help="write the result here")
    add_topic_options(parser)
    told = StationOptions()
    parser.add_argument("--joint-states-topic", default=told.joints)
    parser.add_argument("--pan-joint", default=told.joint, help="name of the pan joint")
    text = "nominal pose of the camera (x: where it looks) with the pan at zero; the pan is then "
    text += "read from the joint states and tf is not needed"
    add_pose_option(parser, "--camera-mount", text)
    text = "pan_zero of what tf was made of"
    parser.add_argument("--pan-zero", type=finite, default=0.0, metavar="RAD", help=text)
    add_target_options(parser, ROOMS)
    return parser.parse_args(args)


def _parameters(
    arguments: argparse.Namespace,
) -> tuple[LaserParameters, OrientationParameters, CalibrationParameters]:
    values = room_parameters(arguments, ROOMS)
    # How the pan's turning blurs bearings shows in their scatter; guessed at, it would only hide.
    values["orientation"].setdefault("model.pose_time_error", 0.0)
    orientation = from_mapping(OrientationParameters, values["orientation"], "orientation.")
    values["calibration"].setdefault("radius", orientation.target.radius)
    return (
        from_mapping(LaserParameters, values["laser"], "laser."),
        orientation,
        from_mapping(CalibrationParameters, values["calibration"], "calibration."),
    )


def _open(arguments: argparse.Namespace) -> tuple[StationRecording, CalibrationParameters]:
    laser, orientation, parameters = _parameters(arguments)
    options = StationOptions(
        **sensor_topics(arguments),
        joints=arguments.joint_states_topic,
        joint=arguments.pan_joint,
        mount=pose_of(arguments.camera_mount),
    )
    bag = open_bag(arguments.bag)
    require_sensors(bag, options)
    if options.mount is not None:
        kinds = ("sensor_msgs/msg/JointState",)
        require(bag, options.joints, "joint states", "--joint-states-topic", kinds)
    if arguments.learn is not None:
        zone = learnt_zone(bag, options.scan, arguments.learn, laser.sensor)
    else:
        zone = zone_from_parameters(laser)
    progress = Progress(60.0, bag.path.name)
    return StationRecording(bag, options, laser, orientation, zone, progress.update), parameters


def _tell(found: dict[str, Any], arguments: argparse.Namespace) -> None:
    """Print the result and write what was asked for."""
    for text in found["warnings"]:
        print(f"warning: {text}", file=sys.stderr)
    print(result_text(found))
    if arguments.json:
        write_json(found, arguments.json)


def main(args: Sequence[str] | None = None) -> int:
    """Run the command; 1 where the recording does not determine the station, 2 for bad input."""
    arguments = _arguments(args)
    try:
        make_room(arguments.json, None)
        recording, parameters = _open(arguments)
        outcome = find_station(recording, parameters)
        _tell(figures(outcome, recording, told_pan_zero(recording, arguments.pan_zero)), arguments)
    except CalibrationError as error:
        print(f"refused: {error}{_why(recording)}", file=sys.stderr)
        return MISSED
    except (EvaluationError, ParameterError, ZoneError) as error:
        print(f"error: {error}", file=sys.stderr)
        return REFUSED
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
