"""Reads SDF worlds: physics, light, air, and where everything stands."""

from __future__ import annotations

from typing import cast

from .frames import WORLD, Entry, Scope
from .poses import take_pose
from .reading import Reading, take_colour
from .scene import Appearance, Atmosphere, Frame, Physics, SphericalCoordinates, World
from .sdf_include import expand_includes
from .sdf_model import ModelTree, build_model, read_model_tree
from .sdf_parts import check_unique, read_light, read_plugins
from .shapes import Vector3
from .xml_node import Node

_DEFAULT = World()


def read_world(node: Node, reading: Reading) -> World:
    """Read a <world> with everything it includes; DescriptionError where anything is wrong."""
    node.taken = True
    expand_includes(node, reading)
    scope = Scope(WORLD, f"world '{node.required_attribute('name')}'", node.source)
    trees = _register(node, scope, reading)
    models = [build_model(tree, scope.pose_of(tree.entry), reading) for tree in trees]
    lights = [read_light(child, reading, scope.locate_raw) for child in node.all("light")]
    check_unique(lights, "light", node)
    wind = node.child("wind")
    return World(
        name=node.required_attribute("name"),
        gravity=_vector(node, "gravity", _DEFAULT.gravity),
        magnetic_field=_vector(node, "magnetic_field", _DEFAULT.magnetic_field),
        wind=_DEFAULT.wind if wind is None else _vector(wind, "linear_velocity", _DEFAULT.wind),
        physics=_physics(node, reading),
        appearance=_appearance(node.child("scene"), reading),
        spherical_coordinates=_spherical(node.child("spherical_coordinates")),
        atmosphere=_atmosphere(node.child("atmosphere")),
        lights=tuple(lights),
        models=tuple(models),
        frames=tuple(_frames(node, scope)),
        plugins=read_plugins(node),
        source=node.source,
    )


def _register(node: Node, scope: Scope, reading: Reading) -> list[ModelTree]:
    trees = []
    for child in node.all("model"):
        tree = read_model_tree(child, reading)
        scope.add(tree.entry)
        scope.children[tree.name] = tree.scope
        trees.append(tree)
    for child in node.all("frame"):
        name, anchor = child.required_attribute("name"), child.attribute("attached_to")
        scope.add(Entry(name, "frame", take_pose(child), child.source, anchor))
    return trees


def _frames(node: Node, scope: Scope) -> list[Frame]:
    return [
        Frame(e.name, scope.pose_of(e), scope.link_of(e.name, e.source), e.source)
        for e in scope.entries.values()
        if e.kind == "frame"
    ]


def _vector(node: Node, tag: str, default: Vector3) -> Vector3:
    return cast(Vector3, node.vector(tag, default))


def _physics(world: Node, reading: Reading) -> Physics:
    """Read the default <physics>, or the first."""
    profiles = world.all("physics")
    if not profiles:
        return Physics()
    chosen = next((p for p in profiles if p.flag_attribute("default")), profiles[0])
    for profile in profiles:
        if profile is not chosen:
            profile.take_whole()
            reading.warn(profile, "is not the default physics: not used")
    default = Physics()
    return Physics(
        name=chosen.attribute("name", default.name),
        type=chosen.attribute("type", default.type),
        max_step_size=chosen.positive("max_step_size", default.max_step_size),
        real_time_factor=chosen.number("real_time_factor", default.real_time_factor),
        real_time_update_rate=chosen.number("real_time_update_rate", 1000.0),
        max_contacts=chosen.integer("max_contacts", default.max_contacts),
    )


def _appearance(node: Node | None, reading: Reading) -> Appearance:
    if node is None:
        return Appearance()
    default = Appearance()
    sky = node.child("sky")
    return Appearance(
        ambient=take_colour(node, "ambient", default.ambient, reading),
        background=take_colour(node, "background", default.background, reading),
        shadows=node.flag("shadows", True),
        grid=node.flag("grid", True),
        origin_visual=node.flag("origin_visual", True),
        sky=sky is not None,
    )


def _spherical(node: Node | None) -> SphericalCoordinates | None:
    if node is None:
        return None
    coordinates = SphericalCoordinates(
        latitude_deg=node.number("latitude_deg", 0.0),
        longitude_deg=node.number("longitude_deg", 0.0),
        elevation=node.number("elevation", 0.0),
        heading_deg=node.number("heading_deg", 0.0),
        surface_model=node.string("surface_model", "EARTH_WGS84"),
        world_frame_orientation=node.string("world_frame_orientation", "ENU"),
    )
    if not -90.0 <= coordinates.latitude_deg <= 90.0:
        raise node.required("latitude_deg").error("expected degrees from -90 to 90")
    if coordinates.world_frame_orientation != "ENU":
        raise node.required("world_frame_orientation").error("expected ENU")
    return coordinates


def _atmosphere(node: Node | None) -> Atmosphere:
    if node is None:
        return Atmosphere()
    node.attribute("type")
    default = Atmosphere()
    return Atmosphere(
        temperature=node.positive("temperature", default.temperature),
        temperature_gradient=node.number("temperature_gradient", default.temperature_gradient),
        pressure=node.positive("pressure", default.pressure),
    )
