"""Names what a model describes and the embedded simulator does not play, with its place."""

from __future__ import annotations

from collections.abc import Iterator

from scene_sim.description.scene import Joint, Link, Model
from scene_sim.description.shapes import Collision, Visual

SUFFIX = "not played by the embedded simulator"


def unplayed(model: Model) -> Iterator[str]:
    """Yield one line, with file and line, for each such thing of a model."""
    if model.self_collide:
        yield f"{model.source}: <self_collide> of model '{model.name}': {SUFFIX}"
    for link in model.links:
        yield from (f"{link.source}: link '{link.name}': {what}" for what in _of_link(link))
        for visual in link.visuals:
            yield from (f"{visual.source}: {what}" for what in _of_visual(visual))
        for collision in link.collisions:
            yield from (f"{collision.source}: {what}" for what in _of_collision(collision))
    for joint in model.joints:
        yield from (f"{joint.source}: joint '{joint.name}': {what}" for what in _of_joint(joint))


def _of_link(link: Link) -> Iterator[str]:
    found = {
        "<kinematic>": link.kinematic,
        "<velocity_decay>": any(link.velocity_decay),
        "<self_collide>": link.self_collide,
    }
    return (f"{name}: {SUFFIX}" for name, there in found.items() if there)


def _of_visual(visual: Visual) -> Iterator[str]:
    material = visual.material
    found = {
        "a texture": material is not None and material.texture is not None,
        "<lighting> off": material is not None and not material.lighting,
        "<cast_shadows> off": not visual.cast_shadows,
    }
    return (f"visual '{visual.name}': {name}: {SUFFIX}" for name, there in found.items() if there)


def _of_collision(collision: Collision) -> Iterator[str]:
    surface = collision.surface
    found = {
        "a second friction coefficient": surface.mu2 not in (None, surface.mu),
        "<slip>": bool(surface.slip1 or surface.slip2),
        "<kp> or <kd>": surface.kp is not None or surface.kd is not None,
        "<restitution_coefficient>": bool(surface.restitution),
    }
    return (f"collision '{collision.name}': {name}: {SUFFIX}" for name, on in found.items() if on)


def _of_joint(joint: Joint) -> Iterator[str]:
    axis = joint.axis
    found = {
        "a spring": axis is not None and axis.spring_stiffness != 0.0,
        "a second axis": joint.axis2 is not None,
        "<mimic>": joint.mimic is not None,
    }
    return (f"{name}: {SUFFIX}" for name, there in found.items() if there)
