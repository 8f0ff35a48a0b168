"""MuJoCo on a fixed grid of steps, with the state at any time between.

Physics steps on its own grid whatever the sensors' rates are, so the motion is the same however a
run is sliced. Between two grid states the positions are interpolated as the integrator itself
moves them (semi-implicit: q(k+1) = q(k) + dt v(k+1)), so a sensor sees the world at its own time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from scene_sim.schedule import SECOND
from spatial_types.transforms import Transform

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Snapshot:
    """Where everything was at `stamp`: enough to draw the scene later, on another thread."""

    stamp: int
    qpos: Array


class Physics:
    """The moving scene. `data` is the state on the grid, `probe` a copy for looking between."""

    def __init__(self, model: mujoco.MjModel) -> None:
        self.model = model
        self.data = mujoco.MjData(model)
        self.probe = mujoco.MjData(model)
        self._step_ns = round(model.opt.timestep * SECOND)
        if self._step_ns <= 0:
            raise ValueError(f"physics step is {model.opt.timestep} s: expected more than 0")
        self._grid = 0
        self._probe_stamp: int | None = None
        self._probe_has_velocity = False
        # Views of MuJoCo's own memory: asking for them anew costs as much as using them.
        self.act, self.ctrl = self.data.act, self.data.ctrl
        self.positions, self._velocities = self.probe.qpos, self.data.qvel
        self._xpos, self._xmat = self.probe.xpos, self.probe.xmat.reshape(-1, 3, 3)
        self._site_xpos = self.probe.site_xpos
        self._site_xmat = self.probe.site_xmat.reshape(-1, 3, 3)
        mujoco.mj_forward(model, self.data)

    def reset(self) -> None:
        """Go back to time zero and the described poses."""
        mujoco.mj_resetData(self.model, self.data)
        mujoco.mj_forward(self.model, self.data)
        self._grid = 0
        self.touch()

    def touch(self) -> None:
        """Say that the state was changed from outside."""
        self._probe_stamp = None

    @property
    def grid_time(self) -> int:
        """Time of `data`, ns."""
        return self._grid * self._step_ns

    def advance_to(self, stamp: int) -> None:
        """Step to the first grid time not before `stamp` (ns)."""
        target = -(-stamp // self._step_ns)
        if target > self._grid:
            mujoco.mj_step(self.model, self.data, target - self._grid)
            self._grid = target
            self._probe_stamp = None

    def look_at(self, stamp: int, velocities: bool = False) -> mujoco.MjData:
        """Return the probe with poses (and body velocities) at `stamp`, at most a step ago."""
        probe = self.probe
        if self._probe_stamp != stamp:
            self._interpolate(stamp)
            mujoco.mj_kinematics(self.model, probe)
            self._probe_stamp = stamp
            self._probe_has_velocity = False
        if velocities and not self._probe_has_velocity:
            probe.qvel[:] = self._velocities
            mujoco.mj_comPos(self.model, probe)
            mujoco.mj_comVel(self.model, probe)
            self._probe_has_velocity = True
        return probe

    def _interpolate(self, stamp: int) -> None:
        self.positions[:] = self.data.qpos
        back = stamp - self._grid * self._step_ns
        if back:
            mujoco.mj_integratePos(self.model, self.positions, self._velocities, back / SECOND)

    def snapshot(self, stamp: int) -> Snapshot:
        """Return the state at `stamp` (ns)."""
        self.look_at(stamp)
        return Snapshot(stamp, self.positions.copy())

    def body_pose(self, body: int, stamp: int) -> Transform:
        """Return world_from_body at `stamp`."""
        self.look_at(stamp)
        return Transform(self._xmat[body].copy(), self._xpos[body].copy())

    def site_pose(self, site: int, stamp: int) -> Transform:
        """Return world_from_site at `stamp`."""
        self.look_at(stamp)
        return Transform(self._site_xmat[site].copy(), self._site_xpos[site].copy())

    def body_velocity(self, body: int, stamp: int, own_axes: bool = False) -> tuple[Array, Array]:
        """Return linear and angular velocity (3,) of the body's origin in world or own axes."""
        return self._velocity(mujoco.mjtObj.mjOBJ_XBODY, body, stamp, own_axes)

    def site_velocity(self, site: int, stamp: int) -> tuple[Array, Array]:
        """Return linear and angular velocity (3,) of the site in world axes."""
        return self._velocity(mujoco.mjtObj.mjOBJ_SITE, site, stamp, False)

    def _velocity(self, kind: Any, index: int, stamp: int, own: bool) -> tuple[Array, Array]:
        probe = self.look_at(stamp, velocities=True)
        twist = np.empty(6)
        mujoco.mj_objectVelocity(self.model, probe, kind, index, twist, own)
        return twist[3:], twist[:3]


def cross(a: Array, b: Array) -> Array:
    """Return a x b for two vectors (3,); NumPy's own costs ten times as much for so few."""
    ax, ay, az = a.tolist()
    bx, by, bz = b.tolist()
    return np.array([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx])
