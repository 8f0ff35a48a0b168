"""What physics needs of a scene, and no more: links that are fixed to each other as one body.

A step of the whole model, with its visuals, cameras and every link of the description, costs half
as much again.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import mujoco
import numpy as np


def dynamics_of(spec: mujoco.MjSpec, model: mujoco.MjModel) -> mujoco.MjModel:
    """Return the moving part of a spec whose compiled `model` has the same state, in its order."""
    for fused in (True, False):
        compiled = _stripped(spec, fused).compile()
        if _same_state(compiled, model):
            return compiled
    return model


def _stripped(spec: mujoco.MjSpec, fused: bool) -> mujoco.MjSpec:
    part = spec.copy()
    # MuJoCo's fusing forgets which links are held against gravity.
    part.compiler.fusestatic = fused and all(body.gravcomp == 0.0 for body in part.bodies)
    touching = [geom for geom in part.geoms if geom.contype or geom.conaffinity]
    meshes = {geom.meshname for geom in touching}
    _delete(part, part.sensors)
    _delete(part, (geom for geom in part.geoms if not (geom.contype or geom.conaffinity)))
    _delete(part, (mesh for mesh in part.meshes if mesh.name not in meshes))
    for elements in (part.sites, part.cameras, part.lights):
        _delete(part, elements)
    return part


def _delete(spec: mujoco.MjSpec, elements: Iterable[Any]) -> None:
    for element in list(elements):
        spec.delete(element)


def _same_state(a: mujoco.MjModel, b: mujoco.MjModel) -> bool:
    if (a.nq, a.nv, a.na, a.nu, a.njnt) != (b.nq, b.nv, b.na, b.nu, b.njnt):
        return False
    joints = all(a.joint(index).name == b.joint(index).name for index in range(a.njnt))
    actuators = all(a.actuator(index).name == b.actuator(index).name for index in range(a.nu))
    return joints and actuators and bool(np.array_equal(a.jnt_qposadr, b.jnt_qposadr))
