"""The modes of a viewpoint: from a head in the device's space to a head in the map.

| mode | where | how it looks |
|---|---|---|
| fixed | the device's floor stands at a place of the map; the head moves in it | as the head |
| free_look | at a camera's frame | camera * head |
| steered | at a camera's frame | camera * inverse of the camera's yaw * head, roll removed |
| orbit | at a set distance about a target, by the head's yaw and pitch | at the target, no roll |
| follow | behind a target, smoothed | at the target, then as the head, roll removed |
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from spatial_types.parameters import ParameterError, parameter
from spatial_types.suggestions import suggestion
from spatial_types.transforms import Array, Transform
from vr_view.viewpoints.eyes import BODY_FROM_OPTICAL
from vr_view.viewpoints.following import Follower, FollowOptions
from vr_view.viewpoints.yaw_pitch import looking, without_roll, yaw_pitch

FIXED, FREE_LOOK, STEERED, ORBIT, FOLLOW = MODES = (
    "fixed",
    "free_look",
    "steered",
    "orbit",
    "follow",
)


@dataclass(frozen=True)
class CameraOptions:
    """What free_look and steered look through."""

    frame: str = parameter("drone/base_link", "Frame of the camera, x forward")
    optical: bool = parameter(False, "That frame is an optical one: z forward, y down")
    level: bool = parameter(
        False, "Take out the camera's roll and pitch, as those of a drone that speeds up"
    )


@dataclass(frozen=True)
class OrbitOptions:
    """Where the orbit is."""

    distance: float = parameter(2.0, "From the target", unit="m", minimum=0.01)
    height: float = parameter(0.0, "Of the orbit's centre above the target's frame", unit="m")
    turns_with_target: bool = parameter(False, "The target's yaw turns the orbit too")


@dataclass(frozen=True)
class ViewOptions:
    """How the viewpoint goes about in the map."""

    mode: str = parameter(FIXED, "Mode at start", choices=MODES)
    target_frame: str = parameter("target", "What orbit and follow look at")
    place: tuple[float, ...] = parameter(
        [0.0, 0.5, 0.0, 1.5708],
        "fixed: where the device's floor stands in the map: x, y, z (m), yaw (rad)",
    )
    camera: CameraOptions = field(default_factory=CameraOptions)
    orbit: OrbitOptions = field(default_factory=OrbitOptions)
    follow: FollowOptions = field(default_factory=FollowOptions)

    def check(self) -> None:
        """Raise ParameterError where the place is none."""
        if len(self.place) != 4:
            raise ParameterError(f"place = {list(self.place)}: expected x, y, z and yaw")


class Viewpoint:
    """The viewpoint's mode, its zero of the device's space, and what a follower remembers."""

    def __init__(self, options: ViewOptions) -> None:
        self._options = options
        self._mode = options.mode
        self._zero_from_device = Transform()
        self._follower = Follower(options.follow)

    @property
    def mode(self) -> str:
        """One of MODES."""
        return self._mode

    def choose(self, mode: str) -> None:
        """Go over to another mode; ValueError where there is no such."""
        if mode not in MODES:
            raise ValueError(f"no mode '{mode}'; {suggestion(mode, MODES)}")
        self._mode = mode
        self._follower.forget()

    @property
    def frame(self) -> str | None:
        """Whose pose in the map the mode needs; None: nobody's."""
        if self._mode == FIXED:
            return None
        of_camera = self._mode in (FREE_LOOK, STEERED)
        return self._options.camera.frame if of_camera else self._options.target_frame

    def recentre(self, device_from_head: Transform) -> None:
        """Make where the head is, and looks, the zero of the device's space; its floor stays."""
        x, y, _ = device_from_head.translation
        yaw, _ = yaw_pitch(device_from_head.rotation)
        self._zero_from_device = Transform.planar(x, y, yaw).inverse()

    def head(
        self, device_from_head: Transform, map_from_frame: Transform | None, elapsed: float
    ) -> Transform:
        """Return `map_from_head`, x forward, y left, z up.

        `map_from_frame` is the pose of `frame`, `elapsed` the seconds since the last call.
        """
        head = self._zero_from_device @ device_from_head
        if map_from_frame is None:
            x, y, z, yaw = self._options.place
            return Transform.planar(x, y, yaw, z) @ head
        if self._mode in (FREE_LOOK, STEERED):
            return self._through_camera(head.rotation, map_from_frame)
        if self._mode == ORBIT:
            return self._in_orbit(head.rotation, map_from_frame)
        behind = self._follower.update(map_from_frame, elapsed)
        return Transform(without_roll(behind.rotation @ head.rotation), behind.translation)

    def _through_camera(self, head: Array, map_from_camera: Transform) -> Transform:
        options = self._options.camera
        camera = map_from_camera.rotation
        if options.optical:
            camera = camera @ BODY_FROM_OPTICAL.rotation.T
        yaw, _ = yaw_pitch(camera)
        if options.level:
            camera = looking(yaw, 0.0)
        if self._mode == FREE_LOOK:
            return Transform(camera @ head, map_from_camera.translation)
        steered = camera @ looking(-yaw, 0.0) @ head
        return Transform(without_roll(steered), map_from_camera.translation)

    def _in_orbit(self, head: Array, map_from_target: Transform) -> Transform:
        options = self._options.orbit
        yaw, pitch = yaw_pitch(head)
        if options.turns_with_target:
            yaw += yaw_pitch(map_from_target.rotation)[0]
        view = looking(yaw, pitch)
        centre = map_from_target.translation + np.array([0.0, 0.0, options.height])
        return Transform(view, centre - options.distance * view[:, 0])
