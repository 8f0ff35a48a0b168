"""Shapes, materials, contacts and lights of a scene in MuJoCo's terms.

Visuals go to geom group 2 and touch nothing; collisions go to group 3 and are never drawn. Cameras
and `gpu_lidar` sensors see group 2, `lidar` (ray) sensors group 3, as in Gazebo. Cylinders and
small boxes are drawn as meshes (group 4), while rays meet the exact shape (group 1).
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np

from scene_sim.description.scene import Light
from scene_sim.description.shapes import (
    Box,
    Capsule,
    Collision,
    Cylinder,
    Ellipsoid,
    Geometry,
    Mesh,
    Plane,
    Sphere,
    Surface,
    Visual,
)
from scene_sim.drawn_shapes import LARGE_RADIUS, FacetedSurface, drawn_surface, faceted_cylinder
from spatial_types.transforms import Transform

UNSEEN_GROUP = 0
EXACT_GROUP = 1
VISUAL_GROUP = 2
COLLISION_GROUP = 3
DRAWN_GROUP = 4
HAND_GROUP = 5  # hands of a person in the view: seen by that person's eyes alone
DRAWN_GROUPS = (VISUAL_GROUP, DRAWN_GROUP)
VISIBLE_TO_RAYS = (EXACT_GROUP, VISUAL_GROUP)
ENDLESS = 1000.0  # m: how far a ray sees an infinite plane
SLAB_THICKNESS = 0.01
# A large cylinder's shadow is cast by a core so far below its surface (m), thrice at the ends.
CORE_DEPTH = 0.02
CORE = "/core"
PLANE = "/plane"
DRAWN = "/drawn"
DEFAULT_COLOUR = (0.7, 0.7, 0.7, 1.0)  # Gazebo's for a visual without material

# A contact settles within two steps of 2 ms and yields a few micrometres under a small robot.
CONTACT_SOLREF = (0.004, 1.0)
CONTACT_SOLIMP = (0.98, 0.999, 0.0005, 0.5, 2.0)

_MESH_SUFFIXES = (".obj", ".stl")


class ShapeError(ValueError):
    """A geometry that MuJoCo cannot take; the text says why."""


def wxyz(transform: Transform) -> np.ndarray:
    """Return the rotation as MuJoCo's quaternion, w first."""
    x, y, z, w = transform.quaternion
    return np.array([w, x, y, z])


def place(element: mujoco.MjsGeom | mujoco.MjsBody, pose: Transform) -> None:
    """Set position and orientation of a spec element."""
    element.pos = pose.translation
    element.quat = wxyz(pose)


def add_visual(spec: mujoco.MjSpec, body: mujoco.MjsBody, visual: Visual, name: str) -> None:
    """Add what cameras see; ShapeError where MuJoCo has no such shape."""
    if isinstance(visual.geometry, Plane):
        visual = dataclasses.replace(visual, **_slab(visual.geometry, visual.pose))
        name += PLANE
    geom = _add_geom(spec, body, visual.geometry, visual.pose, name, shell=True)
    _make_visual(geom, VISUAL_GROUP)
    _paint(spec, geom, visual)
    surface = drawn_surface(visual.geometry)
    if surface is not None:
        geom.group = EXACT_GROUP
        _add_drawn(spec, body, surface, f"{name}{DRAWN}", visual.pose, geom)
    core = _core_of(visual.geometry)
    if core is not None:
        _add_drawn(spec, body, core, f"{name}{CORE}", visual.pose, geom)


def _core_of(shape: Geometry) -> FacetedSurface | None:
    """Return what casts a large cylinder's shadow; None where it is too flat for one within.

    A surface that casts a shadow at a grazing angle specks itself by the shadow map's texels. A
    round body shades itself by its normals, so its drawn surface need cast none.
    """
    if not isinstance(shape, Cylinder) or shape.radius < LARGE_RADIUS:
        return None
    length = shape.length - 6.0 * CORE_DEPTH
    return faceted_cylinder(shape.radius - CORE_DEPTH, length) if length > 0.0 else None


def shadowless(model: mujoco.MjModel) -> list[int]:
    """Return the geoms that cast no shadow: planes, surfaces with a core and what lies on them.

    What stands behind a plane is not seen, and to draw a floor into the shadow map takes long.
    """
    names = [model.geom(geom).name for geom in range(model.ngeom)]
    found = [geom for geom, name in enumerate(names) if name.endswith((PLANE, PLANE + DRAWN))]
    for core in (geom for geom, name in enumerate(names) if name.endswith(CORE)):
        apart = np.linalg.norm(model.geom_pos - model.geom_pos[core], axis=1)
        reach = model.geom_rbound[core]
        within = (apart < reach) & (model.geom_rbound < 2.0 * reach)  # MuJoCo's bounds are loose
        within &= model.geom_bodyid == model.geom_bodyid[core]
        within[core] = False
        found += np.flatnonzero(within & np.isin(model.geom_group, DRAWN_GROUPS)).tolist()
    return found


