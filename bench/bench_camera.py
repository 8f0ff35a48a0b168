"""Orientation: cost per image, and beside AprilTag and ArUco on images of the same camera.

Target and tag (0.20 m, black border to black border, family 36h11) stand at the same places before
the same camera (320x240, hfov 45 deg, noise 2 grey levels, 4x4 rays a pixel), turned by the same
random angles. `run(quick)` gives the rows.
"""

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
from pupil_apriltags import Detector

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "test" / "ground_truth_localizer"))

from synthetic_camera import Scene, looking, render, thesis_camera

from ground_truth_localizer.lens import normalised_from_pixels
from ground_truth_localizer.orientation_estimator import OrientationEstimator
from ground_truth_localizer.orientation_parameters import OrientationParameters
from ground_truth_localizer.pose_fusion import PoseFusion
from ground_truth_localizer.target_state import TargetState
from spatial_types.angles import wrap_scalar

TAG_SIDE = 0.20
DISTANCES = (1.0, 2.0, 3.0, 4.2)
ORIGIN = np.array([0.0, 0.1])
DICTIONARY = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_APRILTAG_36h11)
# Laser alone, one scan, one sigma along and across at each distance (m).
LASER = {1.0: (0.0054, 0.0015), 2.0: (0.0085, 0.0026), 3.0: (0.0099, 0.0036), 4.2: (0.013, 0.006)}

Pose = tuple[np.ndarray, float]


def tag_image(place, yaw, camera, view, rng, samples=4):
    """Render an upright tag whose normal points to the camera at yaw 0 (seen from above)."""
    cells = np.pad(cv2.aruco.generateImageMarker(DICTIONARY, 5, 8), 1, constant_values=255)
    u, v = np.meshgrid(np.arange(camera.width, dtype=float), np.arange(camera.height, dtype=float))
    steps = (np.arange(samples) + 0.5) / samples - 0.5
    image = np.zeros((camera.height, camera.width))
    right = np.array([np.cos(yaw), np.sin(yaw), 0.0])
    normal = np.array([np.sin(yaw), -np.cos(yaw), 0.0])
    centre = np.array([*place, 0.37])
    for dv in steps:
        for du in steps:
            flat = normalised_from_pixels(camera, np.stack([u + du, v + dv], -1))
            rays = np.concatenate([flat, np.ones((*u.shape, 1))], -1) @ view.rotation.T
            t = (centre - view.translation) @ normal / (rays @ normal)
            away = view.translation + t[..., None] * rays - centre
            x, z = away @ right / TAG_SIDE * 8 + 5, 5 - away[..., 2] / TAG_SIDE * 8
            inside = (x >= 0) & (x < 10) & (z >= 0) & (z < 10)
            cell = cells[np.clip(z, 0, 9).astype(int), np.clip(x, 0, 9).astype(int)]
            image += np.where(inside, 0.85 * cell + 10.0, 140.0)
    image = image[..., None] / samples**2 + rng.normal(0.0, 2.0, (*u.shape, 3))
    return np.clip(np.round(image), 0, 255).astype(np.uint8)


def floor_pose(rotation, translation, view) -> Pose:
    """Place (2,) and yaw of a tag from its pose in the optical frame (x right, y down, z in)."""
    place = view.apply(np.ravel(translation))[:2]
    right = view.rotate(rotation[:, 0])
    return place, float(np.arctan2(right[1], right[0]))


def april_tag(camera) -> Callable[..., Pose | None]:
    detector = Detector(families="tag36h11", nthreads=1, quad_decimate=1.0)
    k = camera.matrix
    intrinsics = (k[0, 0], k[1, 1], k[0, 2], k[1, 2])

    def detect(pixels, view):
        grey = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY)
        found = detector.detect(grey, True, intrinsics, TAG_SIDE)
        if not found:
            return None
        # OpenCV draws the family's tags upside down.
        upright = found[0].pose_R @ np.diag([-1.0, -1.0, 1.0])
        return floor_pose(upright, found[0].pose_t, view)

    return detect


def aruco(camera) -> Callable[..., Pose | None]:
    options = cv2.aruco.DetectorParameters()
    options.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    detector = cv2.aruco.ArucoDetector(DICTIONARY, options)
    half = TAG_SIDE / 2
    corners = np.array([[-half, half, 0], [half, half, 0], [half, -half, 0], [-half, -half, 0]])

    def detect(pixels, view):
        found, ids, _ = detector.detectMarkers(cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY))
        if ids is None:
            return None
        points = found[0].reshape(4, 2).astype(float)
        good, turn, place = cv2.solvePnP(
            corners, points, camera.matrix, np.zeros(5), flags=cv2.SOLVEPNP_IPPE_SQUARE
        )
        return floor_pose(cv2.Rodrigues(turn)[0], place, view) if good else None

    return detect


