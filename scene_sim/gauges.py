"""MuJoCo's own sensors at the frames that the scene's sensors and plugins watch.

MuJoCo works out all of them in one call. Asking it from Python for one pose, speed or ray after
the other costs more than the physics.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable

import mujoco

from scene_sim.mjcf_geometry import COLLISION_GROUP, VISIBLE_TO_RAYS

_MOTION = {
    "orientation": mujoco.mjtSensor.mjSENS_FRAMEQUAT,
    "velocity": mujoco.mjtSensor.mjSENS_FRAMELINVEL,
    "own_spin": mujoco.mjtSensor.mjSENS_GYRO,
    "own_velocity": mujoco.mjtSensor.mjSENS_VELOCIMETER,
}
_RANGEFINDER = mujoco.mjtSensor.mjSENS_RANGEFINDER
_NEVER, _WITH_POSITIONS = 0, 1  # mjtStage


def watch_motion(spec: mujoco.MjSpec, site: str) -> None:
    """Have the motion of a site worked out, for a MotionGauge."""
    for name, kind in _MOTION.items():
        _add(spec, site, f"{site}/{name}", kind)


def watch_range(spec: mujoco.MjSpec, site: str) -> None:
    """Have the distance along the z axis of a site worked out, for an Eye."""
    # Newer releases of MuJoCo can tell more of a ray than its length, bit 0.
    _add(spec, site, site, _RANGEFINDER).intprm[0] = 1


def _add(spec: mujoco.MjSpec, site: str, name: str, kind: mujoco.mjtSensor) -> mujoco.MjsSensor:
    return spec.add_sensor(name=name, type=kind, objtype=mujoco.mjtObj.mjOBJ_SITE, objname=site)


class MotionGauge:
    """Where the motion of a watched site is found in the values that Physics.sensed returns.

    `orientation`: quaternion w x y z; `velocity`: m/s in world axes; `own_velocity` (m/s) and
    `own_spin` (rad/s): in the site's axes.
    """

    def __init__(self, model: mujoco.MjModel, site: str) -> None:
        self.site = int(model.site(site).id)
        self.orientation = self._place(model, site, "orientation")
        self.velocity = self._place(model, site, "velocity")
        self.own_velocity = self._place(model, site, "own_velocity")
        self.own_spin = self._place(model, site, "own_spin")

    @staticmethod
    def _place(model: mujoco.MjModel, site: str, name: str) -> slice:
        sensor = model.sensor(f"{site}/{name}")
        return slice(int(sensor.adr[0]), int(sensor.adr[0] + sensor.dim[0]))


def ignore_ranges(model: mujoco.MjModel) -> None:
    """Have no ray cast with the model's other sensors: an Eye does that when it is due."""
    model.sensor_needstage[model.sensor_type == _RANGEFINDER] = _NEVER


class Eye:
    """Casts the rays of watched sites, all in one call."""

    def __init__(self, model: mujoco.MjModel, sites: Iterable[str], rendered: bool) -> None:
        """See what cameras see (`rendered`) or what physics touches."""
        sensors = [model.sensor(site) for site in sites]
        self.places = [int(sensor.adr[0]) for sensor in sensors]
        self._model = copy.copy(model)
        self._model.sensor_needstage[:] = _NEVER
        self._model.sensor_needstage[[sensor.id for sensor in sensors]] = _WITH_POSITIONS
        seen = VISIBLE_TO_RAYS if rendered else (COLLISION_GROUP,)
        for geom in range(model.ngeom):
            if model.geom_group[geom] not in seen:
                self._model.geom_matid[geom] = -1
                self._model.geom_rgba[geom] = 0.0  # rays pass what is fully transparent

    def look(self, data: mujoco.MjData) -> None:
        """Put the distances (-1: nothing hit) into `data.sensordata`, at `places`."""
        mujoco.mj_sensorPos(self._model, data)