def _make_visual(geom: mujoco.MjsGeom, group: int) -> None:
    geom.group = group
    geom.contype, geom.conaffinity = 0, 0
    geom.mass = 0.0


def _add_drawn(
    spec: mujoco.MjSpec,
    body: mujoco.MjsBody,
    surface: FacetedSurface,
    name: str,
    pose: Transform,
    like: mujoco.MjsGeom,
) -> None:
    """Add a surface that cameras see and nothing else, painted `like` another geom."""
    asset = spec.add_mesh(
        name=name,
        uservert=surface.vertices.ravel(),
        usernormal=surface.normals.ravel(),
        userface=surface.faces.ravel(),
        userfacenormal=surface.faces.ravel(),
    )
    asset.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL
    geom = body.add_geom(name=name, type=mujoco.mjtGeom.mjGEOM_MESH, meshname=name)
    place(geom, pose)
    _make_visual(geom, DRAWN_GROUP)
    geom.material, geom.rgba = like.material, like.rgba


def add_collision(
    spec: mujoco.MjSpec, body: mujoco.MjsBody, collision: Collision, name: str, family: int
) -> None:
    """Add what physics touches. Geoms of the same `family` (1 to 30; 0: static) pass each other."""
    geom = _add_geom(spec, body, collision.geometry, collision.pose, name, shell=False)
    geom.group = COLLISION_GROUP
    geom.mass = 0.0
    everything = 0x7FFFFFFF
    geom.contype = 1 << family
    geom.conaffinity = everything & ~(1 << family) if family else everything
    if collision.surface.collide_bitmask == 0:
        geom.contype, geom.conaffinity = 0, 0
    geom.solref = CONTACT_SOLREF
    geom.solimp = CONTACT_SOLIMP
    _set_friction(geom, collision.surface)
    if isinstance(collision.geometry, Plane):
        geom.group = UNSEEN_GROUP
        endless = dataclasses.replace(collision.geometry, size=(ENDLESS, ENDLESS))
        stand_in = _slab(endless, collision.pose)
        seen = _add_geom(spec, body, name=f"{name}/seen", shell=False, **stand_in)
        _make_visual(seen, COLLISION_GROUP)


def _slab(plane: Plane, pose: Transform) -> dict[str, Any]:
    """Return geometry and pose of a thin box whose top is the plane.

    MuJoCo 3.17 misses its own planes with rays that start some metres from the middle.
    """
    upright = pose @ Transform(rotation_from_z(np.asarray(plane.normal, dtype=float)))
    below = Transform(translation=np.array([0.0, 0.0, -SLAB_THICKNESS / 2.0]))
    return {"geometry": Box((*plane.size, SLAB_THICKNESS)), "pose": upright @ below}


def _set_friction(geom: mujoco.MjsGeom, surface: Surface) -> None:
    """Give the geom its own friction; MuJoCo would take the larger of the two in contact."""
    if surface.mu is None:
        return
    geom.priority = 1
    geom.friction = [surface.mu, surface.torsional or 0.0, 0.0]
    geom.condim = 3 if surface.mu > 0.0 else 1


def _add_geom(
    spec: mujoco.MjSpec,
    body: mujoco.MjsBody,
    geometry: Geometry,
    pose: Transform,
    name: str,
    shell: bool,
) -> mujoco.MjsGeom:
    if isinstance(geometry, Mesh):
        _add_mesh(spec, geometry, name, shell)
    geom = body.add_geom(name=name)
    place(geom, pose)
    _SHAPES[type(geometry)](geom, geometry, pose, name)
    return geom


def _box(geom: mujoco.MjsGeom, box: Box, pose: Transform, name: str) -> None:
    geom.type = mujoco.mjtGeom.mjGEOM_BOX
    geom.size = np.asarray(box.size) / 2.0


def _cylinder(geom: mujoco.MjsGeom, cylinder: Cylinder, pose: Transform, name: str) -> None:
    geom.type = mujoco.mjtGeom.mjGEOM_CYLINDER
    geom.size = [cylinder.radius, cylinder.length / 2.0, 0.0]


def _capsule(geom: mujoco.MjsGeom, capsule: Capsule, pose: Transform, name: str) -> None:
    geom.type = mujoco.mjtGeom.mjGEOM_CAPSULE
    geom.size = [capsule.radius, capsule.length / 2.0, 0.0]


def _sphere(geom: mujoco.MjsGeom, sphere: Sphere, pose: Transform, name: str) -> None:
    geom.type = mujoco.mjtGeom.mjGEOM_SPHERE
    geom.size = [sphere.radius, 0.0, 0.0]


def _ellipsoid(geom: mujoco.MjsGeom, ellipsoid: Ellipsoid, pose: Transform, name: str) -> None:
    geom.type = mujoco.mjtGeom.mjGEOM_ELLIPSOID
    geom.size = ellipsoid.radii


