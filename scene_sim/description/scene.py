"""A scene as plain data, whatever file it came from, with every pose resolved.

Nested models are flattened into their top model with names such as `arm::hand::palm`. Poses are
named where they are defined: `Link.pose` is model_from_link of the *top* model, `Model.pose` is
world_from_model. SDF's default values are filled in. Nothing here reads a file or knows MuJoCo.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from spatial_types.transforms import Transform

from .plugin import Plugin
from .sensors import Sensor
from .shapes import Collision, Colour, Inertial, Vector3, Visual
from .source import Source, Unsupported


@dataclass(frozen=True)
class Attenuation:
    """How a light fades: `range` in metres; factors of 1 / (constant + linear d + quadratic d2)."""

    range: float = 10.0
    constant: float = 1.0
    linear: float = 1.0
    quadratic: float = 0.0


@dataclass(frozen=True)
class Spot:
    """The cone of a spot light: angles in radians."""

    inner_angle: float = 0.0
    outer_angle: float = 0.0
    falloff: float = 0.0


@dataclass(frozen=True)
class Light:
    """A light; `pose` is world_from_light in a world, link_from_light on a link.

    `type` is directional, point or spot. `direction` is in the light's own frame.
    """

    name: str
    type: str
    pose: Transform
    diffuse: Colour = (1.0, 1.0, 1.0, 1.0)
    specular: Colour = (0.1, 0.1, 0.1, 1.0)
    intensity: float = 1.0
    direction: Vector3 = (0.0, 0.0, -1.0)
    cast_shadows: bool = False
    is_on: bool = True
    attenuation: Attenuation = field(default_factory=Attenuation)
    spot: Spot = field(default_factory=Spot)
    source: Source = field(default_factory=Source)


@dataclass(frozen=True)
class Link:
    """A rigid body; `pose` is model_from_link of the top model.

    `scope` is the nested model that holds it, empty for the top model. `velocity_decay` is
    (linear, angular).
    """

    name: str
    pose: Transform
    inertial: Inertial = field(default_factory=Inertial)
    collisions: tuple[Collision, ...] = ()
    visuals: tuple[Visual, ...] = ()
    sensors: tuple[Sensor, ...] = ()
    lights: tuple[Light, ...] = ()
    gravity: bool = True
    kinematic: bool = False
    self_collide: bool = False
    enable_wind: bool = False
    velocity_decay: tuple[float, float] = (0.0, 0.0)
    scope: str = ""
    source: Source = field(default_factory=Source)


@dataclass(frozen=True)
class JointAxis:
    """An axis of motion, unit vector `xyz` in the joint's own frame (expressed_in resolved).

    Limits are rad or m (infinite where unlimited); `effort` and `velocity` are infinite where not
    limited. Damping in N m s/rad or N s/m, friction in N m or N.
    """

    xyz: Vector3 = (0.0, 0.0, 1.0)
    lower: float = float("-inf")
    upper: float = float("inf")
    effort: float = float("inf")
    velocity: float = float("inf")
    damping: float = 0.0
    friction: float = 0.0
    spring_reference: float = 0.0
    spring_stiffness: float = 0.0
    stiffness: float = 1e8
    dissipation: float = 1.0


@dataclass(frozen=True)
class Mimic:
    """A joint that follows another: position = multiplier * position of `joint` + offset."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True)
class Joint:
    """A joint between two links of a model; `parent` is "world" for a joint to the ground.

    `pose` is child_from_joint; `model_from_joint` the same place in the top model at rest. `type`
    is revolute, continuous, prismatic, fixed, ball, universal, screw, revolute2 or gearbox; `axis`
    is None for fixed and ball joints. `parent` and `child` are link names (frames are resolved).
    `preserved` is a fixed joint of a URDF that asks not to be lumped.
    """

    name: str
    type: str
    parent: str
    child: str
    pose: Transform
    model_from_joint: Transform
    axis: JointAxis | None = None
    axis2: JointAxis | None = None
    mimic: Mimic | None = None
    thread_pitch: float = 1.0
    gearbox_ratio: float = 1.0
    gearbox_reference_body: str = ""
    preserved: bool = False
    scope: str = ""
    source: Source = field(default_factory=Source)


@dataclass(frozen=True)
class Frame:
    """A named frame; `pose` is model_from_frame (top model) or world_from_frame.

    `attached_to` is the link (scoped name) that it moves with; for a frame of the world "world"
    or `model::link`.
    """

    name: str
    pose: Transform
    attached_to: str
    source: Source = field(default_factory=Source)


