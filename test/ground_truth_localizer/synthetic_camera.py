"""A small exact renderer: rays against one cylinder, many samples a pixel, light and noise."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ground_truth_localizer.cylinder_projection import CylinderParameters, View
from ground_truth_localizer.lens import normalised_from_pixels
from ground_truth_localizer.marker_pattern import MarkerPattern, PatternParameters
from spatial_types.camera import CameraFrame, CameraModel
from spatial_types.transforms import Transform, matrix_from_rpy

OPTICAL = matrix_from_rpy((-np.pi / 2, 0.0, -np.pi / 2))  # x forward body -> optical frame


def looking(position, yaw, pitch=0.0, roll=0.0) -> Transform:
    """Pose of an optical frame: viewing direction `yaw`, `pitch` positive downwards."""
    return Transform(matrix_from_rpy((roll, pitch, yaw)) @ OPTICAL, np.asarray(position, float))


@dataclass(frozen=True)
class Scene:
    position: tuple[float, float] = (0.0, 2.0)
    yaw: float = 0.0
    ambient: float = 0.35
    diffuse: float = 0.6
    light: tuple[float, float, float] = (0.0, 0.0, 1.2)  # direction source, point light
    wall: tuple[float, float, float] = (150.0, 140.0, 120.0)
    wall_slope: float = 0.0  # grey levels per pixel to the right
    floor: tuple[float, float, float] = (90.0, 90.0, 95.0)
    shadow: tuple[float, float, float] | None = None  # map plane: a*s + b*z > c is in shadow
    noise: float = 2.0
    samples: int = 4
    cylinder: CylinderParameters = field(default_factory=CylinderParameters)
    pattern: PatternParameters = field(default_factory=PatternParameters)


def render(scene: Scene, camera: CameraModel, map_from_camera: Transform, rng) -> CameraFrame:
    """Render with samples^2 rays a pixel near the target and one elsewhere."""
    u, v = np.meshgrid(np.arange(camera.width, dtype=float), np.arange(camera.height, dtype=float))
    image = _shade(scene, camera, map_from_camera, np.stack([u, v], -1))
    window = _target_window(scene, camera, map_from_camera)
    n = scene.samples
    offsets = (np.arange(n) + 0.5) / n - 0.5
    fine = np.zeros(image[window].shape)
    for dv in offsets:
        for du in offsets:
            pixels = np.stack([u[window] + du, v[window] + dv], -1)
            fine += _shade(scene, camera, map_from_camera, pixels)
    image[window] = fine / n**2
    if scene.noise:
        image = image + rng.normal(0.0, scene.noise, image.shape)
    return CameraFrame(0, "camera", np.clip(np.round(image), 0, 255).astype(np.uint8))


def _target_window(scene, camera, map_from_camera):
    c = scene.cylinder
    view = View.towards(camera, map_from_camera, np.array(scene.position))
    reach = 1.3 * np.arcsin(c.radius / view.distance)
    near = view.distance - c.radius
    ends = view.pixels(
        np.array([-reach, -reach, reach, reach]),
        np.full(4, near),
        np.array([c.bottom, c.top, c.bottom, c.top]),
    )
    low = np.clip(np.floor(ends.min(0)).astype(int) - 5, 0, None)
    high = np.ceil(ends.max(0)).astype(int) + 6
    return slice(low[1], high[1]), slice(low[0], high[0])


def _shade(scene, camera, map_from_camera, pixels):
    flat = normalised_from_pixels(camera, pixels)
    rays = np.concatenate([flat, np.ones((*flat.shape[:-1], 1))], -1) @ map_from_camera.rotation.T
    origin = map_from_camera.translation
    colour = np.empty(rays.shape)
    colour[:] = np.array(scene.wall)
    colour += (scene.wall_slope * (pixels[..., 0] - camera.width / 2))[..., None]
    down = rays[..., 2] < -0.08
    colour[down] = scene.floor
    t, normal = _hit(scene, origin, rays)
    point = origin + np.nan_to_num(t)[..., None] * rays
    c = scene.cylinder
    body = np.isfinite(t) & (point[..., 2] < c.bottom) & (point[..., 2] > 0)
    colour[body] = (60.0, 30.0, 20.0)
    hit = np.isfinite(t) & (point[..., 2] >= c.bottom) & (point[..., 2] <= c.top)
    colour[hit] = _surface(scene, point[hit], normal[hit])
    return colour


def _hit(scene, origin, rays):
    rel = origin[:2] - np.array(scene.position)
    a = np.sum(rays[..., :2] ** 2, -1)
    b = rays[..., :2] @ rel
    root = b * b - a * (rel @ rel - scene.cylinder.radius**2)
    with np.errstate(invalid="ignore"):
        t = (-b - np.sqrt(root)) / a
    t = np.where(t > 0, t, np.nan)
    normal = (rel + t[..., None] * rays[..., :2]) / scene.cylinder.radius
    return t, normal


def _surface(scene, point, normal):
    c = scene.cylinder
    angle = np.arctan2(normal[:, 1], normal[:, 0]) - scene.yaw
    ring = (point[:, 2] >= c.marker_bottom) & (point[:, 2] <= c.marker_top)
    albedo = np.where(ring[:, None], MarkerPattern(scene.pattern).albedo(angle), 1.0)
    to_light = np.asarray(scene.light) - point
    to_light /= np.linalg.norm(to_light, axis=-1, keepdims=True)
    lambert = np.maximum(np.sum(normal * to_light[:, :2], -1), 0.0)
    if scene.shadow is not None:
        a, b, limit = scene.shadow
        side = (point[:, 0] - scene.position[0]) * a + point[:, 2] * b
        lambert = np.where(side > limit, 0.0, lambert)
    return 255.0 * albedo * (scene.ambient + scene.diffuse * lambert)[:, None]


POINTS = {
    "A": (0.0, 1.0),
    "B": (0.0, 2.0),
    "C": (0.0, 3.0),
    "D": (-3.0, 3.0),
    "E": (-3.0, 1.0),
    "F": (3.0, 1.0),
    "G": (3.0, 3.0),
}
STATION = (0.0, 0.10, 0.37)


def thesis_camera() -> CameraModel:
    return CameraModel.from_hfov(320, 240, np.radians(45.0))


def station_view(target, rng, dead_zone=0.0175, height=0.37) -> Transform:
    """Camera pose as the station would have it: panned to the target within the dead zone."""
    dx, dy = np.asarray(target) - STATION[:2]
    yaw = np.arctan2(dy, dx) + rng.uniform(-dead_zone, dead_zone)
    return looking((STATION[0], STATION[1], height), yaw)
