"""Silhouette, yaw and their honesty on exactly rendered images."""

import dataclasses

import numpy as np
import pytest
from synthetic_camera import POINTS, Scene, looking, render, station_view, thesis_camera

from ground_truth_localizer.cylinder_projection import View
from ground_truth_localizer.debug_image import draw_result
from ground_truth_localizer.marker_pattern import MarkerPattern, PatternParameters
from ground_truth_localizer.orientation_estimator import OrientationEstimator
from ground_truth_localizer.orientation_parameters import (
    ModelParameters,
    OrientationParameters,
    ThesisParameters,
)
from ground_truth_localizer.orientation_result import OrientationResult
from ground_truth_localizer.target_state import TargetState
from spatial_types.angles import wrap_scalar
from spatial_types.camera import CameraModel
from spatial_types.parameters import ParameterError, from_mapping


def laser_state(position, map_from_camera, rng):
    """What the laser would say: a few mm across the view, more along it."""
    away = np.asarray(position) - map_from_camera.translation[:2]
    distance = np.hypot(*away)
    axes = np.array([away, [-away[1], away[0]]]).T / distance
    sigma = np.array([0.0055 * distance**0.6, 0.0015 * distance])
    covariance = np.zeros((4, 4))
    covariance[:2, :2] = axes @ np.diag(sigma**2) @ axes.T
    return TargetState(
        0, np.asarray(position) + axes @ rng.normal(0, sigma), np.zeros(2), covariance, True
    )


def run(scenes, camera=None, views=None, parameters=None, seed=0):
    """Estimate each scene once; returns results, yaw errors (deg), bearing errors (px)."""
    rng = np.random.default_rng(seed)
    camera = camera or thesis_camera()
    estimator = OrientationEstimator(parameters)
    results, yaws, bearings = [], [], []
    for k, scene in enumerate(scenes):
        view = views[k] if views else station_view(scene.position, rng)
        frame = render(scene, camera, view, rng)
        result = estimator.update(frame, camera, view, laser_state(scene.position, view, rng))
        dx, dy = np.asarray(scene.position) - view.translation[:2]
        results.append(result)
        yaws.append(np.degrees(wrap_scalar(result.yaw - scene.yaw)))
        bearings.append(wrap_scalar(result.bearing - np.arctan2(dy, dx)) * camera.matrix[0, 0])
    return results, np.array(yaws), np.array(bearings)


def scenes_at(point, count, seed, **changes):
    rng = np.random.default_rng(seed)
    return [
        Scene(
            position=tuple(np.array(POINTS[point]) + rng.uniform(-0.05, 0.05, 2)),
            yaw=rng.uniform(-np.pi, np.pi),
            **{"samples": 5, **changes},
        )
        for _ in range(count)
    ]


@pytest.mark.parametrize(
    ("point", "mean", "worst"), [("A", 0.15, 0.5), ("B", 0.3, 0.9), ("G", 0.5, 1.5)]
)
def test_yaw_and_bearing_at_the_thesis_points(point, mean, worst):
    results, yaws, bearings = run(scenes_at(point, 6, seed=ord(point)))
    assert all(result.good for result in results)
    assert np.mean(np.abs(yaws)) < mean
    assert np.max(np.abs(yaws)) < worst
    assert np.sqrt(np.mean(bearings**2)) < 0.12


def test_stated_variances_are_honest():
    scenes = scenes_at("A", 4, 1) + scenes_at("C", 6, 2) + scenes_at("F", 6, 3)
    results, yaws, bearings = run(scenes)
    nees = np.mean(
        [np.radians(e) ** 2 / r.yaw_variance for e, r in zip(yaws, results, strict=True)]
    )
    focal = thesis_camera().matrix[0, 0]
    sight = np.mean(
        [(b / focal) ** 2 / r.bearing_variance for b, r in zip(bearings, results, strict=True)]
    )
    assert 0.05 < nees < 2.5
    assert 0.05 < sight < 2.5


@pytest.mark.parametrize(
    "change",
    [
        {"wall": (225.0, 225.0, 225.0)},
        {"wall_slope": 0.5},
        {"ambient": 0.15, "diffuse": 0.2},
        {"light": (3.0, -1.0, 2.0)},
        {"light": (-3.0, 1.0, 2.0)},
        {"ambient": 0.5, "diffuse": 0.8},
    ],
    ids=["white wall", "uneven wall", "dim", "lamp right", "lamp left", "overexposed"],
)
def test_light_and_background_do_not_mislead(change):
    results, yaws, _ = run(scenes_at("B", 5, 11, **change))
    good = np.array([result.good for result in results])
    assert good.mean() >= 0.6
    assert np.max(np.abs(yaws[good])) < 1.5