@dataclass(frozen=True)
class Model:
    """A model with its nested models flattened; `pose` is world_from_model.

    `frames` also holds one frame per nested model (`arm`).
    """

    name: str
    pose: Transform = field(default_factory=Transform)
    static: bool = False
    self_collide: bool = False
    allow_auto_disable: bool = True
    enable_wind: bool = False
    canonical_link: str = ""
    links: tuple[Link, ...] = ()
    joints: tuple[Joint, ...] = ()
    frames: tuple[Frame, ...] = ()
    plugins: tuple[Plugin, ...] = ()
    source: Source = field(default_factory=Source)

    def link(self, name: str) -> Link:
        """Return the link of that (scoped) name; KeyError with the known names otherwise."""
        for link in self.links:
            if link.name == name:
                return link
        known = ", ".join(link.name for link in self.links)
        raise KeyError(f"model '{self.name}' has no link '{name}'; known: {known}")

    def joint(self, name: str) -> Joint:
        """Return the joint of that (scoped) name; KeyError with the known names otherwise."""
        for joint in self.joints:
            if joint.name == name:
                return joint
        known = ", ".join(joint.name for joint in self.joints)
        raise KeyError(f"model '{self.name}' has no joint '{name}'; known: {known}")

    def sensors(self) -> Iterator[tuple[Link, Sensor]]:
        """Yield every sensor with the link that carries it."""
        return ((link, sensor) for link in self.links for sensor in link.sensors)


@dataclass(frozen=True)
class Physics:
    """Physics settings: step in seconds, wished real-time factor (<= 0: as fast as possible)."""

    name: str = "default_physics"
    type: str = "ode"
    max_step_size: float = 0.001
    real_time_factor: float = 1.0
    real_time_update_rate: float = 1000.0
    max_contacts: int = 20


@dataclass(frozen=True)
class Appearance:
    """<scene>: ambient and background colours, shadows, sky."""

    ambient: Colour = (0.4, 0.4, 0.4, 1.0)
    background: Colour = (0.7, 0.7, 0.7, 1.0)
    shadows: bool = True
    grid: bool = True
    origin_visual: bool = True
    sky: bool = False


@dataclass(frozen=True)
class SphericalCoordinates:
    """Where the world's origin lies on the Earth: degrees and metres; heading of x from east."""

    latitude_deg: float = 0.0
    longitude_deg: float = 0.0
    elevation: float = 0.0
    heading_deg: float = 0.0
    surface_model: str = "EARTH_WGS84"
    world_frame_orientation: str = "ENU"


@dataclass(frozen=True)
class Atmosphere:
    """Air at the world's origin: kelvin, kelvin per metre, pascal."""

    temperature: float = 288.15
    temperature_gradient: float = -0.0065
    pressure: float = 101325.0


@dataclass(frozen=True)
class World:
    """The world around the models: forces, light, and what stands in it.

    `gravity` m/s2, `magnetic_field` T, `wind` m/s, each in the world's axes.
    """

    name: str = "default"
    gravity: Vector3 = (0.0, 0.0, -9.8)
    magnetic_field: Vector3 = (5.5645e-6, 22.8758e-6, -42.3884e-6)
    wind: Vector3 = (0.0, 0.0, 0.0)
    physics: Physics = field(default_factory=Physics)
    appearance: Appearance = field(default_factory=Appearance)
    spherical_coordinates: SphericalCoordinates | None = None
    atmosphere: Atmosphere = field(default_factory=Atmosphere)
    lights: tuple[Light, ...] = ()
    models: tuple[Model, ...] = ()
    frames: tuple[Frame, ...] = ()
    plugins: tuple[Plugin, ...] = ()
    source: Source = field(default_factory=Source)


@dataclass(frozen=True)
class Scene:
    """What a file describes.

    A file that holds only a model (SDF or URDF) gives a default world with that one model and
    `has_world` False. `version` is the SDF version ("1.7"), "urdf" for URDF. `unsupported` names
    every element that nothing here uses, with its place.
    """

    world: World
    has_world: bool
    version: str
    unsupported: tuple[Unsupported, ...] = ()
    source: Source = field(default_factory=Source)

    @property
    def model(self) -> Model:
        """The first model: the only one of a model file. ValueError where there is none."""
        if not self.world.models:
            raise ValueError(f"{self.source}: holds no model")
        return self.world.models[0]