def _plane(geom: mujoco.MjsGeom, plane: Plane, pose: Transform, name: str) -> None:
    geom.type = mujoco.mjtGeom.mjGEOM_PLANE
    geom.size = [plane.size[0] / 2.0, plane.size[1] / 2.0, 1.0]
    place(geom, pose @ Transform(rotation_from_z(np.asarray(plane.normal, dtype=float))))


def _mesh(geom: mujoco.MjsGeom, mesh: Mesh, pose: Transform, name: str) -> None:
    geom.type = mujoco.mjtGeom.mjGEOM_MESH
    geom.meshname = name


_SHAPES: dict[type, Callable[..., None]] = {
    Box: _box,
    Cylinder: _cylinder,
    Capsule: _capsule,
    Sphere: _sphere,
    Ellipsoid: _ellipsoid,
    Plane: _plane,
    Mesh: _mesh,
}


def rotation_from_z(normal: np.ndarray) -> np.ndarray:
    """Return a rotation (3, 3) that takes the z axis to `normal`."""
    z = normal / np.linalg.norm(normal)
    seed = np.array([1.0, 0.0, 0.0]) if abs(z[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    x = seed - z * (seed @ z)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def _add_mesh(spec: mujoco.MjSpec, mesh: Mesh, name: str, shell: bool) -> None:
    if mesh.file.suffix.lower() not in _MESH_SUFFIXES:
        raise ShapeError(
            f"mesh '{mesh.uri}': the embedded simulator expects {' or '.join(_MESH_SUFFIXES)}"
        )
    if mesh.submesh:
        raise ShapeError(f"mesh '{mesh.uri}': one submesh of a file is not supported")
    asset = spec.add_mesh(name=name, file=str(mesh.file.resolve()), scale=mesh.scale)
    if shell:  # a drawn surface need not be closed
        asset.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL


def _paint(spec: mujoco.MjSpec, geom: mujoco.MjsGeom, visual: Visual) -> None:
    """Give the geom its material, which visuals that look alike share: MuJoCo draws 999 at most."""
    material = visual.material
    if material is None:
        geom.rgba = DEFAULT_COLOUR
        return
    red, green, blue, alpha = material.diffuse
    strongest = max(max(material.diffuse[:3]), 1e-6)
    look = {
        "rgba": (red, green, blue, alpha * (1.0 - visual.transparency)),
        "specular": max(material.specular[:3]),
        "shininess": min(material.shininess / 128.0, 1.0),
        "emission": min(max(material.emissive[:3]) / strongest, 1.0),
    }
    name = str(look)
    if spec.material(name) is None:
        spec.add_material(name=name, **look)
    geom.material = name


def add_light(body: mujoco.MjsBody, light: Light, name: str, pose: Transform) -> None:
    """Add a light; `pose` is body_from_light. MuJoCo draws shadows of spots and directional ones.

    Its renderer leaves lights of its point type dark, but a spot all round is one.
    """
    kinds = {
        "directional": mujoco.mjtLightType.mjLIGHT_DIRECTIONAL,
        "spot": mujoco.mjtLightType.mjLIGHT_SPOT,
        "point": mujoco.mjtLightType.mjLIGHT_SPOT,
    }
    attenuation = light.attenuation
    body.add_light(
        name=name,
        type=kinds[light.type],
        pos=pose.translation,
        dir=pose.rotate(light.direction),
        diffuse=np.asarray(light.diffuse[:3]) * light.intensity,
        specular=np.asarray(light.specular[:3]) * light.intensity,
        ambient=[0.0, 0.0, 0.0],
        attenuation=[attenuation.constant, attenuation.linear, attenuation.quadratic],
        range=attenuation.range,
        castshadow=light.cast_shadows and light.type != "point",
        cutoff=math.degrees(light.spot.outer_angle) / 2.0 if light.type == "spot" else 180.0,
        exponent=light.spot.falloff if light.type == "spot" else 0.0,
        active=light.is_on,
    )


def shadow_reach(model: mujoco.MjModel) -> float:
    """Return how far (m) from the line through a directional light's place things stand, at most.

    So far its shadow map must reach to either side; 1 where there is no such light. What casts no
    shadow, as planes, does not count.
    """
    kind = mujoco.mjtLightType.mjLIGHT_DIRECTIONAL
    suns = np.flatnonzero((model.light_type == kind) & (model.light_castshadow != 0))
    drawn = np.isin(model.geom_group, DRAWN_GROUPS)
    drawn[shadowless(model)] = False
    things = np.flatnonzero(drawn)
    if not len(suns) or not len(things):
        return 1.0
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    mujoco.mj_camlight(model, data)
    apart = data.geom_xpos[things] - data.light_xpos[suns, None]
    across = np.linalg.norm(np.cross(apart, data.light_xdir[suns, None]), axis=-1)
    return float((across + model.geom_rbound[things]).max())
