"""Images against exact projections, noise, light and shadow."""

import gc
import threading

import numpy as np
import pytest
from scenes import CAMERA, ROOT, SECOND, readings, room, small_world

from scene_sim import gl_backend
from scene_sim.gl_backend import RenderingError
from spatial_types.transforms import Transform

EYE = """<model name="eye"><static>true</static><link name="link"><sensor name="eye" type="camera">
<update_rate>30</update_rate><topic>eye</topic><camera><horizontal_fov>0.8</horizontal_fov>
<image><width>320</width><height>240</height></image>
<clip><near>0.05</near><far>30</far></clip></camera></sensor></link></model>
<model name="dot"><static>true</static><pose>{x} {y} {z} 0 0 0</pose><link name="link"><visual
name="v"><geometry><sphere><radius>0.05</radius></sphere></geometry><material>
<diffuse>1 1 1 1</diffuse></material></visual></link></model>"""


@pytest.mark.parametrize(("x", "y", "z"), [(3, 0, 0), (3, 0.9, 0.6), (2, -0.7, -0.5), (4, 1.2, -1)])
def test_a_point_is_drawn_where_the_camera_model_projects_it(tmp_path, x, y, z):
    simulator = small_world(tmp_path, EYE.format(x=x, y=y, z=z), supersampling=4)
    weights = simulator.render("eye").pixels.sum(axis=2, dtype=float)
    rows, columns = np.mgrid[0:240, 0:320]
    centroid = np.array([(columns * weights).sum(), (rows * weights).sum()]) / weights.sum()
    matrix = simulator.camera_model("eye").matrix
    optical = np.array([-y, -z, x])  # right, down, forward of a camera that looks along +x
    expected = (matrix @ optical / optical[2])[:2]
    # The outline of a sphere is an ellipse whose middle lies a little farther out than its centre.
    farther = 1.0 / (1.0 - 0.05**2 / optical[2] ** 2)
    expected = matrix[:2, 2] + (expected - matrix[:2, 2]) * farther
    assert centroid == pytest.approx(expected, abs=0.02)


def silhouette_errors(supersampling, count=25):
    """Measured minus exact edges (px) of the target's outline, lit evenly, above the markers."""
    simulator = room(camera_noise=False, shadows=False, supersampling=supersampling)
    for light in ("station_light", "ceiling_light"):
        simulator.set_light(light, on=False)
    matrix = simulator.camera_model(CAMERA).matrix
    focal, middle = matrix[0, 0], matrix[0, 2]
    generator = np.random.default_rng(0)
    errors = []
    for _ in range(count):
        distance = generator.uniform(0.9, 3.5)
        x, yaw = generator.uniform(-0.2, 0.2) * distance, generator.uniform(-3, 3)
        simulator.set_model_pose("phone_robot", Transform.planar(x, 0.1 + distance, yaw))
        target = simulator.link_pose("phone_robot", "phone_robot/target_link").translation
        eye = simulator.link_pose("station", "camera_optical_frame")
        centre = eye.inverse().apply(target)
        bearing = np.arctan2(centre[0], centre[2])
        half = np.arcsin(0.10 / np.hypot(centre[0], centre[2]))
        exact = middle + focal * np.tan(bearing + np.array([-half, half]))
        first, last = 119.5 + focal * np.array([-0.14, -0.06]) / centre[2]
        pixels = simulator.render(CAMERA).pixels.astype(float)
        profile = pixels[int(np.ceil(first)) : int(last) + 1, :, 2].mean(axis=0)
        cover = (profile - profile[0]) / (profile[round(exact.mean())] - profile[0])
        split = round(exact.mean())
        left = split + 0.5 - cover[: split + 1].sum()
        right = split + 0.5 + cover[split + 1 :].sum()
        errors.append(np.array([left, right]) - exact)
    return np.array(errors)


def test_silhouette_is_the_exact_projection_of_the_cylinder():
    fine = silhouette_errors(4)
    assert np.abs(fine.mean(axis=0)).max() < 0.015
    assert fine.std(axis=0).max() < 0.03
    assert np.abs(fine).max() < 0.07
    # Four samples to a pixel know an edge to a quarter of a pixel, and are not biased either.
    plain = silhouette_errors(1)
    assert np.abs(plain.mean(axis=0)).max() < 0.04
    assert np.abs(plain).max() < 0.17