@pytest.mark.parametrize("shadow", [(0.0, 1.0, 0.45), (0.0, -1.0, -0.37), (1.0, 1.0, 0.4)])
def test_shadow_across_the_target_is_seen_through_or_flagged(shadow):
    results, yaws, _ = run(scenes_at("B", 6, 5, shadow=shadow))
    good = np.array([result.good for result in results])
    assert np.all(np.abs(yaws[good]) < 2.0)


@pytest.mark.parametrize("turn", np.radians([0, 45, 90, 135, 180, 225, 270, 315]))
def test_identity_never_jumps_as_the_target_turns(turn):
    """L5: a facing tag flips or changes its identity at 3 to 5 m; the ring of colours does not."""
    scenes = [
        Scene(position=(0.2, distance), yaw=turn + delta, samples=4)
        for distance in (3.2, 4.2)
        for delta in (0.0, 0.09)
    ]
    results, yaws, _ = run(scenes, seed=int(turn * 10))
    assert np.all(np.abs(yaws) < 4.0)
    assert min(result.margin for result in results) > 3.0


def test_tilted_rolled_and_high_camera():
    rng = np.random.default_rng(2)
    scenes = scenes_at("B", 4, 8)
    poses = [
        (0.25, 0.15, 0.0, 0.9),
        (0.0, 0.0, 0.1, 0.37),
        (0.2, 0.1, -0.05, 0.8),
        (0, 0, np.pi, 0.37),
    ]
    views = []
    for scene, (aside, pitch, roll, height) in zip(scenes, poses, strict=True):
        dx, dy = np.array(scene.position) - [aside, 0.1]
        yaw = np.arctan2(dy, dx) + rng.uniform(-0.02, 0.02)
        views.append(looking((aside, 0.1, height), yaw, pitch, roll))
    results, yaws, bearings = run(scenes, views=views)
    assert all(result.good for result in results), [r.reason for r in results]
    assert np.max(np.abs(yaws)) < 0.9
    assert np.max(np.abs(bearings)) < 0.3


def test_lens_distortion_is_undone():
    ideal = thesis_camera()
    lens = CameraModel(320, 240, ideal.matrix, np.array([-0.3, 0.1, 0.002, -0.001, 0.0]))
    rng = np.random.default_rng(3)
    scenes = scenes_at("B", 4, 9)
    views = [station_view(s.position, rng, dead_zone=np.radians(12.0)) for s in scenes]
    _, yaws, bearings = run(scenes, camera=lens, views=views)
    assert np.max(np.abs(yaws)) < 0.9
    assert np.max(np.abs(bearings)) < 0.3


def test_other_pattern_from_parameters():
    pattern = PatternParameters(
        names=("a", "b", "c", "d"),
        angles=(0.0, 80.0, 190.0, 285.0),
        widths=(40.0, 25.0, 50.0, 30.0),
        colours=(1.0, 0.2, 0.2, 0.2, 0.6, 0.9, 0.1, 0.1, 0.1, 0.9, 0.8, 0.1),
    )
    scenes = [dataclasses.replace(s, pattern=pattern) for s in scenes_at("B", 5, 21)]
    results, yaws, _ = run(scenes, parameters=OrientationParameters(pattern=pattern))
    assert all(result.good for result in results)
    assert np.max(np.abs(yaws)) < 1.0


def test_absent_target_is_never_good():
    rng = np.random.default_rng(0)
    camera, view = thesis_camera(), station_view((0.0, 2.0), rng)
    empty = dataclasses.replace(Scene(), position=(0.9, 2.0))
    frame = render(empty, camera, view, rng)
    result = OrientationEstimator().update(frame, camera, view, laser_state((0.0, 2.0), view, rng))
    assert not result.good
    assert result.reason


def test_target_outside_the_image_or_behind_gives_a_reason():
    rng = np.random.default_rng(0)
    camera = thesis_camera()
    view = looking((0.0, 0.1, 0.37), -np.pi / 2)
    frame = render(Scene(), camera, station_view((0.0, 2.0), rng), rng)
    result = OrientationEstimator().update(frame, camera, view, laser_state((0.0, 2.0), view, rng))
    assert not result.good
    assert "camera" in result.reason or "image" in result.reason


def test_image_unlike_the_camera_model_is_refused():
    rng = np.random.default_rng(0)
    view = station_view((0.0, 2.0), rng)
    frame = render(Scene(), thesis_camera(), view, rng)
    other = CameraModel.from_hfov(640, 480, 0.8)
    with pytest.raises(ValueError, match="640x480"):
        OrientationEstimator().update(frame, other, view, laser_state((0, 2), view, rng))


