"""Parameters of the embedded simulator's node."""

from __future__ import annotations

from dataclasses import dataclass

from scene_sim.eyes import EyeQuality
from scene_sim.options import SimulatorOptions
from spatial_types.parameters import parameter


@dataclass(frozen=True)
class EyeParameters:
    """How the eyes' pictures are made; they are drawn only while somebody listens."""

    width: int = parameter(640, "Width of each eye's image", unit="px", minimum=16, maximum=4096)
    height: int = parameter(480, "Height of each eye's image", unit="px", minimum=16, maximum=4096)
    shadows: bool = parameter(False, "Draw shadows: an image costs three times as much")
    samples: int = parameter(1, "Samples per pixel", minimum=1, maximum=32)
    rate: float = parameter(
        90.0, "Pairs of images per second at most", unit="Hz", minimum=0.1, maximum=240.0
    )
    quality: int = parameter(80, "Quality of the JPEGs", minimum=1, maximum=100)

    def drawing(self) -> EyeQuality:
        """Return what the painter takes."""
        return EyeQuality(self.width, self.height, self.shadows, self.samples)


@dataclass(frozen=True)
class SceneSimParameters:
    """Parameters of the embedded simulator."""

    world: str = parameter("worlds/ground_truth_room.sdf", "World file (SDF)")
    models: tuple[str, ...] = parameter(
        ["urdf/station.urdf.xacro", "urdf/phone_robot.urdf.xacro 0 2 0"],
        "Models to spawn: FILE [x y yaw] [xacro_argument:=value ...] [name:=model]",
    )
    bridge: str = parameter(
        "config/bridge.yaml",
        "Topic names, as ros_gz_bridge's configuration; several files with spaces between",
    )
    seed: int = parameter(0, "Seed of all sensor noise", minimum=0)
    paused: bool = parameter(False, "Start paused")
    scan_mode: str = parameter(
        "instant",
        "Scans at one instant, or each beam at its own time",
        choices=("instant", "swept"),
    )
    shadows: bool = parameter(True, "Draw shadows in camera images")
    shadow_map: int = parameter(512, "Shadow map", unit="texels", minimum=16, maximum=8192)
    samples: int = parameter(4, "Samples per pixel asked of the renderer", minimum=1, maximum=32)
    supersampling: int = parameter(
        2, "Images drawn wider by this factor, then averaged", minimum=1, maximum=8
    )
    drawing_threads: int = parameter(
        2, "Threads that draw camera images, each with an image of its own", minimum=1, maximum=8
    )
    clock_rate: float = parameter(
        50.0,
        "Messages on /clock per second of simulated time, at most 100: each wakes every node",
        unit="Hz",
        minimum=1.0,
        maximum=100.0,
    )
    lidar_noise: bool = parameter(True, "Noise on range readings")
    camera_noise: bool = parameter(True, "Noise on images")
    hands: bool = parameter(False, "Put the hands of a person in the view into the scene")
    hand_timeout: float = parameter(
        0.5, "Without a target for so long a hand is taken away", unit="s", minimum=0.05
    )
    eyes: EyeParameters = EyeParameters()

    def options(self) -> SimulatorOptions:
        """Return what the simulator takes."""
        return SimulatorOptions(
            seed=self.seed,
            scan_mode=self.scan_mode,
            shadows=self.shadows,
            shadow_map=self.shadow_map,
            samples=self.samples,
            supersampling=self.supersampling,
            lidar_noise=self.lidar_noise,
            camera_noise=self.camera_noise,
            hands=self.hands,
        )