def test_painters_of_one_thread_do_not_disturb_each_other():
    first, second = room(camera_noise=False), room(-1.0, 3.0, camera_noise=False, shadows=False)
    pictures = [simulator.render(CAMERA).pixels for simulator in (first, second)]
    third = room(camera_noise=False)
    third.render(CAMERA)
    del third
    gc.collect()
    again = [simulator.render(CAMERA).pixels for simulator in (first, second)]
    assert all(np.array_equal(a, b) for a, b in zip(pictures, again, strict=True))


@pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")
def test_a_painter_that_another_thread_collects_disturbs_nobody():
    first = room(camera_noise=False)
    picture = first.render(CAMERA).pixels
    gone = [room(-1.0, 3.0, camera_noise=False)]
    gone[0].render(CAMERA)
    collector = threading.Thread(target=lambda: (gone.clear(), gc.collect()))
    collector.start()
    collector.join()
    for simulator in (first, room(camera_noise=False)):
        assert np.array_equal(simulator.render(CAMERA).pixels, picture)


MARKERS = ("blue", "green", "pink", "yellow", "red", "light_blue")
STRONG = ((2,), (1,), (0, 2), (0, 1), (0,), (1, 2))


@pytest.mark.parametrize("index", range(6))
def test_markers_go_counter_clockwise_in_the_order_of_the_thesis(index):
    simulator = room(0.0, 1.5, camera_noise=False)
    # The camera sees from -y; marker k faces it when its normal points to -y.
    yaw = -np.pi / 2 - index * np.pi / 3
    simulator.set_model_pose("phone_robot", Transform.planar(0.0, 1.5, yaw))
    colour = simulator.render(CAMERA).pixels[119:121, 159:161].reshape(-1, 3).mean(axis=0)
    strong = [channel in STRONG[index] for channel in range(3)]
    assert (colour[strong] > 100).all(), MARKERS[index]
    assert (colour[np.logical_not(strong)] < 20).all(), MARKERS[index]


def test_target_alone_is_white():
    simulator = room(0.0, 2.0, camera_noise=False)
    target = simulator.render(CAMERA).pixels[:, 150:170].astype(int)
    simulator.set_model_pose("phone_robot", Transform.planar(-3.5, 0.5, 0.0))
    empty = simulator.render(CAMERA).pixels.astype(int)
    spread = target.max(axis=2) - target.min(axis=2)
    assert ((spread == 0) & (target[..., 0] > 120)).sum() > 300
    # As the thesis's rule has it: red, green and blue alike and bright. Only the target is.
    assert ((empty.max(axis=2) - empty.min(axis=2) < 8) & (empty[..., 0] > 60)).sum() == 0
    assert target.max() < 255


def test_noise_of_images_is_two_grey_levels_and_new_each_time():
    noisy, clean = room(seed=1), room(camera_noise=False)
    difference = noisy.render(CAMERA).pixels.astype(float) - clean.render(CAMERA).pixels
    assert difference.std() == pytest.approx(np.sqrt(4.0 + 1.0 / 12.0), rel=0.02)
    assert abs(difference.mean()) < 0.02
    again = noisy.render(CAMERA).pixels.astype(float) - clean.render(CAMERA).pixels
    assert abs(np.corrcoef(difference.ravel(), again.ravel())[0, 1]) < 0.01


def test_an_image_depends_on_its_stamp_not_on_the_images_before():
    often, once = room(seed=1), room(seed=1)
    often.camera_mode("rate")
    frames = readings(often, CAMERA, 200_000_000)
    readings(once, CAMERA, frames[-1].stamp)
    assert frames[-1].stamp == once.time == 200_000_000
    assert np.array_equal(frames[-1].pixels, once.render(CAMERA).pixels)
    assert len({frame.pixels.tobytes() for frame in frames}) == len(frames) == 7


