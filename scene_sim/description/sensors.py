"""Sensors as a description gives them. Angles in radians, lengths in metres, rates in Hz."""

from __future__ import annotations

from dataclasses import dataclass, field

from spatial_types.transforms import Transform

from .plugin import Plugin
from .source import Source


@dataclass(frozen=True)
class Noise:
    """Noise on one scalar: `kind` none, gaussian or gaussian_quantized.

    A reading is truth + N(mean, stddev) + a bias drawn once from N(bias_mean, bias_stddev), sign
    at random; with a dynamic bias a first-order Gauss-Markov process is added (its stddev and its
    correlation time in seconds). `precision` is the step of gaussian_quantized.
    """

    kind: str = "none"
    mean: float = 0.0
    stddev: float = 0.0
    bias_mean: float = 0.0
    bias_stddev: float = 0.0
    dynamic_bias_stddev: float = 0.0
    dynamic_bias_correlation_time: float = 0.0
    precision: float = 0.0

    @property
    def is_quiet(self) -> bool:
        """True where the noise changes no reading."""
        return self.kind == "none" or self == Noise(self.kind)


@dataclass(frozen=True)
class ScanAxis:
    """Directions of one axis of a lidar: `samples` rays from `min_angle` to `max_angle`.

    `resolution` times `samples` readings are published; where it is not 1 they are interpolated
    from the rays.
    """

    samples: int = 640
    resolution: float = 1.0
    min_angle: float = 0.0
    max_angle: float = 0.0

    @property
    def count(self) -> int:
        """How many readings are published along the axis."""
        return max(1, int(self.samples * self.resolution))


@dataclass(frozen=True)
class Lidar:
    """A ray sensor: every (vertical, horizontal) direction; `range_resolution` 0 is continuous."""

    horizontal: ScanAxis = field(default_factory=ScanAxis)
    vertical: ScanAxis = field(default_factory=lambda: ScanAxis(samples=1))
    range_min: float = 0.0
    range_max: float = 0.0
    range_resolution: float = 0.0
    noise: Noise = field(default_factory=Noise)
    visibility_mask: int = 0xFFFFFFFF


@dataclass(frozen=True)
class Distortion:
    """Brown's coefficients as in OpenCV, and the distortion centre as a fraction of the image."""

    k1: float = 0.0
    k2: float = 0.0
    k3: float = 0.0
    p1: float = 0.0
    p2: float = 0.0
    center: tuple[float, float] = (0.5, 0.5)


@dataclass(frozen=True)
class Intrinsics:
    """A camera matrix in pixels, where <lens><intrinsics> gives one."""

    fx: float
    fy: float
    cx: float
    cy: float
    skew: float = 0.0


@dataclass(frozen=True)
class Camera:
    """A pinhole camera looking along +x of its sensor frame, z up.

    `optical_frame_id` overrides the frame that CameraInfo names, `info_topic` its topic; both may
    be empty. `pose` is sensor_from_camera (<camera><pose>). `noise` is on a scale of 0 to 1.
    """

    name: str = ""
    width: int = 320
    height: int = 240
    image_format: str = "R8G8B8"
    horizontal_fov: float = 1.047
    near: float = 0.1
    far: float = 100.0
    pose: Transform = field(default_factory=Transform)
    noise: Noise = field(default_factory=Noise)
    distortion: Distortion = field(default_factory=Distortion)
    intrinsics: Intrinsics | None = None
    anti_aliasing: int = 4
    info_topic: str = ""
    optical_frame_id: str = ""
    triggered: bool = False
    trigger_topic: str = ""
    visibility_mask: int = 0xFFFFFFFF


@dataclass(frozen=True)
class Axes3Noise:
    """Noise on x, y and z of a vector reading."""

    x: Noise = field(default_factory=Noise)
    y: Noise = field(default_factory=Noise)
    z: Noise = field(default_factory=Noise)


@dataclass(frozen=True)
class Imu:
    """Noise of angular velocity (rad/s) and linear acceleration (m/s2).

    `localization` is <orientation_reference_frame><localization>: CUSTOM, NED, ENU, NWU,
    GRAV_UP, GRAV_DOWN or empty; `custom_rpy` goes with CUSTOM.
    """

    angular_velocity: Axes3Noise = field(default_factory=Axes3Noise)
    linear_acceleration: Axes3Noise = field(default_factory=Axes3Noise)
    enable_orientation: bool = True
    localization: str = ""
    custom_rpy: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class NavSat:
    """Noise of satellite positioning: positions in metres, velocities in m/s."""

    horizontal_position: Noise = field(default_factory=Noise)
    vertical_position: Noise = field(default_factory=Noise)
    horizontal_velocity: Noise = field(default_factory=Noise)
    vertical_velocity: Noise = field(default_factory=Noise)


@dataclass(frozen=True)
class Magnetometer:
    """Noise of the three axes, tesla."""

    noise: Axes3Noise = field(default_factory=Axes3Noise)


@dataclass(frozen=True)
class Altimeter:
    """Noise of height (m) and vertical velocity (m/s)."""

    vertical_position: Noise = field(default_factory=Noise)
    vertical_velocity: Noise = field(default_factory=Noise)


@dataclass(frozen=True)
class AirPressure:
    """Noise of pressure (Pa), and the altitude (m) of the world's zero."""

    pressure: Noise = field(default_factory=Noise)
    reference_altitude: float = 0.0


@dataclass(frozen=True)
class Contact:
    """Contacts of one named collision of the sensor's link."""

    collision: str
    topic: str = ""


SensorSpec = Lidar | Camera | Imu | NavSat | Magnetometer | Altimeter | AirPressure | Contact


@dataclass(frozen=True)
class Sensor:
    """A sensor on a link; `pose` is link_from_sensor.

    `type` is the canonical SDF name: lidar (also for ray), gpu_lidar (also for gpu_ray), camera,
    depth_camera, rgbd_camera, imu, navsat (also for gps), magnetometer, altimeter, air_pressure,
    contact. `written_type` is what the file says. `frame_id` is <gz_frame_id> (or
    <ignition_frame_id>, <frame_id>), empty where not given. `name` carries no scope: with nested
    models the link's name does.
    """

    name: str
    type: str
    spec: SensorSpec
    pose: Transform = field(default_factory=Transform)
    topic: str = ""
    update_rate: float = 0.0
    always_on: bool = False
    visualize: bool = False
    enable_metrics: bool = False
    frame_id: str = ""
    written_type: str = ""
    plugins: tuple[Plugin, ...] = ()
    source: Source = field(default_factory=Source)
