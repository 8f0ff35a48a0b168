"""Geometry, materials, surfaces and inertia of links. Lengths in metres, masses in kg."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from spatial_types.transforms import Transform

from .source import Source

Vector3 = tuple[float, float, float]
Colour = tuple[float, float, float, float]
Matrix3 = tuple[Vector3, Vector3, Vector3]


@dataclass(frozen=True)
class Box:
    """An axis-aligned box about the origin; `size` holds its whole edges."""

    size: Vector3


@dataclass(frozen=True)
class Cylinder:
    """A cylinder about the origin, its axis along z."""

    radius: float
    length: float


@dataclass(frozen=True)
class Capsule:
    """A cylinder of `length` along z closed by two half spheres, centred at the origin."""

    radius: float
    length: float


@dataclass(frozen=True)
class Sphere:
    """A sphere about the origin."""

    radius: float


@dataclass(frozen=True)
class Ellipsoid:
    """An ellipsoid about the origin; `radii` are its half axes."""

    radii: Vector3


@dataclass(frozen=True)
class Plane:
    """A plane through the origin; `size` is what a visual shows, a collision is infinite."""

    normal: Vector3
    size: tuple[float, float]


@dataclass(frozen=True)
class Mesh:
    """A mesh file: `uri` as written, `file` where it was found, `scale` per axis.

    `submesh` names one part of the file, `center_submesh` moves it to the origin.
    """

    uri: str
    file: Path
    scale: Vector3 = (1.0, 1.0, 1.0)
    submesh: str = ""
    center_submesh: bool = False


Geometry = Box | Cylinder | Capsule | Sphere | Ellipsoid | Plane | Mesh


@dataclass(frozen=True)
class Material:
    """Colours red, green, blue, alpha from 0 to 1, and an optional texture file."""

    ambient: Colour = (0.0, 0.0, 0.0, 1.0)
    diffuse: Colour = (0.0, 0.0, 0.0, 1.0)
    specular: Colour = (0.0, 0.0, 0.0, 1.0)
    emissive: Colour = (0.0, 0.0, 0.0, 1.0)
    shininess: float = 0.0
    lighting: bool = True
    double_sided: bool = False
    texture: Path | None = None


@dataclass(frozen=True)
class Visual:
    """What cameras and rendered lidars see; `pose` is link_from_visual.

    `material` is None where the file gives none (the engine's default colour applies).
    """

    name: str
    pose: Transform
    geometry: Geometry
    material: Material | None = None
    transparency: float = 0.0
    cast_shadows: bool = True
    visibility_flags: int = 0xFFFFFFFF
    source: Source = field(default_factory=Source)


@dataclass(frozen=True)
class Surface:
    """Contact properties; None where the file leaves a value to the engine."""

    mu: float | None = None
    mu2: float | None = None
    slip1: float | None = None
    slip2: float | None = None
    fdir1: Vector3 | None = None
    kp: float | None = None
    kd: float | None = None
    min_depth: float | None = None
    max_velocity: float | None = None
    restitution: float | None = None
    torsional: float | None = None
    collide_bitmask: int = 0xFFFF


@dataclass(frozen=True)
class Collision:
    """What physics touches; `pose` is link_from_collision."""

    name: str
    pose: Transform
    geometry: Geometry
    surface: Surface = field(default_factory=Surface)
    source: Source = field(default_factory=Source)


@dataclass(frozen=True)
class Inertial:
    """Mass and inertia; `pose` is link_from_inertial, `inertia` (kg m2) about its origin and axes.

    `given` is False where the file has no <inertial> and the specification's default stands.
    """

    mass: float = 1.0
    pose: Transform = field(default_factory=Transform)
    inertia: Matrix3 = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    given: bool = False
    source: Source = field(default_factory=Source)