def laser_state(place, distance, rng):
    along, across = LASER[distance]
    away = (place - ORIGIN) / np.hypot(*(place - ORIGIN))
    axes = np.array([away, [-away[1], away[0]]]).T
    covariance = np.zeros((4, 4))
    covariance[:2, :2] = axes @ np.diag([along**2, across**2]) @ axes.T
    seen = place + axes @ rng.normal(0.0, [along, across])
    return TargetState(0, seen, np.zeros(2), covariance, True)


def score(poses, truths):
    """Found share, median angle error (deg), worst, median position error (mm)."""
    pairs = [(p, t) for p, t in zip(poses, truths, strict=True) if p is not None]
    if not pairs:
        return 0.0, float("nan"), float("nan"), float("nan")
    angles = [abs(np.degrees(wrap_scalar(p[1] - t[1]))) for p, t in pairs]
    places = [1e3 * np.hypot(*(p[0] - t[0])) for p, t in pairs]
    return (
        len(pairs) / len(poses),
        float(np.mean(angles)),
        float(np.max(angles)),
        float(np.mean(places)),
    )


def timed(function, *arguments):
    begin = time.process_time()
    value = function(*arguments)
    return value, time.process_time() - begin


def compare(distance, count, rng):
    """All three on `count` views at one distance."""
    camera = thesis_camera()
    view = looking((*ORIGIN, 0.37), np.pi / 2)
    estimator = OrientationEstimator()
    tags = {"apriltag": april_tag(camera), "aruco": aruco(camera)}
    poses: dict[str, list] = {name: [] for name in ("truthbed", *tags)}
    costs: dict[str, list] = {name: [] for name in poses}
    truths, tag_truths = [], []
    for _ in range(count):
        place = ORIGIN + np.array([0.0, distance]) + rng.uniform(-0.05, 0.05, 2)
        turn, yaw = rng.uniform(-0.7, 0.7), rng.uniform(-np.pi, np.pi)
        frame = render(Scene(position=tuple(place), yaw=yaw), camera, view, rng)
        state = laser_state(place, distance, rng)
        result, cost = timed(estimator.update, frame, camera, view, state)
        fused = PoseFusion().update(result, state)
        poses["truthbed"].append(None if fused is None else (fused.position, fused.yaw))
        costs["truthbed"].append(cost)
        truths.append((place, yaw))
        tag_truths.append((place, turn))
        pixels = tag_image(place, turn, camera, view, rng)
        for name, detect in tags.items():
            pose, cost = timed(detect, pixels, view)
            poses[name].append(pose)
            costs[name].append(cost)
    for name, found in poses.items():
        yield name, score(found, truths if name == "truthbed" else tag_truths), costs[name]


def run(quick: bool) -> list[dict]:
    rng = np.random.default_rng(12)
    rows = []
    worst = 0.0
    for distance in DISTANCES:
        for name, (found, mean, largest, place), costs in compare(
            distance, 8 if quick else 60, rng
        ):
            head = f"orientation at {distance} m, {name}"
            cost = 1e3 * statistics.median(costs)
            rows += [
                {"name": f"{head}: found", "value": 100.0 * found, "unit": "%"},
                {"name": f"{head}: mean angle error", "value": mean, "unit": "deg"},
                {"name": f"{head}: worst angle error", "value": largest, "unit": "deg"},
                {"name": f"{head}: mean position error", "value": place, "unit": "mm"},
                {"name": f"{head}: time", "value": cost, "unit": "ms/image"},
            ]
            if name == "truthbed":
                worst = max(worst, cost)
    rows.append(
        {
            "name": "orientation, 320x240, one core, slowest distance",
            "value": 1e3 / worst,
            "unit": "images/s",
            "required": 300,
        }
    )
    rows.append(thesis_cost(rng, 20 if quick else 100))
    return rows


def thesis_cost(rng, count):
    """Cost of the thesis's method on one image."""
    camera, view = thesis_camera(), looking((*ORIGIN, 0.37), np.pi / 2)
    frame = render(Scene(position=(0.0, 2.1)), camera, view, rng)
    state = laser_state(np.array([0.0, 2.1]), 2.0, rng)
    estimator = OrientationEstimator(OrientationParameters(method="thesis"))
    costs = [timed(estimator.update, frame, camera, view, state)[1] for _ in range(count)]
    cost = statistics.median(costs)
    return {"name": "orientation, method thesis", "value": 1.0 / cost, "unit": "images/s"}