def test_moving_the_light_moves_shadows_and_a_world_without_shadows_has_none():
    lit, plain = room(camera_noise=False), room(camera_noise=False, shadows=False)
    first = lit.render(CAMERA).pixels.astype(int)
    assert np.abs(first - plain.render(CAMERA).pixels).max() > 20
    lit.set_light("ceiling_light", position=(-1.5, 1.0, 2.0))
    moved = lit.render(CAMERA).pixels.astype(int)
    assert (np.abs(moved - first).max(axis=2) > 15).sum() > 200
    lit.set_light("station_light", diffuse=0.0)
    assert lit.render(CAMERA).pixels.mean() < moved.mean() - 20
    lit.reset()
    assert np.array_equal(lit.render(CAMERA).pixels, first)


SUN = """<light name="sun" type="directional"><pose>-20 0 9 0 0 0</pose>
<diffuse>0.4 0.4 0.4 1</diffuse><direction>0.5 0.5 -0.7</direction><cast_shadows>1</cast_shadows>
</light><model name="wall"><static>true</static><pose>4 0 0 0 0 0</pose><link name="link"><visual
name="v"><geometry><box><size>0.2 2 2</size></box></geometry><material><diffuse>1 1 1 1</diffuse>
</material></visual></link></model><model name="roof"><static>true</static><pose>3.3 -0.6 1.2 0 0 0
</pose><link name="link"><visual name="v"><geometry><box><size>0.6 0.4 0.1</size></box></geometry>
</visual></link></model>"""


def test_a_sun_throws_shadows_far_from_its_own_place(tmp_path):
    lit, plain = (
        small_world(tmp_path, SUN + EYE.format(x=9, y=0, z=0), shadows=shadows)
        for shadows in (True, False)
    )
    assert lit.physics.model.vis.map.shadowclip > 20.0
    apart = plain.render("eye").pixels.astype(int) - lit.render("eye").pixels
    assert (apart.max(axis=2) > 40).sum() > 50
    assert apart.min() >= -3


@pytest.mark.parametrize(("x", "y"), [(-3.0, 1.0), (3.0, 1.0), (3.0, 3.0)])
def test_the_target_throws_no_specks_of_shadow_on_itself(x, y):
    simulator = room(x, y, camera_noise=False)
    simulator.set_joint_target("camera_pan_joint", np.arctan2(-x, y - 0.1))
    readings(simulator, CAMERA, 1_500_000_000)
    pixels = simulator.render(CAMERA).pixels.astype(int)
    white = (pixels.max(axis=2) - pixels.min(axis=2) == 0) & (pixels[..., 0] > 100)
    inside = white & np.roll(white, 2, 0) & np.roll(white, -2, 0)
    steps = np.abs(pixels[..., 0] - np.roll(pixels[..., 0], 1, 0))[inside]
    assert len(steps) > 150
    assert steps.max() < 8


def test_cameras_turn_with_the_pan_joint():
    simulator = room(-2.0, 0.1 + 2.0, camera_noise=False)
    simulator.set_joint_target("camera_pan_joint", np.pi / 4)
    readings(simulator, CAMERA, SECOND)
    pixels = simulator.render(CAMERA).pixels.astype(int)
    white = (pixels.max(axis=2) - pixels.min(axis=2) == 0) & (pixels[..., 0] > 100)
    assert white.any(axis=0).nonzero()[0].mean() == pytest.approx(159.5, abs=1.0)


def test_without_gl_a_scene_runs_and_only_its_cameras_complain(monkeypatch):
    def nothing(*names):
        return None

    monkeypatch.setattr(gl_backend, "_loadable", nothing)
    monkeypatch.delenv("MUJOCO_GL", raising=False)
    simulator = room()
    assert len(readings(simulator, "lrf/scan", SECOND)) == 11
    with pytest.raises(RenderingError, match="libegl1 and libgl1-mesa-dri"):
        simulator.render(CAMERA)


def test_marker_mesh_is_what_its_script_makes():
    folder = ROOT / "urdf/meshes"
    space: dict = {"__file__": str(folder / "make_marker_patch.py"), "__name__": "script"}
    exec((folder / "make_marker_patch.py").read_text(), space)
    assert (folder / "marker_patch.obj").read_text() == space["marker_patch"]()


def test_visuals_that_look_alike_share_a_material():
    model = room().physics.model
    rows = np.column_stack([model.mat_rgba, model.mat_specular, model.mat_emission])
    assert len(np.unique(rows, axis=0)) == model.nmat < np.sum(model.geom_matid >= 0)
