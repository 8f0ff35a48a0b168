"""A short animation of a run: the room from above and the camera's image, the estimate drawn in."""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from evaluation.lockstep import CAMERA_TOPIC, LockStep
from ground_truth_localizer.pose_fusion import FusedState
from spatial_types.camera import CameraFrame, CameraModel
from spatial_types.transforms import Transform

Array = NDArray[np.float64]
OVERVIEW_TOPIC = "overview/image_raw"
TRUE, ESTIMATED, TEXT = (70, 130, 230), (235, 70, 55), (30, 30, 30)
BOTTOM, TOP, RADIUS = 0.19, 0.55, 0.10
HEIGHT, CAPTION = 360, 26
# Link axes (x forward, z up) to optical axes (x right, y down, z forward), REP 103.
LINK_FROM_OPTICAL = Transform(np.array([[0.0, 0, 1], [-1, 0, 0], [0, -1, 0]]))


@dataclass
class Animation:
    """Collects frames while a trial runs; hand `see` to the run as an observer."""

    frames: list[Image.Image] = field(default_factory=list)
    true_path: list[Array] = field(default_factory=list)
    estimated_path: list[Array] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._camera_image: Image.Image | None = None
        self._fused: FusedState | None = None

    def see(self, step: LockStep, topic: str, data: Any) -> None:
        """Take in what the run tells of."""
        if not isinstance(data, CameraFrame):
            return
        if topic == CAMERA_TOPIC:
            self._see_image(step, data)
        elif topic == OVERVIEW_TOPIC and self._camera_image is not None:
            self.frames.append(self._compose(step, data))

    def _see_image(self, step: LockStep, frame: CameraFrame) -> None:
        fused = step.chains[0].fused
        self._fused = fused
        image = Image.fromarray(frame.pixels)
        scale = HEIGHT / image.height
        image = image.resize((round(image.width * scale), HEIGHT), Image.Resampling.BILINEAR)
        if fused is not None:
            self.estimated_path.append(fused.position)
            optical = step.map_from_camera(frame.stamp)
            draw_cylinder(image, step.camera, optical, fused.position, fused.yaw, scale)
        self._camera_image = image

    def _compose(self, step: LockStep, overview: CameraFrame) -> Image.Image:
        pose, _, _ = step.simulator.truth("target")
        self.true_path.append(pose.translation[:2].copy())
        above = Image.fromarray(overview.pixels)
        model = step.simulator.camera_model(OVERVIEW_TOPIC)
        link = step.simulator.link_pose("overview", "overview_link")
        self._draw_above(above, model, link @ LINK_FROM_OPTICAL)
        assert self._camera_image is not None
        width = above.width + self._camera_image.width
        whole = Image.new("RGB", (width, HEIGHT + CAPTION), "white")
        whole.paste(above, (0, 0))
        whole.paste(self._camera_image, (above.width, 0))
        text = self._caption(overview.stamp, pose)
        ImageDraw.Draw(whole).text((8, HEIGHT + 4), text, fill=TEXT, font=_font())
        return whole

    def _draw_above(self, image: Image.Image, model: CameraModel, optical: Transform) -> None:
        draw = ImageDraw.Draw(image)
        for path, colour, width in (
            (self.true_path, TRUE, 4),
            (self.estimated_path, ESTIMATED, 2),
        ):
            if len(path) > 1:
                points = project(model, optical, np.column_stack([path, np.full(len(path), TOP)]))
                draw.line([tuple(p) for p in points], fill=colour, width=width)
        if self._fused is not None:
            angle = np.linspace(0, 2 * np.pi, 25)
            ring = self._fused.position + 0.16 * np.column_stack([np.cos(angle), np.sin(angle)])
            points = project(model, optical, np.column_stack([ring, np.full(25, TOP)]))
            draw.line([tuple(p) for p in points], fill=ESTIMATED, width=2)
            heading = np.array([np.cos(self._fused.yaw), np.sin(self._fused.yaw)])
            ends = [self._fused.position, self._fused.position + 0.45 * heading]
            points = project(model, optical, np.column_stack([ends, np.full(2, TOP)]))
            draw.line([tuple(p) for p in points], fill=ESTIMATED, width=3)

    def _caption(self, stamp: int, pose: Transform) -> str:
        text = f"{stamp * 1e-9:5.1f} s   blue: true   red: estimated   "
        if self._fused is None:
            return text + "no pose known"
        x, y = self._fused.position
        age = (stamp - self._fused.stamp) * 1e-9
        error = 1e3 * float(
            np.hypot(*(self._fused.position + age * self._fused.velocity - pose.translation[:2]))
        )
        yaw = np.degrees(self._fused.yaw)
        return text + f"x {x:6.3f} m   y {y:6.3f} m   yaw {yaw:6.1f} deg   error {error:4.1f} mm"

    def encode(self, frame_ms: int = 120) -> bytes:
        """Return the animation as WebP."""
        buffer = io.BytesIO()
        first, *rest = self.frames
        first.save(
            buffer,
            "WEBP",
            save_all=True,
            append_images=rest,
            duration=frame_ms,
            loop=0,
            quality=55,
            method=2,
        )
        return buffer.getvalue()

    def write(self, path: Path) -> None:
        """Write the animation, nothing where there is no frame."""
        if self.frames:
            path.write_bytes(self.encode())


def project(camera: CameraModel, map_from_optical: Transform, points: Array) -> Array:
    """Return pixel coordinates (N, 2) of points (N, 3) of map, ideal pinhole."""
    seen = map_from_optical.inverse().apply(points)
    image = seen @ camera.matrix.T
    return np.asarray(image[:, :2] / image[:, 2:])


def draw_cylinder(
    image: Image.Image,
    camera: CameraModel,
    optical: Transform,
    position: Array,
    yaw: float,
    scale: float,
) -> None:
    """Draw the outline of the target at an estimated pose, and where it faces."""
    sight = position - optical.translation[:2]
    distance = float(np.hypot(*sight))
    along = sight / distance
    left = np.array([-along[1], along[0]])
    draw = ImageDraw.Draw(image)
    reach = RADIUS * np.sqrt(max(0.0, 1 - (RADIUS / distance) ** 2))
    back = -(RADIUS**2) / distance
    corners = []
    for side, height in ((1, BOTTOM), (1, TOP), (-1, TOP), (-1, BOTTOM), (1, BOTTOM)):
        corners.append([*(position + side * reach * left + back * along), height])
    points = scale * (project(camera, optical, np.array(corners)) + 0.5)
    draw.line([tuple(p) for p in points], fill=ESTIMATED, width=2)
    facing = position + RADIUS * np.array([np.cos(yaw), np.sin(yaw)])
    if (facing - position) @ along < 0:
        ends = np.array([[*facing, BOTTOM], [*facing, TOP]])
        points = scale * (project(camera, optical, ends) + 0.5)
        draw.line([tuple(p) for p in points], fill=ESTIMATED, width=1)


def _font() -> Any:
    try:
        return ImageFont.load_default(size=15)
    except TypeError:  # Pillow before 10.1 has one size only
        return ImageFont.load_default()