THESIS_SCENE = {
    "wall": (90.0, 140.0, 100.0),
    "floor": (110.0, 80.0, 60.0),
    "noise": 0.0,
    "ambient": 0.6,
    "diffuse": 0.4,
}


@pytest.mark.parametrize(("projection", "worst"), [("chord", 9.0), ("exact", 7.0)])
def test_thesis_method_reads_a_noiseless_image(projection, worst):
    """Whole pixels: within a few degrees at 1 to 2 m, and never a wrong colour."""
    scenes = scenes_at("A", 5, 4, **THESIS_SCENE) + scenes_at("B", 8, 5, **THESIS_SCENE)
    parameters = OrientationParameters(
        method="thesis", thesis=ThesisParameters(threshold=100, projection=projection)
    )
    results, yaws, _ = run(scenes, parameters=parameters)
    assert all(result.good for result in results)
    assert np.max(np.abs(yaws)) < worst


def test_thesis_method_needs_a_tolerance_with_noise():
    scenes = scenes_at("B", 6, 5, **{**THESIS_SCENE, "noise": 2.0})
    strict = OrientationParameters(method="thesis", thesis=ThesisParameters(threshold=100))
    tolerant = OrientationParameters(
        method="thesis", thesis=ThesisParameters(threshold=100, white_tolerance=16)
    )
    _, plain, _ = run(scenes, parameters=strict)
    _, helped, _ = run(scenes, parameters=tolerant)
    assert np.nanmax(np.abs(helped)) < 12.0
    assert np.isnan(plain).all()  # noise leaves no pixel with R = G = B to go by


class Stubborn:
    """A method that meets numbers that it cannot deal with."""

    def __init__(self, outcome):
        self.outcome = outcome

    def update(self, frame, view, target):
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return OrientationResult(frame.stamp, True, "", self.outcome, 1e-4, view=view)


@pytest.mark.parametrize("outcome", [float("nan"), np.linalg.LinAlgError("singular"), ValueError()])
def test_numbers_that_are_none_never_count_as_good(outcome):
    rng = np.random.default_rng(0)
    scene, camera = Scene(position=(0.0, 2.0), yaw=0.0, samples=1), thesis_camera()
    view = station_view(scene.position, rng)
    estimator = OrientationEstimator()
    estimator._method = Stubborn(outcome)
    frame = render(scene, camera, view, rng)
    result = estimator.update(frame, camera, view, laser_state(scene.position, view, rng))
    assert not result.good
    assert "no solution" in result.reason


def test_debug_image_of_a_target_behind_the_camera_is_drawn():
    rng = np.random.default_rng(0)
    scene, camera = Scene(position=(0.0, 2.0), yaw=0.0, samples=1), thesis_camera()
    view = station_view(scene.position, rng)
    behind = View(camera, view, wrap_scalar(-np.pi / 2), 1.0)
    result = OrientationResult(
        0, True, "", 0.3, 1e-4, bearing=-np.pi / 2, distance=1.0, view=behind
    )
    settings = OrientationParameters()
    frame = render(scene, camera, view, rng)
    drawn = draw_result(frame.pixels, result, settings.target, MarkerPattern(settings.pattern))
    assert drawn.shape == (480, 640, 3)


def test_pattern_albedo_turns_counter_clockwise():
    pattern = MarkerPattern(PatternParameters())
    blue, white, green = pattern.albedo(np.radians([0.0, 30.0, 60.0]))
    assert blue.tolist() == [0, 0, 1]
    assert white.tolist() == [1, 1, 1]
    assert green[1] > green[0]
    assert np.allclose(pattern.albedo(np.radians(-60.0)), [0, 1, 1])


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ({"pattern.widths": [70.0] * 6}, "overlap"),
        ({"pattern.colours": [0.0]}, r"pattern\.colours"),
        ({"target.marker_centre": 0.6}, "marker_centre"),
        ({"method": "guess"}, "method"),
        ({"model.noise": -1.0}, r"model\.noise"),
    ],
)
def test_impossible_parameters_are_refused(values, named):
    with pytest.raises(ParameterError, match=named):
        from_mapping(OrientationParameters, values)


def test_yaw_misfit_flags_wrong_colours():
    wrong = PatternParameters(colours=tuple(np.roll(PatternParameters().colours, 4)))
    scenes = [dataclasses.replace(s, pattern=wrong) for s in scenes_at("A", 4, 6)]
    results, yaws, _ = run(scenes, parameters=OrientationParameters(model=ModelParameters()))
    for result, error in zip(results, yaws, strict=True):
        assert not result.good or abs(error) < 2.0
