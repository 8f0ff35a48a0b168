"""What a simulation is made of, and how it is run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from spatial_types.parameters import ParameterError
from spatial_types.transforms import Transform

SCAN_MODES = ("instant", "swept")


@dataclass(frozen=True)
class ModelSpec:
    """A model to stand in the world; an empty name is the file's. `arguments` are xacro's."""

    file: Path
    name: str = ""
    pose: Transform = field(default_factory=Transform)
    arguments: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class SimulatorOptions:
    """How a scene is run.

    `scan_mode`: instant (as Gazebo's) or swept (each beam at its own time). `camera_noise` and
    `lidar_noise`: False silences them; `camera_noise_levels` replaces the described standard
    deviation of the cameras (grey levels), `lidar_sigma` that of scanners (m). `shadow_map`
    in texels, `samples` per pixel asked of the renderer. `supersampling` draws each pixel as that
    many beside each other: multisampling alone shades a pixel once and steps upright edges by a
    quarter of it, where a camera gathers light over the whole pixel. `hands`: a person's hands are
    part of the scene (scene_sim.hands).
    """

    seed: int = 0
    scan_mode: str = "instant"
    shadows: bool = True
    shadow_map: int = 512
    samples: int = 4
    supersampling: int = 2
    camera_noise: bool = True
    lidar_noise: bool = True
    camera_noise_levels: float | None = None
    lidar_sigma: float | None = None
    hands: bool = False

    def __post_init__(self) -> None:
        """Raise ParameterError for values out of range."""
        if self.scan_mode not in SCAN_MODES:
            raise ParameterError(
                f"scan_mode = {self.scan_mode!r}: expected one of {', '.join(SCAN_MODES)}"
            )
        for name, low, high in (
            ("shadow_map", 16, 8192),
            ("samples", 1, 32),
            ("supersampling", 1, 8),
        ):
            value = getattr(self, name)
            if not low <= value <= high:
                raise ParameterError(f"{name} = {value}: expected {low} to {high}")
