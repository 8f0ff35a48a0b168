"""Runs libsdformat over files and compares a Scene with what it made of them."""

from __future__ import annotations

import hashlib
import json
import math
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest

from scene_sim.description import Scene
from scene_sim.description.scene import Frame, Joint, JointAxis, Light, Link, Model
from scene_sim.description.sensors import (
    AirPressure,
    Altimeter,
    Axes3Noise,
    Camera,
    Imu,
    Lidar,
    Magnetometer,
    NavSat,
    Noise,
    Sensor,
)
from scene_sim.description.shapes import (
    Box,
    Capsule,
    Cylinder,
    Ellipsoid,
    Geometry,
    Inertial,
    Mesh,
    Plane,
    Sphere,
)
from spatial_types.transforms import Transform

SOURCE = Path(__file__).parent / "oracle" / "sdf_oracle.cpp"
# The order of sdf::JointType; continuous and gearbox are compared by name.
JOINT_TYPES = [
    "invalid",
    "ball",
    "continuous",
    "fixed",
    "gearbox",
    "prismatic",
    "revolute",
    "revolute2",
    "screw",
    "universal",
]
LIGHT_TYPES = ("invalid", "point", "spot", "directional")
NOISES = ("none", "gaussian", "gaussian_quantized")


def lacking(what: str) -> NoReturn:
    """Fail where .ci/run has installed it, skip elsewhere."""
    (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(what)


def build() -> tuple[Path | None, str]:
    """Compile the oracle once for each version of its source; (None, reason) where impossible."""
    if shutil.which("g++") is None or shutil.which("pkg-config") is None:
        return None, "needs g++ and pkg-config"
    flags = subprocess.run(
        ["pkg-config", "--cflags", "--libs", "sdformat12"], capture_output=True, text=True
    )
    if flags.returncode != 0:
        return None, "needs libsdformat 12 (Debian: libsdformat-dev)"
    digest = hashlib.sha256(SOURCE.read_bytes()).hexdigest()[:16]
    program = Path(tempfile.gettempdir()) / f"truthbed_sdf_oracle_{digest}"
    if not program.exists():
        part = program.with_suffix(".part")
        command = ["g++", "-O0", "-std=c++17", str(SOURCE), "-o", str(part)]
        subprocess.run([*command, *flags.stdout.split()], check=True)
        part.rename(program)
    return program, ""


class Oracle:
    """A running oracle process; it answers one file after the other."""

    def __init__(self, program: Path, model_path: Path) -> None:
        self._process = subprocess.Popen(
            [str(program), str(model_path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def report(self, file: Path) -> dict[str, Any]:
        """Return what libsdformat makes of a file."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{file}\n")
        self._process.stdin.flush()
        for line in self._process.stdout:
            if line.startswith("{"):
                return dict(json.loads(line))
        raise AssertionError(f"the oracle ended with {self._process.wait()} on {file}")

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()


class Differences:
    """Collects what differs, each with the path to it."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def same(self, path: str, ours: Any, theirs: Any) -> None:
        if ours != theirs:
            self.found.append(f"{path}: {ours!r}, libsdformat {theirs!r}")

    def close(self, path: str, ours: Iterable[float], theirs: Iterable[float]) -> None:
        a, b = np.array(list(ours), dtype=float), np.array(list(theirs), dtype=float)
        if a.shape != b.shape or not np.allclose(a, b, rtol=1e-6, atol=1e-7):
            self.found.append(f"{path}: {a.tolist()}, libsdformat {b.tolist()}")

    def pose(self, path: str, ours: Transform, theirs: Sequence[float]) -> None:
        other = Transform.from_quaternion(theirs[:3], theirs[3:])
        self.close(f"{path} position", ours.translation, other.translation)
        self.close(f"{path} rotation", ours.rotation.ravel(), other.rotation.ravel())

    def pairs(
        self, path: str, ours: Iterable[Any], theirs: list[dict[str, Any]]
    ) -> Iterator[tuple[str, Any, dict[str, Any]]]:
        """Yield what has the same name on both sides; names on one side only are differences."""
        mine, other = {item.name: item for item in ours}, {item["name"]: item for item in theirs}
        self.same(f"{path} names", sorted(mine), sorted(other))
        for name in mine:
            if name in other:
                yield f"{path} {name}", mine[name], other[name]


def scene_differences(scene: Scene, report: dict[str, Any]) -> list[str]:
    """Compare everything that the oracle reports about an SDF file."""
    if report["errors"]:
        return [f"libsdformat refuses it: {error}" for error in report["errors"]]
    out = Differences()
    if "world" in report:
        _compare_world(out, scene, report["world"])
    else:
        # libsdformat resolves the placement frame only inside a world.
        compare_model(out, scene.model, report["model"], check_pose=not report["placed"])
    return out.found


def _compare_world(out: Differences, scene: Scene, theirs: dict[str, Any]) -> None:
    world = scene.world
    out.same("world", world.name, theirs["name"])
    out.close("gravity", world.gravity, theirs["gravity"])
    out.close("wind", world.wind, theirs["wind"])
    out.close("step", [world.physics.max_step_size], [theirs["step"]])
    out.close("ambient", world.appearance.ambient, theirs.get("ambient", world.appearance.ambient))
    background = theirs.get("background", world.appearance.background)
    out.close("background", world.appearance.background, background)
    if "spherical" in theirs:
        ours = world.spherical_coordinates
        assert ours is not None
        values = [ours.latitude_deg, ours.longitude_deg, ours.elevation, ours.heading_deg]
        out.close("spherical", values, theirs["spherical"])
    for path, model, other in out.pairs("model", world.models, theirs["models"]):
        compare_model(out, model, other, path)
    for path, light, other in out.pairs("light", world.lights, theirs["lights"]):
        _compare_light(out, path, light, other)
    _compare_frames(out, "world frame", world.frames, theirs["frames"])


def compare_model(
    out: Differences,
    model: Model,
    theirs: dict[str, Any],
    path: str = "model",
    check_pose: bool = True,
) -> None:
    """Compare one flattened model."""
    out.same(f"{path} name", model.name, theirs["name"])
    out.same(f"{path} static", model.static, theirs["static"])
    if check_pose:
        out.pose(path, model.pose, theirs["pose"])
    out.same(f"{path} canonical link", model.canonical_link, theirs["canonical_link"])
    for where, link, other in out.pairs(f"{path} link", model.links, theirs["links"]):
        compare_link(out, where, link, other)
    for where, joint, other in out.pairs(f"{path} joint", model.joints, theirs["joints"]):
        _compare_joint(out, where, joint, other)
    # We list a frame for each nested model too, which libsdformat counts as a model.
    named = {frame["name"] for frame in theirs["frames"]}
    frames = [frame for frame in model.frames if frame.name in named]
    _compare_frames(out, f"{path} frame", frames, theirs["frames"])
    plugins = [plugin.filename for plugin in model.plugins]
    out.same(f"{path} plugins", plugins, theirs["plugins"])


def _compare_frames(
    out: Differences, path: str, ours: Iterable[Frame], theirs: list[dict[str, Any]]
) -> None:
    for where, frame, other in out.pairs(path, ours, theirs):
        out.pose(where, frame.pose, other["pose"])
        if other["attached_to"]:
            out.same(f"{where} attached_to", frame.attached_to, other["attached_to"])


def compare_link(out: Differences, path: str, link: Link, theirs: dict[str, Any]) -> None:
    out.pose(path, link.pose, theirs["pose"])
    _compare_inertial(out, path, link.inertial, theirs)
    for where, visual, other in out.pairs(f"{path} visual", link.visuals, theirs["visuals"]):
        out.pose(where, visual.pose, other["pose"])
        _compare_geometry(out, where, visual.geometry, other["geometry"])
        out.close(f"{where} transparency", [visual.transparency], [other["transparency"]])
        out.same(f"{where} cast_shadows", visual.cast_shadows, other["cast_shadows"])
        material = visual.material
        out.same(f"{where} has material", material is not None, other["material"] is not None)
        if material is not None and other["material"] is not None:
            colours = (material.ambient, material.diffuse, material.specular, material.emissive)
            out.close(f"{where} colours", np.ravel(colours), np.ravel(other["material"]))
    collisions = theirs["collisions"]
    for where, collision, other in out.pairs(f"{path} collision", link.collisions, collisions):
        out.pose(where, collision.pose, other["pose"])
        _compare_geometry(out, where, collision.geometry, other["geometry"])
        if "mu" in other:
            mu = [collision.surface.mu, collision.surface.mu2]
            out.close(f"{where} mu", [1.0 if m is None else m for m in mu], other["mu"])
    for where, sensor, other in out.pairs(f"{path} sensor", link.sensors, theirs["sensors"]):
        _compare_sensor(out, where, sensor, other)
    for where, light, other in out.pairs(f"{path} light", link.lights, theirs["lights"]):
        _compare_light(out, where, light, other)


def _compare_inertial(out: Differences, path: str, ours: Inertial, theirs: dict[str, Any]) -> None:
    """Compare mass, centre of mass and inertia about it in the link's axes."""
    place = theirs["inertial_pose"]
    other_pose = Transform.from_quaternion(place[:3], place[3:])
    xx, yy, zz, xy, xz, yz = theirs["inertia"]
    other = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    out.close(f"{path} mass", [ours.mass], [theirs["mass"]])
    out.close(f"{path} centre of mass", ours.pose.translation, other_pose.translation)
    turned = [
        rotation @ matrix @ rotation.T
        for rotation, matrix in (
            (ours.pose.rotation, np.array(ours.inertia)),
            (other_pose.rotation, other),
        )
    ]
    out.close(f"{path} inertia", turned[0].ravel(), turned[1].ravel())


def geometry_numbers(shape: Geometry) -> list[float]:
    """Return the numbers that the oracle prints for a shape."""
    if isinstance(shape, Box):
        return list(shape.size)
    if isinstance(shape, (Cylinder, Capsule)):
        return [shape.radius, shape.length]
    if isinstance(shape, Sphere):
        return [shape.radius]
    if isinstance(shape, Ellipsoid):
        return list(shape.radii)
    if isinstance(shape, Plane):
        return [*shape.normal, *shape.size]
    assert isinstance(shape, Mesh)
    return list(shape.scale)


def _compare_geometry(
    out: Differences, path: str, shape: Geometry, theirs: dict[str, list[float]]
) -> None:
    out.same(f"{path} shape", type(shape).__name__, next(iter(theirs)))
    out.close(f"{path} size", geometry_numbers(shape), next(iter(theirs.values())))


def _compare_joint(out: Differences, path: str, joint: Joint, theirs: dict[str, Any]) -> None:
    kind = JOINT_TYPES[theirs["type"]]
    # URDF's continuous joint comes out of libsdformat as a revolute one without limits.
    same = joint.type == kind or (joint.type, kind) == ("continuous", "revolute")
    out.same(f"{path} type", joint.type if not same else kind, kind)
    out.pose(path, joint.model_from_joint, theirs["pose"])
    out.same(f"{path} parent", joint.parent, theirs["parent"])
    out.same(f"{path} child", joint.child, theirs["child"])
    for tag, axis in (("axis", joint.axis), ("axis2", joint.axis2)):
        if axis is not None and theirs[tag] is not None:
            out.close(f"{path} {tag}", axis_numbers(axis), _unlimited(theirs[tag]))


def axis_numbers(axis: JointAxis) -> list[float]:
    """Return the numbers that the oracle prints for an axis."""
    limits = [axis.lower, axis.upper, axis.effort, axis.velocity]
    return [
        *axis.xyz,
        *limits,
        axis.damping,
        axis.friction,
        axis.spring_reference,
        axis.spring_stiffness,
    ]


def _unlimited(numbers: list[float]) -> list[float]:
    """Put infinity for the 1e16 that libsdformat writes where there is no limit."""
    return [math.copysign(math.inf, n) if abs(n) >= 1e16 else n for n in numbers]


def _compare_light(out: Differences, path: str, light: Light, theirs: dict[str, Any]) -> None:
    out.same(f"{path} type", light.type, LIGHT_TYPES[theirs["type"]])
    out.pose(path, light.pose, theirs["pose"])
    for field in ("diffuse", "specular"):
        out.close(f"{path} {field}", getattr(light, field), theirs[field])
    out.same(f"{path} cast_shadows", light.cast_shadows, theirs["cast_shadows"])
    out.close(f"{path} intensity", [light.intensity], [theirs["intensity"]])
    direction = np.array(theirs["direction"])
    out.close(f"{path} direction", light.direction, direction / np.linalg.norm(direction))
    fade, cone = light.attenuation, light.spot
    numbers = [fade.range, fade.constant, fade.linear, fade.quadratic]
    out.close(f"{path} attenuation", numbers, theirs["attenuation"])
    out.close(f"{path} spot", [cone.inner_angle, cone.outer_angle, cone.falloff], theirs["spot"])


def _compare_sensor(out: Differences, path: str, sensor: Sensor, theirs: dict[str, Any]) -> None:
    out.pose(path, sensor.pose, theirs["pose"])
    out.same(f"{path} type", sensor.type, theirs["type"].replace("gps", "navsat"))
    out.same(f"{path} topic", sensor.topic, theirs["topic"])
    out.close(f"{path} rate", [sensor.update_rate], [theirs["update_rate"]])
    spec = sensor.spec
    if isinstance(spec, Lidar):
        _compare_lidar(out, path, spec, theirs["lidar"])
    elif isinstance(spec, Camera):
        _compare_camera(out, path, spec, theirs["camera"])
    elif isinstance(spec, Imu):
        noises = [*_axes(spec.angular_velocity), *_axes(spec.linear_acceleration)]
        out.close(f"{path} noise", _noises(noises), np.ravel(theirs["imu"]))
    elif isinstance(spec, Magnetometer):
        out.close(f"{path} noise", _noises(_axes(spec.noise)), np.ravel(theirs["other"]))
    elif isinstance(spec, Altimeter):
        noises = [spec.vertical_position, spec.vertical_velocity]
        out.close(f"{path} noise", _noises(noises), np.ravel(theirs["other"]))
    elif isinstance(spec, AirPressure):
        noise, altitude = theirs["other"]
        out.close(f"{path} noise", _noise(spec.pressure), noise)
        out.close(f"{path} altitude", [spec.reference_altitude], [altitude])
    elif isinstance(spec, NavSat):
        noises = [
            spec.horizontal_position,
            spec.vertical_position,
            spec.horizontal_velocity,
            spec.vertical_velocity,
        ]
        out.close(f"{path} noise", _noises(noises), np.ravel(theirs["other"]))


def _compare_lidar(out: Differences, path: str, lidar: Lidar, theirs: dict[str, Any]) -> None:
    for name in ("horizontal", "vertical"):
        axis = getattr(lidar, name)
        numbers = [axis.samples, axis.resolution, axis.min_angle, axis.max_angle]
        out.close(f"{path} {name}", numbers, theirs[name])
    limits = [lidar.range_min, lidar.range_max, lidar.range_resolution]
    out.close(f"{path} range", limits, theirs["range"])
    out.close(f"{path} noise", _noise(lidar.noise), theirs["noise"])


def _compare_camera(out: Differences, path: str, camera: Camera, theirs: dict[str, Any]) -> None:
    out.close(f"{path} size", [camera.width, camera.height], theirs["size"])
    out.close(f"{path} hfov", [camera.horizontal_fov], [theirs["hfov"]])
    out.close(f"{path} clip", [camera.near, camera.far], theirs["clip"])
    out.close(f"{path} noise", _noise(camera.noise), theirs["noise"])
    d = camera.distortion
    numbers = [d.k1, d.k2, d.k3, d.p1, d.p2, *d.center]
    out.close(f"{path} distortion", numbers, theirs["distortion"])
    out.pose(f"{path} camera", camera.pose, theirs["pose"])
    lens = camera.intrinsics
    if lens is not None:
        matrix = [lens.fx, lens.fy, lens.cx, lens.cy, lens.skew]
        out.close(f"{path} intrinsics", matrix, theirs["intrinsics"])


def _axes(noise: Axes3Noise) -> list[Noise]:
    return [noise.x, noise.y, noise.z]


def _noises(noises: list[Noise]) -> list[float]:
    return [number for noise in noises for number in _noise(noise)]


def _noise(n: Noise) -> list[float]:
    kind = NOISES.index(n.kind)
    bias = [n.bias_mean, n.bias_stddev, n.dynamic_bias_stddev, n.dynamic_bias_correlation_time]
    return [kind, n.mean, n.stddev, *bias, n.precision]
